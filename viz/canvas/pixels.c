#include "viz/canvas/pixels.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

/* Edges are compared, in a wide type: of what lies far outside they can be past any int. */
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

/* Opaque: one row pixel by pixel, the others copied. */
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
    /* opaque rows are alike after each period */
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

/* How far the point lies from the segment that starts at the origin and ends at (dx,dy); `inverse`
 * is 1 over the square of its length, or 0. Plain comparisons and a root: calls of fminf and hypotf
 * would take most of the time of a line. */
static float distance_to_segment(float x, float y, float dx, float dy, float inverse) {
    float share = (x * dx + y * dy) * inverse;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    x -= share * dx, y -= share * dy;
    return sqrtf(x * x + y * y);
}

/* The columns that a line can reach in the row whose middle is at y: those around the part of the
 * segment that is no farther up or down than `reach`. */
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
