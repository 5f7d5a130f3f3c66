/* The two sides of a comparison: the pass on show, and another one where that is asked for. For the
 * session's own files. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_COMPARE_H
#define HEADSCOPE_APP_SESSION_SESSION_COMPARE_H

#include "app/session/session.h"
#include "model/analysis/compare.h"

/* What the other side's pass is made for. */
typedef struct OtherKey {
    PassKey pass; /* on show */
    CompareMode mode;
    int snapshot, example;
    char *text; /* owned; NULL: of nothing */
} OtherKey;

/* The other side of a comparison that needs a pass of its own. */
typedef struct OtherSide {
    Model model;   /* of COMPARE_MODELS; empty until asked for */
    char *path;    /* that it came from, owned */
    Params params; /* of a snapshot */
    Pass pass;
    OtherKey of;
    bool valid;
    Error problem;            /* where it is not valid */
    MapComparison comparison; /* of both sides, for the screen */
} OtherSide;

/* Runs the other side where it is on show and not current. */
void session_compare_refresh(Session *session);
void session_compare_free(Session *session);

/* One side of the comparison. */
typedef struct Side {
    const Trace *trace;
    HeadId id;
    const SceneAxes *axes;
    int rows, columns;
} Side;

/* The two sides for head `id`, in an example. False where there is no second side,
 * with the reason. */
bool session_sides(const Session *session, HeadId id, int example, Side *a, Side *b,
                   const char **reason);

/* Whether A - B can be shown: both there, and of one size. Else the reason. */
bool session_can_subtract(Session *session, const Side *a, const Side *b, const char **reason);

#endif
