/* Maps of more cells than pixels: from the pyramid they are drawn as from their cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viz/draw_cells.h"
#include "viz/raster.h"

enum { SIDE = 1024, PIXELS = 256 };
static const HeadId id = {SITE_DECODER, 0, 0};

/* Causal, with a NaN, an infinity and a lone strong weight. */
static Trace *make_trace(void) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_DECODER] = {1, 1, SIDE, SIDE}};
    float *weights = malloc(sizeof(float) * SIDE * SIDE);
    int key_len[SIDE];
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    assert_non_null(trace);
    assert_non_null(weights);
    for (int i = 0; i < SIDE * SIDE; i++)
        weights[i] = (float)((long)i * 7919 % 1009) / 2018 * (i % 3 ? 1 : -1);
    weights[200 * SIDE + 13] = 1;
    weights[100 * SIDE + 50] = NAN;
    weights[101 * SIDE + 51] = INFINITY;
    for (int query = 0; query < SIDE; query++)
        key_len[query] = query + 1;
    trace_write(trace, id, weights, SIDE, key_len);
    free(weights);
    return trace;
}

/* The pixels of the map at (x,y), as raw bytes. A difference to an empty trace knows no pyramid. */
static void draw(const Trace *trace, float x, float scale, bool cells, unsigned char *bytes) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_DECODER] = {1, 1, SIDE, SIDE}};
    Error error = {0};
    Raster *raster = raster_make(PIXELS + 16, PIXELS + 16, scale, NULL, &error);
    assert_non_null(raster);
    Canvas *canvas = raster_canvas(raster);
    CellSource source = {.trace = trace, .id = id};
    CellGrid grid = {x, 8, (float)PIXELS / SIDE, (float)PIXELS / SIDE, 0, 0, SIDE, SIDE};
    CellScale colors = {.top = 1, .colormap = COLORMAP_VIRIDIS};
    Trace *zeros = NULL;
    if (cells) {
        zeros = trace_make(shapes, &error);
        source.minus = zeros;
        source.minus_id = id;
    }
    const Theme *theme = theme_get(THEME_LIGHT);
    canvas_fill(canvas, (Rect){0, 0, PIXELS + 16, PIXELS + 16}, theme->ground);
    assert_true(draw_cell_values(canvas, theme, &source, &grid, &colors) > 0);
    assert_true(canvas_ok(canvas, &error));
    SDL_Surface *surface = raster_surface(raster);
    memcpy(bytes, surface->pixels, (size_t)surface->pitch * (size_t)surface->h);
    trace_free(zeros);
    raster_free(raster);
}

static void test_the_same_picture(void **state) {
    (void)state;
    static const struct {
        float x, scale;
    } cases[] = {{8, 1}, {8, 2}, {8.5F, 1}, {8.5F, 2}, {8, 1.5F}, {8, 0.5F}};
    size_t size = (size_t)3 * 2 * (PIXELS + 16) * 2 * (PIXELS + 16) + 4096;
    Trace *trace = make_trace();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char *pyramid = calloc(size, 1), *cells = calloc(size, 1);
        assert_non_null(pyramid);
        assert_non_null(cells);
        draw(trace, cases[i].x, cases[i].scale, false, pyramid);
        draw(trace, cases[i].x, cases[i].scale, true, cells);
        if (memcmp(pyramid, cells, size) != 0) fail_msg("case %zu differs", i);
        free(pyramid);
        free(cells);
    }
    trace_free(trace);
}

/* Blocks by hand, of a map whose sides are no powers of two. */
static void test_levels(void **state) {
    (void)state;
    static const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 1, 3, 5}};
    static const float weights[15] = {1, -2, 3, 3, NAN, 2, 2, -3, 0, NAN, NAN, 7, 1, 1, 9};
    static const int key_len[3] = {5, 5, 1};
    HeadId cross = {SITE_CROSS, 0, 0};
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    trace_write(trace, cross, weights, 5, key_len);
    const float *one = trace_level(trace, cross, 1), *two = trace_level(trace, cross, 2);
    assert_non_null(one);
    assert_true(one[0] == 2 && one[1] == 3 && isnan(one[2]));
    assert_true(isnan(one[3]) && isnan(one[4]) && isnan(one[5]));
    assert_true(two[0] == 3 && isnan(two[1]));
    assert_ptr_equal(trace_level(trace, cross, 1), one);
    assert_null(trace_level(trace, cross, 0));
    assert_null(trace_level(trace, cross, TRACE_LEVELS));
    float other[15] = {0};
    other[0] = 0.5F;
    trace_write(trace, cross, other, 5, NULL); /* a changed map has a new pyramid */
    assert_true(trace_level(trace, cross, 1)[0] == 0.5F);
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_picture),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
