#include "data/attention/attention_file_parts.h"

#include <math.h>
#include <stdlib.h>

/* --- which keys are seen ---------------------------------------------------------------------- */

bool attention_maps_judge(Maps *maps, const Arrays *arrays, Error *error) {
    TraceShape shape = maps->shape;
    Verdict verdict;
    if (!attention_maps_look(maps, arrays, &verdict, error)) return false;
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

/* Whether every column of a map sums to 1. */
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
        good = fabs(sums[key] - 1) <= attention_maps_tolerance(maps, map);
    free(sums);
    free(room);
    return good;
}

static void note_sum(const AttentionMaps *all, Site site, int map, char *note, size_t note_size) {
    const Maps *maps = &all->slots[site];
    const MapLook *look = &maps->looks[map];
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

void attention_maps_note_sums(const AttentionMaps *all, Trace *trace, char *note,
                              size_t note_size) {
    for (int site = 0; site < SITE_COUNT; site++) {
        const Maps *maps = &all->slots[site];
        bool noted = false;
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++) {
            HeadId id = {(Site)site, map / maps->shape.heads, map % maps->shape.heads};
            if (!attention_maps_has(maps, map)) continue;
            if (maps->looks[map].row >= 0 && !noted)
                note_sum(all, (Site)site, map, note, note_size);
            noted = noted || maps->looks[map].row >= 0;
            if (maps->looks[map].numbers) trace_set_numbers(trace, id, true);
        }
    }
}
