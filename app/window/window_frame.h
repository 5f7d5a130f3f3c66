/* One picture of a session's window, on a surface of our own. The window shows that surface and a
 * saved PNG stores it, so that both are the same. Needs no display. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_FRAME_H
#define HEADSCOPE_APP_WINDOW_WINDOW_FRAME_H

#include "app/screen/screen.h"
#include "viz/canvas/raster.h"
#include "viz/layout/hits.h"

typedef struct FrameSize {
    int width, height; /* of the window, in its own units */
    float scale;       /* device pixels for one of them */
} FrameSize;

/* {0} is one that has drawn nothing yet. */
typedef struct Frame {
    TextRenderer *text;
    Raster *raster;
    HitList hits;         /* what lies where, in logical pixels: window units by the text scale */
    const Screen *screen; /* the session's; NULL: nothing was drawn */
    double screen_at;     /* clock_ms() when the screen was built and drawing began */
} Frame;

/* The state's text scale makes everything larger: the window is so many logical pixels less. */
float frame_logical(const Session *session, float units);

/* Finds the fonts; false where there are none. The first picture does it otherwise. */
bool frame_begin(Frame *frame, Error *error);

/* Draws the session's screen. The surface is raster_surface(frame->raster). */
bool frame_draw(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                Error *error);
void frame_free(Frame *frame); /* {0} is fine */

/* Forgets what was drawn, as its strings are about to go. */
void frame_forget(Frame *frame);

/* Draws and writes a PNG with its recipe. `command` is how the program was called. */
bool frame_save(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                const char *command, const char *path, Error *error);

#endif
