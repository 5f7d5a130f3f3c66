/* All heads of a site against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/analysis/compare.h"
#include "model/analysis/similarity.h"
#include "model/base/rng.h"
#include "tests/model/helper_maps.h"

static Similarity similarity_of(const Trace *trace, Site site) {
    Similarity similarity;
    Error error = {0};
    if (!similarity_make(&similarity, trace, site, &error)) fail_msg("%s", error.text);
    return similarity;
}

/* Random rows; sharp ones in some heads, which put nearly nothing on most keys. */
static void fill_random(Trace *trace, HeadId id, const int *key_len, Rng *rng) {
    TraceShape shape = trace_shape(trace, id.site);
    float *weights = calloc((size_t)(shape.queries * shape.keys), sizeof *weights);
    assert_non_null(weights);
    for (int query = 0; query < shape.queries; query++) {
        float *row = weights + query * shape.keys, sum = 0;
        for (int key = 0; key < key_len[query]; key++)
            sum += row[key] = expf((float)((1 + id.head * 12) * rng_uniform(rng)));
        for (int key = 0; key < key_len[query]; key++)
            row[key] /= sum;
    }
    trace_write(trace, id, weights, shape.keys, key_len);
    free(weights);
}

static Trace *random_trace(void) {
    const TraceShape shapes[SITE_COUNT] = {[SITE_ENCODER] = {2, 3, 7, 13}};
    static const int key_len[7] = {1, 2, 0, 13, 12, 5, 13};
    Error error = {0};
    Rng rng = rng_make(5, 0);
    Trace *trace = trace_make(shapes, &error);
    assert_non_null(trace);
    for (int i = 0; i < 6; i++)
        fill_random(trace, (HeadId){SITE_ENCODER, i / 3, i % 3}, key_len, &rng);
    return trace;
}

/* The fast way against compare_maps. Its logarithm is off by up to 2e-6 bits of a weight's share.
 */
static void assert_equals_one_by_one(int real_queries, bool holes) {
    Trace *trace = random_trace();
    for (int head = 0; holes && head < 6; head++) {
        unsigned char visible[7 * 13];
        for (int i = 0; i < 7 * 13; i++)
            visible[i] = (unsigned char)(i * 11 % (3 + head) != 0 && i / 13 != 2);
        assert_true(
            trace_set_visible(trace, (HeadId){SITE_ENCODER, head / 3, head % 3}, visible, NULL));
    }
    trace_set_real(trace, SITE_ENCODER, real_queries, 13);
    Similarity found = similarity_of(trace, SITE_ENCODER);
    assert_int_equal(found.count, 6);
    assert_int_equal(found.heads[4].layer, 1);
    assert_int_equal(found.heads[4].head, 1);
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++) {
            MapComparison pair;
            assert_true(compare_maps(&pair, trace, found.heads[a], trace, found.heads[b], NULL));
            assert_true(helper_near((double)found.values[a * 6 + b], 1 - pair.divergence, 1e-5));
            assert_true(found.values[a * 6 + b] == found.values[b * 6 + a]);
            comparison_free(&pair);
        }
    for (int a = 0; a < 6; a++)
        assert_true(found.values[a * 7] == 1);
    assert_int_equal(found.same_count, 0);
    assert_false(found.uninformative);
    similarity_free(&found);
    similarity_free(&found);
    trace_free(trace);
}

static void test_equals_one_by_one(void **state) {
    (void)state;
    assert_equals_one_by_one(7, false);
    assert_equals_one_by_one(5, false);
    assert_equals_one_by_one(7, true);
    assert_equals_one_by_one(5, true);
}

/* Padding counts for nothing, and a row that sees one key compares nothing. */
static void test_rows_that_count(void **state) {
    (void)state;
    static const float a[6] = {1, 0, 0.5F, 0.5F, 0, 1}, b[6] = {1, 0, 1, 0, 0, 1};
    static const int len[3] = {1, 2, 2};
    Trace *trace = helper_maps(SITE_CROSS, 2, 3, 2);
    helper_write(trace, SITE_CROSS, 0, a, len);
    helper_write(trace, SITE_CROSS, 1, b, len);
    trace_set_real(trace, SITE_CROSS, 2, 2);
    Similarity found = similarity_of(trace, SITE_CROSS);
    assert_true(helper_near((double)found.values[1], 1 - 0.31127812445913283, 1e-5));
    similarity_free(&found);
    trace_set_real(trace, SITE_CROSS, 1, 2);
    found = similarity_of(trace, SITE_CROSS);
    assert_true(isnan(found.values[1]) && isnan(found.values[0]));
    assert_true(found.uninformative);
    similarity_free(&found);
    trace_free(trace);
}

/* (1, 0) and (0, 1) are 1 bit apart; (1/2, 1/2) is 0.3113 bits from either. */
static void test_by_hand(void **state) {
    (void)state;
    static const float left[2] = {1, 0}, right[2] = {0, 1}, even[2] = {0.5F, 0.5F};
    Trace *trace = helper_maps(SITE_CROSS, 3, 1, 2);
    helper_write(trace, SITE_CROSS, 0, left, NULL);
    helper_write(trace, SITE_CROSS, 1, right, NULL);
    helper_write(trace, SITE_CROSS, 2, even, NULL);
    Similarity found = similarity_of(trace, SITE_CROSS);
    assert_true(helper_near((double)found.values[1], 0, 1e-6));
    assert_true(helper_near((double)found.values[2], 1 - 0.31127812445913283, 1e-5));
    similarity_free(&found);
    /* The even one stands between the two that have nothing in common, wherever it was. */
    for (int middle = 0; middle < 3; middle++) {
        helper_write(trace, SITE_CROSS, (middle + 1) % 3, left, NULL);
        helper_write(trace, SITE_CROSS, (middle + 2) % 3, right, NULL);
        helper_write(trace, SITE_CROSS, middle, even, NULL);
        found = similarity_of(trace, SITE_CROSS);
        assert_int_equal(found.order[1], middle);
        assert_true(found.order[0] < found.order[2]);
        similarity_free(&found);
    }
    trace_free(trace);
}

/* Heads that alternate between two kinds: each kind stands together, whole, in the order. */
static void test_order_groups(void **state) {
    (void)state;
    enum { HEADS = 9 };
    Trace *trace = helper_maps(SITE_ENCODER, HEADS, 1, 4);
    for (int head = 0; head < HEADS; head++) {
        float off = 0.01F * (float)head;
        float weights[4] = {0.9F - off, 0.1F + off, 0, 0};
        if (head % 2) memcpy(weights, (float[4]){0, 0, off, 1 - off}, sizeof weights);
        helper_write(trace, SITE_ENCODER, head, weights, NULL);
    }
    Similarity found = similarity_of(trace, SITE_ENCODER);
    Similarity again = similarity_of(trace, SITE_ENCODER);
    int changes = 0;
    bool seen[HEADS] = {false};
    for (int i = 0; i < HEADS; i++) {
        assert_false(seen[found.order[i]]);
        seen[found.order[i]] = true;
        changes += i > 0 && found.order[i] % 2 != found.order[i - 1] % 2;
    }
    assert_int_equal(changes, 1);
    /* Within the even ones, each stands beside its neighbours. */
    for (int i = 1; i < HEADS; i++)
        if (found.order[i] % 2 == found.order[i - 1] % 2)
            assert_int_equal(abs(found.order[i] - found.order[i - 1]), 2);
    assert_memory_equal(found.order, again.order, HEADS * sizeof *found.order);
    similarity_free(&found);
    similarity_free(&again);
    trace_free(trace);
}

static void assert_pairs_agree(const Trace *trace, const Similarity *found) {
    int pairs = 0;
    for (int a = 0; a < found->count; a++)
        for (int b = a + 1; b < found->count; b++) {
            if (compare_identical(trace, found->heads[a], trace, found->heads[b]) != MAPS_SAME)
                continue;
            assert_true(pairs < found->same_count);
            assert_int_equal(found->same[pairs].a, a);
            assert_int_equal(found->same[pairs++].b, b);
        }
    assert_int_equal(found->same_count, pairs);
}

/* Seven copies among eight heads are 21 pairs, one of them within 1e-6, the eighth 2e-6 off. */
static void test_same_heads(void **state) {
    (void)state;
    static const int causal[2] = {1, 3};
    Trace *trace = helper_maps(SITE_DECODER, 8, 2, 3);
    for (int head = 0; head < 8; head++) {
        float off = head == 3 ? 5e-7F : head == 5 ? 3e-6F : 0;
        float weights[6] = {1, 0, 0, 0.5F + off, 0.25F - off, 0.25F};
        helper_write(trace, SITE_DECODER, head, weights, causal);
    }
    Similarity found = similarity_of(trace, SITE_DECODER);
    assert_int_equal(found.same_count, 21);
    assert_pairs_agree(trace, &found);
    similarity_free(&found);
    for (int head = 0; head < 8; head++)
        trace_set_keys_alike(trace, (HeadId){SITE_DECODER, 0, head}, 3);
    found = similarity_of(trace, SITE_DECODER);
    assert_int_equal(found.same_count, 0);
    assert_true(found.uninformative);
    assert_pairs_agree(trace, &found);
    similarity_free(&found);
    trace_free(trace);
}

/* A head without a whole row is like no other; the order still holds it. */
static void test_broken_head(void **state) {
    (void)state;
    static const float good[2] = {0.5F, 0.5F}, bad[2] = {NAN, 0.5F};
    Trace *trace = helper_maps(SITE_CROSS, 3, 1, 2);
    helper_write(trace, SITE_CROSS, 0, good, NULL);
    helper_write(trace, SITE_CROSS, 1, bad, NULL);
    helper_write(trace, SITE_CROSS, 2, good, NULL);
    Similarity found = similarity_of(trace, SITE_CROSS);
    assert_true(isnan(found.values[1]) && isnan(found.values[4]));
    assert_true(found.values[2] == 1);
    assert_int_equal(found.order[0] + found.order[1] + found.order[2], 3);
    assert_int_equal(abs(found.order[2] - found.order[0]) == 2, 0);
    similarity_free(&found);
    trace_free(trace);
}

static void test_one_head_and_none(void **state) {
    (void)state;
    static const float weights[2] = {0.5F, 0.5F};
    Trace *trace = helper_maps(SITE_CROSS, 1, 1, 2);
    helper_write(trace, SITE_CROSS, 0, weights, NULL);
    Similarity found = similarity_of(trace, SITE_CROSS);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.order[0], 0);
    similarity_free(&found);
    Error error = {0};
    assert_false(similarity_make(&found, trace, SITE_ENCODER, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "no encoder attention"));
    trace_free(trace);
    trace = helper_maps(SITE_CROSS, SIMILARITY_HEADS_MAX + 1, 1, 1);
    assert_false(similarity_make(&found, trace, SITE_CROSS, &error));
    assert_non_null(strstr(error.text, "513 heads"));
    trace_free(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_one_by_one), cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_rows_that_count),   cmocka_unit_test(test_order_groups),
        cmocka_unit_test(test_same_heads),        cmocka_unit_test(test_broken_head),
        cmocka_unit_test(test_one_head_and_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
