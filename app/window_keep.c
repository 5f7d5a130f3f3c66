/* Writing down the state as it changes, so that it is there again after whatever end: closing the
 * window, a lost display, a crash. */
#include <stdlib.h>
#include <string.h>

#include "app/places.h"
#include "app/recipe.h"
#include "app/window_parts.h"

enum { STILL_MS = 100, APART_MS = 500, LATEST_MS = 1000 };

/* --- the state -------------------------------------------------------------------------------- */

/* What was under the pointer is not kept. It stands last, and its words hold no quote. */
static void cut_hover(char *recipe) {
    char *hover = NULL;
    for (char *at = recipe; (at = strstr(at, "; hover ")); at++)
        hover = at;
    if (hover && !strchr(hover, '"')) *hover = '\0';
}

/* A failure costs no more than the next start's memory: a home that is read-only is no failure. */
static void keep_state(Window *window) {
    const WindowCall *call = window->call;
    const char *path = session_path(window->session);
    if (!call->last_path || !path[0]) return; /* a model in training is not in a file */
    char *actions = session_recipe(window->session);
    char *file = places_absolute(path);
    if (actions) cut_hover(actions);
    bool changed = actions && (!window->keep.recipe || strcmp(actions, window->keep.recipe) != 0);
    Error error;
    if (changed && file) {
        Recipe recipe = {
            .actions = actions, .hash = session_model(window->session)->hash, .file = file};
        recipe_keep(&recipe, call->last_path, &error);
        free(window->keep.recipe);
        window->keep.recipe = actions;
        actions = NULL;
    }
    free(actions);
    free(file);
}

/* --- the settings ----------------------------------------------------------------------------- */

void window_note_looks(Window *window) {
    Settings *settings = window->call->settings;
    const State *state = session_state(window->session);
    settings->theme = state->theme;
    settings->colormap = state->colormap;
    settings->text_scale = state->text_scale;
}

/* Whether something else is to be written now. */
static bool note_settings(Window *window) {
    Settings *settings = window->call->settings, before = *settings;
    const char *path = session_path(window->session);
    window_note_looks(window);
    bool whole_screen =
        SDL_GetWindowFlags(window->sdl) & (SDL_WINDOW_FULLSCREEN_DESKTOP | SDL_WINDOW_MAXIMIZED);
    if (!whole_screen && window->size.width > 0) {
        settings->width = window->size.width;
        settings->height = window->size.height;
    }
    bool same = before.theme == settings->theme && before.colormap == settings->colormap &&
                before.text_scale == settings->text_scale && before.width == settings->width &&
                before.height == settings->height;
    if (!path[0]) return !same;
    char *file = places_absolute(path);
    if (!file || (settings->model && strcmp(settings->model, file) == 0)) {
        free(file);
        return !same;
    }
    free(settings->model);
    settings->model = file;
    return true;
}

static void keep_settings(Window *window, bool always) {
    Error error;
    bool changed = note_settings(window);
    if (window->call->settings_path && (changed || always))
        settings_write(window->call->settings, window->call->settings_path, &error);
}

/* --- when ------------------------------------------------------------------------------------- */

void window_keep_now(Window *window) {
    window->keep.due = window->keep.latest = 0;
    window->keep.written = SDL_GetTicks64();
    keep_state(window);
    keep_settings(window, false);
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
    if (kept_window) keep_state(kept_window);
}

void window_keep_open(Window *window) {
    static bool registered;
    if (!registered) registered = atexit(keep_at_exit) == 0;
    kept_window = window;
}

void window_keep_close(Window *window) {
    kept_window = NULL;
    keep_state(window);
    keep_settings(window, true);
    free(window->keep.recipe);
    window->keep = (WindowKeep){0};
}
