/* What lies where on a drawn screen. Drawing writes down each thing that a pointer can meet, so
 * that what is seen and what is met cannot drift apart. Knows no SDL. */
#ifndef HEADSCOPE_VIZ_LAYOUT_HITS_H
#define HEADSCOPE_VIZ_LAYOUT_HITS_H

#include "model/trace/trace.h"
#include "viz/canvas/rect.h"

typedef enum HitKind {
    HIT_NONE,
    HIT_PLAIN,      /* nothing to press; it may have a tip */
    HIT_ACTION,     /* a press does `action` */
    HIT_LINE,       /* a sequence, beside its tokens; index: into Screen.sequences, as in ... */
    HIT_TOKEN,      /* ... a token; item: which */
    HIT_LENGTH,     /* ... the handle of its valid length */
    HIT_THUMBNAIL,  /* id */
    HIT_MAP,        /* a map besides its cells and tokens; id, example */
    HIT_CELLS,      /* id, example; rows, columns */
    HIT_ROWS,       /* the tokens of a map's rows; id, example, rows; maybe turned */
    HIT_COLUMNS,    /* likewise */
    HIT_SIMILARITY, /* rows, columns: the heads in order */
    HIT_SLIDER,     /* item: a ScreenSlider; share_x: where on it (hits_share) */
    HIT_FOCUS,      /* the large map: can be zoomed and panned; also its cells and tokens, as in
                       HIT_CELLS, HIT_ROWS and HIT_COLUMNS */
    HIT_LESSON,     /* what is on show of a lesson's page; whatever the enlargement, in pixels of
                       the page: rows: its height, columns: so much is on show, item: so much is
                       above it */
} HitKind;

typedef enum ScreenSlider { SLIDER_THRESHOLD, SLIDER_SNAPSHOT } ScreenSlider;

typedef struct Hit {
    Rect area;
    HitKind kind;
    int index, item;
    HeadId id;
    int example;
    int first_row, first_column;    /* shown at the area's upper left (a zoomed map) */
    float row_height, column_width; /* 0: it has no rows, no columns */
    int rows, columns;              /* of the whole map */
    bool turned;                    /* rows run along x, each column_width wide (HIT_ROWS alone) */
    float shift_x, shift_y;         /* how much of the first cell is cut off at the left and top */
    const char *action, *tip;       /* borrowed from the screen; may be NULL */
} Hit;

typedef struct HitList {
    Hit *hits; /* [count], owned; what is drawn later lies above */
    int count, capacity;
    bool failed; /* memory ended: some are missing */
} HitList;

void hits_clear(HitList *list);
void hits_free(HitList *list); /* {0} is fine */
void hits_add(HitList *list, Hit hit);

/* All places and sizes *= scale, where what was drawn is shown enlarged. */
void hits_scale(HitList *list, float scale);

/* What lies under a point. */
typedef struct Spot {
    const Hit *hit;         /* NULL: nothing; good until the list changes */
    int row, column;        /* of cells, rows, columns and similarity; -1: none */
    float share_x, share_y; /* where in the area, 0..1 */
} Spot;

Spot hits_at(const HitList *list, float x, float y);

/* The tip of the uppermost thing under a point that has one; NULL: none. */
const char *hits_tip(const HitList *list, float x, float y);

/* Where along a slider a point is, 0..1, also beside it: 0 and 1 lie shift_x within its area. */
float hits_share(const Hit *slider, float x);

/* How many tokens of a sequence have their middle left of (or in a line above) the point: where a
 * dragged handle stands. Tokens before the first one on show count. */
int hits_boundary(const HitList *list, int sequence, float x, float y);

/* The area of the first hit of a kind with this index and item; false where there is none. */
bool hits_find(const HitList *list, HitKind kind, int index, int item, Rect *area);

#endif
