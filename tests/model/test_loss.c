/* The loss over a batch: which steps count, and by how much. (Its rows are in test_kernels, its
 * gradient in tests/double.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/network/loss.h"
#include "tests/model/helper_network.h"

enum { EXAMPLES = 3, VOCABULARY = 9, STEPS = 4 };
static const int LENGTHS[EXAMPLES] = {4, 0, 2};

/* Float against double: log and exp of numbers of the size of 1, six steps of them. */
static const double TOLERANCE = 2e-6;

static Batch make_batch(void) {
    Config config = helper_config();
    return helper_batch(&config, EXAMPLES, LENGTHS, LENGTHS, 1);
}

static real *make_logits(void) {
    Rng rng = rng_make(1, 0);
    return helper_random(EXAMPLES * STEPS * VOCABULARY, &rng);
}

/* -log of the target's probability at one step. */
static double surprise(const real *row, int target) {
    double total = 0;
    for (int v = 0; v < VOCABULARY; v++)
        total += exp((double)row[v]);
    return log(total) - (double)row[target];
}

static void test_sum_over_the_valid_steps(void **state) {
    (void)state;
    Batch batch = make_batch();
    real *logits = make_logits();
    double expected = 0;
    for (int b = 0; b < EXAMPLES; b++)
        for (int t = 0; t < LENGTHS[b]; t++)
            expected +=
                surprise(logits + (b * STEPS + t) * VOCABULARY, batch.target_out[b * STEPS + t]);
    assert_int_equal(loss_steps(&batch), 6);
    double loss = loss_backward(logits, &batch, VOCABULARY, 0, 1);
    assert_true(fabs(loss - expected) < TOLERANCE);
    free(logits);
    batch_free(&batch);
}

/* A padded step gets the gradient 0, whatever its logits; a valid one gets one that sums to 0. */
static void test_gradient_of_padding(void **state) {
    (void)state;
    Batch batch = make_batch();
    real *logits = make_logits();
    logits[(1 * STEPS + 3) * VOCABULARY] = (real)NAN;
    loss_backward(logits, &batch, VOCABULARY, (real)0.1, (real)0.25);
    for (int b = 0; b < EXAMPLES; b++)
        for (int t = 0; t < STEPS; t++) {
            const real *row = logits + (b * STEPS + t) * VOCABULARY;
            double sum = 0;
            for (int v = 0; v < VOCABULARY; v++)
                sum += (double)row[v];
            assert_true(fabs(sum) < TOLERANCE);
            assert_int_equal(helper_largest(row, VOCABULARY) > 0, t < LENGTHS[b]);
        }
    free(logits);
    batch_free(&batch);
}

/* `weight` scales the gradient, not the returned sum. */
static void test_weight(void **state) {
    (void)state;
    Batch batch = make_batch();
    real *once = make_logits(), *half = make_logits();
    double loss = loss_backward(once, &batch, VOCABULARY, (real)0.1, 1);
    assert_true(loss_backward(half, &batch, VOCABULARY, (real)0.1, (real)0.5) == loss);
    for (int i = 0; i < EXAMPLES * STEPS * VOCABULARY; i++)
        assert_true(fabs((double)once[i] - 2 * (double)half[i]) < TOLERANCE);
    free(once);
    free(half);
    batch_free(&batch);
}

static void test_log_softmax(void **state) {
    (void)state;
    Rng rng = rng_make(2, 0);
    real row[VOCABULARY], before[VOCABULARY];
    helper_fill(row, VOCABULARY, &rng);
    row[4] += 3;
    memcpy(before, row, sizeof row);
    loss_log_softmax(row, VOCABULARY);
    for (int v = 0; v < VOCABULARY; v++)
        assert_true(fabs((double)row[v] + surprise(before, v)) < TOLERANCE);
    real large[3] = {1000, 1000, -1000}; /* steps of 6e-5 in float */
    loss_log_softmax(large, 3);
    assert_true(fabs((double)large[0] + log(2)) < 1e-4);
    assert_true(fabs((double)large[2] + 2000) < 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum_over_the_valid_steps),
        cmocka_unit_test(test_gradient_of_padding),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_log_softmax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
