/* What each picture of the window took, written down for measurements (`view --frames FILE`). Where
 * no file is asked for, nothing is measured. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_TIMES_H
#define HEADSCOPE_APP_WINDOW_WINDOW_TIMES_H

#include <SDL_events.h>
#include <stdio.h>

#include "model/base/error.h"

/* The parts of one picture, in order. */
typedef enum TimePart { TIME_MODEL, TIME_SCREEN, TIME_DRAW, TIME_PRESENT, TIME_PARTS } TimePart;

/* Moments are clock_ms(). {0} is off. */
typedef struct WindowTimes {
    FILE *file;              /* NULL: off */
    const char *kind;        /* of the first event that made the last picture old; NULL: none yet */
    double age;              /* what it had waited in SDL's queue when it was taken out */
    double taken;            /* when that was */
    double begun;            /* when drawing began ... */
    double done[TIME_PARTS]; /* ... and each part was done */
} WindowTimes;

/* Begins the file, over an old one, with a line that names the columns:
 *   kind     the event: key, text, move, button, wheel, resize, show, work (of another thread),
 *            other; `timer` for a picture without one. A picture answers all events since the
 *            last; this is the first of them that changed anything
 *   age      ms from SDL's time stamp of that event until the window took it; whole ms
 *   handle   ms from there to the beginning of drawing: what the event does, and others with it
 *   model    ms of running the model, where it ran anew
 *   screen   ms of choosing what is to be seen
 *   draw     ms of drawing it
 *   present  ms of handing it to the display and waiting until that has taken it
 *   total    all of them, from the event's time stamp to its picture
 *   at       when that was: CLOCK_MONOTONIC in ms
 * Tabs part them. ERROR_FAILED names the file. */
bool times_open(WindowTimes *times, const char *path, Error *error);
void times_close(WindowTimes *times); /* {0} is fine */

/* An event changed what there is to see; `taken` is when it came. */
void times_event(WindowTimes *times, const SDL_Event *event, double taken);

void times_begin(WindowTimes *times);
void times_part(WindowTimes *times, TimePart part, double done); /* when it was done */
void times_end(WindowTimes *times);                              /* writes the line */

#endif
