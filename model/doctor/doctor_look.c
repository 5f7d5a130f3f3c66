#include "model/doctor/doctor_look.h"

#include <math.h>
#include <stdlib.h>

#include "model/base/minmax.h"

void look_close(Look *look) {
    free(look->lens);
    free(look->room);
    free(look->other_room);
    look->lens = look->room = look->other_room = NULL;
}

static MaskSource mask_of(const Look *look) {
    const Dump *dump = look->patient->dump;
    return (MaskSource){dump->valid_lens ? look->lens : NULL, dump->per_query, dump->causal};
}

static bool look_masks(Look *look) {
    const Dump *dump = look->patient->dump;
    AttentionSizes n = look->sizes;
    long count = dump->per_query ? (long)n.batch * n.queries : n.batch;
    size_t room = (size_t)attention_rule_room(n) * sizeof(int);
    look->lens = malloc((size_t)count * sizeof(int));
    look->room = malloc(room);
    look->other_room = malloc(room);
    if (!look->lens || !look->room || !look->other_room) {
        look_close(look);
        look->patient->no_memory = true;
        return false;
    }
    for (long i = 0; dump->valid_lens && i < count; i++) {
        int len = dump->valid_lens[i];
        look->lens[i] = int_clamp(len, 0, n.keys);
    }
    look->rule = attention_rule_make((AttentionMistakes){0}, mask_of(look), n, look->room);
    return true;
}

bool look_open(Look *look, Diagnosis *diagnosis, Patient *patient) {
    const DumpTensor *tensor = &patient->dump->parts[DUMP_WEIGHTS];
    *look = (Look){.diagnosis = diagnosis,
                   .patient = patient,
                   .sizes = patient->sizes,
                   .weights = patient_numbers(patient, DUMP_WEIGHTS)};
    if (tensor->averaged) look->sizes.heads = 1;
    long count = patient_count(patient, DUMP_WEIGHTS);
    look->roundoff = precision_roundoff(tensor->precision);
    for (int i = PRECISION_F16; i <= PRECISION_BF16; i++)
        if (numbers_fit(look->weights, count, (DumpPrecision)i))
            look->roundoff = fmax(look->roundoff, precision_roundoff((DumpPrecision)i));
    int decimals = numbers_decimals(look->weights, count, tensor->precision);
    if (decimals) look->slack = 0.505 * pow(10, -decimals);
    look->floor = precision_floor(tensor->precision);
    look->relative = 1e-4 + 3 * look->roundoff + look->slack * look->sizes.keys;
    return look_masks(look);
}

const double *look_row(const Look *look, int b, int h, int t) {
    AttentionSizes n = look->sizes;
    return look->weights + (((long)b * n.heads + h) * n.queries + t) * n.keys;
}

long look_rows(const Look *look) {
    return (long)look->sizes.batch * look->sizes.heads * look->sizes.queries;
}

LookRow look_row_at(const Look *look, long index) {
    AttentionSizes n = look->sizes;
    long map = index / n.queries;
    return (LookRow){
        .weights = look->weights + index * n.keys,
        .first = look->rule.key_first[index],
        .end = look->rule.key_end[index],
        .place = {(int)(map / n.heads), (int)(map % n.heads), (int)(index % n.queries), -1}};
}

/* Whether a row is as a softmax leaves it that saw nothing: all the same, or NaN. */
static bool is_left_empty(const Look *look, long row) {
    const double *weights = look->weights + row * look->sizes.keys;
    for (int j = 1; j < look->sizes.keys; j++)
        if (fabs(weights[j] - weights[0]) > 0.05 * fabs(weights[0])) return false;
    return true;
}

long look_misfit(Look *look, AttentionMistakes mistakes, long *zeros) {
    AttentionSizes n = look->sizes;
    AttentionRule rule = attention_rule_make(mistakes, mask_of(look), n, look->other_room);
    long hits = 0, empty = 0;
    for (long row = 0; row < look_rows(look); row++) {
        int first = rule.key_first[row], end = rule.key_end[row];
        if (end <= first) {
            bool is_excused = look->rule.key_end[row] <= look->rule.key_first[row];
            hits += !is_excused && !is_left_empty(look, row);
            continue;
        }
        for (int j = 0; j < n.keys; j++) {
            bool has_weight = look->weights[row * n.keys + j] > look->floor;
            bool is_seen = j >= first && j < end;
            hits += has_weight && !is_seen;
            empty += !has_weight && is_seen && look->weights[row * n.keys + j] == 0;
        }
    }
    if (zeros) *zeros = empty;
    return hits;
}
