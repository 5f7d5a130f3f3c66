/* One frame of a session's window, drawn on a surface of our own, and the actions `save` and
 * `sheet`. The window shows that surface and a saved PNG stores it, so both are the same. Needs no
 * display. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_FRAME_H
#define HEADSCOPE_APP_WINDOW_WINDOW_FRAME_H

#include "app/screen/screen.h"
#include "viz/canvas/raster.h"
#include "viz/layout/hits.h"

typedef struct FrameSize {
    int width, height; /* of the window, in its own units */
    float scale;       /* device pixels for one of them */
} FrameSize;

/* {0} has drawn nothing yet. */
typedef struct Frame {
    TextRenderer *text;
    Raster *raster;
    HitList hits;         /* in logical pixels: window units divided by the text scale */
    const Screen *screen; /* the session's; NULL: nothing was drawn */
    double screen_at;     /* clock_ms() when the screen was built and drawing began */
} Frame;

/* Window units as logical pixels: divided by the state's text scale. */
float frame_logical(const Session *session, float units);

/* Finds the fonts; false if there are none. Optional: the first frame does it too. */
bool frame_begin(Frame *frame, Error *error);

/* Draws the session's screen on raster_surface(frame->raster). */
bool frame_draw(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                Error *error);
void frame_free(Frame *frame); /* {0} is fine */

/* Forgets what was drawn: call it before the session that owns its strings goes. */
void frame_forget(Frame *frame);

/* Draws the frame and writes it as a PNG with its recipe. `command` is the command line. */
bool frame_save(Frame *frame, Session *session, const ScreenExtra *extra, FrameSize size,
                const char *command, const char *path, Error *error);

/* --- the actions `save` and `sheet` ----------------------------------------------------------- */

typedef struct FrameCall {
    Frame *frame;
    Session *session;
    const ScreenExtra *extra; /* what the picture shows besides the state */
    FrameSize size;
    const char *command;
} FrameCall;

enum { FRAME_NAME = 1024 }; /* bytes of a file name */

/* Whether a frame can be saved under this name: it ends in .png, or is a device. ERROR_USAGE says
 * what to name instead. */
bool frame_is_png(const char *path, Error *error);

/* Writes "STEM-N.EXTENSION" to name[size], with the smallest N that no file has. */
bool frame_free_name(char *name, size_t size, const char *stem, const char *extension,
                     Error *error);

/* `save [FILE [SCALE]]`: what the window shows, at 1, 2 or 4 times its size. `sheet [FILE]`: all
 * heads of the shown pass, as PNG or SVG. Without FILE a free name is chosen. Both write the name
 * to name[FRAME_NAME]. */
bool frame_do_save(const FrameCall *call, const char *argument, char *name, Error *error);
bool frame_do_sheet(const FrameCall *call, const char *argument, char *name, Error *error);

#endif
