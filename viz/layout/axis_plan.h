/* Plans the labels along an axis of tokens: their font size, which of them are shown, whether they
 * are turned, and the room they take. Sheets and the maps of window and lessons all use it. Lengths
 * are in logical pixels. */
#ifndef HEADSCOPE_VIZ_LAYOUT_AXIS_PLAN_H
#define HEADSCOPE_VIZ_LAYOUT_AXIS_PLAN_H

#include <stdbool.h>

typedef struct AxisRequest {
    bool columns;       /* labels stand side by side; wide ones are turned */
    float pitch;        /* from one cell to the next */
    float line;         /* the minimum from one label to the next, in font sizes */
    float size_max;     /* the font size where there is room for it */
    float size_min;     /* the smallest one at which every cell is labelled */
    float size_thinned; /* the size where size_min does not fit and some labels are left out */
    float widest_unit;  /* width of the widest label at font size 1: the font is made smaller
                           where that avoids shortening; 0: it is not */
    float limit;        /* labels are shortened to this width */
    float gap;          /* between labels and cells */
    float slack;        /* room of a label / its width; 0: 1 */
    float upright_max;  /* column labels wider than this are turned; 0: those that would touch
                           the next one */
    float upright_room; /* height of an upright column label, in font sizes */
    float reach;        /* from the middle of a row label or turned label to the end of its line,
                           in font sizes */
} AxisRequest;

typedef struct AxisPlan {
    float pitch;
    float size;     /* of the font; 0: there are no labels */
    int step;       /* every step-th cell is labelled */
    float limit;    /* labels are shortened to this width */
    bool turned;    /* columns: see axis_turns */
    float room;     /* from the cells to the far end of the labels, the gap included */
    float overhang; /* how far the last label may reach past the last cell, along the axis */
} AxisPlan;

/* Plans size and step. The labels are then measured at that size. */
AxisPlan axis_plan(const AxisRequest *request);

/* Plans the rest; `widest` is the width of the widest label at plan->size. */
void axis_plan_room(AxisPlan *plan, const AxisRequest *request, float widest);

/* True if a column's label is turned. If one label has no room upright, all are turned, so that
 * they look alike, except single characters that have room. */
bool axis_turns(const AxisPlan *plan, const char *label, float width);

/* The minimum number of cells from one shown label to the next, at `line` pixels a label. */
int axis_step(float pitch, float line);

/* Labels that take precedence over those that they would touch. */
enum { AXIS_MARKS = 3 };
typedef struct AxisMarks {
    int at[AXIS_MARKS];
    int count;
} AxisMarks;

/* Returns those of `wanted` [count <= AXIS_MARKS], most important first, that lie within [0,cells)
 * and do not touch an earlier one. -1 is none. */
AxisMarks axis_marks(int step, const int *wanted, int count, int cells);

/* True if a cell's label is shown: it is marked, or it is a step-th one that touches no mark. */
bool axis_shows(int step, const AxisMarks *marks, int index);

/* The step of a numeric axis: the smallest 1, 2, 2.5 or 5 times a power of ten that is at least
 * `min` (within 0.01 %). */
float axis_nice_step(float min);

#endif
