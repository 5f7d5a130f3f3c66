/* The actions `save` and `sheet`, for the window and for its twin without a display. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_FILES_H
#define HEADSCOPE_APP_WINDOW_WINDOW_FILES_H

#include "app/window/window_frame.h"

typedef struct FileCall {
    Frame *frame;
    Session *session;
    const ScreenExtra *extra; /* what the picture has besides the state */
    FrameSize size;
    const char *command;
} FileCall;

enum { FILE_NAME = 1024 };

/* Whether a name is one for a picture of the window: it ends in .png, or is a device. ERROR_USAGE
 * says what to name instead. */
bool files_is_png(const char *path, Error *error);

/* `save [FILE [SCALE]]`: what the window shows, at 1, 2 or 4 times its size. Without a name it
 * takes one that is free. name[FILE_NAME] gets the file's. */
bool files_save(const FileCall *call, const char *argument, char *name, Error *error);

/* `sheet [FILE]`: all heads of the pass on show, as PNG or SVG. */
bool files_sheet(const FileCall *call, const char *argument, char *name, Error *error);

#endif
