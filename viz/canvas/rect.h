/* A rectangle in logical pixels, y downwards. */
#ifndef HEADSCOPE_VIZ_CANVAS_RECT_H
#define HEADSCOPE_VIZ_CANVAS_RECT_H

#include <stdbool.h>

typedef struct Rect {
    float x, y, w, h;
} Rect;

/* Its left and top edges belong to it, its right and bottom edges do not. */
static inline bool rect_contains(Rect rect, float x, float y) {
    return x >= rect.x && x < rect.x + rect.w && y >= rect.y && y < rect.y + rect.h;
}

#endif
