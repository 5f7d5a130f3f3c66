/* Maps of more cells than pixels: drawn from the trace, they equal those drawn from all values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viz/canvas/raster.h"
#include "viz/draw/draw_cells.h"

enum { SIDE = 700, WIDTH = 300, HEIGHT = 200 };
static const HeadId id = {SITE_DECODER, 0, 0};

/* Causal, with a NaN, an infinity and a lone strong weight. */
static Trace *make_trace(float *weights) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_DECODER] = {1, 1, SIDE, SIDE}};
    int key_len[SIDE];
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    assert_non_null(trace);
    for (int i = 0; i < SIDE * SIDE; i++)
        weights[i] = (float)((long)i * 7919 % 1009) / 2018 * (i % 3 ? 1 : -1);
    weights[200 * SIDE + 13] = 1;
    weights[100 * SIDE + 50] = NAN;
    weights[101 * SIDE + 51] = INFINITY;
    for (int query = 0; query < SIDE; query++)
        key_len[query] = query + 1;
    trace_write(trace, id, weights, SIDE, key_len);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (!isfinite(weights[i]) || i % SIDE > i / SIDE) weights[i] = NAN;
    return trace;
}

typedef struct Picture {
    Raster *raster;
    Canvas *canvas;
    const Surface *surface;
} Picture;

static Picture picture_make(float scale) {
    Error error = {0};
    Picture picture = {.raster = raster_make(WIDTH, HEIGHT, scale, NULL, &error)};
    assert_non_null(picture.raster);
    picture.canvas = raster_canvas(picture.raster);
    picture.surface = raster_surface(picture.raster);
    return picture;
}

static void clear(const Picture *picture, Rect clip) {
    canvas_fill(picture->canvas, (Rect){0, 0, WIDTH, HEIGHT}, color_rgb(0x123456));
    canvas_clip_push(picture->canvas, clip);
}

static float any(float least, float most) {
    return least + (most - least) * (float)(rand() % 1000) / 1000;
}

/* A part of the map, about as large as the picture or larger. */
static CellGrid any_grid(void) {
    CellGrid grid = {.first_row = rand() % 3 ? 0 : rand() % (SIDE / 2),
                     .first_column = rand() % 3 ? 0 : rand() % (SIDE / 2)};
    grid.rows = rand() % 3 ? SIDE - grid.first_row : 1 + rand() % (SIDE - grid.first_row);
    grid.columns = rand() % 3 ? SIDE - grid.first_column : 1 + rand() % (SIDE - grid.first_column);
    float cell = rand() % 4 ? any(0.02F, 0.6F) : rand() % 4 ? 0.25F : any(0.6F, 3);
    grid.width = cell;
    grid.height = rand() % 3 ? cell : cell * any(0.5F, 2);
    grid.x = rand() % 4 ? any(-100, 100) : (float)(rand() % 50);
    grid.y = rand() % 4 ? any(-100, 100) : (float)(rand() % 50);
    return grid;
}

/* All sizes, places and clips, each drawn three times: the second time builds the cache, the third
 * uses it. */
static void test_the_same_picture(void **state) {
    (void)state;
    static float weights[SIDE * SIDE], values[SIDE * SIDE];
    Trace *trace = make_trace(weights);
    const Theme *theme = theme_get(THEME_LIGHT);
    CellSource source = {.trace = trace, .id = id};
    for (int round = 0; round < 60; round++) {
        float scale = round % 3 == 0 ? 1 : round % 3 == 1 ? 1.5F : 2;
        Picture from_trace = picture_make(scale), from_values = picture_make(scale);
        CellGrid grid = any_grid();
        CellScale colors = {.top = 0.8F, .colormap = COLORMAP_MAGMA, .diverging = round % 5 == 4};
        Rect clip = {0, 0, WIDTH, HEIGHT};
        if (round % 2) clip = (Rect){any(-20, 200), any(-20, 100), any(0, 200), any(0, 200)};
        for (int row = 0; row < grid.rows; row++)
            memcpy(values + row * grid.columns,
                   weights + (grid.first_row + row) * SIDE + grid.first_column,
                   (size_t)grid.columns * sizeof *values);
        CellMap map = {.area = {grid.x, grid.y, (float)grid.columns * grid.width,
                                (float)grid.rows * grid.height},
                       .rows = grid.rows,
                       .columns = grid.columns,
                       .values = values,
                       .top = colors.top,
                       .colormap = colors.colormap,
                       .diverging = colors.diverging,
                       .middle = theme->middle};
        clear(&from_values, clip);
        canvas_cells(from_values.canvas, &map);
        for (int again = 0; again < 3; again++) {
            clear(&from_trace, clip);
            assert_true(draw_cell_values(from_trace.canvas, theme, &source, &grid, &colors) > 0);
            canvas_clip_pop(from_trace.canvas);
            const Surface *one = from_trace.surface, *other = from_values.surface;
            if (memcmp(one->bytes, other->bytes, one->pitch * (size_t)one->height) != 0)
                fail_msg("round %d differs", round);
        }
        raster_free(from_trace.raster);
        raster_free(from_values.raster);
    }
    trace_free(trace);
}

/* A map without other cell states needs no further drawing. */
static void test_others(void **state) {
    (void)state;
    static float weights[SIDE * SIDE];
    Trace *trace = make_trace(weights);
    CellSource source = {.trace = trace, .id = id};
    CellGrid grid = {.width = 0.25F, .height = 0.25F, .rows = SIDE, .columns = SIDE};
    CellScale colors = {.top = 1};
    const Theme *theme = theme_get(THEME_LIGHT);
    Picture picture = picture_make(1);
    assert_true(draw_cell_values(picture.canvas, theme, &source, &grid, &colors) > 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        weights[i] = isnan(weights[i]) ? 0 : weights[i];
    trace_write(trace, id, weights, SIDE, NULL);
    assert_int_equal(draw_cell_values(picture.canvas, theme, &source, &grid, &colors), 0);
    raster_free(picture.raster);
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_picture),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
