/* A canvas that passes all on to another one, so many times as large: what is drawn on it in its
 * own logical pixels comes out enlarged, texts and lines too. */
#ifndef HEADSCOPE_VIZ_CANVAS_CANVAS_SCALED_H
#define HEADSCOPE_VIZ_CANVAS_CANVAS_SCALED_H

#include "viz/canvas/canvas.h"

typedef struct ScaledCanvas {
    Canvas canvas; /* first: draw on this */
    Canvas *base;  /* borrowed */
    float scale;
} ScaledCanvas;

/* Needs no freeing; a failure of drawing code is the base's after scaled_finish. */
ScaledCanvas scaled_make(Canvas *base, float scale);
void scaled_finish(ScaledCanvas *scaled);

#endif
