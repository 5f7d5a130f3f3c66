/* Where numbers went when heads were split, joined and lined up with lengths: against the same
 * mistakes written index by index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "model/analysis/provenance.h"
#include "tests/model/helper_copies.h"

static int shape_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 200;
}

static ProvenanceShape random_shape(Rng *rng) {
    return (ProvenanceShape){copies_between(rng, 1, 4), copies_between(rng, 1, 9),
                             copies_between(rng, 1, 8), copies_between(rng, 1, 7)};
}

/* What the array of indices says, by division alone. */
static void assert_origin(Provenance origin, long index, ProvenanceShape n) {
    int width = n.heads * n.head_width;
    assert_int_equal(origin.example, index / ((long)n.steps * width));
    assert_int_equal(origin.step, index / width % n.steps);
    assert_int_equal(origin.head, index % width / n.head_width);
    assert_int_equal(origin.element, index % width % n.head_width);
}

static void split_follows_an_array_of_indices(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int c = 0; c < shape_count(); c++) {
        ProvenanceShape n = random_shape(&rng);
        long count = provenance_count(n);
        double *index = copies_room(count, sizeof *index),
               *folded = copies_room(count, sizeof *folded);
        for (long i = 0; i < count; i++)
            index[i] = (double)i;
        for (int number = 0; number < FOLD_KINDS; number++) {
            FoldKind kind = (FoldKind)number;
            copies_split(folded, index, kind, n.batch, n.steps, n.heads, n.head_width);
            HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
            long misplaced = 0, wrong_head = 0, wrong_step = 0;
            for (long i = 0; i < count; i++) {
                long row = i / n.head_width / n.steps;
                Provenance place = {(int)(row / n.heads), (int)(row % n.heads),
                                    (int)(i / n.head_width % n.steps), (int)(i % n.head_width)};
                Provenance origin = provenance_read(fold, n, place);
                assert_origin(origin, (long)folded[i], n);
                wrong_head += origin.head != place.head;
                wrong_step += origin.step != place.step;
                misplaced += origin.head != place.head || origin.step != place.step ||
                             origin.element != place.element;
            }
            ProvenanceCount counted = provenance_count_fold(fold, n);
            assert_int_equal(counted.all, count);
            assert_int_equal(counted.misplaced, misplaced);
            assert_int_equal(counted.wrong_head, wrong_head);
            assert_int_equal(counted.wrong_step, wrong_step);
            assert_int_equal(counted.wrong_example, 0);
            if (kind == FOLD_SLICES) assert_int_equal(misplaced, 0);
        }
        free(index);
        free(folded);
    }
}

static void concatenation_follows_an_array_of_indices(void **state) {
    (void)state;
    Rng rng = rng_make(2, 0);
    for (int c = 0; c < shape_count(); c++) {
        ProvenanceShape n = random_shape(&rng);
        long count = provenance_count(n), width = (long)n.heads * n.head_width;
        double *index = copies_room(count, sizeof *index),
               *joined = copies_room(count, sizeof *joined);
        for (long i = 0; i < count; i++)
            index[i] = (double)i;
        for (int number = 0; number < FOLD_KINDS; number++) {
            FoldKind kind = (FoldKind)number;
            copies_join(joined, index, kind, n.batch, n.steps, n.heads, n.head_width);
            HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
            long misplaced = 0, wrong_head = 0, wrong_step = 0;
            for (long i = 0; i < count; i++) {
                Provenance from = provenance_written(fold, n, i);
                long at = (((long)from.example * n.heads + from.head) * n.steps + from.step) *
                              n.head_width +
                          from.element;
                assert_int_equal(at, (long)joined[i]);
                bool head = from.head != (int)(i % width / n.head_width);
                bool step = from.step != (int)(i / width % n.steps);
                wrong_head += head;
                wrong_step += step;
                misplaced += head || step || from.element != (int)(i % n.head_width);
            }
            /* A concatenation misplaces as many numbers as a split by the same fold. */
            ProvenanceCount counted = provenance_count_fold(fold, n);
            assert_int_equal(counted.misplaced, misplaced);
            assert_int_equal(counted.wrong_head, wrong_head);
            assert_int_equal(counted.wrong_step, wrong_step);
            if (kind == FOLD_SLICES) assert_int_equal(misplaced, 0);
        }
        free(index);
        free(joined);
    }
}

static bool same_span(int first, int end, int other_first, int other_end) {
    bool empty = first >= end, other_empty = other_first >= other_end;
    return empty || other_empty ? empty == other_empty : first == other_first && end == other_end;
}

static void lengths_follow_an_array_of_examples(void **state) {
    (void)state;
    Rng rng = rng_make(3, 0);
    for (int c = 0; c < shape_count(); c++) {
        int batch = copies_between(&rng, 1, 5), heads = copies_between(&rng, 1, 8),
            keys = copies_between(&rng, 1, 9);
        int rows = batch * heads;
        int lens[5], names[5], first[40], end[40], from[40], none[40], room[80];
        for (int b = 0; b < batch; b++) {
            lens[b] = copies_between(&rng, 0, keys);
            names[b] = b;
        }
        for (int number = 0; number < LENGTHS_KINDS; number++) {
            LengthsKind kind = (LengthsKind)number;
            ProvenanceLength got[40];
            ProvenanceLengthCount counted =
                provenance_lengths(got, room, kind, lens, keys, batch, heads);
            copies_lengths(first, end, kind, lens, keys, batch, heads);
            /* The same way with names for lengths tells whose each row reads. */
            bool changes_numbers =
                kind == LENGTHS_ONE_MORE || kind == LENGTHS_ONE_LESS || kind == LENGTHS_INVERTED;
            copies_lengths(none, from, changes_numbers ? LENGTHS_REPEATED : kind, names, -1, batch,
                           heads);
            int other_example = 0, other_keys = 0;
            for (int row = 0; row < rows; row++) {
                int b = row / heads;
                assert_int_equal(got[row].example, from[row]);
                assert_true(same_span(got[row].first, got[row].end, first[row], end[row]));
                other_example += from[row] != b;
                other_keys += !same_span(first[row], end[row], 0, lens[b]);
            }
            assert_int_equal(counted.all, rows);
            assert_int_equal(counted.other_example, other_example);
            assert_int_equal(counted.other_keys, other_keys);
        }
    }
}

/* Lengths of each query, [B,Tq], lined up with [B*H,Tq] rows: repeated and tiled. */
static void lengths_of_each_query_follow_too(void **state) {
    (void)state;
    Rng rng = rng_make(8, 0);
    for (int c = 0; c < shape_count(); c++) {
        AttentionSizes n = {copies_between(&rng, 1, 4), copies_between(&rng, 1, 5),
                            copies_between(&rng, 1, 4), copies_between(&rng, 1, 6), 1};
        int lens[16], room[160];
        for (int i = 0; i < n.batch * n.queries; i++)
            lens[i] = copies_between(&rng, 0, n.keys);
        MaskSource mask = {.valid_lens = lens, .per_query = true};
        for (int number = LENGTHS_REPEATED; number <= LENGTHS_TILED; number++) {
            LengthsKind kind = (LengthsKind)number;
            AttentionRule rule =
                attention_rule_make((AttentionMistakes){.lengths = kind}, mask, n, room);
            for (int row = 0; row < n.batch * n.heads; row++)
                for (int t = 0; t < n.queries; t++) {
                    int line = kind == LENGTHS_TILED ? row % n.batch : row / n.heads;
                    int at = row * n.queries + t;
                    assert_int_equal(rule.key_first[at], 0);
                    assert_int_equal(rule.key_end[at], lens[line * n.queries + t]);
                }
        }
    }
}

static void concatenation_marks_what_is_not_written(void **state) {
    (void)state;
    ProvenanceShape n = {1, 2, 2, 1}; /* each head writes the first of its two columns */
    HeadFold fold = fold_of_kind(FOLD_SLICES, n.steps, n.heads, 2);
    for (int i = 0; i < 8; i++)
        assert_int_equal(provenance_written(fold, n, i).example, i % 2 ? -1 : 0);
    assert_int_equal(provenance_written(fold, n, 8).example, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_follows_an_array_of_indices),
        cmocka_unit_test(concatenation_follows_an_array_of_indices),
        cmocka_unit_test(lengths_follow_an_array_of_examples),
        cmocka_unit_test(lengths_of_each_query_follow_too),
        cmocka_unit_test(concatenation_marks_what_is_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
