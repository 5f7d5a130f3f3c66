#include "app/window/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/lines.h"
#include "app/cli/places.h"
#include "app/pass/state.h"
#include "data/files/output.h"

enum { FILE_MAX = 1 << 20, SIDE_MAX = 16384 };

Settings settings_default(void) {
    return (Settings){.width = 1280, .height = 800, .text_scale = 1};
}

void settings_looks(const Settings *settings, Action looks[SETTINGS_LOOKS]) {
    looks[0] = action_number(VERB_THEME, settings->theme);
    looks[1] = action_number(VERB_COLORMAP, settings->colormap);
    looks[2] = action_number(VERB_TEXT_SCALE, (double)settings->text_scale);
}

void settings_free(Settings *settings) {
    free(settings->model);
    *settings = settings_default();
}

static bool same_path(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool settings_same(const Settings *a, const Settings *b) {
    return a->width == b->width && a->height == b->height && a->theme == b->theme &&
           a->colormap == b->colormap && a->text_scale == b->text_scale &&
           same_path(a->model, b->model);
}

bool settings_copy(Settings *to, const Settings *from) {
    char *model = to->model;
    if (!same_path(model, from->model) && !state_set_text(&model, from->model)) return false;
    *to = *from;
    to->model = model;
    return true;
}

/* --- the keys --------------------------------------------------------------------------------- */

typedef enum SettingName {
    SETTING_WIDTH,
    SETTING_HEIGHT,
    SETTING_THEME,
    SETTING_COLORMAP,
    SETTING_TEXT_SCALE,
    SETTING_MODEL,
    SETTING_COUNT
} SettingName;

static const struct {
    const char *name, *takes;
} keys[SETTING_COUNT] = {
    {"width", "a whole number from 1 to 16384"},
    {"height", "a whole number from 1 to 16384"},
    {"theme", "light or dark"},
    {"colormap", "viridis, cividis, magma or grey"},
    {"text_scale", "a number from 0.5 to 4"},
    {"model", "a path"},
};

static bool read_side(const char *value, int *side) {
    char *end;
    long read = strtol(value, &end, 10);
    if (end == value || *end || read < 1 || read > SIDE_MAX) return false;
    *side = (int)read;
    return true;
}

static bool read_scale(const char *value, float *scale) {
    char *end;
    double read = strtod(value, &end);
    if (end == value || *end || !(read >= TEXT_SCALE_MIN && read <= TEXT_SCALE_MAX)) return false;
    *scale = (float)read;
    return true;
}

static bool set(Settings *settings, SettingName name, const char *value) {
    switch (name) {
    case SETTING_WIDTH:
        return read_side(value, &settings->width);
    case SETTING_HEIGHT:
        return read_side(value, &settings->height);
    case SETTING_THEME:
        return theme_parse(value, &settings->theme);
    case SETTING_COLORMAP:
        return colormap_parse(value, &settings->colormap);
    case SETTING_TEXT_SCALE:
        return read_scale(value, &settings->text_scale);
    default:
        return state_set_text(&settings->model, value[0] ? value : NULL);
    }
}

static void print(FILE *stream, const Settings *settings, SettingName name) {
    fprintf(stream, "%s = ", keys[name].name);
    switch (name) {
    case SETTING_WIDTH:
        fprintf(stream, "%d\n", settings->width);
        break;
    case SETTING_HEIGHT:
        fprintf(stream, "%d\n", settings->height);
        break;
    case SETTING_THEME:
        fprintf(stream, "%s\n", theme_name(settings->theme));
        break;
    case SETTING_COLORMAP:
        fprintf(stream, "%s\n", colormap_name(settings->colormap));
        break;
    case SETTING_TEXT_SCALE:
        fprintf(stream, "%.9g\n", (double)settings->text_scale);
        break;
    default: /* a path with a line break in it could not be read back */
        fprintf(stream, "%s\n",
                settings->model && !strpbrk(settings->model, "\r\n") ? settings->model : "");
        break;
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Takes a line apart (writing into it). SETTING_COUNT for an unknown key; false where the line is
 * neither empty nor a comment nor `key = value`. */
static bool take_apart(char *line, SettingName *name, char **value) {
    *name = SETTING_COUNT;
    line = lines_trim(line);
    if (!line[0] || line[0] == '#') return true;
    char *equals = strchr(line, '=');
    if (!equals) return false;
    *equals = '\0';
    const char *key = lines_trim(line);
    *value = lines_trim(equals + 1);
    for (int i = 0; i < SETTING_COUNT; i++)
        if (strcmp(key, keys[i].name) == 0) *name = (SettingName)i;
    return true;
}

/* Cuts the next line off *rest; NULL at the end. */
static char *next_line(char **rest) {
    char *line = *rest;
    if (!line || !*line) return NULL;
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    *rest = end ? end + 1 : NULL;
    return line;
}

static bool read_line(Settings *settings, char *line, int number, Error *error) {
    SettingName name;
    char *value = NULL;
    if (!take_apart(line, &name, &value))
        return error_set(error, "line %d: a line is key = value, or begins with #", number);
    if (name == SETTING_COUNT || set(settings, name, value)) return true;
    return error_set(error, "line %d: %s = %.60s: it takes %s", number, keys[name].name, value,
                     keys[name].takes);
}

bool settings_read(Settings *settings, const char *path, Error *error) {
    if (access(path, F_OK) != 0) return true;
    size_t size;
    char *text = places_read(path, FILE_MAX, &size, error);
    if (!text) return false;
    bool good = strlen(text) == size || error_set(error, "%s: is no text", path);
    bool all = good;
    char *rest = text;
    int number = 1;
    for (char *line; good && (line = next_line(&rest)); number++) {
        Error ignored;
        all = read_line(settings, line, number, all ? error : &ignored) && all;
    }
    if (good && !all) error_prefix(error, "%s", path);
    free(text);
    return all;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The lines of the file as it is, each known key with its new value. */
static void print_over(FILE *stream, const Settings *settings, char *text, bool *printed) {
    for (char *line; (line = next_line(&text));) {
        char *copy = strdup(line), *value;
        SettingName name = SETTING_COUNT;
        bool fine = copy && take_apart(copy, &name, &value);
        free(copy);
        if (fine && name == SETTING_COUNT) fprintf(stream, "%s\n", line);
        if (!fine || name == SETTING_COUNT || printed[name]) continue;
        print(stream, settings, name);
        printed[name] = true;
    }
}

/* The text of the file that is there, NULL where none is; false if it is no text. */
static bool read_before(char **text, const char *path, Error *error) {
    size_t size = 0;
    *text = NULL;
    if (access(path, F_OK) != 0) return true;
    *text = places_read(path, FILE_MAX, &size, error);
    if (!*text || strlen(*text) == size) return *text != NULL;
    free(*text);
    return error_set(error, "%s: is no text, and is left as it is; remove it", path);
}

bool settings_write(const Settings *settings, const char *path, Error *error) {
    bool printed[SETTING_COUNT] = {false};
    Output output;
    char *text;
    if (!read_before(&text, path, error)) return false;
    places_make_folders(path);
    bool good = output_begin(&output, path, error);
    output.lasting = true;
    if (good && text)
        print_over(output.stream, settings, text, printed);
    else if (good)
        fputs("# What headscope's window keeps from one start to the next.\n", output.stream);
    for (int name = 0; good && name < SETTING_COUNT; name++)
        if (!printed[name]) print(output.stream, settings, (SettingName)name);
    free(text);
    return good && output_commit(&output, error);
}

/* --- all that is kept ------------------------------------------------------------------------- */

void kept_read(Kept *kept) {
    *kept = (Kept){.settings = settings_default(),
                   .stored = settings_default(),
                   .settings_path = places_config(),
                   .last_path = places_last()};
    kept->known = kept->settings_path && access(kept->settings_path, F_OK) == 0;
    if (kept->known && !settings_read(&kept->settings, kept->settings_path, &kept->problem))
        fprintf(stderr, "headscope: %s\n", kept->problem.text);
    settings_copy(&kept->stored, &kept->settings);
}

void kept_free(Kept *kept) {
    settings_free(&kept->settings);
    settings_free(&kept->stored);
    free(kept->settings_path);
    free(kept->last_path);
    *kept = (Kept){0};
}
