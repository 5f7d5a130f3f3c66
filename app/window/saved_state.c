#include "app/window/saved_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/places.h"
#include "data/files/input.h"
#include "data/files/output.h"
#include "model/base/file_kind.h"
#include "model/base/utf8.h"

enum { PICTURE_MAX = 1 << 29, TEXT_MAX = 1 << 22 };

void saved_state_free(SavedState *saved) {
    picture_texts_free(&saved->texts);
    *saved = (SavedState){0};
}

/* --- in a picture ----------------------------------------------------------------------------- */

static void add(PictureText *texts, int *count, const char *keyword, const char *text) {
    if (text && utf8_valid(text)) texts[(*count)++] = (PictureText){keyword, text};
}

int saved_state_texts(const SavedState *saved, char size[SAVED_STATE_SIZE_TEXT],
                      PictureText texts[SAVED_STATE_TEXTS]) {
    int count = 0;
    snprintf(size, SAVED_STATE_SIZE_TEXT, "%dx%d %.9g", saved->width, saved->height,
             (double)saved->scale);
    add(texts, &count, "Software", "headscope " HEADSCOPE_VERSION);
    add(texts, &count, "headscope:command", saved->command);
    add(texts, &count, "headscope:actions", saved->actions);
    add(texts, &count, "headscope:model", saved->hash);
    add(texts, &count, "headscope:file", saved->file);
    add(texts, &count, "headscope:size", size);
    add(texts, &count, "headscope:version", HEADSCOPE_VERSION);
    return count;
}

bool saved_state_is_picture(const char *path) {
    unsigned char bytes[FILE_KIND_BYTES];
    size_t size;
    return input_begin(bytes, &size, path, sizeof bytes, NULL) &&
           file_kind(bytes, size) == FILE_PNG;
}

static const char *text_or_empty(const PictureTexts *texts, const char *keyword) {
    const char *text = picture_texts_find(texts, keyword);
    return text ? text : "";
}

/* "1600x1000 2"; what is not so is no size. */
static void read_size(SavedState *saved, const char *text) {
    int width, height, end = 0;
    float scale;
    if (sscanf(text, "%6dx%6d %f%n", &width, &height, &scale, &end) != 3 || text[end]) return;
    if (width < 1 || height < 1 || !(scale > 0 && scale <= 64)) return;
    saved->width = width;
    saved->height = height;
    saved->scale = scale;
}

bool saved_state_read_picture(SavedState *saved, const char *path, Error *error) {
    size_t size;
    *saved = (SavedState){0};
    char *bytes = places_read(path, PICTURE_MAX, &size, error);
    if (!bytes) return false;
    bool good = picture_texts_read((unsigned char *)bytes, size, &saved->texts, error) ||
                error_prefix(error, "%s", path);
    free(bytes);
    if (!good) return false;
    const PictureTexts *texts = &saved->texts;
    saved->actions = picture_texts_find(texts, "headscope:actions");
    saved->hash = text_or_empty(texts, "headscope:model");
    saved->file = text_or_empty(texts, "headscope:file");
    saved->command = text_or_empty(texts, "headscope:command");
    read_size(saved, text_or_empty(texts, "headscope:size"));
    if (saved->actions) return true;
    saved_state_free(saved);
    return error_usage(error,
                       "%s: no state to open is in this picture; those that headscope's window "
                       "or headscope shot saved have one",
                       path);
}

/* --- its model -------------------------------------------------------------------------------- */

typedef struct Search {
    const SavedState *saved;
    bool force;
    Model *model;
    char **path;
    char found[200]; /* another model in its place: path and hash */
    Error *error;    /* of the first that could not be opened */
    bool failed;
} Search;

/* Tries one place; takes `path` over. True if it is the one. */
static bool try_place(Search *search, char *path) {
    Error error;
    bool there = path && path[0] && access(path, F_OK) == 0;
    if (there && model_open(search->model, path, &error)) {
        if (search->force || strcmp(search->model->hash, search->saved->hash) == 0) {
            *search->path = path;
            return true;
        }
        if (!search->found[0])
            snprintf(search->found, sizeof search->found, "%.120s is %.12s", path,
                     search->model->hash);
        model_free(search->model);
        *search->model = (Model){0};
    } else if (there && !search->failed) {
        *search->error = error;
        search->failed = true;
    }
    free(path);
    return false;
}

/* All shipped models, since the state's may be a copy of one under another name. That the rest of
 * them are others is no news. */
static bool try_shipped(const Search *search) {
    static const char *const names[] = {"add", "copy", "dates", "forming", "reverse", "sort"};
    Error ignored;
    Search quiet = *search;
    quiet.error = &ignored;
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.safetensors", names[i]);
        found = try_place(&quiet, places_shipped(name));
    }
    return found;
}

/* Why a state of no picture has no model. */
static bool refuse_kept(const Search *search) {
    const SavedState *saved = search->saved;
    if (search->found[0])
        return error_usage(search->error, "its model %.160s (%.12s) is another one now: %s",
                           saved->file, saved->hash, search->found);
    if (search->failed) return false;
    return error_usage(search->error, "its model %.160s (%.12s) is not to be found", saved->file,
                       saved->hash);
}

bool saved_state_open_model(const SavedState *saved, const char *picture, bool force, Model *model,
                            char **path, Error *error) {
    Search search = {.saved = saved, .force = force, .model = model, .path = path, .error = error};
    *model = (Model){0};
    const char *name = places_name(saved->file);
    if (!saved->hash[0] && !force)
        return error_usage(error, "its model was never saved, so that it cannot be found again");
    /* A stranger's picture names no folder of ours: its file is looked for by name alone. */
    if (name[0] && (try_place(&search, strdup(picture ? name : saved->file)) ||
                    (picture && try_place(&search, places_beside(picture, name))) ||
                    try_place(&search, places_shipped(name))))
        return true;
    if (!force && try_shipped(&search)) return true;
    if (!picture) return refuse_kept(&search);
    if (search.found[0])
        return error_usage(error,
                           "it shows the model %.12s, but %s; with --force that one is opened",
                           saved->hash, search.found);
    if (search.failed) return false;
    return error_usage(error,
                       "its model %.160s (%.12s) is not to be found, neither there nor beside the "
                       "picture; put it beside",
                       name, saved->hash);
}

/* --- in a text file --------------------------------------------------------------------------- */

static bool has_line_break(const char *text) {
    return strpbrk(text, "\r\n") != NULL;
}

bool saved_state_write_file(const SavedState *saved, const char *path, Error *error) {
    Output output;
    if (has_line_break(saved->file))
        return error_set(error, "%s: a path with a line break in it is not kept", saved->file);
    places_make_folders(path);
    if (!output_begin(&output, path, error)) return false;
    output.lasting = true;
    fprintf(output.stream, "headscope state\nmodel = %s\nfile = %s\nactions = %s\n", saved->hash,
            saved->file, saved->actions);
    return output_commit(&output, error);
}

/* What follows `key` at *text, up to the next line break, where a zero byte is put; *text moves
 * behind. NULL if it does not begin so. */
static char *take_line(char **text, const char *key) {
    size_t length = strlen(key);
    if (strncmp(*text, key, length) != 0) return NULL;
    char *value = *text + length, *end = strchr(value, '\n');
    if (!end) return NULL;
    *end = '\0';
    *text = end + 1;
    return value;
}

/* The file's text stays as the one item of `texts`, which frees it. */
bool saved_state_read_file(SavedState *saved, const char *path, Error *error) {
    *saved = (SavedState){0};
    size_t size;
    char *bytes = places_read(path, TEXT_MAX, &size, error), *text = bytes;
    PictureText *item = calloc(1, sizeof *item);
    char *keyword = strdup("");
    const char *hash = NULL, *file = NULL;
    if (bytes && item && keyword && take_line(&text, "headscope state") &&
        (hash = take_line(&text, "model = ")) != NULL)
        file = take_line(&text, "file = ");
    char *actions = file && strncmp(text, "actions = ", 10) == 0 ? text + 10 : NULL;
    size_t length = actions ? strlen(actions) : 0;
    if (!length || actions[length - 1] != '\n' || actions + length != bytes + size) {
        if (bytes) error_set(error, "%s: is no state that headscope kept", path);
        free(bytes);
        free(item);
        free(keyword);
        return false;
    }
    actions[length - 1] = '\0';
    *item = (PictureText){keyword, bytes};
    *saved = (SavedState){
        .actions = actions, .hash = hash, .file = file, .command = "", .texts = {item, 1}};
    return true;
}
