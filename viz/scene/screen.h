/* The contents of the window: plain data, borrowed from the caller. All strings are UTF-8. A thing
 * to press carries its action as text, which a hit returns (viz/layout/hits.h); drawing does not
 * read it. */
#ifndef HEADSCOPE_VIZ_SCENE_SCREEN_H
#define HEADSCOPE_VIZ_SCENE_SCREEN_H

#include "viz/scene/scene.h"

typedef enum ScreenPage {
    PAGE_EXPLORE,
    PAGE_COMPARE,
    PAGE_TRAIN,
    PAGE_LESSONS,
    PAGE_COUNT
} ScreenPage;

/* A thing to press. */
typedef struct ScreenButton {
    const char *label;
    const char *tip;    /* what it does, with its key; NULL: none */
    const char *action; /* NULL: it is shown faint and cannot be pressed */
    bool on;            /* the current one of several, or switched on */
    const char *other;  /* a label it has at other times: there is room for both; NULL: none */
} ScreenButton;

/* --- the sequences ---------------------------------------------------------------------------- */

typedef struct ScreenToken {
    const char *text;
    int begin, end; /* the bytes of the sequence's text that it stands for; both 0 for a mark */
    bool mark;      /* <s>, </s>, <pad>: not part of the text */
    bool masked;    /* at or past the valid length */
    bool forced;    /* set by the user, not written by the model */
    bool faint;     /* not written yet at this step */
    bool unknown;   /* not in the vocabulary */
} ScreenToken;

typedef enum ScreenLine {
    LINE_SOURCE,
    LINE_TARGET,
    LINE_COMPANION_SOURCE,
    LINE_COMPANION_TARGET,
    LINE_OTHER_SOURCE, /* B's, where two inputs are compared */
    LINE_COUNT
} ScreenLine;

/* One line of chips. */
typedef struct ScreenSequence {
    ScreenLine line;
    const char *name; /* "source", "target" */
    const char *tip;
    const ScreenToken *tokens; /* [count] */
    int count;
    bool editing;          /* it has the caret */
    int caret, anchor;     /* bytes of the text; the selection lies between them */
    const char *composing; /* what an input method is composing at the caret; NULL: nothing */
    int valid_len;         /* where the handle stands, in tokens; -1: no handle */
    bool len_changed;      /* it is not where the text puts it */
    const char *len_name;  /* "enc_valid_len" */
    int marked;            /* the token that the decoder has come to; -1: none */
    int lit, pinned;       /* under the pointer, pinned; -1: none */
    int lit_query;         /* likewise, as a query where `lit` is a key; -1: none */
    const char *note;      /* small, after the last token, such as "forced"; NULL: none */
    bool note_alarm;       /* it is a problem */
} ScreenSequence;

/* --- maps ------------------------------------------------------------------------------------- */

/* One map of a head. Where `minus` is given, what is shown is the first less the second. */
typedef struct ScreenMap {
    const Trace *trace;
    HeadId id;
    const Trace *minus; /* of the same size; NULL: none */
    HeadId minus_id;
    const SceneAxes *axes;
    int rows, columns;  /* labelled; those that the trace lacks are left empty (not yet written) */
    const char *title;  /* "head 1" */
    const char *note;   /* small, at the right of the title: "diagonal", "out (zero)"; NULL: none */
    bool first, second; /* marked in the first or second accent: selected, or A and B */
    bool struck;        /* knocked out */
    int lit_row, lit_column;       /* under the pointer here or in a map beside it; -1: none */
    int pinned_row, pinned_column; /* -1: none */
    int example;                   /* 0, or 1 for the companion; given back by a hit */
    const char *action;            /* what a press on its title does; NULL: nothing */
} ScreenMap;

/* All heads as thumbnails. */
typedef struct ScreenOverview {
    const Trace *trace;
    HeadId first, second; /* marked in the accents */
    bool has_second;
    const bool *struck[SITE_COUNT];            /* [layers, heads] of each site */
    int rows[SITE_COUNT], columns[SITE_COUNT]; /* with those not written yet; 0: the trace's */
    Site site;                                 /* whose layer the panels show ... */
    int layer;                                 /* ... and the layer */
    HeadId lit;                                /* under the pointer ... */
    bool has_lit;                              /* ... if so */
} ScreenOverview;

/* All heads of one site and layer. */
typedef struct ScreenPanels {
    const char *title;   /* "cross-attention, layer 2" */
    const char *caption; /* what rows and columns are */
    const ScreenMap *maps;
    int count;
} ScreenPanels;

/* One head, large. */
typedef struct ScreenFocus {
    ScreenMap map;
    bool open;         /* it takes the panels' place instead of a strip below them */
    bool lines;        /* as lines between query and key tokens, else as a heat map */
    float threshold;   /* weights below it have no line */
    float zoom;        /* 1: all of it; at most SCREEN_ZOOM */
    float left, top;   /* the part shown begins at these shares of the map */
    const char *title; /* "cross.2.1 as lines" */
    const ScreenButton *buttons;
    int button_count;
} ScreenFocus;

#define SCREEN_ZOOM 64.0F

/* --- comparing -------------------------------------------------------------------------------- */

typedef struct ScreenSimilarity {
    const char *title;        /* "all cross heads, alike ones together" */
    const float *values;      /* [count,count], 0 unlike to 1 alike, NaN: undefined; in order */
    const HeadId *ids;        /* [count], in order */
    int count;                /* 0: none to show */
    int first, second;        /* the two compared, by index; -1: not among them */
    int lit_row, lit_column;  /* -1: none */
    const char *const *notes; /* "no two heads are identical", ... */
    int note_count;
} ScreenSimilarity;

typedef struct ScreenCompare {
    const char *title;   /* "two heads, same input" */
    const char *caption; /* what B is; NULL: none */
    const ScreenButton *modes;
    int mode_count;
    ScreenMap a, b, difference;
    const char *refusal; /* why there is no difference; NULL: there is one */
    float reach;         /* of the difference's scale: -reach .. 0 .. reach */
    const char *const *row_names;
    const double *divergences; /* [divergence_count] bits a query row; NaN: undefined */
    int divergence_count;
    const char *figures; /* "largest |A-B| 0.673 · mean 0.089 · correlation 0.83" */
    ScreenSimilarity similarity;
} ScreenCompare;

/* --- the side column -------------------------------------------------------------------------- */

typedef struct ScreenBar {
    const char *name;
    const char *value; /* "" where it means nothing */
    float share;       /* of the trough, 0..1; below 0: no bar */
    bool second;       /* in the second accent */
    const char *tip;
    const char *action; /* what a press does; NULL: nothing */
} ScreenBar;

typedef struct ScreenSection {
    const char *title;
    const char *const *lines; /* below the title; wrapped */
    int line_count;
    const ScreenBar *bars;
    int bar_count;
    const ScreenButton *buttons; /* the first stands at the right of the title, the others below */
    int button_count;
} ScreenSection;

/* --- training --------------------------------------------------------------------------------- */

typedef struct ScreenCurve {
    const char *name; /* "loss", "exact match" */
    const float *steps, *values;
    int count;
    float top;   /* of its scale; 0: the largest value */
    bool second; /* in the second accent; its scale stands at the right, in % where its top is 1 */
} ScreenCurve;

typedef struct ScreenTrain {
    const char *title;   /* "reverse, step 1200 of 3000" */
    const char *caption; /* "loss 0.213 · exact match 87.5 % · 12 s" */
    const ScreenCurve *curves;
    int curve_count;
    float last_step;             /* the right end of the steps' axis */
    float at_step;               /* a marker, such as a snapshot's step; below 0: none */
    int snapshots;               /* 0: no slider */
    const float *snapshot_steps; /* [snapshots], rising; NULL: evenly along the slider */
    int snapshot;                /* the one shown, from 0; -1: the model itself */
    const char *snapshot_text;   /* "snapshot 3 of 16, step 120" */
    const ScreenButton *buttons;
    int button_count;
} ScreenTrain;

/* --- lessons ---------------------------------------------------------------------------------- */

/* One of the menu. */
typedef struct ScreenLessonEntry {
    const char *title, *help, *action;
    bool on;
} ScreenLessonEntry;

typedef struct ScreenLesson {
    const ScreenLessonEntry *menu;
    int menu_count;
    const struct LessonPage *page; /* viz/scene/lesson.h; NULL where there is none */
    const char *problem;           /* why not, in one line; NULL: there is one */
    float scroll;                  /* logical pixels of the page above the visible part; clamped */
    bool follows;                  /* it refers to the sequences, which are then shown above it */
} ScreenLesson;

/* --- the whole -------------------------------------------------------------------------------- */

typedef struct ScreenKey {
    const char *keys, *what; /* what NULL: a heading */
} ScreenKey;

typedef struct Screen {
    ThemeName theme;
    ColorMap colormap;
    float top;         /* of the one colour scale, which begins at 0; 0: 1 */
    bool presentation; /* for a projector: all is enlarged, the side columns are folded away */
    float text_scale;  /* the window's size was divided by it before drawing; 0: 1 */
    ScreenPage page;
    const char *model; /* "dates · 2+2 layers · 4 heads · width 64" */
    const ScreenButton *tabs;
    int tab_count;

    ScreenSequence sequences[LINE_COUNT];
    int sequence_count;
    const ScreenButton *controls; /* right of the sequences: lengths, causality, step, companion */
    int control_count;

    const char *world; /* changes: "cross.1.2 is out (zero)"; NULL: the model as trained */
    const ScreenButton *world_buttons; /* right of it: "restore" */
    int world_button_count;

    ScreenOverview overview;
    ScreenPanels panels;
    ScreenFocus focus;
    ScreenCompare compare;
    ScreenTrain train;
    ScreenLesson lesson;
    const ScreenSection *sections; /* of the right column */
    int section_count;

    const char *status; /* what is under the pointer */
    const char *keys;   /* the keys that matter here */
    const char *prompt; /* an action being typed, in the status line's place; NULL: none */
    int prompt_caret;   /* bytes of it */
    const char *notice; /* a message or a hint across the bottom; NULL: none */
    bool notice_alarm;
    const char *tip; /* beside the pointer; NULL: none */
    float pointer_x, pointer_y;
    const ScreenKey *help; /* laid over everything; NULL: not shown */
    int help_count;
} Screen;

/* The position of a snapshot on the slider, 0..1: by its step, as on the axis of steps; 1 for the
 * model itself. */
float screen_snapshot_share(const ScreenTrain *train, int snapshot);

/* The snapshot nearest to a position on the slider; -1 if there is none. */
int screen_snapshot_at(const ScreenTrain *train, float share);

#endif
