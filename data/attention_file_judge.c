#include "data/attention_file_parts.h"

#include <math.h>
#include <stdlib.h>

/* --- which keys are seen ---------------------------------------------------------------------- */

/* What of the two masks the rows so far allow. */
typedef struct Verdict {
    bool causal; /* nothing after key query + keys - queries */
    int keys;    /* nothing from this key on */
} Verdict;

/* How many of the first keys hold all that is not 0, from `least` on; 0 for a row that is NaN as a
 * whole (a query that saw nothing, in PyTorch), which tells nothing. */
static int row_end(const Maps *maps, int layer, int head, int query, int least, float *weights) {
    int keys = maps->shape.keys, count = keys - least, end = 0, nans = 0;
    if (count < 1) return least;
    attention_maps_read(maps, layer, head, query, least, count, weights);
    for (int key = 0; key < count; key++) {
        nans += isnan(weights[key]);
        if (weights[key] != 0) end = key + 1;
    }
    if (nans < count) return least + end;
    attention_maps_read(maps, layer, head, query, 0, keys, weights);
    for (int key = 0; key < keys; key++)
        if (!isnan(weights[key])) return keys;
    return 0;
}

/* Reads no more of a row than what could still be masked. */
static void judge_map(const Maps *maps, int layer, int head, Verdict *verdict, float *weights) {
    int queries = maps->shape.queries, keys = maps->shape.keys;
    for (int query = 0; query < queries; query++) {
        int allowed = query + 1 + keys - queries;
        int least = verdict->keys;
        if (verdict->causal && allowed < least) least = allowed;
        if (least >= keys) continue;
        int end = row_end(maps, layer, head, query, least, weights);
        if (end > allowed) verdict->causal = false;
        if (end > verdict->keys) verdict->keys = end;
    }
}

static bool has_map(const Maps *maps, int map) {
    return maps->first[map] < maps->first[map + 1];
}

bool attention_maps_judge(Maps *maps, Error *error) {
    TraceShape shape = maps->shape;
    float *weights = malloc((size_t)shape.keys * sizeof *weights);
    maps->seen = malloc((size_t)shape.queries * sizeof *maps->seen);
    if (!weights || !maps->seen) {
        free(weights);
        return error_set(error, "out of memory for a map of %d x %d", shape.queries, shape.keys);
    }
    Verdict verdict = {.causal = shape.keys >= shape.queries && shape.queries > 1, .keys = 0};
    bool all_nan = true;
    for (int map = 0; map < shape.layers * shape.heads; map++)
        if (has_map(maps, map))
            judge_map(maps, map / shape.heads, map % shape.heads, &verdict, weights);
    all_nan = verdict.keys == 0;
    maps->causal = verdict.causal && !all_nan;
    for (int query = 0; query < shape.queries; query++) {
        int seen = all_nan ? shape.keys : verdict.keys,
            allowed = query + 1 + shape.keys - shape.queries;
        maps->seen[query] = maps->causal && allowed < seen ? allowed : seen;
    }
    free(weights);
    return true;
}

/* --- whether rows sum to 1 -------------------------------------------------------------------- */

/* Of sums over weights that were rounded to four digits, or to the type. */
static double tolerance(TensorType type) {
    return type == TENSOR_BF16 ? 1e-2 : type == TENSOR_F16 ? 5e-3 : 2e-3;
}

/* In eight parts, which a compiler can take at once. */
static double sum_of(const float *weights, int count) {
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

/* Whether every column of a map sums to 1. */
static bool columns_sum(const Maps *maps, int layer, int head, double within, float *weights) {
    int keys = maps->shape.keys;
    double *sums = calloc((size_t)keys, sizeof *sums);
    bool good = sums != NULL;
    for (int query = 0; good && query < maps->shape.queries; query++) {
        attention_maps_read(maps, layer, head, query, 0, keys, weights);
        for (int key = 0; key < keys; key++)
            sums[key] += (double)weights[key];
    }
    for (int key = 0; good && key < keys; key++)
        good = fabs(sums[key] - 1) <= within;
    free(sums);
    return good;
}

static void note_sum(const Maps *maps, const char *site, int layer, int head, int query, double sum,
                     float *weights, char *note, size_t note_size) {
    const Piece *piece = &maps->pieces[maps->first[layer * maps->shape.heads + head]];
    if (columns_sum(maps, layer, head, tolerance(piece->view->type), weights))
        attention_note(note, note_size,
                       "%s.%d.%d: columns sum to 1 and rows do not: the axes are swapped; draw it "
                       "with --transpose",
                       site, layer, head);
    else
        attention_note(note, note_size,
                       "%s.%d.%d: row %d sums to %.4g, not to 1: is this the softmax's output?",
                       site, layer, head, query, sum);
}

/* What one pass over a map found. */
typedef struct Sums {
    int row; /* the first that does not sum to 1; -1: none */
    double sum;
    bool numbers; /* each cell is one */
} Sums;

/* A row of zeros sees nothing, one with NaNs has no sum. */
static Sums sum_rows(const Maps *maps, int layer, int head, float *weights) {
    const Piece *piece = &maps->pieces[maps->first[layer * maps->shape.heads + head]];
    double within = tolerance(piece->view->type);
    Sums sums = {.row = -1, .numbers = true};
    for (int query = 0; query < maps->shape.queries; query++) {
        attention_maps_read(maps, layer, head, query, 0, maps->shape.keys, weights);
        double sum = sum_of(weights, maps->shape.keys);
        if (!isfinite(sum)) sums.numbers = false;
        if (sums.row >= 0 || sum == 0 || !(fabs(sum - 1) > within)) continue;
        sums.row = query;
        sums.sum = sum;
    }
    return sums;
}

void attention_maps_check_sums(const AttentionMaps *all, Trace *trace, char *note,
                               size_t note_size) {
    for (int site = 0; site < SITE_COUNT; site++) {
        const Maps *maps = &all->slots[site];
        int count = maps->shape.layers * maps->shape.heads;
        float *weights = count ? malloc((size_t)maps->shape.keys * sizeof *weights) : NULL;
        bool noted = false;
        for (int map = 0; weights && map < count; map++) {
            int layer = map / maps->shape.heads, head = map % maps->shape.heads;
            if (!has_map(maps, map)) continue;
            Sums sums = sum_rows(maps, layer, head, weights);
            if (sums.row >= 0 && !noted)
                note_sum(maps, site_name((Site)site), layer, head, sums.row, sums.sum, weights,
                         note, note_size);
            noted = noted || sums.row >= 0;
            /* a sum that is no number may be one of numbers too large for it */
            if (sums.numbers) trace_set_numbers(trace, (HeadId){(Site)site, layer, head}, true);
            array_views_done(&all->views);
        }
        free(weights);
    }
}
