#include "viz/canvas/pixels.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

/* Compares edges in a wide type: those of a rectangle far outside may not fit into an int. */
static bool intersect(int64_t one, int one_size, int64_t other, int other_size, int *start,
                      int *size) {
    int64_t one_end = one + one_size, other_end = other + other_size;
    int64_t first = one > other ? one : other, end = one_end < other_end ? one_end : other_end;
    *start = (int)first;
    *size = end > first ? (int)(end - first) : 0;
    return *size > 0;
}

bool pixels_intersect(const PixelRect *one, const PixelRect *other, PixelRect *both) {
    bool across = intersect(one->x, one->w, other->x, other->w, &both->x, &both->w);
    bool down = intersect(one->y, one->h, other->y, other->h, &both->y, &both->h);
    if (!across || !down) both->w = both->h = 0;
    return across && down;
}

bool pixels_seen(const Pixels *pixels, const PixelRect *rect, PixelRect *seen) {
    return pixels_intersect(rect, &pixels->clip, seen);
}

/* Sets the first row pixel by pixel and copies it to the others. */
static void fill_opaque(const Pixels *pixels, PixelRect rect, Color color) {
    uint8_t *first = pixels_at(pixels, rect.x, rect.y);
    for (int x = 0; x < rect.w; x++)
        pixels_set(first + 3 * (size_t)x, color);
    for (int y = 1; y < rect.h; y++)
        memcpy(first + (size_t)y * pixels->pitch, first, 3 * (size_t)rect.w);
}

void pixels_fill(const Pixels *pixels, PixelRect rect, Color color) {
    PixelRect seen;
    if (color.a == 0 || !pixels_seen(pixels, &rect, &seen)) return;
    if (color.a == 255) {
        fill_opaque(pixels, seen, color);
        return;
    }
    for (int y = seen.y; y < seen.y + seen.h; y++) {
        uint8_t *row = pixels_at(pixels, seen.x, y);
        for (int x = 0; x < seen.w; x++)
            pixels_over(row + 3 * (size_t)x, color, color.a);
    }
}

void pixels_hatch(const Pixels *pixels, PixelRect rect, Color ground, Color line, int period,
                  int width) {
    PixelRect seen;
    if (!pixels_seen(pixels, &rect, &seen)) return;
    pixels_fill(pixels, seen, ground);
    /* opaque rows repeat after each period */
    int own = ground.a == 255 && line.a == 255 && period < seen.h ? period : seen.h;
    for (int y = seen.y; y < seen.y + own; y++) {
        uint8_t *row = pixels_at(pixels, seen.x, y);
        for (int x = 0, phase = (seen.x + y) % period; x < seen.w; x++) {
            if (phase < width) pixels_blend(row + 3 * (size_t)x, line, 255);
            phase = phase + 1 < period ? phase + 1 : 0;
        }
    }
    for (int y = seen.y + own; y < seen.y + seen.h; y++)
        memcpy(pixels_at(pixels, seen.x, y), pixels_at(pixels, seen.x, y - period),
               3 * (size_t)seen.w);
}

/* The distance of a point from the segment from the origin to (dx,dy); `inverse` is 1 over its
 * squared length, or 0. No fminf or hypotf: calls would take most of a line's time. */
static float distance_to_segment(float x, float y, float dx, float dy, float inverse) {
    float share = (x * dx + y * dy) * inverse;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    x -= share * dx, y -= share * dy;
    return sqrtf(x * x + y * y);
}

/* The columns that a line can touch in the row whose middle is at y: those within `reach` of the
 * part of the segment that is at most `reach` above or below y. */
static void line_columns(float x0, float y0, float x1, float y1, float y, float reach, float *left,
                         float *right) {
    float from = 0, to = 1;
    if (y0 != y1) {
        float up = (y - reach - y0) / (y1 - y0), down = (y + reach - y0) / (y1 - y0);
        from = float_clamp(fminf(up, down), 0, 1);
        to = float_clamp(fmaxf(up, down), 0, 1);
    }
    float start = x0 + from * (x1 - x0), end = x0 + to * (x1 - x0);
    *left = fminf(start, end) - reach;
    *right = fmaxf(start, end) + reach;
}

void pixels_line(const Pixels *pixels, float x0, float y0, float x1, float y1, float width,
                 Color color) {
    float half = width / 2, square = (x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0);
    float inverse = square > 0 ? 1 / square : 0;
    PixelRect box = {.x = (int)floorf(fminf(x0, x1) - half - 1),
                     .y = (int)floorf(fminf(y0, y1) - half - 1)};
    box.w = (int)ceilf(fmaxf(x0, x1) + half + 1) - box.x;
    box.h = (int)ceilf(fmaxf(y0, y1) + half + 1) - box.y;
    PixelRect seen;
    if (!pixels_seen(pixels, &box, &seen)) return;
    for (int y = seen.y; y < seen.y + seen.h; y++) {
        float middle = (float)y + 0.5F, left, right;
        line_columns(x0, y0, x1, y1, middle, half + 1, &left, &right);
        int first = left > (float)seen.x ? (int)left : seen.x;
        int last = right < (float)(seen.x + seen.w - 1) ? (int)right : seen.x + seen.w - 1;
        for (int x = first; x <= last; x++) {
            float covered =
                half + 0.5F -
                distance_to_segment((float)x + 0.5F - x0, middle - y0, x1 - x0, y1 - y0, inverse);
            if (covered <= 0) continue;
            covered = covered < 1 ? covered : 1;
            pixels_blend(pixels_at(pixels, x, y), color, (int)(covered * 255 + 0.5F));
        }
    }
}

/* --- rounded rectangles ----------------------------------------------------------------------- */

/* Each row of pixels is cut into this many strips; along a strip, coverage is exact. */
enum { STRIPS = 16 };

/* A rounded rectangle whose upper left corner is at (inset,inset) of the outer one. */
typedef struct RoundShape {
    float inset, width, height, radius;
} RoundShape;

/* Where the strips of one row of pixels begin, from the left edge of the outer rectangle; past the
 * shape's right edge where a strip lies above or below it. The right side is mirrored. */
typedef struct RoundRow {
    float starts[STRIPS];
    float min, max; /* of starts */
    float mirror;   /* start + end of each strip */
} RoundRow;

static RoundRow round_row(const RoundShape *shape, int y) {
    RoundRow row = {.min = INFINITY, .mirror = 2 * shape->inset + shape->width};
    for (int strip = 0; strip < STRIPS; strip++) {
        float down = (float)y + ((float)strip + 0.5F) / STRIPS - shape->inset;
        float near = fminf(down, shape->height - down); /* to the nearer edge */
        float start = shape->inset;
        if (near < 0) {
            start += shape->width;
        } else if (near < shape->radius) {
            float up = shape->radius - near;
            start += shape->radius - sqrtf(shape->radius * shape->radius - up * up);
        }
        row.starts[strip] = start;
        row.min = fminf(row.min, start);
        row.max = fmaxf(row.max, start);
    }
    return row;
}

/* The share of pixel x that the strips cover. */
static float coverage_of(const RoundRow *row, int x) {
    float left = (float)x, right = left + 1, sum = 0;
    if (right <= row->min) return 0;
    if (left >= row->max && right <= row->mirror - row->max) return 1;
    for (int strip = 0; strip < STRIPS; strip++) {
        float start = row->starts[strip];
        sum += fmaxf(fminf(right, row->mirror - start) - fmaxf(left, start), 0);
    }
    return sum / STRIPS;
}

static void blend_at(const Pixels *pixels, int x, int y, Color color, int coverage) {
    PixelRect clip = pixels->clip;
    if (x < clip.x || x >= clip.x + clip.w || y < clip.y || y >= clip.y + clip.h) return;
    pixels_blend(pixels_at(pixels, x, y), color, coverage);
}

/* Draws the four corners, `size` pixels each; they share the middle pixels of an odd side. */
static void draw_corners(const Pixels *pixels, PixelRect rect, const RoundShape *outer,
                         const RoundShape *inner, int size, Color color) {
    for (int y = 0; y < size && y < (rect.h + 1) / 2; y++) {
        RoundRow row = round_row(outer, y), hole = round_row(inner, y);
        int below = rect.y + rect.h - 1 - y;
        for (int x = 0; x < size && x < (rect.w + 1) / 2; x++) {
            float share = coverage_of(&row, x) - coverage_of(&hole, x);
            int coverage = (int)(share * 255 + 0.5F), across = rect.x + rect.w - 1 - x;
            blend_at(pixels, rect.x + x, rect.y + y, color, coverage);
            if (across > rect.x + x) blend_at(pixels, across, rect.y + y, color, coverage);
            if (below == rect.y + y) continue;
            blend_at(pixels, rect.x + x, below, color, coverage);
            if (across > rect.x + x) blend_at(pixels, across, below, color, coverage);
        }
    }
}

void pixels_round(const Pixels *pixels, PixelRect rect, float radius, int border, Color color) {
    PixelRect seen;
    if (!pixels_seen(pixels, &rect, &seen)) return;
    int smaller = int_min(rect.w, rect.h);
    bool filled = border <= 0 || 2 * border >= smaller;
    radius = float_clamp(radius, 0, (float)smaller / 2);
    RoundShape outer = {0, (float)rect.w, (float)rect.h, radius}, inner = {0};
    int size = (int)ceilf(radius);
    if (!filled) {
        inner = (RoundShape){(float)border, (float)(rect.w - 2 * border),
                             (float)(rect.h - 2 * border), fmaxf(radius - (float)border, 0)};
        if (size < border) size = border;
    }
    int wide = rect.w - 2 * size, high = rect.h - 2 * size;
    int right = rect.x + rect.w, bottom = rect.y + rect.h;
    draw_corners(pixels, rect, &outer, &inner, size, color);
    /* the straight parts; one that the corners leave no room for is empty */
    int top = filled ? rect.h : border, side = filled ? size : border;
    pixels_fill(pixels, (PixelRect){rect.x + size, rect.y, wide, top}, color);
    if (!filled)
        pixels_fill(pixels, (PixelRect){rect.x + size, bottom - border, wide, border}, color);
    pixels_fill(pixels, (PixelRect){rect.x, rect.y + size, side, high}, color);
    pixels_fill(pixels, (PixelRect){right - side, rect.y + size, side, high}, color);
}
