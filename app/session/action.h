/* Actions: the one vocabulary of the window, the headless commands, the scripts and the recipes in
 * saved pictures. Inside the program an action is a value. At its edges it is text: `input 3 May
 * 2021; step 4; ablate cross.1.2` is three actions, each a verb and its argument. Outer spaces do
 * not count; a text that holds `;`, outer spaces or a quote at its start stands in double quotes,
 * in which two quotes are one. app/session/verbs.h says what each verb takes. */
#ifndef HEADSCOPE_APP_SESSION_ACTION_H
#define HEADSCOPE_APP_SESSION_ACTION_H

#include "model/base/error.h"
#include "model/trace/trace.h"

/* In the order of the list of actions. */
typedef enum VerbId {
    VERB_NONE,
    VERB_INPUT, /* what the model reads, and how */
    VERB_PREFIX,
    VERB_TARGET,
    VERB_COMPANION,
    VERB_EXAMPLE,
    VERB_ENC_LEN,
    VERB_DEC_LEN,
    VERB_CAUSAL,
    VERB_TRAP,
    VERB_STEP,
    VERB_SNAPSHOT,
    VERB_SELECT, /* heads */
    VERB_HEAD,
    VERB_LAYER,
    VERB_SITE,
    VERB_ABLATE,
    VERB_RESTORE,
    VERB_PLAIN,
    VERB_COMPARE, /* what is compared with what */
    VERB_AGAINST,
    VERB_SWAP,
    VERB_DIFFERENCE,
    VERB_PAGE, /* what is looked at, and how it looks */
    VERB_FOCUS,
    VERB_LINES,
    VERB_THRESHOLD,
    VERB_ZOOM,
    VERB_PIN,
    VERB_CELL,
    VERB_HOVER,
    VERB_THEME,
    VERB_COLORMAP,
    VERB_SCALE,
    VERB_TEXT_SCALE,
    VERB_PRESENT,
    VERB_HELP,
    VERB_UNDO,
    VERB_REDO,
    VERB_LESSON,
    VERB_SCROLL,
    VERB_SAVE, /* what the host does: the window, or a headless command */
    VERB_SHEET,
    VERB_COPY,
    VERB_PLAY,
    VERB_TRAIN,
    VERB_OPEN,
    VERB_FULLSCREEN,
    VERB_QUIT,
    VERB_COUNT,
} VerbId;

typedef enum Word {
    WORD_NONE,
    WORD_ALL,
    WORD_AUTO,
    WORD_BACK,
    WORD_COMPANION,
    WORD_HEADS,
    WORD_IN,
    WORD_INPUT,
    WORD_LARGER,
    WORD_LARGEST,
    WORD_LAYER,
    WORD_MEAN,
    WORD_MODEL,
    WORD_NEXT,
    WORD_OFF,
    WORD_ON,
    WORD_ONE,
    WORD_OUT,
    WORD_PLAIN,
    WORD_PREVIOUS,
    WORD_SAVE,
    WORD_SMALLER,
    WORD_SNAPSHOT,
    WORD_SOURCE,
    WORD_STOP,
    WORD_TARGET,
    WORD_TOGGLE,
    WORD_ZERO,
    WORD_COUNT,
} Word;

enum { ALL_HEADS = -1 }; /* as HeadId.head: those of the layer and site */

/* An action. Which fields a verb takes, and in which combinations, says its entry in verbs.c. */
typedef struct Action {
    VerbId verb;
    Word word, second; /* "pin source ..." has one, "ablate layer mean" two */
    int heads;         /* how many of head[] are given, ... */
    HeadId head[2];
    int numbers; /* ... and of number[] */
    double number[3];
    const char *text; /* borrowed; NULL: none */
} Action;

/* Actions of one part or none. */
static inline Action action_word(VerbId verb, Word word) {
    return (Action){.verb = verb, .word = word};
}
static inline Action action_head(VerbId verb, HeadId id) {
    return (Action){.verb = verb, .heads = 1, .head = {id}};
}
static inline Action action_number(VerbId verb, double number) {
    return (Action){.verb = verb, .numbers = 1, .number = {number}};
}
static inline Action action_text(VerbId verb, const char *text) {
    return (Action){.verb = verb, .text = text};
}

/* An action as it is written. */
typedef struct ActionText {
    char verb[24];
    char *argument; /* owned, without quotes; "" for none */
    bool has_argument;
} ActionText;

/* Reads the next action and moves *text behind it. Empty ones (`;;`) are passed over. At the end
 * returns true with an empty verb. ERROR_USAGE for a quote without its end, something after a
 * quoted text, or a verb that is too long. Free with action_free. */
bool action_next(const char **text, ActionText *action, Error *error);
void action_free(ActionText *action); /* {0} is fine */

/* The argument as it must be written: a new string (free it), quoted where needed. NULL for lack of
 * memory. */
char *action_quote(const char *argument);

#endif
