/* The window: SDL events become actions, actions change the session, the session is drawn into a
 * surface of our own, and that surface is shown. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_H
#define HEADSCOPE_APP_WINDOW_WINDOW_H

#include "app/session/session.h"
#include "app/training/training.h"
#include "app/window/settings.h"
#include "app/window/window_frame.h"
#include "app/window/window_script.h"

typedef struct WindowCall {
    Session *session;          /* becomes the window's, also where it fails; NULL with `train` */
    Settings *settings;        /* read at the start, and told the last size and looks */
    Settings *stored;          /* those that are kept already */
    const char *settings_path; /* where they are kept; NULL: nowhere */
    const char *last_path;     /* where the state is kept as it changes; NULL: nowhere */
    bool set_aside;            /* what is kept there now goes to `last_path`.old first */
    FrameSize size;            /* of the window, in its own units; width 0: the settings' */
    const char *command;       /* as typed; stands in saved pictures */
    const char *actions;       /* done at the start; NULL: none */
    const char *problem;       /* what went wrong before, shown as such; NULL: nothing */
    bool first_start;          /* select the head that matters most (opening_select_head) ... */
    const char *hint;          /* ... and show what to try until something is done */
    const char *frames;        /* where the times of all pictures are written; NULL: nowhere */
    const TrainingCall *train; /* to train at once, and watch; NULL: nothing */
    WindowScript script;       /* borrowed; {0}: none */
} WindowCall;

/* Shows the window until it is closed. ERROR_FAILED, with what to do instead, where there is no
 * display; also where `train` names a file that the run, being stopped or having failed, has not
 * written. */
bool window_run(const WindowCall *call, Error *error);

#endif
