/* All that a window has. What its files do with it stands in a header of each; none of them calls
 * one that calls it: keyboard, pointer and line act on the session through window_do.h, what an
 * action asks of the window is done by window_host.c or, where it changes the session, noted and
 * done by window.c after the event. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_STATE_H
#define HEADSCOPE_APP_WINDOW_WINDOW_STATE_H

#include <SDL.h>

#include "app/screen/keys.h"
#include "app/window/editor.h"
#include "app/window/present.h"
#include "app/window/window.h"
#include "app/window/window_frame.h"
#include "app/window/window_times.h"
#include "model/base/thread.h"

enum { WINDOW_TEXT = 512, NO_LINE = -1, WINDOW_MIN_WIDTH = 240, WINDOW_MIN_HEIGHT = 160 };

/* A moment in milliseconds since the start (SDL_GetTicks64); 0: none. */
typedef Uint64 Moment;

/* The line that has the caret. */
typedef struct WindowLine {
    int line; /* ScreenLine; NO_LINE */
    Editor editor;
    char *known;       /* owned: the state's text when last looked at; NULL: none */
    char *composing;   /* owned: what an input method composes; NULL: nothing */
    bool prompting;    /* an action is typed instead */
    bool begun_by_key; /* whose own text, which may follow, is not meant */
    Editor prompt;
    char *last_prompt; /* owned; NULL: none */
} WindowLine;

typedef enum DragKind { DRAG_NONE, DRAG_CARET, DRAG_LENGTH, DRAG_SLIDER, DRAG_PAN } DragKind;

typedef struct WindowPointer {
    float x, y; /* logical pixels */
    bool inside;
    DragKind drag;
    Hit grabbed;               /* what is dragged, as it was then; its strings are not to be used */
    float from_x, from_y;      /* where the drag began */
    float from_left, from_top; /* the focus's part then */
    Action hover;              /* the hover that was last asked for; VERB_NONE: by something else */
    char tip[WINDOW_TEXT];     /* on show; "" for none */
    Moment tip_due;
    SDL_SystemCursor shape;
    SDL_Cursor *cursors[SDL_NUM_SYSTEM_CURSORS];
    int button; /* the one that the keyboard has come to; -1: none */
} WindowPointer;

typedef struct WindowNotice {
    char text[WINDOW_TEXT]; /* "" for none */
    bool alarm;
    Moment until; /* it goes when something is done, then at the latest; 0: then alone */
} WindowNotice;

/* What is written down as it changes. */
typedef struct WindowKeep {
    char *recipe;       /* owned: what was last written */
    unsigned long seen; /* version of the session */
    Moment due, latest, written;
    Settings looks;                 /* those last looked at: what differs since is a person's own */
    bool set_aside;                 /* the state from before */
    bool told_state, told_settings; /* that it cannot be kept */
} WindowKeep;

/* The model running on another thread. */
typedef struct WindowWork {
    Thread thread;
    SessionWork *work; /* NULL: none */
    Uint32 done;       /* the event that tells of its end */
} WindowWork;

typedef struct Window {
    const WindowCall *call;
    SessionHost host; /* of each session that is shown */
    SDL_Window *sdl;
    Session *session;
    Frame frame;
    Presenter presenter;
    FrameSize size;
    bool dirty; /* what is shown is old */
    unsigned long drawn;
    WindowTimes times;
    WindowLine line;
    WindowPointer pointer;
    WindowNotice notice;
    WindowKeep keep;
    WindowWork work;
    struct WindowTraining *training; /* NULL: none */
    Error unwritten;                 /* which model the call's run has not written, and why */
    Moment play_due;                 /* 0: not playing */
    int script_at;                   /* -1: before the first */
    char *to_open;                   /* owned: asked for by an action, done after its event */
    char *to_train;                  /* likewise: what follows `train` */
    bool quit;
    Uint32 event_work, event_news; /* of other threads */
} Window;

#endif
