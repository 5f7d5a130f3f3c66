/* All that the user has chosen in the window, as plain data. Its text form is a recipe: the actions
 * that lead to it from the default state of its model. */
#ifndef HEADSCOPE_APP_PASS_STATE_H
#define HEADSCOPE_APP_PASS_STATE_H

#include "data/models/checkpoint.h"
#include "model/network/ablation.h"
#include "model/trace/trace.h"
#include "viz/scene/screen.h"

enum { EXAMPLES = 2, BY_TEXT = -1, NONE = -1, TRAP_RIGHT = -2 };

typedef struct StateExample {
    char *input;  /* owned */
    char *target; /* owned: the forced beginning of the target; NULL: the model writes all of it */
    bool whole;   /* the target ends there */
    int enc_len, dec_len; /* valid lengths; BY_TEXT: those of the texts */
} StateExample;

typedef enum CompareMode {
    COMPARE_HEADS,     /* two heads of the same pass */
    COMPARE_PLAIN,     /* with and without what is changed: ablation, valid lengths, causality */
    COMPARE_INPUTS,    /* the same head on another input */
    COMPARE_MODELS,    /* in another model */
    COMPARE_SNAPSHOTS, /* at another time of the training */
    COMPARE_MODES,
} CompareMode;

typedef struct State {
    StateExample examples[EXAMPLES];
    bool companion; /* there is a second example */
    int example;    /* the edited one: 0, or 1 for the companion */
    bool not_causal;
    int trap; /* a MistakeId in place of the model's own mistakes; TRAP_RIGHT; NONE: its own */
    unsigned char *knockouts; /* [state_heads] Knockout, owned; place: state_place */
    int step;                 /* tokens that the decoder has read; 0: all */
    int snapshot;             /* whose weights are used; NONE: the model's own */

    ScreenPage page;
    HeadId head;
    bool focus_open, lines;
    float threshold;                  /* of the lines */
    float zoom, left, top;            /* of the focus */
    int pinned_source, pinned_target; /* tokens; NONE */
    int cell_row, cell_column;        /* of the head: the explained weight; NONE */

    CompareMode mode;
    HeadId other_head; /* B of COMPARE_HEADS */
    char *other;       /* owned: the other input or the other model's path; "" for none */
    int other_snapshot;
    bool difference; /* the panels show A - B */

    char *lesson;      /* owned: its command, as in "shapes --heads 4"; "" for the first lesson */
    int lesson_scroll; /* see ScreenLesson */

    bool has_hover;
    HeadId hover;
    int hover_row, hover_column, hover_example;
    bool hover_pair; /* over the similarity matrix: the cell of `hover` and hover_with */
    HeadId hover_with;

    ThemeName theme;
    ColorMap colormap;
    bool scale_largest; /* the colour scale ends at the largest weight shown, not at 1 */
    float text_scale;
    bool presentation, help;
} State;

/* The number of heads in all sites, the index of a head in the order site, layer, head, and the
 * head at an index. */
int state_heads(const Config *config);
int state_place(const Config *config, HeadId id);
HeadId state_head(const Config *config, int place);

/* Layers of a site. */
int state_layers(const Config *config, Site site);

/* The default state with this input. False for lack of memory. */
bool state_make(State *state, const Config *config, const char *input);
bool state_copy(State *to, const State *from, const Config *config);
void state_free(State *state); /* {0} is fine */

/* Replaces an owned text (NULL: none). False for lack of memory; the text is then as it was. */
bool state_set_text(char **place, const char *text);

/* Sets the trap of that name; "none" means correct attention, "off" and NULL the model's own.
 * ERROR_USAGE as trap_option_find, with the prefix "trap: ". */
bool state_set_trap(State *state, const Config *config, const char *name, Error *error);

/* True if heads, valid lengths, causality or the trap are not as trained. */
bool state_is_changed(const State *state, const Config *config);

/* True if a head is replaced by its mean output. */
bool state_uses_means(const State *state, const Config *config);

#define LESSON_SCROLL_MAX 1000000
#define THRESHOLD_DEFAULT 0.05F
#define TEXT_SCALE_MIN    0.5F
#define TEXT_SCALE_MAX    4.0F

#endif
