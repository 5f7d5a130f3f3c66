/* The gradient of the loss by every parameter of the whole model against differences, in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/network/loss.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

/* Lengths of 0 and 1 among them; the longest source and the longest target are not of one example,
 * and there are more target steps than source steps in one and fewer in another. */
enum { EXAMPLES = 4 };
static const int SOURCE_LENS[EXAMPLES] = {4, 0, 1, 3};
static const int TARGET_LENS[EXAMPLES] = {3, 2, 5, 1};

typedef struct Model {
    Config config;
    Params params, gradient;
    Batch batch;
    Workspace workspace;
    ForwardOptions options;
} Model;

static double forward_loss(void *context) {
    Model *m = context;
    transformer_forward(&m->workspace, &m->params, &m->batch, m->options);
    double weight = 1.0 / (double)loss_steps(&m->batch);
    return weight * loss_backward(m->workspace.logits, &m->batch, m->config.target_vocab, (real)0.1,
                                  (real)weight);
}

typedef struct Walk {
    Model *model;
    long done, stride;
    double largest;
} Walk;

static bool visit_check(void *context, const ParamInfo *info, real **tensor) {
    Walk *walk = context;
    long count = param_size(info);
    const real *gradient = walk->model->gradient.block + walk->done;
    helper_check_strided(info->name, *tensor, gradient, count, walk->stride, walk->largest,
                         forward_loss, walk->model);
    for (long i = 0; info->held_at_zero && i < count; i++)
        assert_true(gradient[i] == 0);
    walk->done += count;
    return true;
}

/* Every `stride`-th number of each tensor. */
static void check_model(Config config, ForwardOptions options, uint64_t seed, long stride) {
    Error error = {0};
    Model m = {.config = config, .options = options};
    m.params = helper_params(&m.config, seed);
    m.batch = helper_batch(&m.config, EXAMPLES, SOURCE_LENS, TARGET_LENS, seed);
    assert_true(params_make(&m.gradient, &m.config, &error));
    assert_true(workspace_fit(&m.workspace, &m.config, EXAMPLES, m.batch.source_len,
                              m.batch.target_len, true, &error));
    forward_loss(&m);
    transformer_backward(&m.gradient, &m.workspace, &m.params, &m.batch, options);
    Walk walk = {.model = &m, .stride = stride};
    walk.largest = helper_largest(m.gradient.block, m.gradient.count);
    params_place(&m.params, &m.config, visit_check, &walk);
    assert_int_equal(walk.done, m.params.count);
    params_free(&m.params);
    params_free(&m.gradient);
    batch_free(&m.batch);
    workspace_free(&m.workspace);
}

/* All ways to set the four switches; a prime stride takes other columns in each row. */
static void test_every_kind_of_model(void **state) {
    (void)state;
    for (int kind = 0; kind < 16; kind++) {
        Config config = helper_config();
        config.pre_norm = kind & 1;
        config.attention_bias = kind & 2;
        config.final_norm = kind & 4;
        config.activation = kind & 8 ? ACTIVATION_GELU : ACTIVATION_RELU;
        check_model(config, (ForwardOptions){0}, 1 + (uint64_t)kind, 3);
    }
}

static void test_every_parameter(void **state) {
    (void)state;
    Config config = helper_config();
    config.attention_bias = true;
    config.final_norm = true;
    check_model(config, (ForwardOptions){0}, 20, 1);
}

static void test_with_dropout(void **state) {
    (void)state;
    for (int pre_norm = 0; pre_norm < 2; pre_norm++) {
        Config config = helper_config();
        config.pre_norm = pre_norm;
        config.attention_bias = true;
        check_model(config, (ForwardOptions){.dropout = 0.2, .dropout_key = 99}, 21, 1);
    }
}

/* A network with a mistake in its attention can be trained: each way to be wrong, in all sites, and
 * with dropout. */
static void test_with_mistakes(void **state) {
    (void)state;
    static const AttentionMistakes ways[] = {
        {.split = FOLD_RESHAPE},
        {.split = FOLD_INTERLEAVED, .concat = FOLD_INTERLEAVED},
        {.concat = FOLD_RESHAPE},
        {.lengths = LENGTHS_TILED},
        {.lengths = LENGTHS_IGNORED, .causal = CAUSAL_MISSING},
        {.lengths = LENGTHS_INVERTED, .empty = EMPTY_UNIFORM},
        {.causal = CAUSAL_ADDED, .scale = SCALE_NONE},
        {.causal = CAUSAL_MIRRORED, .scale = SCALE_ROOT_WIDTH},
        {.softmax = SOFTMAX_QUERIES},
        {.softmax = SOFTMAX_QUERIES, .mask = MASK_FILLS, .mask_value = -2},
        {.softmax = SOFTMAX_HEADS},
        {.mask = MASK_AFTER},
        {.mask = MASK_ADDS, .mask_value = -1.5},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        Config config = helper_config();
        config.attention_bias = true;
        config.activation = ACTIVATION_GELU; /* no kink that a seed would have to avoid */
        for (int site = 0; site < SITE_COUNT; site++)
            config.mistakes[site] = ways[i];
        double rate = i % 2 ? 0.2 : 0;
        check_model(config, (ForwardOptions){.dropout = rate, .dropout_key = 7}, 30 + i, 7);
    }
}

/* Backward adds, so that slices can be summed. */
static void test_backward_adds(void **state) {
    (void)state;
    Error error = {0};
    Model m = {.config = helper_config()};
    m.params = helper_params(&m.config, 1);
    m.batch = helper_batch(&m.config, EXAMPLES, SOURCE_LENS, TARGET_LENS, 1);
    Params once;
    assert_true(params_make(&once, &m.config, &error));
    assert_true(params_make(&m.gradient, &m.config, &error));
    assert_true(workspace_fit(&m.workspace, &m.config, EXAMPLES, m.batch.source_len,
                              m.batch.target_len, true, &error));
    forward_loss(&m);
    transformer_backward(&once, &m.workspace, &m.params, &m.batch, m.options);
    for (int i = 0; i < 2; i++) {
        forward_loss(&m);
        transformer_backward(&m.gradient, &m.workspace, &m.params, &m.batch, m.options);
    }
    for (long i = 0; i < once.count; i++)
        once.block[i] *= 2;
    /* The sums are taken in another order: some units in the last place. */
    assert_true(helper_gap(once.block, m.gradient.block, once.count) < 1e-13);
    params_free(&once);
    params_free(&m.params);
    params_free(&m.gradient);
    batch_free(&m.batch);
    workspace_free(&m.workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_model), cmocka_unit_test(test_every_parameter),
        cmocka_unit_test(test_with_dropout),        cmocka_unit_test(test_with_mistakes),
        cmocka_unit_test(test_backward_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
