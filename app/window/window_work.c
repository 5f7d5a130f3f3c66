/* A model that takes longer than a frame runs on another thread; the window goes on with what it
 * has. */
#include "app/window/window_parts.h"

#include <stdlib.h>

#define SLOW_MS 25.0

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
    window_train_news(window); /* what came in the meantime */
}
