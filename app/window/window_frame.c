#include "app/window/window_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/cli/heads.h"
#include "app/cli/places.h"
#include "app/export/pictures.h"
#include "app/window/saved_state.h"
#include "data/files/output.h"
#include "model/base/clock.h"
#include "viz/canvas/picture_png.h"
#include "viz/draw/draw_screen.h"

float frame_logical(const Session *session, float units) {
    return units / session_state(session)->text_scale;
}

void frame_forget(Frame *frame) {
    hits_clear(&frame->hits);
    frame->screen = NULL;
}

void frame_free(Frame *frame) {
    hits_free(&frame->hits);
    raster_free(frame->raster);
    text_free(frame->text);
    *frame = (Frame){0};
}

bool frame_begin(Frame *frame, Error *error) {
    if (!frame->text) frame->text = text_make(error);
    return frame->text != NULL;
}

static bool fit(Frame *frame, const Session *session, FrameSize size, Error *error) {
    float width = frame_logical(session, (float)size.width);
    float height = frame_logical(session, (float)size.height);
    float scale = size.scale * session_state(session)->text_scale;
    if (!frame_begin(frame, error)) return false;
    if (frame->raster) return raster_resize(frame->raster, width, height, scale, error);
    frame->raster = raster_make(width, height, scale, frame->text, error);
    return frame->raster != NULL;
}

bool frame_draw(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                Error *error) {
    frame_forget(frame);
    if (!fit(frame, session, size, error)) return false;
    const Screen *screen = screen_build(session, extra, error);
    if (!screen) return false;
    frame->screen_at = clock_ms();
    Canvas *canvas = raster_canvas(frame->raster);
    draw_screen(canvas, screen, frame_logical(session, (float)size.width),
                frame_logical(session, (float)size.height), &frame->hits);
    frame->screen = screen;
    return canvas_ok(canvas, error);
}

static bool write_png(const Frame *frame, const SavedState *saved, const char *path, Error *error) {
    char size_text[SAVED_STATE_SIZE_TEXT];
    PictureText texts[SAVED_STATE_TEXTS];
    unsigned char *bytes = NULL;
    size_t length = 0;
    int count = saved_state_texts(saved, size_text, texts);
    bool good =
        picture_png_encode(raster_surface(frame->raster), texts, count, &bytes, &length, error) &&
        output_write(path, bytes, length, error);
    free(bytes);
    return good;
}

bool frame_save(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                const char *command, const char *path, Error *error) {
    char *actions = session_picture_recipe(session);
    if (!actions) return error_set(error, "out of memory");
    SavedState saved = {.actions = actions,
                        .hash = session_model(session)->hash,
                        .file = places_name(session_path(session)),
                        .command = command,
                        .width = size.width,
                        .height = size.height,
                        .scale = size.scale};
    bool good =
        frame_draw(frame, session, extra, size, error) && write_png(frame, &saved, path, error);
    free(actions);
    return good;
}

/* --- names of files --------------------------------------------------------------------------- */

bool frame_free_name(char *name, size_t size, const char *stem, const char *extension,
                     Error *error) {
    for (int number = 1; number < 10000; number++) {
        snprintf(name, size, "%s-%d.%s", stem, number, extension);
        if (access(name, F_OK) != 0) return true;
    }
    return error_usage(error, "there are too many files %s-N.%s here; name one", stem, extension);
}

static bool set_name(char *name, const char *text, size_t length, Error *error) {
    if (length >= FRAME_NAME) return error_usage(error, "the file's name is too long");
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

/* A device or a pipe accepts any format. */
static bool is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool ends_as_png(const char *text, size_t length) {
    return length > 4 && strncasecmp(text + length - 4, ".png", 4) == 0;
}

bool frame_is_png(const char *path, Error *error) {
    return ends_as_png(path, strlen(path)) || is_special(path) ||
           error_usage(error,
                       "%.300s: the window is saved as a PNG alone; end the name in .png (heads as "
                       "SVG: headscope export)",
                       path);
}

/* Splits "a b.png 2" into "a b.png" and 2: a word after ".png " is a scale. */
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
    if (!name_length) return frame_free_name(name, FRAME_NAME, "headscope", "png", error);
    return set_name(name, argument, name_length, error) && frame_is_png(name, error);
}

bool frame_do_save(const FrameCall *call, const char *argument, char *name, Error *error) {
    float scale;
    if (!read_save(argument, name, &scale, error) || !picture_may_replace(name, error))
        return false;
    FrameSize size = call->size;
    size.scale *= scale;
    return frame_save(call->frame, call->session, call->extra, size, call->command, name, error);
}

/* --- the sheet -------------------------------------------------------------------------------- */

static bool save_sheet(const FrameCall *call, const char *name, Error *error) {
    session_refresh(call->session);
    const Pass *pass = session_pass(call->session);
    const State *state = session_state(call->session);
    if (pass->count == 0) return error_usage(error, "there is nothing on show yet");
    int shown = session_example(call->session);
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

bool frame_do_sheet(const FrameCall *call, const char *argument, char *name, Error *error) {
    bool named = argument[0] ? set_name(name, argument, strlen(argument), error)
                             : frame_free_name(name, FRAME_NAME, "headscope-sheet", "png", error);
    return named && is_sheet(name, error) && picture_may_replace(name, error) &&
           save_sheet(call, name, error);
}
