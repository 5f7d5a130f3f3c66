#include "viz/canvas/pixels.h"

#include "model/base/minmax.h"

#include <math.h>

/* A row of pixels is cut into so many strips; along a strip coverage is exact. */
enum { STRIPS = 16 };

/* A rounded rectangle, from its own upper left corner at (inset,inset) of the outer one. */
typedef struct Shape {
    float inset, width, height, radius;
} Shape;

/* Where the strips of one row of pixels begin, from the left edge of the outer rectangle; past the
 * shape's end where a strip lies above or below it. The right side is mirrored. */
typedef struct Row {
    float starts[STRIPS];
    float least, most; /* of them */
    float ends;        /* a start and its end sum up to this */
} Row;

static Row row_make(const Shape *shape, int y) {
    Row row = {.least = INFINITY, .ends = 2 * shape->inset + shape->width};
    for (int strip = 0; strip < STRIPS; strip++) {
        float down = (float)y + ((float)strip + 0.5F) / STRIPS - shape->inset;
        float near = fminf(down, shape->height - down); /* to the upper edge or the lower */
        float start = shape->inset;
        if (near < 0) {
            start += shape->width;
        } else if (near < shape->radius) {
            float up = shape->radius - near;
            start += shape->radius - sqrtf(shape->radius * shape->radius - up * up);
        }
        row.starts[strip] = start;
        row.least = fminf(row.least, start);
        row.most = fmaxf(row.most, start);
    }
    return row;
}

/* The share of pixel x that the strips cover. */
static float covered(const Row *row, int x) {
    float left = (float)x, right = left + 1, sum = 0;
    if (right <= row->least) return 0;
    if (left >= row->most && right <= row->ends - row->most) return 1;
    for (int strip = 0; strip < STRIPS; strip++) {
        float start = row->starts[strip];
        sum += fmaxf(fminf(right, row->ends - start) - fmaxf(left, start), 0);
    }
    return sum / STRIPS;
}

static void blend_at(const Pixels *pixels, int x, int y, Color color, int coverage) {
    PixelRect clip = pixels->clip;
    if (x < clip.x || x >= clip.x + clip.w || y < clip.y || y >= clip.y + clip.h) return;
    pixels_blend(pixels_at(pixels, x, y), color, coverage);
}

/* The four corners, `size` pixels each; they share the pixels in the middle of an odd side. */
static void draw_corners(const Pixels *pixels, PixelRect rect, const Shape *outer,
                         const Shape *inner, int size, Color color) {
    for (int y = 0; y < size && y < (rect.h + 1) / 2; y++) {
        Row row = row_make(outer, y), hole = row_make(inner, y);
        int below = rect.y + rect.h - 1 - y;
        for (int x = 0; x < size && x < (rect.w + 1) / 2; x++) {
            float share = covered(&row, x) - covered(&hole, x);
            int coverage = (int)(share * 255 + 0.5F), across = rect.x + rect.w - 1 - x;
            blend_at(pixels, rect.x + x, rect.y + y, color, coverage);
            if (across > rect.x + x) blend_at(pixels, across, rect.y + y, color, coverage);
            if (below == rect.y + y) continue;
            blend_at(pixels, rect.x + x, below, color, coverage);
            if (across > rect.x + x) blend_at(pixels, across, below, color, coverage);
        }
    }
}

/* A stretch of the shape without a curve; nothing if the corners leave no room for it. */
static void fill_part(const Pixels *pixels, int x, int y, int w, int h, Color color) {
    if (w > 0 && h > 0) pixels_fill(pixels, (PixelRect){x, y, w, h}, color);
}

void pixels_round(const Pixels *pixels, PixelRect rect, float radius, int border, Color color) {
    PixelRect seen;
    if (!pixels_seen(pixels, &rect, &seen)) return;
    int smaller = int_min(rect.w, rect.h);
    bool filled = border <= 0 || 2 * border >= smaller;
    radius = float_clamp(radius, 0, (float)smaller / 2);
    Shape outer = {0, (float)rect.w, (float)rect.h, radius}, inner = {0};
    int size = (int)ceilf(radius);
    if (!filled) {
        inner = (Shape){(float)border, (float)(rect.w - 2 * border), (float)(rect.h - 2 * border),
                        fmaxf(radius - (float)border, 0)};
        if (size < border) size = border;
    }
    int wide = rect.w - 2 * size, high = rect.h - 2 * size;
    int right = rect.x + rect.w, bottom = rect.y + rect.h;
    draw_corners(pixels, rect, &outer, &inner, size, color);
    if (filled) {
        fill_part(pixels, rect.x + size, rect.y, wide, rect.h, color);
        fill_part(pixels, rect.x, rect.y + size, size, high, color);
        fill_part(pixels, right - size, rect.y + size, size, high, color);
        return;
    }
    fill_part(pixels, rect.x + size, rect.y, wide, border, color);
    fill_part(pixels, rect.x + size, bottom - border, wide, border, color);
    fill_part(pixels, rect.x, rect.y + size, border, high, color);
    fill_part(pixels, right - border, rect.y + size, border, high, color);
}
