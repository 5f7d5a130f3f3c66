#include "app/window/window_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/heads.h"
#include "app/export/pictures.h"

/* --- names ------------------------------------------------------------------------------------ */

/* "headscope-3.png", the first that is not there. */
static bool free_name(char *name, const char *stem, Error *error) {
    for (int number = 1; number < 10000; number++) {
        snprintf(name, FILE_NAME, "%s-%d.png", stem, number);
        if (access(name, F_OK) != 0) return true;
    }
    return error_usage(error, "there are too many files %s-N.png here; name one", stem);
}

static bool set_name(char *name, const char *text, size_t length, Error *error) {
    if (length >= FILE_NAME) return error_usage(error, "the file's name is too long");
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

/* A device or a pipe takes whatever is written into it. */
static bool is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool ends_as_png(const char *text, size_t length) {
    return length > 4 && strncasecmp(text + length - 4, ".png", 4) == 0;
}

bool files_is_png(const char *path, Error *error) {
    return ends_as_png(path, strlen(path)) || is_special(path) ||
           error_usage(error,
                       "%.300s: the window is saved as a PNG alone; end the name in .png (heads as "
                       "SVG: headscope export)",
                       path);
}

/* "a b.png 2" -> "a b.png" and 2. What stands behind .png and a space is a scale. */
static bool read_save(const char *argument, char *name, float *scale, Error *error) {
    size_t length = strlen(argument), name_length = length;
    const char *space = strrchr(argument, ' ');
    *scale = 1;
    if (space) {
        for (name_length = (size_t)(space - argument); name_length; name_length--)
            if (argument[name_length - 1] != ' ') break;
        bool scaled = strlen(space + 1) == 1 && strchr("124", space[1]);
        if (scaled)
            *scale = (float)(space[1] - '0');
        else if (ends_as_png(argument, name_length) && !ends_as_png(argument, length))
            return error_usage(error, "save %.300s: the scale is 1, 2 or 4", argument);
        else
            name_length = length;
    }
    if (!name_length) return free_name(name, "headscope", error);
    return set_name(name, argument, name_length, error) && files_is_png(name, error);
}

bool files_save(const FileCall *call, const char *argument, char *name, Error *error) {
    float scale;
    if (!read_save(argument, name, &scale, error) || !picture_may_replace(name, error))
        return false;
    FrameSize size = call->size;
    size.scale *= scale;
    return frame_save(call->frame, call->session, call->extra, size, call->command, name, error);
}

/* --- the sheet -------------------------------------------------------------------------------- */

static bool save_sheet(const FileCall *call, const char *name, Error *error) {
    session_refresh(call->session);
    const Pass *pass = session_pass(call->session);
    const State *state = session_state(call->session);
    if (pass->count == 0) return error_usage(error, "there is nothing on show yet");
    int shown = state->companion && pass->count > 1 ? state->example : 0;
    LabelledTrace maps = labelled_trace_of_pass(pass, shown, state->examples[shown].input);
    HeadChoice choice = {0};
    HeadRequest request = {.layer = -1, .head = -1};
    PictureStyle style = {.theme = state->theme,
                          .colormap = state->colormap,
                          .scale = call->size.scale,
                          .command = call->command,
                          .top = 1};
    bool good = heads_choose(&choice, maps.trace, &request, error);
    PictureContent content = {.maps = &maps,
                              .model = session_model(call->session),
                              .panels = choice.panels,
                              .panel_count = choice.count,
                              .arrangement = ARRANGE_SITES};
    good = good && picture_save(name, &content, &style, error);
    text_free(style.text);
    head_choice_free(&choice);
    return good;
}

static bool is_sheet(const char *path, Error *error) {
    PictureFormat format;
    return picture_format(path, &format) || is_special(path) ||
           error_usage(error, "%.300s: a sheet is a picture; end the name in .png or .svg", path);
}

bool files_sheet(const FileCall *call, const char *argument, char *name, Error *error) {
    bool named = argument[0] ? set_name(name, argument, strlen(argument), error)
                             : free_name(name, "headscope-sheet", error);
    return named && is_sheet(name, error) && picture_may_replace(name, error) &&
           save_sheet(call, name, error);
}
