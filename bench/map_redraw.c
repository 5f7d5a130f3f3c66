/* A map of 4096 x 4096 weights into 1024 x 1024 pixels: from its pyramid, by a full pass over the
 * cells, and a copy of the same bytes. Prints rows for bench/run.sh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/clock.h"
#include "viz/draw_cells.h"
#include "viz/raster.h"

enum { SIDE = 4096, PIXELS = 1024, ROUNDS = 21 };

static int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void print_times(const char *what, double *times) {
    qsort(times, ROUNDS, sizeof *times, by_size);
    printf("%s\t%d\t%.2f\t%.2f\tms\t-\t-\n", what, ROUNDS, times[ROUNDS / 2],
           times[ROUNDS * 95 / 100]);
}

int main(void) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_ENCODER] = {1, 1, SIDE, SIDE}};
    size_t bytes = sizeof(float) * SIDE * SIDE;
    float *weights = malloc(bytes), *copy = malloc(bytes);
    Error error;
    Trace *trace = trace_make(shapes, &error);
    Raster *raster = raster_make(PIXELS, PIXELS, 1, NULL, &error);
    if (!weights || !copy || !trace || !raster) return 1;
    unsigned state = 1;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        state = state * 1664525 + 1013904223;
        weights[i] = (float)(state >> 8) / (1 << 24);
    }
    memset(copy, 0, bytes);
    HeadId id = {SITE_ENCODER, 0, 0};
    trace_write(trace, id, weights, SIDE, NULL);
    CellSource source = {.trace = trace, .id = id};
    float cell = (float)PIXELS / SIDE;
    CellGrid grid = {.width = cell, .height = cell, .rows = SIDE, .columns = SIDE};
    CellScale scale = {.top = 1, .colormap = COLORMAP_VIRIDIS};
    CellMap map = {.area = {0, 0, PIXELS, PIXELS},
                   .rows = SIDE,
                   .columns = SIDE,
                   .values = weights,
                   .top = 1,
                   .colormap = COLORMAP_VIRIDIS};
    Canvas *canvas = raster_canvas(raster);
    const Theme *theme = theme_get(THEME_LIGHT);
    double copies[ROUNDS], passes[ROUNDS], redraws[ROUNDS];
    double first = clock_ms();
    draw_cell_values(canvas, theme, &source, &grid, &scale);
    first = clock_ms() - first;
    for (int round = 0; round < ROUNDS; round++) {
        double start = clock_ms();
        memcpy(copy, weights, bytes);
        copies[round] = clock_ms() - start;
        start = clock_ms();
        canvas_cells(canvas, &map);
        passes[round] = clock_ms() - start;
        start = clock_ms();
        draw_cell_values(canvas, theme, &source, &grid, &scale);
        redraws[round] = clock_ms() - start;
        weights[round] = copy[round] + 1;
    }
    print_times("4096x4096 map: a copy of its bytes", copies);
    print_times("4096x4096 map: a full pass into 1024x1024 pixels", passes);
    print_times("4096x4096 map: redraw from its pyramid", redraws);
    printf("4096x4096 map: making its pyramid, once\t1\t%.2f\t-\tms\t-\t-\n", first);
    double ratio = passes[ROUNDS / 2] / redraws[ROUNDS / 2];
    double to_copy = passes[ROUNDS / 2] / copies[ROUNDS / 2];
    printf("full pass / redraw\t%d\t%.1f\t-\ttimes\tat least 20\t%s\n", ROUNDS, ratio,
           ratio >= 20 ? "yes" : "NO");
    printf("full pass / copy\t%d\t%.2f\t-\ttimes\tat most 2\t%s\n", ROUNDS, to_copy,
           to_copy <= 2 ? "yes" : "NO");
    raster_free(raster);
    trace_free(trace);
    free(weights);
    free(copy);
    return 0;
}
