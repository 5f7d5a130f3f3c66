/* The inside of a session, for the session's own files. What is derived from the pass on show
 * stores the key it was made for (app/pass/pass_key.h); session_refresh makes anew what is not
 * current and on show, once a frame. Getters return what is there. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_INSIDE_H
#define HEADSCOPE_APP_SESSION_SESSION_INSIDE_H

#include "app/pass/head_study.h"
#include "app/session/action.h"
#include "app/session/history.h"
#include "app/session/session.h"
#include "app/session/session_compare.h"
#include "app/session/session_figures.h"
#include "app/session/session_lesson.h"
#include "data/models/snapshots.h"
#include "viz/scene/screen.h"

struct Session {
    Model model;
    unsigned long generation; /* of the model's weights; from 1 */
    char *path;               /* owned */
    SessionHost host;
    State first, state;
    History undo, redo;
    VerbId dragged; /* the verb of the newest step of undo, if it came by session_drag */

    Snapshots snapshots;
    Error snapshots_problem; /* why those beside the model cannot be used */
    Params snapshot_params;  /* those of snapshot_index */
    int snapshot_index;      /* NONE: not read yet */

    Pass pass;        /* on show */
    State pass_state; /* what it was made for */
    PassKey tried;    /* of the newest state that was tried ... */
    Error problem;    /* ... and why it could not be run; an empty text: it could */
    double pass_ms;
    bool working;              /* between session_work_begin and _end */
    AblationMeans *head_means; /* of these weights; NULL: not needed yet */
    WeightsKey head_means_of;

    OtherSide other;
    Figures figures;
    CellStory cell;
    SessionLesson lesson;

    unsigned long version; /* session_version */
    Pool pool;             /* of the screen */
    Screen screen;
};

/* --- the pass on show (session_pass.c) ----------------------------------------------------------
 */

/* Runs the model where the state asks for another pass, and not on another thread already. */
void session_refresh_pass(Session *session);

/* Where no state could be run yet, runs the first one of the session; whether it did. */
bool session_show_first(Session *session);

bool session_has_pass(const Session *session);

/* The weights that the state asks for; the model's own, while those of a snapshot are not read. */
const Params *session_params(const Session *session);

/* Which weights are at hand: of the model, and of the snapshot that was read last. */
WeightsKey session_loaded(const Session *session);

/* The pass on show, for lessons and stories; good until the session changes. */
ShownPass session_shown(const Session *session);

/* --- actions (session_apply.c) ------------------------------------------------------------------
 */

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
