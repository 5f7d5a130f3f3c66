/* The inside of a session. For the session's own files. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_PARTS_H
#define HEADSCOPE_APP_SESSION_SESSION_PARTS_H

#include "app/page/lesson_maker.h"
#include "app/pass/head_means.h"
#include "app/session/action.h"
#include "app/session/history.h"
#include "app/session/session.h"
#include "data/models/snapshots.h"

enum { PROBLEM_SIZE = sizeof((Error *)0)->text };

/* The other side of a comparison that needs a pass of its own, and what it was made for. */
typedef struct OtherSide {
    Model model;   /* of COMPARE_MODELS; empty until asked for */
    char *path;    /* that it came from, owned */
    Params params; /* of a snapshot */
    Pass pass;
    bool tried, valid;
    char problem[PROBLEM_SIZE];
    CompareMode mode;
    unsigned long made_for; /* pass_version */
    int snapshot, example;
    char *text; /* owned */
} OtherSide;

/* The lesson's page on show, and what it was made for. */
typedef struct SessionLesson {
    LessonMaker *maker;     /* owned; NULL: none made yet */
    const LessonPage *page; /* NULL: see problem */
    char problem[PROBLEM_SIZE];
    char *words; /* owned */
    unsigned long pass_version, weights;
    HeadId head;
    int example, cell_row, cell_column;
} SessionLesson;

struct Session {
    Model model;
    char *path; /* owned */
    SessionHost host;
    State first, state;
    History undo, redo;
    VerbId dragged; /* the verb of the newest step of undo, if it came by session_drag */

    Snapshots snapshots;
    char snapshots_problem[PROBLEM_SIZE]; /* why those beside the model cannot be used */
    Params snapshot_params;               /* those of snapshot_index */
    int snapshot_index;                   /* NONE: not read yet */
    unsigned long weights;                /* rises when any weights on show change, ... */
    unsigned long taken;                  /* ... and this when the model's own do */

    Pass pass;
    State pass_state;         /* what it was made for */
    unsigned long pass_taken; /* of the model's weights that it was made with */
    State refused;            /* the newest state, where it could not be run; else empty */
    bool is_refused;
    unsigned long pass_weights; /* of the newest state that was tried */
    AblationMeans *means;       /* of these weights ... */
    unsigned long means_weights;
    int means_snapshot; /* ... and this snapshot; NULL: not needed yet */
    double pass_ms;
    bool pass_valid, pass_tried;
    bool working; /* between session_work_begin and _end */
    char problem[PROBLEM_SIZE];

    OtherSide other;
    struct Figures *figures; /* of every head; see app/session/session_figures.h */
    struct CellStory *cell;  /* of the state's cell; likewise */
    unsigned long pass_version, version;
    SessionLesson lesson;
    Pool pool; /* of the screen */
    Screen screen;
};

/* Where no state could be run yet, the first one of the session is shown. */
void session_show_first(Session *session);

/* The weights on show: the model's or a snapshot's. */
const Params *session_params(Session *session);

/* The weights that the pass on show was made with, which are others while a pass with those on show
 * is in the making, or cannot be made. NULL: they are gone. */
const Params *session_pass_params(const Session *session);

/* The pass on show, for lessons and stories; good until the session changes. */
ShownPass session_shown(Session *session);

/* The example that is edited, if the pass on show has it; else the first. */
int session_example(const Session *session);

/* Whether both states have the same recipe, what is under the pointer aside: nothing to undo. */
bool session_same_step(const State *a, const State *b, const Config *config);

/* Whether the session does it itself, and not its host. */
bool session_does(VerbId verb);

/* Does a checked action; the state may be half changed where it fails. */
typedef bool VerbApply(Session *session, const Action *action, Error *error);

/* By subject: verbs_pass.c, verbs_heads.c, verbs_comparison.c, verbs_look.c. */
VerbApply apply_input, apply_prefix, apply_companion, apply_example, apply_len, apply_causal,
    apply_trap, apply_step, apply_snapshot;
VerbApply apply_select, apply_head, apply_layer, apply_site, apply_ablate, apply_restore,
    apply_plain;
VerbApply apply_compare, apply_against, apply_swap, apply_difference;
VerbApply apply_flag, apply_page, apply_threshold, apply_zoom, apply_pin, apply_cell, apply_hover,
    apply_theme, apply_colormap, apply_scale, apply_text_scale, apply_lesson, apply_scroll;

#endif
