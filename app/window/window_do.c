/* Doing actions, and saying what came of it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/window_parts.h"

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

static void clear_notice(Window *window) {
    if (!window->notice.text[0]) return;
    window->notice.text[0] = '\0';
    window->notice.until = 0;
    window->dirty = true;
}

void window_deed(Window *window) {
    clear_notice(window);
}

/* --- actions ---------------------------------------------------------------------------------- */

/* What actions asked for that could not be done in their midst, since it changes the session. */
static void do_asked(Window *window) {
    Error error;
    char *path = window->to_open, *task = window->to_train;
    window->to_open = window->to_train = NULL;
    if (path && !window_open(window, path, &error)) window_warn(window, error.text);
    if (task && !window_train(window, task, &error)) window_warn(window, error.text);
    free(path);
    free(task);
}

/* After actions, done or not; a failure becomes the notice. */
static bool done(Window *window, bool good, const Error *error) {
    window_line_follow(window);
    do_asked(window);
    if (!good) window_warn(window, error->text);
    return good;
}

bool window_do_all(Window *window, const Action *actions, int count) {
    Error error;
    window_deed(window);
    return done(window, session_apply(window->session, actions, count, &error), &error);
}

bool window_do(Window *window, Action action) {
    return window_do_all(window, &action, 1);
}

bool window_drag(Window *window, Action action) {
    Error error;
    return done(window, session_drag(window->session, &action, 1, &error), &error);
}

bool window_begin_with(Window *window, const char *actions, Error *error) {
    char *copy = strdup(actions); /* it may belong to the screen, which goes */
    if (!copy) return error_set(error, "out of memory");
    bool good = session_apply_text(window->session, copy, error);
    free(copy);
    window_line_follow(window);
    do_asked(window);
    return good;
}

bool window_do_text(Window *window, const char *actions) {
    Error error;
    window_deed(window);
    bool good = window_begin_with(window, actions, &error);
    if (!good) window_warn(window, error.text);
    return good;
}

/* --- moments ---------------------------------------------------------------------------------- */

static Moment sooner(Moment a, Moment b) {
    return !a || (b && b < a) ? b : a;
}

Moment window_next(const Window *window) {
    Moment next = sooner(window->notice.until, window->pointer.tip_due);
    next = sooner(next, window->play_due);
    return sooner(next, window->keep.due);
}

static bool is_due(Moment moment, Moment now) {
    return moment && moment <= now;
}

void window_tick(Window *window, Moment now) {
    if (is_due(window->notice.until, now)) clear_notice(window);
    if (is_due(window->pointer.tip_due, now)) window_pointer_rested(window);
    if (is_due(window->play_due, now)) window_step_played(window, now);
    if (is_due(window->keep.due, now)) window_keep_now(window);
}
