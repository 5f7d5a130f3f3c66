/* Rows of values as rows of pixels, against each value by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/canvas/pixels_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400, PLACES = 3 * MOST + 16, GROUND = 0x5a };

static const float specials[] = {0,           -0.0F,  1,     -1,          0.5F,
                                 0.99999994F, 2,      1e30F, 1e-45F,      INFINITY,
                                 -INFINITY,   -3e38F, 3e38F, 0.49999997F, 0.00390625F};

static float any_value(int kind) {
    int count = sizeof specials / sizeof *specials;
    if (kind == 0) return (float)rand() / (float)RAND_MAX;
    if (kind == 1) return (float)(rand() % 513 - 256) / 256; /* where one colour becomes the next */
    if (kind == 2) return rand() % 2 ? NAN : (float)rand() / (float)RAND_MAX * 2 - 1;
    if (kind == 3) return rand() % 90 == 0 ? NAN : specials[rand() % count];
    return NAN;
}

static void check_row(ValueColors *colors, const float *values, int count) {
    static uint8_t row[PLACES], expected[PLACES];
    memset(row, GROUND, sizeof row);
    memset(expected, GROUND, sizeof expected);
    for (int i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        Color color = canvas_cell_color(colors->map, canvas_cell_entry(colors->map, values[i]));
        uint8_t parts[3] = {color.r, color.g, color.b};
        memcpy(expected + 8 + 3 * i, parts, 3);
    }
    pixels_values_row(colors, row + 8, values, count);
    assert_memory_equal(row, expected, sizeof row);
}

/* Nothing but the pixels of numbers is touched, whichever way the processor goes. */
static void test_rows(void **state) {
    (void)state;
    static const float tops[] = {1, 0.3F, 7, 0, 1e-45F, 1e38F};
    float values[MOST];
    for (int round = 0; round < 600; round++) {
        CellMap map = {.top = tops[round % 6],
                       .colormap = (ColorMap)(round % COLORMAP_COUNT),
                       .diverging = round % 7 == 6,
                       .middle = color_rgb(0xf0f0f0)};
        ValueColors colors;
        pixels_values_prepare(&colors, &map);
        int count = rand() % (MOST + 1);
        float top = map.top > 0 && map.top < 10 ? map.top : 1;
        for (int i = 0; i < count; i++) /* also long stretches of numbers and of none */
            values[i] = top * any_value(round % 4 ? round % 5 : i / 70 % 2 * 4);
        check_row(&colors, values, count);
        colors.blocks = false;
        check_row(&colors, values, count);
    }
}

static void test_entries(void **state) {
    (void)state;
    CellMap map = {.top = 1, .colormap = COLORMAP_GREY};
    ValueColors colors;
    pixels_values_prepare(&colors, &map);
    float values[MOST];
    uint8_t entries[MOST];
    for (int i = 0; i < MOST; i++)
        values[i] = any_value(i % 2);
    assert_int_equal(pixels_values_entries(&colors, values, MOST, entries), 0);
    for (int i = 0; i < MOST; i++)
        assert_int_equal(entries[i], canvas_cell_entry(&map, values[i]));
    values[MOST - 1] = values[7] = NAN;
    assert_int_equal(pixels_values_entries(&colors, values, MOST, entries), 2);
    map.diverging = true;
    assert_int_equal(pixels_values_entries(&colors, values, MOST, entries), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
