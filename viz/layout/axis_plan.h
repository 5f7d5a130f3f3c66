/* The plan of the labels along an axis of tokens: their font size, which of them are shown, whether
 * they are turned, and the room they take. Sheets, the window's maps and the lessons' maps all plan
 * their axes here. Lengths are logical pixels. */
#ifndef HEADSCOPE_VIZ_LAYOUT_AXIS_PLAN_H
#define HEADSCOPE_VIZ_LAYOUT_AXIS_PLAN_H

#include <stdbool.h>

typedef struct AxisRequest {
    bool columns;       /* labels stand side by side: those that are too wide are turned */
    float pitch;        /* from one cell to the next */
    float line;         /* from one label to the next at least, in font sizes */
    float size_max;     /* the font size where there is room for it */
    float size_min;     /* the smallest one at which every cell is labelled */
    float size_thinned; /* the size where not even that has room, and some labels are left out */
    float widest_unit;  /* of all labels at font size 1: a smaller font is taken where that keeps
                           all of them whole; 0: it is not */
    float limit;        /* no label is longer */
    float gap;          /* between labels and cells */
    float slack;        /* the room of a label in multiples of its length; 0: 1 */
    float upright_max;  /* a column's label wider than this is turned; 0: one that would touch the
                           next one shown */
    float upright_room; /* the height of an upright column's label, in font sizes */
    float reach;        /* from the middle of a row's or turned label to where its line ends, in
                           font sizes */
} AxisRequest;

typedef struct AxisPlan {
    float pitch;
    float size;     /* of the font; 0: there are no labels */
    int step;       /* every step-th cell has its label */
    float limit;    /* no label is longer */
    bool turned;    /* columns: see axis_turns */
    float room;     /* from the cells to the far end of the labels, the gap included */
    float overhang; /* how far the last label may reach past the last cell, along the axis */
} AxisPlan;

/* Plans size and step, which do not depend on the labels' widths at that size. */
AxisPlan axis_plan(const AxisRequest *request);

/* Plans the rest for labels of which the widest is so wide at plan->size. */
void axis_plan_room(AxisPlan *plan, const AxisRequest *request, float widest);

/* Whether a column's label is turned: where not all have room upright, all are turned (words in a
 * row read better when they look alike) but single characters that have room. */
bool axis_turns(const AxisPlan *plan, const char *label, float width);

/* How many cells lie from one shown label to the next at least, at `line` pixels a label. */
int axis_step(float pitch, float line);

/* The labels that are shown first, in place of those that they would touch. */
enum { AXIS_MARKS = 3 };
typedef struct AxisMarks {
    int at[AXIS_MARKS];
    int count;
} AxisMarks;

/* Of `wanted` [count <= AXIS_MARKS], the most important one first, those within [0,cells) that do
 * not touch one before. -1 is none. */
AxisMarks axis_marks(int step, const int *wanted, int count, int cells);

/* Whether a cell's label is shown: it is marked, or it is the step-th and touches no marked one. */
bool axis_shows(int step, const AxisMarks *marks, int index);

/* The step of an axis of numbers: the smallest that is at least `min` (give or take 0.01 %) and 1,
 * 2, 2.5 or 5 times a power of ten. */
float axis_nice_step(float min);

#endif
