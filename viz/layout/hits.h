/* The areas of a drawn screen that react to the pointer. Drawing records each area as it draws it,
 * so the two cannot drift apart. Knows no SDL. */
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
    HIT_COLUMNS,    /* as HIT_ROWS */
    HIT_SIMILARITY, /* rows, columns: the heads in order */
    HIT_SLIDER,     /* item: a ScreenSlider; share_x: where on it (hits_share) */
    HIT_FOCUS,      /* the large map: can be zoomed and panned; also its cells and tokens, as in
                       HIT_CELLS, HIT_ROWS and HIT_COLUMNS */
    HIT_LESSON, /* the visible part of a lesson's page; in pixels of the page, whatever the zoom:
                   rows: height of the page, columns: height of the part, item: its top */
} HitKind;

typedef enum ScreenSlider { SLIDER_THRESHOLD, SLIDER_SNAPSHOT } ScreenSlider;

typedef struct Hit {
    Rect area;
    HitKind kind;
    int index, item;
    HeadId id;
    int example;
    int first_row, first_column;    /* at the area's upper left (a zoomed map) */
    float row_height, column_width; /* 0: it has no rows, no columns */
    int rows, columns;              /* of the whole map */
    bool turned;                    /* rows run along x, each column_width wide (HIT_ROWS alone) */
    float shift_x, shift_y;         /* the part of the first cell cut off at the left and top */
    const char *action, *tip;       /* borrowed from the screen; may be NULL */
} Hit;

typedef struct HitList {
    Hit *hits; /* [count], owned; later ones lie above */
    int count, capacity;
    bool failed; /* memory ended: some are missing */
} HitList;

void hits_clear(HitList *list);
void hits_free(HitList *list); /* {0} is fine */
void hits_add(HitList *list, Hit hit);

/* All places and sizes *= scale, for a drawing that is shown enlarged. */
void hits_scale(HitList *list, float scale);

/* The uppermost area under a point. */
typedef struct Spot {
    const Hit *hit;         /* NULL: nothing; good until the list changes */
    int row, column;        /* of cells, rows, columns and similarity; -1: none */
    float share_x, share_y; /* where in the area, 0..1 */
} Spot;

Spot hits_at(const HitList *list, float x, float y);

/* The tip of the uppermost area under a point that has one; NULL: none. */
const char *hits_tip(const HitList *list, float x, float y);

/* The position of `x` along a slider, clamped to 0..1; 0 and 1 lie shift_x within its area. */
float hits_share(const Hit *slider, float x);

/* The number of a sequence's tokens whose middle is left of the point or in a line above it: the
 * position of a dragged handle. Tokens before the first one shown count. */
int hits_boundary(const HitList *list, int sequence, float x, float y);

/* Sets *area to that of the first hit of a kind with this index and item; false if there is none.
 */
bool hits_find(const HitList *list, HitKind kind, int index, int item, Rect *area);

#endif
