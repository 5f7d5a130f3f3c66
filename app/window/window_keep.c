#include "app/window/window_keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/places.h"
#include "app/session/state_text.h"
#include "app/window/saved_state.h"
#include "app/window/window_do.h"

enum { STILL_MS = 100, APART_MS = 500, LATEST_MS = 1000 };

/* --- the state -------------------------------------------------------------------------------- */

/* A failure costs no more than the next start's memory; it is said once. */
static void tell_failure(Window *window, bool *told, const char *what, Error *error) {
    if (*told) return;
    *told = true;
    error_prefix(error, "%s cannot be kept for the next start", what);
    fprintf(stderr, "headscope: %s\n", error->text);
    window_warn(window, error->text);
}

/* A state that could not be shown is not lost by the next one. */
static bool set_aside(Window *window, Error *error) {
    const char *path = window->call->last_path;
    char *old = NULL;
    if (!window->call->set_aside || window->keep.set_aside) return true;
    size_t size = strlen(path) + sizeof ".old";
    old = malloc(size);
    if (!old) return error_set(error, "out of memory");
    snprintf(old, size, "%s.old", path);
    window->keep.set_aside = rename(path, old) == 0 || errno == ENOENT;
    if (!window->keep.set_aside)
        error_set(error, "%s: cannot be renamed: %s", path, strerror(errno));
    free(old);
    return window->keep.set_aside;
}

static void keep_state(Window *window) {
    const WindowCall *call = window->call;
    const char *path = session_path(window->session);
    if (!call->last_path || !path[0]) return; /* a model in training is not in a file */
    const Config *config = &session_model(window->session)->config;
    char *actions = state_text(session_state(window->session), config, STATE_STEP);
    char *file = places_absolute(path);
    bool changed = actions && (!window->keep.recipe || strcmp(actions, window->keep.recipe) != 0);
    Error error;
    if (changed && file) {
        SavedState saved = {
            .actions = actions, .hash = session_model(window->session)->hash, .file = file};
        if (!set_aside(window, &error) || !saved_state_write_file(&saved, call->last_path, &error))
            tell_failure(window, &window->keep.told_state, "the state", &error);
        free(window->keep.recipe);
        window->keep.recipe = actions;
        actions = NULL;
    }
    free(actions);
    free(file);
}

/* --- the settings ----------------------------------------------------------------------------- */

void window_see_looks(Window *window) {
    Settings *looks = &window->keep.looks;
    const State *state = session_state(window->session);
    looks->theme = state->theme;
    looks->colormap = state->colormap;
    looks->text_scale = state->text_scale;
}

void window_note_looks(Window *window) {
    const Settings *looks = &window->keep.looks;
    Settings *settings = window->call->settings;
    const State *state = session_state(window->session);
    if (state->theme != looks->theme) settings->theme = state->theme;
    if (state->colormap != looks->colormap) settings->colormap = state->colormap;
    if (state->text_scale != looks->text_scale) settings->text_scale = state->text_scale;
    window_see_looks(window);
}

void window_look_as_set(Window *window, Session *session) {
    if (window->session) window_note_looks(window);
    Action looks[SETTINGS_LOOKS];
    Error error;
    settings_looks(window->call->settings, looks);
    session_apply(session, looks, SETTINGS_LOOKS, &error);
}

/* A size that nothing can be seen in (1x1, as some programs set it for a moment) is not kept. */
static void note_size(Window *window) {
    Settings *looks = &window->keep.looks, *settings = window->call->settings;
    int width = window->size.width, height = window->size.height;
    bool whole_screen =
        SDL_GetWindowFlags(window->sdl) & (SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_MAXIMIZED);
    if (whole_screen || width < WINDOW_MIN_WIDTH || height < WINDOW_MIN_HEIGHT) return;
    if (width == looks->width && height == looks->height) return;
    settings->width = looks->width = width;
    settings->height = looks->height = height;
}

static void note_model(Window *window) {
    Settings *settings = window->call->settings;
    const char *path = session_path(window->session);
    char *file = path[0] ? places_absolute(path) : NULL;
    if (!file) return;
    free(settings->model);
    settings->model = file;
}

static void keep_settings(Window *window) {
    const WindowCall *call = window->call;
    Error error;
    window_note_looks(window);
    note_size(window);
    note_model(window);
    if (!call->settings_path || settings_same(call->settings, call->stored)) return;
    if (settings_write(call->settings, call->settings_path, &error))
        settings_copy(call->stored, call->settings);
    else
        tell_failure(window, &window->keep.told_settings, "the settings", &error);
}

/* --- when ------------------------------------------------------------------------------------- */

void window_keep_now(Window *window) {
    window->keep.due = window->keep.latest = 0;
    window->keep.written = SDL_GetTicks64();
    keep_state(window);
    keep_settings(window);
}

/* A moment after the last change, but not ever later while changes go on, nor too often. */
void window_keep_look(Window *window, Moment now) {
    WindowKeep *keep = &window->keep;
    unsigned long version = session_version(window->session);
    if (version == keep->seen) return;
    keep->seen = version;
    keep->due = now + STILL_MS;
    if (!keep->latest) keep->latest = now + LATEST_MS;
    if (keep->due > keep->latest) keep->due = keep->latest;
    if (keep->due < keep->written + APART_MS) keep->due = keep->written + APART_MS;
}

/* When the display is lost, Xlib ends the program by itself: this is the one place that hears of
 * it. NULL while no window is open. */
static Window *kept_window;

static void keep_at_exit(void) {
    if (!kept_window) return;
    keep_state(kept_window);
    keep_settings(kept_window);
}

void window_keep_open(Window *window) {
    static bool registered;
    if (!registered) registered = atexit(keep_at_exit) == 0;
    kept_window = window;
}

void window_keep_close(Window *window) {
    kept_window = NULL;
    keep_state(window);
    keep_settings(window);
    free(window->keep.recipe);
    window->keep = (WindowKeep){0};
}
