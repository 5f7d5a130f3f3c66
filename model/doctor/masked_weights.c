#include "model/doctor/masked_weights.h"

#include <math.h>
#include <stdlib.h>

void masked_weights_close(MaskedWeights *w) {
    free(w->lens);
    free(w->room);
    free(w->other_room);
    w->lens = w->room = w->other_room = NULL;
}

static bool open_masks(MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    size_t room = (size_t)attention_rule_room(n) * sizeof(int);
    w->lens = malloc((size_t)prepared_lens_count(w->prepared) * sizeof(int));
    w->room = malloc(room);
    w->other_room = malloc(room);
    if (!w->lens || !w->room || !w->other_room) {
        masked_weights_close(w);
        w->prepared->no_memory = true;
        return false;
    }
    w->mask = prepared_mask(w->prepared, n.keys, w->lens);
    w->rule = attention_rule_make((AttentionMistakes){0}, w->mask, n, w->room);
    return true;
}

bool masked_weights_open(MaskedWeights *w, Diagnosis *diagnosis, PreparedDump *prepared) {
    const DumpTensor *tensor = &prepared->dump->parts[DUMP_WEIGHTS];
    *w = (MaskedWeights){.diagnosis = diagnosis,
                         .prepared = prepared,
                         .sizes = prepared->sizes,
                         .weights = prepared_numbers(prepared, DUMP_WEIGHTS)};
    if (tensor->averaged) w->sizes.heads = 1;
    long count = prepared_count(prepared, DUMP_WEIGHTS);
    w->roundoff = precision_roundoff(tensor->precision);
    for (int i = PRECISION_F16; i <= PRECISION_BF16; i++)
        if (numbers_fit(w->weights, count, (DumpPrecision)i))
            w->roundoff = fmax(w->roundoff, precision_roundoff((DumpPrecision)i));
    int decimals = numbers_decimals(w->weights, count, tensor->precision);
    if (decimals) w->decimal_error = 0.505 * pow(10, -decimals);
    w->floor = precision_floor(tensor->precision);
    w->relative = 1e-4 + 3 * w->roundoff + w->decimal_error * w->sizes.keys;
    return open_masks(w);
}

const double *masked_weights_at(const MaskedWeights *w, int b, int h, int t) {
    AttentionSizes n = w->sizes;
    return w->weights + (((long)b * n.heads + h) * n.queries + t) * n.keys;
}

long masked_weights_rows(const MaskedWeights *w) {
    return (long)w->sizes.batch * w->sizes.heads * w->sizes.queries;
}

MaskedRow masked_weights_row(const MaskedWeights *w, long index) {
    AttentionSizes n = w->sizes;
    long map = index / n.queries;
    return (MaskedRow){
        .weights = w->weights + index * n.keys,
        .first = w->rule.key_first[index],
        .end = w->rule.key_end[index],
        .place = {(int)(map / n.heads), (int)(map % n.heads), (int)(index % n.queries), -1}};
}

/* True if all weights of a row are equal or NaN, as a softmax over no visible key leaves them. */
static bool is_left_empty(const MaskedWeights *w, long row) {
    const double *weights = w->weights + row * w->sizes.keys;
    for (int j = 1; j < w->sizes.keys; j++)
        if (fabs(weights[j] - weights[0]) > 0.05 * fabs(weights[0])) return false;
    return true;
}

long masked_weights_misfit(MaskedWeights *w, AttentionMistakes mistakes, long *zeros) {
    AttentionSizes n = w->sizes;
    AttentionRule rule = attention_rule_make(mistakes, w->mask, n, w->other_room);
    long hits = 0, empty = 0;
    for (long row = 0; row < masked_weights_rows(w); row++) {
        int first = rule.key_first[row], end = rule.key_end[row];
        if (end <= first) {
            bool is_excused = w->rule.key_end[row] <= w->rule.key_first[row];
            hits += !is_excused && !is_left_empty(w, row);
            continue;
        }
        for (int j = 0; j < n.keys; j++) {
            bool has_weight = w->weights[row * n.keys + j] > w->floor;
            bool is_seen = j >= first && j < end;
            hits += has_weight && !is_seen;
            empty += !has_weight && is_seen && w->weights[row * n.keys + j] == 0;
        }
    }
    if (zeros) *zeros = empty;
    return hits;
}
