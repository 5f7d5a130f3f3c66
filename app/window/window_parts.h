/* The inside of the window. For the window's own files. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_PARTS_H
#define HEADSCOPE_APP_WINDOW_WINDOW_PARTS_H

#include <SDL.h>

#include "app/screen/keys.h"
#include "app/window/editor.h"
#include "app/window/present.h"
#include "app/window/window.h"
#include "app/window/window_frame.h"
#include "app/window/window_times.h"

enum { WINDOW_TEXT = 512, NO_LINE = -1, WINDOW_LEAST_WIDTH = 240, WINDOW_LEAST_HEIGHT = 160 };

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
    SDL_Thread *thread; /* NULL: none */
    SessionWork *work;
} WindowWork;

typedef struct Window {
    const WindowCall *call;
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
    char *to_open;                   /* owned: asked for by an action, done after it */
    char *to_train;                  /* likewise: what follows `train` */
    bool quit;
    Uint32 event_work, event_news; /* of other threads */
} Window;

/* --- doing things (window_do.c) --------------------------------------------------------------- */

/* Does one action; a failure becomes the notice. */
bool window_do(Window *window, Action action);

/* The same joined to the last one of its kind: typing, dragging. */
bool window_drag(Window *window, Action action);

/* Does several together, as one step of undo. */
bool window_do_all(Window *window, const Action *actions, int count);

/* Does actions in their text form, which may belong to the screen. */
bool window_do_text(Window *window, const char *actions);

/* The same, with the failure as an error. */
bool window_begin_with(Window *window, const char *actions, Error *error);

void window_tell(Window *window, const char *format, ...) __attribute__((format(printf, 2, 3)));
void window_warn(Window *window, const char *text);
void window_hint(Window *window, const char *text); /* stays until something is done */
void window_deed(Window *window);                   /* something is done */

/* Does what its moment has come for; returns the next one. */
void window_tick(Window *window, Moment now);
Moment window_next(const Window *window);

/* --- the host (window_host.c) ----------------------------------------------------------------- */

/* Makes the window the host of its session. */
void window_serve(Window *window);

/* Opens a model or the state of a picture. */
bool window_open(Window *window, const char *path, Error *error);

/* Another session takes the place of the one on show, which is given back (NULL: there was none).
 */
Session *window_swap(Window *window, Session *session);

/* The model on show is in this file now. */
bool window_saved(Window *window, const char *path, const char *hash, Error *error);

/* The looks of the last session on show, given to another. */
void window_look_as_set(Window *window, Session *session);

/* B of a comparison is of the model in this file. */
void window_against_model(Window *window, const char *path);

void window_play(Window *window, bool on);
void window_step_played(Window *window, Moment now);
void window_turn(Window *window, int by);

/* What is drawn besides the state; `passing` with notice and tip. */
SessionFrame window_extra(Window *window, bool passing);

/* --- lines of text (window_line.c) ------------------------------------------------------------ */

/* Begins to edit a line with the caret at a byte of it. LINE_END: at its end, but at the beginning
 * of a target that the model writes. */
enum { LINE_END = EDITOR_MOST };
void window_line_begin(Window *window, ScreenLine line, size_t caret);
void window_line_point(Window *window, size_t offset, bool select); /* moves the caret */
void window_line_end(Window *window);
void window_line_follow(Window *window);                                 /* the state changed */
bool window_line_key(Window *window, SDL_Keycode symbol, int modifiers); /* whether it took it */
void window_line_text(Window *window, const char *text);
void window_line_compose(Window *window, const char *text);
void window_line_place(Window *window); /* tells input methods where the caret is */
void window_line_free(Window *window);
void window_prompt_begin(Window *window);
bool window_is_typing(const Window *window);

/* The sequence of the screen that is this line; NULL if it is not there. */
const ScreenSequence *window_sequence(const Window *window, int line, int *index);

/* --- keyboard and pointer --------------------------------------------------------------------- */

void window_key(Window *window, const SDL_KeyboardEvent *event);
/* On the page of lessons: moves it by so many of its own heights or, with `lines`, of lines of
 * text; whether a key is one of its own, and what it then does. (window_lesson.c) */
void window_lesson_scroll(Window *window, float by, bool lines);
bool window_lesson_key(Window *window, SDL_Keycode symbol, int modifiers);

/* Whether what a key does can be seen there. */
bool window_lesson_takes(const Window *window, const Key *key);

void window_pointer_moved(Window *window, float x, float y);
void window_pointer_left(Window *window);
void window_pointer_pressed(Window *window, const SDL_MouseButtonEvent *event);
void window_pointer_released(Window *window);
void window_pointer_clicked(Window *window); /* the large map, pressed and let go without a drag */
/* Tells the weight of a cell beside the maps, or lets go of the one that is told; `whole`: opens
 * its page. */
void window_tell_cell(Window *window, HeadId id, int example, int row, int column, bool whole);
void window_pointer_wheel(Window *window, float up);
void window_pointer_rested(Window *window);
void window_pointer_look(Window *window); /* what was drawn has changed beneath it */
void window_pointer_free(Window *window);

Spot window_spot(const Window *window); /* what lies under it */
void window_hide_tip(Window *window);
void window_grab(Window *window, DragKind kind, const Hit *hit);
void window_drag_on(Window *window);

/* Threshold of the lines, to thousandths, and the shown part of the large head; within bounds. */
void window_drag_threshold(Window *window, float threshold);
void window_drag_zoom(Window *window, float zoom, float left, float top);

/* The sequence that a hit is of; NULL: none. */
const ScreenSequence *window_hit_sequence(const Window *window, const Hit *hit);
bool window_is_source(const ScreenSequence *sequence);

/* The byte of that sequence's text at the pointer. */
size_t window_offset(const Window *window, const Hit *hit);

void window_button_next(Window *window, int by);
bool window_button_press(Window *window); /* false if the keyboard has come to none */
bool window_button_area(const Window *window, Rect *area);

/* --- what goes on beside (window_keep.c, window_work.c, window_train.c) ----------------------- */

/* What a person has changed of the looks since goes into the settings; the present ones are the
 * session's own, and no change. */
void window_note_looks(Window *window);
void window_see_looks(Window *window);

void window_keep_look(Window *window, Moment now);
void window_keep_now(Window *window);
void window_keep_open(Window *window); /* also kept if the program ends by itself: a lost display */
void window_keep_close(Window *window);

/* Begins to run the model elsewhere where that is slow. */
void window_work_begin(Window *window);
void window_work_end(Window *window); /* waits for it */

bool window_train(Window *window, const char *argument, Error *error); /* the verb */
bool window_train_begin(Window *window, const TrainingCall *call, Error *error);
void window_train_stop(Window *window);

/* Whether the run may go: where it is not saved only a second wish for the same `deed`, soon after
 * the first, throws it away. ERROR_USAGE says so. */
bool window_train_let_go(Window *window, const char *deed, Error *error);
void window_train_news(Window *window);
const ScreenTrain *window_train_screen(const Window *window);
bool window_is_training(const Window *window);
void window_train_free(Window *window);

#endif
