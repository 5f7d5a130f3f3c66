#include "app/session/verbs.h"

#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/session/session_inside.h"

#define VERB(id, name, arguments, help, forms, takes, reach, flags)                                \
    [VERB_##id] = {{name, arguments, help}, forms, takes, REACH_##reach, flags}

/* Forms are parted by |, and the first may be empty: the verb stands alone. In them lower-case
 * words stand for themselves, the others for one of arg_names. */
#define SWITCH_FORMS "|on|off|toggle"
#define SWITCH_TAKES "on, off or toggle"
#define AGAINST                                                                                    \
    "plain|input|input TEXT|model|model TEXT|snapshot|snapshot next|snapshot previous|"            \
    "snapshot SNAPSHOT|heads|HEAD"

static const Verb verbs[VERB_COUNT] = {
    VERB(INPUT, "input", "TEXT", "what the model reads", "TEXT", NULL, STATE, 0),
    VERB(PREFIX, "prefix", "[TEXT]", "what the target begins with; the model writes the rest",
         "|TEXT", NULL, STATE, 0),
    VERB(TARGET, "target", "[TEXT]",
         "the whole target (teacher forcing); alone: the model writes it", "|TEXT", NULL, STATE, 0),
    VERB(COMPANION, "companion", "TEXT|on|off",
         "a second example, so that the model reads a batch of two", "|on|off|TEXT", NULL, STATE,
         0),
    VERB(EXAMPLE, "example", "0|1", "which example is edited: 1 is the companion", "EXAMPLE", NULL,
         STATE, 0),
    VERB(ENC_LEN, "enc_len", "N|auto|next|previous",
         "enc_valid_len: how many source tokens are seen", "auto|next|previous|SOURCE_LEN", NULL,
         STATE, VERB_REPEATS),
    VERB(DEC_LEN, "dec_len", "N|auto|next|previous",
         "dec_valid_len: how many target tokens are seen", "auto|next|previous|TARGET_LEN", NULL,
         STATE, VERB_REPEATS),
    VERB(CAUSAL, "causal", "on|off",
         "on: a target token sees itself and those before it; off: those after it, too",
         SWITCH_FORMS, SWITCH_TAKES, STATE, 0),
    VERB(TRAP, "trap", "NAME|none|off",
         "a silent mistake in the attention; none: the right one; off: as trained", "|off|TEXT",
         NULL, STATE, 0),
    VERB(STEP, "step", "N|all|next|previous", "how many target tokens the decoder has read",
         "all|next|previous|STEP", NULL, STATE, VERB_REPEATS),
    VERB(SNAPSHOT, "snapshot", "N|off|next|previous",
         "the weights of an earlier time of the training", "off|next|previous|SNAPSHOT", NULL,
         STATE, 0),

    VERB(SELECT, "select", "HEAD", "the head that is looked at, as in cross.1.2", "HEAD", NULL,
         STATE, 0),
    VERB(HEAD, "head", "N|next|previous", "another head of the same layer",
         "next|previous|HEAD_NUMBER", NULL, STATE, VERB_REPEATS),
    VERB(LAYER, "layer", "N|next|previous", "another layer of the same site", "next|previous|LAYER",
         NULL, STATE, VERB_REPEATS),
    VERB(SITE, "site", "NAME|next|previous", "encoder, decoder or cross", "next|previous|SITE",
         "encoder, decoder, cross, next or previous", STATE, VERB_REPEATS),
    VERB(ABLATE, "ablate", "[HEAD|SITE.LAYER|layer] [zero|mean]",
         "knocks a head or a layer's site out; alone: the selected head, or back in",
         "|toggle|layer|layer KNOCKOUT|mean|zero|HEADS|HEADS KNOCKOUT", NULL, STATE, VERB_SPLIT),
    VERB(RESTORE, "restore", "[HEAD|SITE.LAYER|all]", "puts heads back in", "|all|HEADS", NULL,
         STATE, VERB_SPLIT),
    VERB(PLAIN, "plain", "",
         "the model as trained: all heads, lengths by the texts, causal, trap off", "", "nothing",
         STATE, 0),

    VERB(COMPARE, "compare", "[HEAD HEAD | what against takes | off]",
         "turns to the page that compares A, the selected head, with B",
         "|on|off|HEAD HEAD|" AGAINST, NULL, WORDS, 0),
    VERB(AGAINST, "against", "HEAD | plain | input TEXT | model FILE | snapshot N",
         "what B is: another head, the model as trained, or the same head elsewhere", AGAINST, NULL,
         WORDS, 0),
    VERB(SWAP, "swap", "", "A becomes B, and B becomes A", "", "nothing", STATE, 0),
    VERB(DIFFERENCE, "difference", "on|off",
         "the panels show A - B of every head; turned on by hand, B is the model as trained where "
         "something is changed",
         SWITCH_FORMS, SWITCH_TAKES, STATE, 0),

    VERB(PAGE, "page", "explore|compare|train|lessons", "which page is shown", "next|previous|PAGE",
         "explore, compare, train or lessons", STATE, VERB_ON_LESSONS),
    VERB(FOCUS, "focus", "on|off", "the selected head alone, large", SWITCH_FORMS, SWITCH_TAKES,
         STATE, 0),
    VERB(LINES, "lines", "on|off", "the selected head as lines between tokens", SWITCH_FORMS,
         SWITCH_TAKES, STATE, 0),
    VERB(THRESHOLD, "threshold", "X", "weights below it have no line, 0 to 1", "SHARE", NULL, STATE,
         0),
    VERB(ZOOM, "zoom", "X [LEFT TOP]|in|out",
         "of the large head; left and top are shares of the map",
         "in|out|ZOOM|ZOOM PART|ZOOM PART PART", "zoom takes a number from 1 to 64, in or out",
         STATE, VERB_SPLIT | VERB_REPEATS | VERB_TAKES_LINE),
    VERB(PIN, "pin", "source N|target N|off", "marks a token's row or column in every map",
         "off|source SOURCE_TOKEN|target TARGET_TOKEN", "source N, target N or off", STATE,
         VERB_SPLIT),
    VERB(CELL, "cell", "QUERY KEY|off",
         "the cell of the selected head whose weight is told beside the maps", "off|QUERY KEY",
         "QUERY KEY or off", STATE, VERB_SPLIT),
    VERB(HOVER, "hover", "HEAD ROW COLUMN [companion]|HEAD HEAD|off", "what lies under the pointer",
         "off|HEAD HEAD|HEAD PLACE PLACE|HEAD PLACE PLACE companion",
         "hover takes HEAD ROW COLUMN, where - is no row or no column", STATE,
         VERB_SPLIT | VERB_TRANSIENT | VERB_TAKES_LINE),
    VERB(THEME, "theme", "light|dark|next", "the look", "|next|previous|THEME", "light or dark",
         STATE, VERB_ON_LESSONS),
    VERB(COLORMAP, "colormap", "NAME|next", "viridis, cividis, magma or grey",
         "|next|previous|COLORMAP", "viridis, cividis, magma or grey", STATE, VERB_ON_LESSONS),
    VERB(SCALE, "scale", "one|largest",
         "where the colour scale ends: at 1, or at the largest weight of the site", "|one|largest",
         "one or largest", STATE, 0),
    VERB(TEXT_SCALE, "text_scale", "X|larger|smaller", "the size of everything, 0.5 to 4",
         "larger|smaller|TEXT_SCALE", NULL, STATE, VERB_REPEATS | VERB_ON_LESSONS),
    VERB(PRESENT, "present", "on|off", "for a projector: the side columns away, the panels larger",
         SWITCH_FORMS, SWITCH_TAKES, STATE, VERB_ON_LESSONS),
    VERB(HELP, "help", "on|off", "the list of keys", SWITCH_FORMS, SWITCH_TAKES, STATE,
         VERB_ON_LESSONS),
    VERB(UNDO, "undo", "", "the state before", "", "nothing", STATE,
         VERB_TRANSIENT | VERB_TRAVELS | VERB_REPEATS | VERB_ON_LESSONS),
    VERB(REDO, "redo", "", "the state after", "", "nothing", STATE,
         VERB_TRANSIENT | VERB_TRAVELS | VERB_REPEATS | VERB_ON_LESSONS),

    VERB(LESSON, "lesson", "NAME [words]|next|previous|toggle",
         "a lesson, with the words that its command takes", "|toggle|next|previous|TEXT", NULL,
         WORDS, VERB_ON_LESSONS),
    VERB(SCROLL, "scroll", "N", "so many pixels of the lesson's page are above what is shown",
         "SCROLL", NULL, STATE, 0),

    VERB(SAVE, "save", "[FILE [SCALE]]",
         "what the window shows, as PNG, at 1, 2 or 4 times its size", "|TEXT", NULL, HOST,
         VERB_ON_LESSONS),
    VERB(SHEET, "sheet", "[FILE]", "a sheet of all heads, as PNG or SVG", "|TEXT", NULL, HOST,
         VERB_ON_LESSONS),
    VERB(COPY, "copy", "", "the selected head's matrix to the clipboard, as text", "|TEXT", NULL,
         HOST, 0),
    VERB(PLAY, "play", "on|off", "steps the decoder by itself", "|TEXT", NULL, HOST, 0),
    VERB(TRAIN, "train", "[TASK]|stop|save [FILE]|back",
         "trains in the background, with the heads on show", "|TEXT", NULL, HOST, 0),
    VERB(OPEN, "open", "FILE", "another model, or the state of a saved picture", "|TEXT", NULL,
         HOST, 0),
    VERB(FULLSCREEN, "fullscreen", "on|off", "the whole screen, and back", "|TEXT", NULL, HOST,
         VERB_ON_LESSONS),
    VERB(QUIT, "quit", "", "closes the window", "|TEXT", NULL, HOST, VERB_ON_LESSONS),
};

const Verb *verb_at(VerbId id) {
    return &verbs[id];
}

/* "model FILE" of a comparison, or the words of a lesson. */
bool verb_names_file(VerbId id, const char *argument) {
    if (id == VERB_LESSON) return lesson_names_file(argument);
    const char *text = argument + strspn(argument, " \t");
    return strncmp(text, "model", 5) == 0 && (!text[5] || strchr(" \t", text[5]));
}

VerbId verb_find(const char *name) {
    for (int id = VERB_NONE + 1; id < VERB_COUNT; id++)
        if (strcmp(verbs[id].help.verb, name) == 0) return (VerbId)id;
    return VERB_NONE;
}

VerbId verb_first(const char *actions) {
    ActionText first;
    VerbId id = action_next(&actions, &first, NULL) ? verb_find(first.verb) : VERB_NONE;
    action_free(&first);
    return id;
}

const ActionHelp *session_action_help(int index) {
    return index < VERB_COUNT - 1 ? &verbs[index + 1].help : NULL;
}

bool verb_has_snapshots(const Session *session, VerbId verb, Error *error) {
    if (session->snapshots.count > 0) return true;
    return error_usage(error,
                       "%s: the model has no%s; headscope train TASK --snapshots 16 keeps them",
                       verbs[verb].help.verb, verb == VERB_SNAPSHOT ? "ne" : " snapshots");
}

bool verb_turn(Word word, int count, int *place) {
    if (word != WORD_NEXT && word != WORD_PREVIOUS) return false;
    *place = (*place + (word == WORD_NEXT ? 1 : count - 1)) % count;
    return true;
}

void verb_switch(const Action *action, bool *value) {
    bool toggles = action->word == WORD_NONE || action->word == WORD_TOGGLE;
    *value = toggles ? !*value : action->word == WORD_ON;
}
