#ifdef __linux__
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "data/attention_file_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

/* Bytes of maps from which two threads look: less is not worth one's start. */
enum { TWO_THREADS = 1 << 22 };

/* Of smaller maps a pyramid saves nothing; of all maps it takes no more bytes than these. */
enum { CELLS_LEAST = 1 << 14, BLOCKS_MOST = 1 << 24 };

/* All of one pass. Who is free takes the next map. */
typedef struct Pass {
    Maps *maps;
    atomic_int next;
} Pass;

/* What a thread has for itself. */
typedef struct Looker {
    Pass *pass;
    ArrayWindow window;
    Verdict verdict;
    float *memory;     /* owned: the rest are parts of it */
    float *row;        /* [keys] */
    float *high, *low; /* [keys to whole blocks]: of the rows since a row of blocks ended */
    float *spare;      /* [the same] */
    size_t columns;    /* of those */
    bool failed;
} Looker;

/* GCC makes vector code of such loops only from -O3 on. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_CODE __attribute__((optimize("O3")))
#else
#define VECTOR_CODE
#endif

/* --- one row ---------------------------------------------------------------------------------- */

/* In eight parts, which a compiler can take at once. */
VECTOR_CODE static double sum_of(const float *weights, int count) {
    float parts[8] = {0};
    int key = 0;
    for (; key + 8 <= count; key += 8)
        for (int part = 0; part < 8; part++)
            parts[part] += weights[key + part];
    double sum = 0;
    for (; key < count; key++)
        sum += (double)weights[key];
    for (int part = 0; part < 8; part++)
        sum += (double)parts[part];
    return sum;
}

VECTOR_CODE static bool all_zero(const float *weights) {
    int others = 0;
    for (int key = 0; key < 16; key++)
        others += weights[key] != 0;
    return others == 0;
}

/* How many of the first keys hold all that is not 0, but `least` at the least; 0 for a row that is
 * NaN as a whole (a query that saw nothing, in PyTorch), which tells nothing. */
static int end_of(const float *weights, int keys, int least) {
    int end = keys;
    while (end - least >= 16 && all_zero(weights + end - 16))
        end -= 16;
    while (end > least && weights[end - 1] == 0)
        end--;
    if (end <= least || !isnan(weights[end - 1])) return end;
    for (int key = 0; key < keys; key++)
        if (!isnan(weights[key])) return end;
    return 0;
}

/* Looks no further than at what could still be masked. */
static void judge_row(Verdict *verdict, const float *weights, int query, TraceShape shape) {
    int allowed = query + 1 + shape.keys - shape.queries, least = verdict->keys;
    if (verdict->causal && allowed < least) least = allowed;
    if (least >= shape.keys) return;
    int end = end_of(weights, shape.keys, least);
    if (end > allowed) verdict->causal = false;
    if (end > verdict->keys) verdict->keys = end;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* A comparison with a NaN is false: it is neither above nor below. */
VECTOR_CODE static void widen(float *restrict high, float *restrict low,
                              const float *restrict weights, int count) {
    for (int key = 0; key < count; key++) {
        high[key] = weights[key] > high[key] ? weights[key] : high[key];
        low[key] = weights[key] < low[key] ? weights[key] : low[key];
    }
}

VECTOR_CODE static void halve_high(float *restrict half, const float *restrict high, size_t count) {
    for (size_t i = 0; i < count; i++)
        half[i] = high[2 * i] > high[2 * i + 1] ? high[2 * i] : high[2 * i + 1];
}

VECTOR_CODE static void halve_low(float *restrict half, const float *restrict low, size_t count) {
    for (size_t i = 0; i < count; i++)
        half[i] = low[2 * i] < low[2 * i + 1] ? low[2 * i] : low[2 * i + 1];
}

static void swap(float **one, float **other) {
    float *kept = *one;
    *one = *other;
    *other = kept;
}

VECTOR_CODE static void fill(float *numbers, float number, size_t count) {
    for (size_t i = 0; i < count; i++)
        numbers[i] = number;
}

static void begin_blocks(Looker *looker) {
    fill(looker->high, -INFINITY, looker->columns);
    fill(looker->low, INFINITY, looker->columns);
}

/* A row of blocks [width] from the columns so far, which then begin anew. */
static void end_blocks(Looker *looker, int level, float *blocks, size_t width) {
    size_t count = looker->columns;
    for (int at = 0; at < level; at++) {
        count /= 2;
        halve_high(looker->spare, looker->high, count);
        swap(&looker->spare, &looker->high);
        halve_low(looker->spare, looker->low, count);
        swap(&looker->spare, &looker->low);
    }
    for (size_t i = 0; i < width; i++) {
        float high = looker->high[i], low = looker->low[i], strong = high >= -low ? high : low;
        blocks[i] = high >= low ? strong : NAN;
    }
    begin_blocks(looker);
}

static int blocks_of(int side, int level) {
    return (side + (1 << level) - 1) >> level;
}

static size_t blocks_of_map(TraceShape shape, int level) {
    return (size_t)blocks_of(shape.queries, level) * (size_t)blocks_of(shape.keys, level);
}

/* The finest level that is not too large; 0 for none. */
static int choose_level(TraceShape shape) {
    if ((long)shape.queries * shape.keys < CELLS_LEAST) return 0;
    size_t most = BLOCKS_MOST / sizeof(float) / (size_t)shape.layers / (size_t)shape.heads;
    for (int level = 1; level < TRACE_LEVELS; level++)
        if (blocks_of_map(shape, level) <= most) return level;
    return 0;
}

/* In large pages, if there are any: each is touched for the first time. */
static float *make_blocks(TraceShape shape, int level) {
    enum { LARGE_PAGE = 1 << 21 };
    size_t size =
        (size_t)shape.layers * (size_t)shape.heads * blocks_of_map(shape, level) * sizeof(float);
    void *blocks = NULL;
    if (size < LARGE_PAGE) return malloc(size);
    if (posix_memalign(&blocks, LARGE_PAGE, size) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    madvise(blocks, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return blocks;
}

/* --- one map ---------------------------------------------------------------------------------- */

/* Of sums over weights that were rounded to four digits, or to the type. */
static double tolerance(TensorType type) {
    return type == TENSOR_BF16 ? 1e-2 : type == TENSOR_F16 ? 5e-3 : 2e-3;
}

double attention_maps_tolerance(const Maps *maps, int map) {
    return tolerance(maps->pieces[maps->first[map]].view->type);
}

static const float *without_infinities(Looker *looker, const float *weights, int keys) {
    for (int key = 0; key < keys; key++)
        looker->spare[key] = isfinite(weights[key]) ? weights[key] : NAN;
    return looker->spare;
}

/* A row of zeros sees nothing, one with NaNs has no sum. A sum that is no number may be one of
 * numbers too large for it. */
static void look_at_row(Looker *looker, int map, const float *weights, int query, double within) {
    Maps *maps = looker->pass->maps;
    MapLook *look = &maps->looks[map];
    TraceShape shape = maps->shape;
    int level = maps->level;
    judge_row(&looker->verdict, weights, query, shape);
    double sum = sum_of(weights, shape.keys);
    if (look->row < 0 && sum != 0 && fabs(sum - 1) > within) {
        look->row = query;
        look->sum = sum;
    }
    bool numbers = isfinite(sum);
    if (!numbers) look->numbers = false;
    if (!maps->blocks) return;
    if (!numbers) weights = without_infinities(looker, weights, shape.keys);
    widen(looker->high, looker->low, weights, shape.keys);
    if ((query + 1) & ((1 << level) - 1) && query + 1 < shape.queries) return;
    size_t width = (size_t)blocks_of(shape.keys, level);
    end_blocks(looker, level,
               maps->blocks + (size_t)map * blocks_of_map(shape, level) +
                   (size_t)(query >> level) * width,
               width);
}

static void look_at_map(Looker *looker, int map) {
    Maps *maps = looker->pass->maps;
    maps->looks[map] = (MapLook){.row = -1, .numbers = true};
    if (!attention_maps_has(maps, map)) return;
    double within = attention_maps_tolerance(maps, map);
    for (int query = 0; query < maps->shape.queries; query++)
        look_at_row(looker, map, attention_maps_row(maps, &looker->window, map, query, looker->row),
                    query, within);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool looker_make(Looker *looker, Pass *pass, const ArrayViews *views) {
    TraceShape shape = pass->maps->shape;
    size_t keys = (size_t)shape.keys;
    *looker = (Looker){
        .pass = pass,
        .window = {.file = views},
        .verdict = {.causal = shape.keys >= shape.queries && shape.queries > 1},
        .columns = (size_t)blocks_of(shape.keys, pass->maps->level) << pass->maps->level,
    };
    looker->memory = malloc((keys + 3 * looker->columns) * sizeof(float));
    if (!looker->memory) return false;
    looker->row = looker->memory;
    looker->high = looker->row + keys;
    looker->low = looker->high + looker->columns;
    looker->spare = looker->low + looker->columns;
    begin_blocks(looker);
    return true;
}

static void looker_free(Looker *looker) {
    free(looker->memory);
    array_window_free(&looker->window);
}

static void *look(void *context) {
    Looker *looker = context;
    TraceShape shape = looker->pass->maps->shape;
    for (;;) {
        int map = atomic_fetch_add(&looker->pass->next, 1);
        if (map >= shape.layers * shape.heads) return NULL;
        look_at_map(looker, map);
    }
}

/* What both found is what one would have: a verdict only ever falls. */
static void look_in_two(Looker lookers[2]) {
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, look, &lookers[1]) == 0;
    look(&lookers[0]);
    if (!started) return;
    pthread_join(thread, NULL);
    Verdict *verdict = &lookers[0].verdict, other = lookers[1].verdict;
    verdict->causal = verdict->causal && other.causal;
    if (other.keys > verdict->keys) verdict->keys = other.keys;
}

static bool are_large(const Maps *maps) {
    TraceShape shape = maps->shape;
    return (double)shape.layers * shape.heads * shape.queries * shape.keys * sizeof(float) >=
           TWO_THREADS;
}

bool attention_maps_look(Maps *maps, const ArrayViews *views, Verdict *verdict, Error *error) {
    TraceShape shape = maps->shape;
    Pass pass = {.maps = maps};
    Looker lookers[2] = {0};
    maps->level = choose_level(shape);
    if (maps->level > 0) maps->blocks = make_blocks(shape, maps->level);
    maps->looks = calloc((size_t)shape.layers * (size_t)shape.heads, sizeof *maps->looks);
    bool two = maps->looks && are_large(maps) && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    bool made = maps->looks && looker_make(&lookers[0], &pass, views);
    if (made && two && looker_make(&lookers[1], &pass, views))
        look_in_two(lookers);
    else if (made)
        look(&lookers[0]);
    *verdict = lookers[0].verdict;
    looker_free(&lookers[0]);
    looker_free(&lookers[1]);
    return made ||
           error_set(error, "out of memory for a map of %d x %d", shape.queries, shape.keys);
}
