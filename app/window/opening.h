/* From a file, or none, to a session: for the window and for its twin without a display. */
#ifndef HEADSCOPE_APP_WINDOW_OPENING_H
#define HEADSCOPE_APP_WINDOW_OPENING_H

#include "app/session/session.h"
#include "app/window/window_frame.h"

typedef struct OpeningRequest {
    const char *file;      /* a model, or a picture that the window saved */
    const char *input;     /* NULL: the task's sample, or the picture's */
    const char *theme;     /* NULL: as it is */
    const char *last_path; /* for `file` NULL: where the last state is kept; NULL: nowhere */
    const char *last;      /* for `file` NULL: the last model; NULL: none */
    bool force;            /* a picture's state on another model than its own */
} OpeningRequest;

typedef struct Opening {
    Session *session; /* the caller's: session_free */
    FrameSize size;   /* of the picture; width 0: none is known */
    bool first;       /* a model that nothing was chosen for yet */
    bool last;        /* the last state */
    bool lost;        /* there is a last state, and it cannot be shown */
    char note[656];   /* what could not be opened, and what was instead; "" for nothing */
} Opening;

/* Without a file: the last state if its model is still the same or is found elsewhere by its hash,
 * else the last model, else the shipped model of dates; `note` then says what is missing. What is
 * chosen is no step of undo. */
bool opening_make(Opening *opening, const OpeningRequest *request, Error *error);

/* Selects the head whose knocking out costs the most (the log-probability of 16 held-out examples),
 * where the model's task is known. Returns whether it did. */
bool opening_select_head(Session *session);

/* "1600x1000", each side from 1 to 16384. ERROR_USAGE names --size. */
bool opening_size(const char *text, FrameSize *size, Error *error);

#endif
