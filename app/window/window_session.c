#include "app/window/window_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/window_keep.h"
#include "app/window/window_line.h"

#define SLOW_MS 25.0

/* --- its model on another thread -------------------------------------------------------------- */

static void run(void *context) {
    const WindowWork *here = context;
    session_work_run(here->work);
    SDL_Event event = {.type = here->done};
    SDL_PushEvent(&event);
}

void window_work_begin(Window *window) {
    WindowWork *here = &window->work;
    if (here->work || session_pass_ms(window->session) < SLOW_MS) return;
    here->work = session_work_begin(window->session);
    here->done = window->event_work;
    if (!here->work || thread_start(&here->thread, run, here)) return;
    session_work_run(here->work);
    session_work_end(window->session, here->work);
    here->work = NULL;
}

void window_work_end(Window *window) {
    WindowWork *here = &window->work;
    if (!here->work) return;
    thread_join(&here->thread);
    session_work_end(window->session, here->work);
    *here = (WindowWork){0};
    window->dirty = true;
}

/* --- another session -------------------------------------------------------------------------- */

static void set_title(Window *window) {
    char title[WINDOW_TEXT];
    const char *path = session_path(window->session), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path[0] ? path : session_model(window->session)->task;
    snprintf(title, sizeof title, "headscope · %s", name[0] ? name : "a model");
    SDL_SetWindowTitle(window->sdl, title);
}

bool window_saved(Window *window, const char *path, const char *hash, Error *error) {
    if (!session_name(window->session, path, hash, error)) return false;
    set_title(window);
    return true;
}

Session *window_swap(Window *window, Session *session) {
    Session *before = window->session;
    if (before) window_note_looks(window);
    if (before) window_work_end(window);
    window_line_end(window);
    window->play_due = 0;
    frame_forget(&window->frame);
    window->session = session;
    session_set_host(session, window->host);
    window_see_looks(window);
    set_title(window);
    window->pointer.hover.verb = VERB_NONE;
    window->pointer.button = -1;
    window->dirty = true;
    return before;
}
