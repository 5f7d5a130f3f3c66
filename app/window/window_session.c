#include "app/window/window_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/window_keep.h"
#include "app/window/window_line.h"

#define SLOW_MS 25.0

/* --- its model on another thread -------------------------------------------------------------- */

typedef struct Job {
    SessionWork *work;
    Uint32 event;
} Job;

static int run(void *context) {
    Job job = *(Job *)context;
    free(context);
    session_work_run(job.work);
    SDL_Event event = {.type = job.event};
    SDL_PushEvent(&event);
    return 0;
}

void window_work_begin(Window *window) {
    WindowWork *here = &window->work;
    if (here->thread || session_pass_ms(window->session) < SLOW_MS) return;
    Job *job = malloc(sizeof *job);
    if (!job) return;
    here->work = session_work_begin(window->session);
    if (!here->work) {
        free(job);
        return;
    }
    *job = (Job){here->work, window->event_work};
    here->thread = SDL_CreateThread(run, "headscope model", job);
    if (here->thread) return;
    free(job);
    session_work_run(here->work);
    session_work_end(window->session, here->work);
    here->work = NULL;
}

void window_work_end(Window *window) {
    WindowWork *here = &window->work;
    if (!here->thread) return;
    SDL_WaitThread(here->thread, NULL);
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
