#include "app/window/window_times.h"

#include <SDL_timer.h>

#include "data/files/output.h"
#include "model/base/clock.h"

bool times_open(WindowTimes *times, const char *path, Error *error) {
    *times = (WindowTimes){.file = output_stream(path, false, error)};
    if (!times->file) return false;
    /* Each line is there as soon as its picture is, for whoever measures. */
    setvbuf(times->file, NULL, _IOLBF, BUFSIZ);
    fputs("kind\tage\thandle\tmodel\tscreen\tdraw\tpresent\ttotal\tat\n", times->file);
    return true;
}

void times_close(WindowTimes *times) {
    if (times->file) fclose(times->file);
    *times = (WindowTimes){0};
}

static const char *window_kind(const SDL_WindowEvent *event) {
    return event->event == SDL_WINDOWEVENT_SIZE_CHANGED ? "resize" : "show";
}

static const char *kind_of(const SDL_Event *event) {
    switch (event->type) {
    case SDL_KEYDOWN:
        return "key";
    case SDL_TEXTINPUT:
    case SDL_TEXTEDITING:
        return "text";
    case SDL_MOUSEMOTION:
        return "move";
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        return "button";
    case SDL_MOUSEWHEEL:
        return "wheel";
    case SDL_WINDOWEVENT:
        return window_kind(&event->window);
    default:
        return event->type >= SDL_USEREVENT ? "work" : "other";
    }
}

void times_event(WindowTimes *times, const SDL_Event *event, double taken) {
    if (!times->file || times->kind) return;
    times->kind = kind_of(event);
    times->taken = taken;
    /* SDL stamps no event of our own. */
    Uint32 stamp = event->common.timestamp;
    times->age = stamp ? SDL_GetTicks() - stamp : 0;
}

void times_begin(WindowTimes *times) {
    if (!times->file) return;
    times->begun = clock_ms();
    if (times->kind) return;
    times->kind = "timer";
    times->taken = times->begun;
    times->age = 0;
}

void times_part(WindowTimes *times, TimePart part, double done) {
    times->done[part] = done;
}

void times_end(WindowTimes *times) {
    if (!times->file) return;
    double from = times->begun, end = times->done[TIME_PRESENT];
    fprintf(times->file, "%s\t%.0f\t%.3f", times->kind, times->age, from - times->taken);
    for (int i = 0; i < TIME_PARTS; i++) {
        fprintf(times->file, "\t%.3f", times->done[i] - from);
        from = times->done[i];
    }
    fprintf(times->file, "\t%.3f\t%.3f\n", times->age + end - times->taken, end);
    times->kind = NULL;
}
