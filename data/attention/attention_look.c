#include "data/attention/attention_look.h"

#include "model/base/floats.h"
#include "model/base/minmax.h"
#include "model/base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes of maps from which a second thread is worth its start. */
enum { TWO_THREADS = 1 << 22 };

/* The masks that the rows seen so far are consistent with. */
typedef struct Verdict {
    bool causal; /* nothing after key query + keys - queries */
    int keys;    /* nothing from this key on */
} Verdict;

/* The state of one thread. */
typedef struct Looker {
    Maps *maps;
    ArrayWindow window;
    Verdict verdict;
    float *rows;   /* [BLOCKS_ROWS, keys], owned */
    float *blocks; /* [map_blocks_width], owned */
} Looker;

/* --- one row ---------------------------------------------------------------------------------- */

/* One past the last key with a weight other than 0, at least `min`; 0 for a row of NaNs (in PyTorch
 * a query without visible keys), which says nothing about masks. */
static int end_of(const float *weights, int keys, int min) {
    int end = SIMD_PICK(floats_end)(weights, keys, min);
    if (end <= min || !isnan(weights[end - 1])) return end;
    for (int key = 0; key < keys; key++)
        if (!isnan(weights[key])) return end;
    return 0;
}

/* Reads only the keys that could still be masked. */
static void judge_row(Verdict *verdict, const float *weights, int query, TraceShape shape) {
    int allowed = query + 1 + shape.keys - shape.queries, min = verdict->keys;
    if (verdict->causal && allowed < min) min = allowed;
    if (min >= shape.keys) return;
    int end = end_of(weights, shape.keys, min);
    if (end > allowed) verdict->causal = false;
    if (end > verdict->keys) verdict->keys = end;
}

/* --- one map ---------------------------------------------------------------------------------- */

/* The tolerance of a sum of weights that were rounded to four digits, or to the type. */
static double tolerance(TensorType type) {
    return type == TENSOR_BF16 ? 1e-2 : type == TENSOR_F16 ? 5e-3 : 2e-3;
}

static double tolerance_of(const Maps *maps, int map) {
    return tolerance(maps->pieces[maps->first[map]].view->type);
}

/* A row of zeros sees no key, one with NaNs has no sum. A sum that is not finite may also come from
 * very large numbers. */
static void look_at_row(Looker *looker, int map, const float *weights, int query, double within) {
    Maps *maps = looker->maps;
    MapFindings *look = &maps->findings[map];
    judge_row(&looker->verdict, weights, query, maps->shape);
    double sum = SIMD_PICK(floats_sum)(weights, maps->shape.keys);
    if (!isfinite(sum)) look->numbers = false;
    if (look->row >= 0 || sum == 0 || !(fabs(sum - 1) > within)) return;
    look->row = query;
    look->sum = sum;
}

static void look_at_map(Looker *looker, int map) {
    Maps *maps = looker->maps;
    int queries = maps->shape.queries;
    maps->findings[map] = (MapFindings){.row = -1, .numbers = true};
    if (!attention_maps_has(maps, map)) return;
    double within = tolerance_of(maps, map);
    for (int query = 0; query < queries; query += BLOCKS_ROWS) {
        int count = int_min(queries - query, BLOCKS_ROWS);
        const float *rows =
            attention_maps_rows(maps, &looker->window, map, query, count, looker->rows);
        for (int row = 0; row < count; row++)
            look_at_row(looker, map, rows + (size_t)row * (size_t)maps->shape.keys, query + row,
                        within);
        map_blocks_add(&maps->blocks, map, query, count, rows, looker->blocks);
    }
    map_blocks_end(&maps->blocks, map);
}

/* --- all of them ------------------------------------------------------------------------------ */

static bool looker_make(Looker *looker, Maps *maps, const Arrays *arrays) {
    TraceShape shape = maps->shape;
    *looker = (Looker){
        .maps = maps,
        .window = {.file = arrays},
        .verdict = {.causal = shape.keys >= shape.queries && shape.queries > 1},
        .rows = malloc(BLOCKS_ROWS * (size_t)shape.keys * sizeof *looker->rows),
        .blocks = malloc(((size_t)map_blocks_width(&maps->blocks) + 1) * sizeof *looker->blocks),
    };
    return looker->rows && looker->blocks;
}

static void looker_free(Looker *looker) {
    free(looker->rows);
    free(looker->blocks);
    array_window_free(&looker->window);
}

static void look(void *context, int worker, int map) {
    Looker *lookers = context;
    look_at_map(&lookers[worker], map);
}

/* The joined verdict does not depend on which thread saw which row. */
static void join_verdicts(Verdict *verdict, Verdict other) {
    verdict->causal = verdict->causal && other.causal;
    verdict->keys = int_max(verdict->keys, other.keys);
}

static bool are_large(const Maps *maps) {
    TraceShape shape = maps->shape;
    return (double)shape.layers * shape.heads * shape.queries * shape.keys * sizeof(float) >=
           TWO_THREADS;
}

static bool look_at_all(Maps *maps, const Arrays *arrays, Verdict *verdict, Error *error) {
    TraceShape shape = maps->shape;
    Looker lookers[2] = {0};
    int count = shape.layers * shape.heads;
    maps->findings = calloc((size_t)count, sizeof *maps->findings);
    map_blocks_make(&maps->blocks, shape);
    bool two = maps->findings && are_large(maps) && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    bool made = maps->findings && looker_make(&lookers[0], maps, arrays);
    Error ignored; /* one thread can do it alone */
    Team *team =
        made && two && looker_make(&lookers[1], maps, arrays) ? team_make(2, &ignored) : NULL;
    if (team) {
        team_run(team, look, lookers, count);
        join_verdicts(&lookers[0].verdict, lookers[1].verdict);
    } else {
        for (int map = 0; made && map < count; map++)
            look_at_map(&lookers[0], map);
    }
    team_free(team);
    *verdict = lookers[0].verdict;
    looker_free(&lookers[0]);
    looker_free(&lookers[1]);
    return made ||
           error_set(error, "out of memory for a map of %d x %d", shape.queries, shape.keys);
}

/* --- visible keys ------------------------------------------------------------------------------
 */

bool attention_look(Maps *maps, const Arrays *arrays, Error *error) {
    TraceShape shape = maps->shape;
    Verdict verdict;
    if (!look_at_all(maps, arrays, &verdict, error)) return false;
    maps->seen = malloc((size_t)shape.queries * sizeof *maps->seen);
    if (!maps->seen) return error_set(error, "out of memory for %d queries", shape.queries);
    bool all_nan = verdict.keys == 0;
    maps->causal = verdict.causal && !all_nan;
    for (int query = 0; query < shape.queries; query++) {
        int seen = all_nan ? shape.keys : verdict.keys,
            allowed = query + 1 + shape.keys - shape.queries;
        maps->seen[query] = maps->causal && allowed < seen ? allowed : seen;
    }
    return true;
}

/* --- whether rows sum to 1 -------------------------------------------------------------------- */

/* True if every column of a map sums to 1. */
static bool columns_sum(const Maps *maps, ArrayWindow *window, int map) {
    int keys = maps->shape.keys;
    double *sums = calloc((size_t)keys, sizeof *sums);
    float *room = malloc((size_t)keys * sizeof *room);
    bool good = sums && room;
    for (int query = 0; good && query < maps->shape.queries; query++) {
        const float *weights = attention_maps_rows(maps, window, map, query, 1, room);
        for (int key = 0; key < keys; key++)
            sums[key] += (double)weights[key];
    }
    for (int key = 0; good && key < keys; key++)
        good = fabs(sums[key] - 1) <= tolerance_of(maps, map);
    free(sums);
    free(room);
    return good;
}

static void note_sum(const AttentionMaps *all, Site site, int map, char *note, size_t note_size) {
    const Maps *maps = &all->slots[site];
    const MapFindings *look = &maps->findings[map];
    int layer = map / maps->shape.heads, head = map % maps->shape.heads;
    if (columns_sum(maps, &all->shared->window, map))
        attention_note(note, note_size,
                       "%s.%d.%d: columns sum to 1 and rows do not: the axes are swapped; draw it "
                       "with --transpose",
                       site_name(site), layer, head);
    else
        attention_note(note, note_size,
                       "%s.%d.%d: row %d sums to %.4g, not to 1: is this the softmax's output?",
                       site_name(site), layer, head, look->row, look->sum);
}

void attention_look_note_sums(const AttentionMaps *all, Trace *trace, char *note,
                              size_t note_size) {
    for (int site = 0; site < SITE_COUNT; site++) {
        const Maps *maps = &all->slots[site];
        bool noted = false;
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++) {
            HeadId id = {(Site)site, map / maps->shape.heads, map % maps->shape.heads};
            if (!attention_maps_has(maps, map)) continue;
            if (maps->findings[map].row >= 0 && !noted)
                note_sum(all, (Site)site, map, note, note_size);
            noted = noted || maps->findings[map].row >= 0;
            if (maps->findings[map].numbers) trace_set_numbers(trace, id, true);
        }
    }
}
