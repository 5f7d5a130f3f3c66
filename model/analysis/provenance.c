#include "model/analysis/provenance.h"

long provenance_count(ProvenanceShape n) {
    return (long)n.batch * n.heads * n.steps * n.head_width;
}

Provenance provenance_at(ProvenanceShape n, long index) {
    long width = (long)n.heads * n.head_width;
    int column = (int)(index % width);
    long row = index / width;
    return (Provenance){
        .example = (int)(row / n.steps),
        .head = column / n.head_width,
        .step = (int)(row % n.steps),
        .element = column % n.head_width,
    };
}

Provenance provenance_read(HeadFold fold, ProvenanceShape n, Provenance place) {
    long index = head_fold_at(fold, place.example, place.head, place.step, place.element);
    return provenance_at(n, index);
}

/* A digit of an index in the mixed radix of the fold's strides. */
typedef struct Digit {
    long stride;
    int size;
    int *value;
} Digit;

/* Largest stride first. */
static void sort_digits(Digit *digits, int count) {
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && digits[j].stride > digits[j - 1].stride; j--) {
            Digit larger = digits[j];
            digits[j] = digits[j - 1];
            digits[j - 1] = larger;
        }
}

Provenance provenance_written(HeadFold fold, ProvenanceShape n, long index) {
    Provenance place = {0};
    Digit digits[] = {
        {fold.example, n.batch, &place.example},
        {fold.head, n.heads, &place.head},
        {fold.row, n.steps, &place.step},
        {head_fold_step(fold), n.head_width, &place.element},
    };
    enum { COUNT = sizeof digits / sizeof *digits };
    sort_digits(digits, COUNT);
    for (int i = 0; i < COUNT; i++) {
        if (digits[i].size == 1) continue; /* always 0, whatever its stride */
        long value = index / digits[i].stride;
        if (value >= digits[i].size) return (Provenance){-1, -1, -1, -1};
        *digits[i].value = (int)value;
        index -= value * digits[i].stride;
    }
    return index == 0 ? place : (Provenance){-1, -1, -1, -1};
}

static void count_one(ProvenanceCount *count, Provenance origin, Provenance place) {
    bool example = origin.example != place.example, head = origin.head != place.head;
    bool step = origin.step != place.step, element = origin.element != place.element;
    count->all++;
    count->misplaced += example || head || step || element;
    count->wrong_example += example;
    count->wrong_head += head;
    count->wrong_step += step;
    count->wrong_element += element;
}

/* Returns the origin `heads` and `elements` further on in [B,steps,W], without divisions. */
static Provenance advance(Provenance origin, ProvenanceShape n, int heads, int elements) {
    origin.element += elements;
    origin.head += heads;
    if (origin.element >= n.head_width) {
        origin.element -= n.head_width;
        origin.head++;
    }
    for (; origin.head >= n.heads; origin.head -= n.heads)
        origin.step++;
    for (; origin.step >= n.steps; origin.step -= n.steps)
        origin.example++;
    return origin;
}

ProvenanceCount provenance_count_fold(HeadFold fold, ProvenanceShape n) {
    ProvenanceCount count = {0};
    int stride = head_fold_step(fold);
    int heads = stride / n.head_width, elements = stride % n.head_width;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.steps; t++) {
                Provenance place = {.example = b, .head = h, .step = t};
                Provenance origin = provenance_read(fold, n, place);
                for (; place.element < n.head_width; place.element++) {
                    count_one(&count, origin, place);
                    origin = advance(origin, n, heads, elements);
                }
            }
    return count;
}

ProvenanceLengthCount provenance_lengths(ProvenanceLength *rows, int *room, LengthsKind kind,
                                         const int *valid_lens, int keys, int batch, int heads) {
    AttentionSizes n = {batch, heads, 1, keys, 1};
    MaskSource mask = {.valid_lens = valid_lens};
    AttentionRule rule = attention_rule_make((AttentionMistakes){.lengths = kind}, mask, n, room);
    ProvenanceLengthCount count = {.all = batch * heads};
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++) {
            int i = b * heads + h;
            rows[i] = (ProvenanceLength){
                .example = lengths_example(kind, batch, heads, b, h),
                .first = rule.key_first[i],
                .end = rule.key_end[i],
            };
            bool sees_none = rows[i].first == rows[i].end;
            count.other_example += rows[i].example != b;
            count.other_keys +=
                sees_none ? valid_lens[b] > 0 : rows[i].first || rows[i].end != valid_lens[b];
        }
    return count;
}
