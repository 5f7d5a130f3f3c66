/* The verbs: what each takes and may reach, and its reading, checking and printing by that table.
 */
#ifndef HEADSCOPE_APP_SESSION_VERBS_H
#define HEADSCOPE_APP_SESSION_VERBS_H

#include <stdio.h>

#include "app/session/action.h"
#include "app/session/session.h"

/* What a verb may reach. A picture of a stranger's may change the state and nothing else. */
typedef enum VerbReach {
    REACH_UNSAID, /* each verb must say it */
    REACH_STATE,  /* what is shown */
    REACH_WORDS,  /* a file, where the words name one: verb_names_file */
    REACH_HOST,   /* files, other models, training, the clipboard */
} VerbReach;

/* One part of an argument. */
typedef enum ArgKind {
    ARG_NONE,
    ARG_WORD,     /* that very word */
    ARG_KNOCKOUT, /* the words zero or mean */
    ARG_HEAD,     /* "cross.1.2" */
    ARG_HEADS,    /* the same, or "cross.1" with head ALL_HEADS */
    ARG_TEXT,     /* all that follows */
    ARG_PAGE,     /* names; the number is the place in their list */
    ARG_SITE,
    ARG_THEME,
    ARG_COLORMAP,
    ARG_EXAMPLE, /* whole numbers, whose bounds may depend on the model and the state */
    ARG_SOURCE_LEN,
    ARG_TARGET_LEN,
    ARG_STEP,
    ARG_SNAPSHOT,
    ARG_HEAD_NUMBER,
    ARG_LAYER, /* of the selected head's site */
    ARG_QUERY,
    ARG_KEY,
    ARG_SCROLL,
    ARG_SOURCE_TOKEN, /* likewise, or off for NONE */
    ARG_TARGET_TOKEN,
    ARG_PLACE,      /* of a token, or - for NONE */
    ARG_SHARE,      /* numbers, printed as short as they can be read back: 0 to 1, ... */
    ARG_TEXT_SCALE, /* ... 0.5 to 4 */
    ARG_ZOOM,       /* printed with nine digits: 1 to 64, ... */
    ARG_PART,       /* ... -1 to 1 */
    ARG_KINDS,
} ArgKind;

enum {
    VERB_TRANSIENT = 1,   /* no step of undo */
    VERB_TRAVELS = 2,     /* through the steps of undo: alone, and in no recipe */
    VERB_REPEATS = 4,     /* again and again while its key is held */
    VERB_ON_LESSONS = 8,  /* can be seen on the page of lessons: its key works there */
    VERB_SPLIT = 16,      /* the argument is split at blanks; otherwise it is taken whole, */
                          /* or as a word, a space and the rest */
    VERB_TAKES_LINE = 32, /* `takes` is the whole line */
};

typedef struct Verb {
    ActionHelp help;   /* its name with it */
    const char *forms; /* "in|out|ZOOM": the first that fits is taken */
    const char *takes; /* "it takes on or off", where no form fits; NULL: some form always fits */
    VerbReach reach;
    unsigned flags;
} Verb;

/* VERB_NONE < id < VERB_COUNT. */
const Verb *verb_at(VerbId id);

/* VERB_NONE: there is none of that name. */
VerbId verb_find(const char *name);

/* Whether an argument of a verb of REACH_WORDS names a file. */
bool verb_names_file(VerbId id, const char *argument);

/* The first verb of actions in text form; VERB_NONE: there is none, or it cannot be read. */
VerbId verb_first(const char *actions);

/* Reads an action whose verb is known; its text stays that of `text`. ERROR_USAGE names verb and
 * rule. */
bool verb_read(const Session *session, VerbId verb, const ActionText *text, Action *action,
               Error *error);

/* Whether heads and numbers of a value are within bounds; the same errors. */
bool verb_check(const Session *session, const Action *action, Error *error);

/* Writes an action as it is read. False for lack of memory. */
bool verb_print(FILE *stream, const Action *action);

/* "there are no snapshots", as an error. */
bool verb_has_snapshots(const Session *session, VerbId verb, Error *error);

/* WORD_NEXT or WORD_PREVIOUS of `count`, round and round; false for any other word. */
bool verb_turn(Word word, int count, int *place);

/* Sets a switch by the word on, off or toggle (also where there is none). */
void verb_switch(const Action *action, bool *value);

#endif
