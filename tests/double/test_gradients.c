/* Backward of the single operations against differences (tests/model/helper_gradient.h), in double.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/network/embedding.h"
#include "model/network/layers.h"
#include "model/network/loss.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

/* One operation: the loss is the dot product of its output y with a fixed `above`. */
typedef struct Op {
    Reals pool;
    Config config;
    real *x, *y, *above;
    int rows, out, in;
    LinearParams linear, linear2;
    NormParams norm;
    real *mean, *rstd;
    FeedforwardSaved feedforward;
    Dropout dropout;
    const int *ids;
    real *positions;
} Op;

static double linear_loss(void *context) {
    Op *op = context;
    linear_forward(op->y, op->x, op->linear, op->rows, op->out, op->in);
    return helper_dot(op->y, op->above, (long)op->rows * op->out);
}

static void check_linear(int rows, bool bias) {
    Op op = {.pool.rng = rng_make(1, 0), .rows = rows, .out = 7, .in = 5};
    op.x = reals_random(&op.pool, rows * 5);
    op.y = reals_poisoned(&op.pool, rows * 7);
    op.above = reals_random(&op.pool, rows * 7);
    op.linear =
        (LinearParams){reals_random(&op.pool, 7 * 5), bias ? reals_random(&op.pool, 7) : NULL};
    LinearParams d = {reals_zero(&op.pool, 7 * 5), bias ? reals_zero(&op.pool, 7) : NULL};
    real *d_x = reals_poisoned(&op.pool, rows * 5);
    linear_backward(d_x, 0, d, op.above, op.x, op.linear, rows, 7, 5);
    helper_check_gradient("linear x", op.x, d_x, rows * 5, linear_loss, &op);
    helper_check_gradient("linear weight", op.linear.weight, d.weight, 7 * 5, linear_loss, &op);
    if (bias) helper_check_gradient("linear bias", op.linear.bias, d.bias, 7, linear_loss, &op);
    reals_free(&op.pool);
}

static void test_linear(void **state) {
    (void)state;
    check_linear(4, true);
    check_linear(4, false);
    check_linear(1, true); /* one row is a product of its own */
}

static double layernorm_loss(void *context) {
    Op *op = context;
    layernorm_forward(op->y, op->mean, op->rstd, op->x, op->norm, op->rows, op->in, 1e-5);
    return helper_dot(op->y, op->above, (long)op->rows * op->in);
}

static void test_layernorm(void **state) {
    (void)state;
    for (int width = 3; width <= 20; width++) {
        Op op = {.pool.rng = rng_make(2, (uint64_t)width), .rows = 3, .in = width};
        op.x = reals_random(&op.pool, 3 * width);
        op.y = reals_poisoned(&op.pool, 3 * width);
        op.above = reals_random(&op.pool, 3 * width);
        op.mean = reals_poisoned(&op.pool, 3);
        op.rstd = reals_poisoned(&op.pool, 3);
        op.norm = (NormParams){reals_random(&op.pool, width), reals_random(&op.pool, width)};
        NormParams d = {reals_zero(&op.pool, width), reals_zero(&op.pool, width)};
        real *d_x = reals_poisoned(&op.pool, 3 * width);
        layernorm_loss(&op);
        layernorm_backward(d_x, d, op.above, op.mean, op.rstd, op.x, op.norm, 3, width);
        helper_check_gradient("layernorm x", op.x, d_x, 3 * width, layernorm_loss, &op);
        helper_check_gradient("layernorm gain", op.norm.gain, d.gain, width, layernorm_loss, &op);
        helper_check_gradient("layernorm shift", op.norm.shift, d.shift, width, layernorm_loss,
                              &op);
        reals_free(&op.pool);
    }
}

static double feedforward_loss(void *context) {
    Op *op = context;
    feedforward_forward(op->y, op->feedforward, op->x, op->linear, op->linear2, op->rows,
                        &op->config, op->dropout);
    return helper_dot(op->y, op->above, (long)op->rows * op->config.width);
}

static void check_feedforward(Activation activation, double rate) {
    Op op = {.pool.rng = rng_make(3, 0), .rows = 4, .config = helper_config()};
    op.config.activation = activation;
    op.dropout = dropout_make(rate, 77);
    int width = op.config.width, inner = op.config.ffn_width;
    op.x = reals_random(&op.pool, 4 * width);
    op.y = reals_poisoned(&op.pool, 4 * width);
    op.above = reals_random(&op.pool, 4 * width);
    op.linear =
        (LinearParams){reals_random(&op.pool, inner * width), reals_random(&op.pool, inner)};
    op.linear2 =
        (LinearParams){reals_random(&op.pool, width * inner), reals_random(&op.pool, width)};
    op.feedforward = (FeedforwardSaved){reals_poisoned(&op.pool, 4 * inner),
                                        reals_poisoned(&op.pool, 4 * inner)};
    LinearParams d = {reals_zero(&op.pool, inner * width), reals_zero(&op.pool, inner)};
    LinearParams d2 = {reals_zero(&op.pool, width * inner), reals_zero(&op.pool, width)};
    real *d_x = reals_poisoned(&op.pool, 4 * width),
         *d_hidden = reals_poisoned(&op.pool, 4 * inner);
    feedforward_loss(&op);
    feedforward_backward(d_x, d_hidden, d, d2, op.above, op.feedforward, op.x, op.linear,
                         op.linear2, 4, &op.config, op.dropout);
    helper_check_gradient("feedforward x", op.x, d_x, 4 * width, feedforward_loss, &op);
    helper_check_gradient("linear1 weight", op.linear.weight, d.weight, inner * width,
                          feedforward_loss, &op);
    helper_check_gradient("linear1 bias", op.linear.bias, d.bias, inner, feedforward_loss, &op);
    helper_check_gradient("linear2 weight", op.linear2.weight, d2.weight, inner * width,
                          feedforward_loss, &op);
    helper_check_gradient("linear2 bias", op.linear2.bias, d2.bias, width, feedforward_loss, &op);
    reals_free(&op.pool);
}

static void test_feedforward(void **state) {
    (void)state;
    check_feedforward(ACTIVATION_RELU, 0);
    check_feedforward(ACTIVATION_GELU, 0);
    check_feedforward(ACTIVATION_RELU, 0.3);
    check_feedforward(ACTIVATION_GELU, 0.3);
}

static double embedding_loss(void *context) {
    Op *op = context;
    embedding_forward(op->y, op->ids, op->x, op->positions, 0, 2, 3, &op->config, op->dropout);
    return helper_dot(op->y, op->above, 6L * op->config.width);
}

static void test_embedding(void **state) {
    (void)state;
    static const int ids[6] = {4, 5, 4, 6, 3, 0}; /* one token twice */
    for (int scaled = 0; scaled < 2; scaled++) {
        Op op = {.pool.rng = rng_make(4, 0), .config = helper_config(), .ids = ids};
        op.config.embedding_scale = scaled;
        op.dropout = dropout_make(0.2, 5);
        int width = op.config.width;
        op.x = reals_random(&op.pool, 7 * width);
        op.y = reals_poisoned(&op.pool, 6 * width);
        op.above = reals_random(&op.pool, 6 * width);
        op.positions = reals_random(&op.pool, 3 * width);
        real *d_x = reals_zero(&op.pool, 7 * width), *d_y = reals_random(&op.pool, 6 * width);
        memcpy(d_y, op.above, (size_t)(6 * width) * sizeof *d_y);
        embedding_backward(d_x, d_y, ids, 2, 3, &op.config, op.dropout);
        helper_check_gradient("embedding", op.x, d_x, 7 * width, embedding_loss, &op);
        reals_free(&op.pool);
    }
}

/* --- loss ------------------------------------------------------------------------------------- */

enum { VOCABULARY = 9 };

typedef struct LossCase {
    const Batch *batch;
    real *logits, *copy;
    long count;
    double smoothing, weight;
} LossCase;

static double smoothed_loss(void *context) {
    LossCase *c = context;
    memcpy(c->copy, c->logits, (size_t)c->count * sizeof *c->copy);
    return c->weight * loss_backward(c->copy, c->batch, VOCABULARY, c->smoothing, c->weight);
}

static void test_loss(void **state) {
    (void)state;
    static const int lengths[3] = {4, 0, 1};
    static const double smoothings[2] = {0, 0.1};
    Config config = helper_config();
    Batch batch = helper_batch(&config, 3, lengths, lengths, 1);
    assert_int_equal(loss_steps(&batch), 5);
    for (int i = 0; i < 2; i++) {
        Rng rng = rng_make(5, 0);
        LossCase c = {.batch = &batch,
                      .count = 3L * 4 * VOCABULARY,
                      .smoothing = smoothings[i],
                      .weight = 1.0 / 5};
        c.logits = helper_random(c.count, &rng);
        c.copy = helper_poisoned(c.count);
        real *gradient = helper_poisoned(c.count);
        memcpy(gradient, c.logits, (size_t)c.count * sizeof *gradient);
        loss_backward(gradient, &batch, VOCABULARY, c.smoothing, c.weight);
        helper_check_gradient("logits", c.logits, gradient, c.count, smoothed_loss, &c);
        free(c.logits);
        free(c.copy);
        free(gradient);
    }
    batch_free(&batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),      cmocka_unit_test(test_layernorm),
        cmocka_unit_test(test_feedforward), cmocka_unit_test(test_embedding),
        cmocka_unit_test(test_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
