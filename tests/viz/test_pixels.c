#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_pixels.h"
#include "viz/canvas/pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A small picture, black at first, with a margin that nothing may touch. */
enum { SIDE = 64, MARGIN = 2 };

static uint8_t bytes[SIDE * SIDE * 3];

static Pixels picture(void) {
    memset(bytes, 0, sizeof bytes);
    PixelRect clip = {MARGIN, MARGIN, SIDE - 2 * MARGIN, SIDE - 2 * MARGIN};
    return (Pixels){.bytes = bytes, .pitch = 3 * SIDE, .clip = clip};
}

static uint32_t at(int x, int y) {
    const uint8_t *pixel = bytes + 3 * (y * SIDE + x);
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static void margin_is_black(void) {
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (x < MARGIN || y < MARGIN || x >= SIDE - MARGIN || y >= SIDE - MARGIN)
                assert_int_equal(at(x, y), 0);
}

/* Whether a point lies in a rounded rectangle from (0,0) to (w,h). */
static bool in_round(double x, double y, double w, double h, double r) {
    if (x < 0 || y < 0 || x > w || y > h) return false;
    double across = fmax(fmax(r - x, x - (w - r)), 0), down = fmax(fmax(r - y, y - (h - r)), 0);
    return across * across + down * down <= r * r;
}

/* The share of a pixel that lies in the shape, counted at 32 x 32 points of it. */
static double counted(int x, int y, double w, double h, double r, double border) {
    enum { POINTS = 32 };
    int inside = 0;
    for (int point = 0; point < POINTS * POINTS; point++) {
        double px = x + (point % POINTS + 0.5) / POINTS, py = y + ((point / POINTS) + 0.5) / POINTS;
        inside += in_round(px, py, w, h, r) &&
                  !(border > 0 && in_round(px - border, py - border, w - 2 * border, h - 2 * border,
                                           fmax(r - border, 0)));
    }
    return (double)inside / (POINTS * POINTS);
}

static void corners_are_round(void **state) {
    (void)state;
    static const struct {
        int w, h, border;
        float radius;
    } shapes[] = {{20, 12, 0, 4},   {20, 12, 2, 4},    {9, 9, 0, 99},     {8, 8, 1, 4},
                  {7, 15, 0, 3.5F}, {30, 11, 3, 5.5F}, {20, 12, 5, 2},    {20, 12, 0, 0},
                  {1, 1, 1, 1},     {3, 40, 1, 1},     {40, 40, 4, 13.3F}};
    for (size_t index = 0; index < sizeof shapes / sizeof *shapes; index++) {
        Pixels pixels = picture();
        int w = shapes[index].w, h = shapes[index].h, border = shapes[index].border;
        double radius = fmin(shapes[index].radius, fmin(w, h) / 2.0);
        pixels_round(&pixels, (PixelRect){10, 10, w, h}, shapes[index].radius, border,
                     color_rgb(0xffffff));
        for (int y = -1; y <= h; y++)
            for (int x = -1; x <= w; x++) {
                int seen = (int)(at(10 + x, 10 + y) & 0xff);
                assert_true(fabs(seen - 255 * counted(x, y, w, h, radius, border)) <= 5);
            }
    }
}

/* No pixel is blended twice, and the clip holds. */
static void round_shapes_blend_once(void **state) {
    (void)state;
    for (int border = 0; border < 8; border++) {
        Pixels pixels = picture();
        pixels_round(&pixels, (PixelRect){-5, 20, SIDE, 13}, 6.5F, border,
                     (Color){255, 255, 255, 51});
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                assert_in_range(at(x, y) & 0xff, 0, 0x33);
        assert_int_equal(at(30, 20), 0x333333);
        margin_is_black();
    }
}

static CellMap map_of(Rect area, int rows, int columns, const float *values) {
    return (CellMap){.area = area,
                     .rows = rows,
                     .columns = columns,
                     .values = values,
                     .top = 1,
                     .colormap = COLORMAP_GREY};
}

static void draw(Pixels *pixels, const CellMap *map, float scale) {
    Error error;
    assert_true(pixels_cells(pixels, map, scale, &error));
}

/* Each cell of a pixel and more fills the pixels between its rounded edges. */
static void large_cells(void **state) {
    (void)state;
    const float values[6] = {0, 0.25F, 0.5F, 0.75F, 2, NAN};
    Pixels pixels = picture();
    pixels_fill(&pixels, pixels.clip, color_rgb(0x8899aa));
    CellMap map = map_of((Rect){4, 5, 10, 7}, 2, 3, values);
    draw(&pixels, &map, 2);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++) {
            static const int columns[4] = {8, 15, 21, 28}, rows[3] = {10, 17, 24};
            uint32_t color = isnan(values[3 * y + x])
                                 ? 0x8899aa
                                 : color_hex(map_color(COLORMAP_GREY, values[3 * y + x]));
            assert_int_equal(at(columns[x], rows[y]), color);
            assert_int_equal(at(columns[x + 1] - 1, rows[y + 1] - 1), color);
        }
    assert_int_equal(at(7, 12), 0x8899aa);
    assert_int_equal(at(28, 12), 0x8899aa);
    assert_int_equal(at(12, 9), 0x8899aa);
    assert_int_equal(at(12, 24), 0x8899aa);
    margin_is_black();
}

/* One strong weight among 200 x 200 cells on 24 x 24 pixels is seen, wherever it stands. */
static void a_lone_weight_never_vanishes(void **state) {
    (void)state;
    enum { CELLS = 200, PLACES = 300 };
    static float values[CELLS * CELLS];
    for (int place = 0; place < PLACES; place++) {
        int cell = place == 0 ? 0 : place == 1 ? CELLS * CELLS - 1 : rand() % (CELLS * CELLS);
        float area = place % 2 ? 24.0F : 24.4F, begin = place % 3 ? 10 : 10.45F;
        values[cell] = place % 4 == 3 ? -1 : 1;
        values[(cell + 1) % (CELLS * CELLS)] = NAN;
        Pixels pixels = picture();
        CellMap map = map_of((Rect){begin, begin, area, area}, CELLS, CELLS, values);
        map.diverging = true;
        draw(&pixels, &map, 1);
        int seen = 0;
        uint32_t end = color_hex(diverging_color(values[cell], map.middle));
        for (int y = 10; y < 35; y++)
            for (int x = 10; x < 35; x++)
                seen += at(x, y) == end;
        assert_int_equal(seen, 1);
        values[cell] = values[(cell + 1) % (CELLS * CELLS)] = 0;
    }
}

/* A map with both kinds of sides, against a search over all cells for each pixel. */
static void small_cells_show_the_largest(void **state) {
    (void)state;
    enum { ROWS = 3, COLUMNS = 150 };
    static float values[ROWS * COLUMNS];
    for (int cell = 0; cell < ROWS * COLUMNS; cell++)
        values[cell] = rand() % 5 == 0 ? NAN : (float)(rand() % 2001 - 1000) / 1000;
    for (int cell = 0; cell < 20; cell++)
        values[cell] = NAN; /* pixels with no value at all */
    Pixels pixels = picture();
    CellMap map = map_of((Rect){10, 20, 30, 18}, ROWS, COLUMNS, values); /* five cells a pixel */
    map.diverging = true;
    map.middle = color_rgb(0xffffff);
    draw(&pixels, &map, 1);
    for (int y = 0; y < 18; y++)
        for (int x = 0; x < 30; x++) {
            float largest = 0;
            bool any = false;
            for (int cell = 5 * x; cell < 5 * x + 5; cell++) {
                float value = values[y / 6 * COLUMNS + cell];
                if (isnan(value)) continue;
                any = true;
                if (fabsf(value) > fabsf(largest)) largest = value;
            }
            uint32_t color = any ? color_hex(diverging_color(largest, map.middle)) : 0;
            assert_int_equal(at(10 + x, 20 + y), color);
        }
}

/* Maps of every size that reach over the clip on all sides, and such with nothing in them. */
static void maps_stay_in_the_clip(void **state) {
    (void)state;
    static float values[300 * 300];
    for (int cell = 0; cell < 300 * 300; cell++)
        values[cell] = 1;
    static const int counts[] = {0, 1, 2, 7, 63, 64, 65, 300};
    static const float areas[] = {0, 0.3F, 1, 59.6F, 64, 200, 5000};
    for (size_t count = 0; count < sizeof counts / sizeof *counts; count++)
        for (size_t area = 0; area < sizeof areas / sizeof *areas; area++) {
            Pixels pixels = picture();
            float size = areas[area];
            Rect rect = {32 - size / 2, 32 - size / 2, size, size};
            CellMap map = map_of(rect, counts[count], counts[count], values);
            draw(&pixels, &map, 1);
            margin_is_black();
            if (size >= 1 && counts[count]) assert_int_equal(at(32, 32), 0xffffff);
            if (size >= 64 && counts[count]) assert_int_equal(at(MARGIN, MARGIN), 0xffffff);
            pixels.clip.w = 0;
            draw(&pixels, &map, 1);
        }
}

/* The same as asking each pixel by itself. */
static void hatches_by_rule(void **state) {
    (void)state;
    for (int alpha = 128; alpha < 256; alpha += 127) {
        Pixels pixels = picture();
        Color line = {255, 0, 0, (uint8_t)alpha};
        pixels_hatch(&pixels, (PixelRect){-3, 7, 40, 30}, color_rgb(0x0000ff), line, 5, 2);
        for (int y = MARGIN; y < SIDE - MARGIN; y++)
            for (int x = MARGIN; x < SIDE - MARGIN; x++) {
                bool inside = x < 37 && y >= 7 && y < 37, on = (x + y) % 5 < 2;
                uint32_t drawn = alpha == 255 ? 0xff0000 : 0x80007f;
                assert_int_equal(at(x, y), !inside ? 0 : on ? drawn : 0x0000ff);
            }
        margin_is_black();
    }
}

/* Lines in all directions cover what lies within half their width, and half a pixel around. */
static void lines_cover_their_width(void **state) {
    (void)state;
    for (int turn = 0; turn < 24; turn++) {
        Pixels pixels = picture();
        double angle = turn * 3.14159265 / 12, dx = cos(angle), dy = sin(angle);
        pixels_line(&pixels, 32, 32, (float)(32 + 20 * dx), (float)(32 + 20 * dy), 3,
                    color_rgb(0xffffff));
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                double px = x + 0.5 - 32, py = y + 0.5 - 32;
                double along = fmin(fmax(px * dx + py * dy, 0), 20);
                double away = hypot(px - along * dx, py - along * dy);
                double share = fmin(fmax(2 - away, 0), 1);
                assert_true(fabs((double)(at(x, y) & 0xff) - 255 * share) <= 1);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_round),
        cmocka_unit_test(round_shapes_blend_once),
        cmocka_unit_test(large_cells),
        cmocka_unit_test(a_lone_weight_never_vanishes),
        cmocka_unit_test(small_cells_show_the_largest),
        cmocka_unit_test(maps_stay_in_the_clip),
        cmocka_unit_test(hatches_by_rule),
        cmocka_unit_test(lines_cover_their_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
