/* A map of 4096 x 4096 weights into about 1024 x 1024 pixels: by a full pass over the cells, and as
 * it is drawn again, from what was kept of it; and a copy of the same bytes. Prints rows for
 * bench/run.sh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/clock.h"
#include "viz/canvas/raster.h"
#include "viz/draw/draw_cells.h"

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

typedef struct Bench {
    float *weights, *copy; /* [SIDE,SIDE] */
    Trace *trace;
    Raster *raster;
    Canvas *canvas;
} Bench;

static const HeadId id = {SITE_ENCODER, 0, 0};
static const size_t bytes = sizeof(float) * SIDE * SIDE;

static bool bench_make(Bench *bench) {
    static const TraceShape shapes[SITE_COUNT] = {[SITE_ENCODER] = {1, 1, SIDE, SIDE}};
    Error error;
    bench->weights = malloc(bytes);
    bench->copy = malloc(bytes);
    bench->trace = trace_make(shapes, &error);
    bench->raster = raster_make(PIXELS, PIXELS, 1, NULL, &error);
    if (!bench->weights || !bench->copy || !bench->trace || !bench->raster) return false;
    bench->canvas = raster_canvas(bench->raster);
    unsigned state = 1;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        state = state * 1664525 + 1013904223;
        bench->weights[i] = (float)(state >> 8) / (1 << 24);
    }
    memset(bench->copy, 0, bytes);
    trace_write(bench->trace, id, bench->weights, SIDE, NULL);
    return true;
}

static void bench_free(Bench *bench) {
    raster_free(bench->raster);
    trace_free(bench->trace);
    free(bench->weights);
    free(bench->copy);
}

/* Milliseconds of drawing the map, its corner at (x,x). */
static double draw(const Bench *bench, float x, float cell) {
    CellSource source = {.trace = bench->trace, .id = id};
    CellGrid grid = {.x = x, .y = x, .width = cell, .height = cell, .rows = SIDE, .columns = SIDE};
    CellScale scale = {.top = 1, .colormap = COLORMAP_VIRIDIS};
    double start = clock_ms();
    draw_cell_values(bench->canvas, theme_get(THEME_LIGHT), &source, &grid, &scale);
    return clock_ms() - start;
}

/* The same of a pass over all values, as they lie in memory. */
static double pass(const Bench *bench) {
    CellMap map = {.area = {0, 0, PIXELS, PIXELS},
                   .rows = SIDE,
                   .columns = SIDE,
                   .values = bench->weights,
                   .top = 1,
                   .colormap = COLORMAP_VIRIDIS};
    double start = clock_ms();
    canvas_cells(bench->canvas, &map);
    return clock_ms() - start;
}

static double copy(const Bench *bench, int round) {
    double start = clock_ms();
    memcpy(bench->copy, bench->weights, bytes);
    double took = clock_ms() - start;
    bench->weights[round] = bench->copy[round] + 1; /* no copy may be left out */
    return took;
}

int main(void) {
    Bench bench = {0};
    if (!bench_make(&bench)) return 1;
    float cell = (float)PIXELS / SIDE;
    double copies[ROUNDS], passes[ROUNDS], redraws[ROUNDS], moves[ROUNDS], others[ROUNDS];
    double first = draw(&bench, 0, cell), second = draw(&bench, 0, cell);
    for (int round = 0; round < ROUNDS; round++) {
        copies[round] = copy(&bench, round);
        passes[round] = pass(&bench);
        redraws[round] = draw(&bench, 0, cell);
    }
    for (int round = 0; round < ROUNDS; round++)
        moves[round] = draw(&bench, -0.37F - (float)round, 0.2437F);
    draw(&bench, 3.3F, 0.2222F);
    draw(&bench, 3.3F, 0.2222F);
    for (int round = 0; round < ROUNDS; round++) {
        copy(&bench, round);
        others[round] = draw(&bench, 3.3F, 0.2222F);
    }
    print_times("4096x4096 map: a copy of its bytes", copies);
    print_times("4096x4096 map: a full pass into 1024x1024 pixels", passes);
    print_times("4096x4096 map: redraw, from its fold that is kept", redraws);
    print_times("  at 4.1 cells a pixel, moved by a pixel each time", moves);
    print_times("  at 4.5 cells a pixel, redraw", others);
    printf("  the first picture\t1\t%.2f\t-\tms\t-\t-\n", first);
    printf("  the second, as its fold is kept\t1\t%.2f\t-\tms\t-\t-\n", second);
    double ratio = passes[ROUNDS / 2] / redraws[ROUNDS / 2];
    double to_copy = passes[ROUNDS / 2] / copies[ROUNDS / 2];
    printf("full pass / redraw\t%d\t%.1f\t-\ttimes\tat least 20\t%s\n", ROUNDS, ratio,
           ratio >= 20 ? "yes" : "NO");
    printf("full pass / copy\t%d\t%.2f\t-\ttimes\tat most 2\t%s\n", ROUNDS, to_copy,
           to_copy <= 2 ? "yes" : "NO");
    bench_free(&bench);
    return 0;
}
