#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/window_do.h"

enum { TOLD_MS = 4000, WARNED_MS = 7000 };

/* --- notices ---------------------------------------------------------------------------------- */

static void set_notice(Window *window, bool alarm, Moment until) {
    window->notice.alarm = alarm;
    window->notice.until = until;
    window->dirty = true;
}

void window_tell(Window *window, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(window->notice.text, sizeof window->notice.text, format, arguments);
    va_end(arguments);
    set_notice(window, false, SDL_GetTicks64() + TOLD_MS);
}

void window_warn(Window *window, const char *text) {
    snprintf(window->notice.text, sizeof window->notice.text, "%s", text);
    set_notice(window, true, SDL_GetTicks64() + WARNED_MS);
}

void window_hint(Window *window, const char *text) {
    snprintf(window->notice.text, sizeof window->notice.text, "%s", text);
    set_notice(window, false, 0);
}

void window_user_acted(Window *window) {
    if (!window->notice.text[0]) return;
    window->notice.text[0] = '\0';
    window->notice.until = 0;
    window->dirty = true;
}

/* --- actions ---------------------------------------------------------------------------------- */

static bool warn_unless(Window *window, bool good, const Error *error) {
    if (!good) window_warn(window, error->text);
    return good;
}

bool window_do_all(Window *window, const Action *actions, int count) {
    Error error;
    window_user_acted(window);
    return warn_unless(window, session_apply(window->session, actions, count, &error), &error);
}

bool window_do(Window *window, Action action) {
    return window_do_all(window, &action, 1);
}

bool window_drag(Window *window, Action action) {
    Error error;
    return warn_unless(window, session_drag(window->session, &action, 1, &error), &error);
}

bool window_do_text(Window *window, const char *actions) {
    Error error;
    char *copy = strdup(actions); /* it may belong to the screen, which goes */
    window_user_acted(window);
    bool good = copy ? session_apply_text(window->session, copy, &error)
                     : error_set(&error, "out of memory");
    free(copy);
    return warn_unless(window, good, &error);
}
