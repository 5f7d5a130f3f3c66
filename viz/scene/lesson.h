/* A page of a lesson: plain data, borrowed from the caller, printed as text by app/ and drawn by
 * viz/draw/draw_lesson.c. A page is a list of blocks, one below the other. All strings are UTF-8.
 */
#ifndef HEADSCOPE_VIZ_SCENE_LESSON_H
#define HEADSCOPE_VIZ_SCENE_LESSON_H

#include "viz/canvas/color.h"
#include "viz/scene/screen.h"

#include <stddef.h>

typedef enum LessonKind {
    LESSON_HEADING, /* text */
    LESSON_TEXT,    /* text: a paragraph */
    LESSON_TABLE,
    LESSON_BARS,
    LESSON_MAPS,
    LESSON_TENSORS,
    LESSON_BUTTONS, /* in the window alone */
} LessonKind;

/* The emphasis of a text, row, bar or frame. */
typedef enum LessonTone { TONE_PLAIN, TONE_FAINT, TONE_GOOD, TONE_WRONG, TONE_STRONG } LessonTone;

typedef struct LessonColumn {
    const char *name; /* "" for none */
    bool right;       /* figures: aligned at the right */
    bool wraps;       /* prose: may be broken over several lines */
} LessonColumn;

typedef struct LessonRow {
    const char *const *cells; /* [column_count] */
    LessonTone tone;
    const char *action; /* what a press does in the window; NULL: nothing */
} LessonRow;

typedef struct LessonTable {
    const LessonColumn *columns;
    int column_count;
    const LessonRow *rows;
    int row_count;
} LessonTable;

typedef struct LessonBar {
    const char *name;
    const char *value; /* the figure, as text */
    float share;       /* -1..1; below 0 it grows to the left of a middle line */
    LessonTone tone;
} LessonBar;

typedef struct LessonBars {
    const LessonBar *bars;
    int count;
    bool is_signed; /* 0 is in the middle */
} LessonBars;

/* A heat map of a matrix. */
typedef struct LessonMap {
    const char *title, *note; /* note: small, below; NULL: none */
    int rows, columns;
    const float *values;         /* [rows,columns]; NaN: not a number, drawn as such */
    const unsigned char *states; /* [rows,columns] CellState; NULL: all CELL_VALUE */
    float top;                   /* of the scale */
    bool diverging;              /* -top .. top */
    const char *const *row_names, *const *column_names; /* NULL: 0, 1, 2, ... */
    int marked_row, marked_column;                      /* -1: none */
    LessonTone tone;                                    /* of its frame */
    const char *action;                                 /* of a press; NULL: nothing */
} LessonMap;

typedef struct LessonMaps {
    const LessonMap *maps; /* side by side, wrapped */
    int count;
    int together; /* maps per row; 0: as many as fit */
} LessonMaps;

/* The origin of one number of a tensor: its example, step, head and index in the head under the
 * correct fold. */
typedef struct LessonOrigin {
    int example, step, head, element;
} LessonOrigin;

/* A tensor with each cell coloured by its origin: hue for the head, lightness for the step, a mark
 * for the example. */
typedef struct LessonTensor {
    const char *title, *note; /* title: with its shape; note: below; NULL: none */
    int rows, columns;
    const LessonOrigin *cells;    /* [rows,columns] */
    const char *const *row_names; /* [rows]; NULL: none */
    const char *const *row_notes; /* [rows], at the right of each row: "3"; NULL: none */
    const LessonTone *row_tones;  /* [rows] of these notes; NULL: plain */
    int row_group, column_group;  /* a gap after every N; 0: none */
    LessonTone tone;              /* of its frame */
} LessonTensor;

typedef struct LessonTensors {
    const LessonTensor *tensors; /* side by side, wrapped */
    int count;
    int examples, steps, heads; /* the ranges of the colours */
} LessonTensors;

typedef struct LessonButtons {
    const ScreenButton *buttons;
    int count;
} LessonButtons;

typedef struct LessonBlock {
    LessonKind kind;
    const char *text; /* of a heading or paragraph; else a caption above; NULL: none */
    LessonTone tone;  /* of the text */
    LessonTable table;
    LessonBars bars;
    LessonMaps maps;
    LessonTensors tensors;
    LessonButtons buttons;
} LessonBlock;

typedef struct LessonPage {
    const char *title;
    const LessonBlock *blocks;
    int count;
} LessonPage;

/* The name of a row or column; its number, written to `number` [size], where it has none. */
const char *lesson_name(const char *const *names, int index, char *number, size_t size);

/* True if the cell was never written. */
bool lesson_is_nowhere(const LessonOrigin *origin);

enum { LESSON_HUES = 8, LESSON_HEADS = 2 * LESSON_HUES };

/* The colour of a head and step. Heads 0 to 7 have a hue each, heads 8 to 15 the same hues paler,
 * and so on again from head 16. Steps go from light (0) to dark (steps - 1), evenly in perceived
 * lightness (OKLab, B. Ottosson 2020). Negative arguments count as 0. */
Color lesson_color(int head, int step, int steps);

#endif
