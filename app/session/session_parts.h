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
    char last_verb[24]; /* of the newest step of undo, if it came by session_drag */

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

bool session_undo(Session *session, Error *error);
bool session_redo(Session *session, Error *error);

/* What a verb may reach. A picture of a stranger's may change the state and nothing else. */
typedef enum VerbReach {
    REACH_UNSAID, /* each verb must say it */
    REACH_STATE,  /* what is shown */
    REACH_WORDS,  /* a file, where the words name one: names_file */
    REACH_HOST,   /* files, other models, training, the clipboard */
} VerbReach;

/* One verb of the vocabulary. */
typedef struct Verb {
    ActionHelp help; /* its name with it; a NULL name ends a table */
    VerbReach reach;
    bool (*names_file)(const Action *action); /* of REACH_WORDS */
    bool (*apply)(Session *session, const Action *action,
                  Error *error); /* NULL: the host does it */
    bool transient;              /* no step of undo */
    bool travels;                /* through the steps of undo: alone, and in no recipe */
} Verb;

const Verb *session_verb_find(const char *name);

/* The verbs by subject, one file each. */
extern const Verb verbs_of_pass[], verbs_of_heads[], verbs_of_comparison[], verbs_of_look[],
    verbs_of_lesson[], verbs_of_host[];

/* --- what several verbs share; a failure is ERROR_USAGE and names the verb ---------------------
 */

enum { VERB_WORD = 48 };

/* Nothing is said. */
bool verb_alone(const Action *action, Error *error);

/* The words of the argument, at most `most`. */
bool verb_words(const Action *action, char words[][VERB_WORD], int most, int *count, Error *error);

/* A head that the model has. */
bool verb_head(const Session *session, const Action *action, const char *text, HeadId *id,
               Error *error);

/* Numbers within bounds. */
bool verb_number(const Action *action, const char *text, int least, int most, int *number,
                 Error *error);
bool verb_real(const Action *action, const char *text, double least, double most, float *number,
               Error *error);

/* on, off, or toggle (also where nothing is said). */
bool verb_switch(const Action *action, bool *value, Error *error);

/* "next" or "previous" of `count`, round and round; false for anything else. */
bool verb_next(const char *text, int count, int *place);

#endif
