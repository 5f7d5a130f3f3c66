/* Heads knocked out: by zero it is the same as zeroing the head's columns of the output projection,
 * by mean its output is the mean over the valid steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/network/ablation_means.h"
#include "tests/model/helper_network.h"

enum { EXAMPLES = 3, LAYERS = 2, HEADS = 2, WIDTH = 8, D = WIDTH / HEADS };
static const int SOURCE_LENS[EXAMPLES] = {5, 2, 0};
static const int TARGET_LENS[EXAMPLES] = {3, 4, 1};

typedef struct Net {
    Config config;
    Params params;
    Batch batch;
    Ablation *ablation;
} Net;

static void net_make(Net *net, bool pre_norm) {
    *net = (Net){.config = helper_config()};
    net->config.pre_norm = net->config.final_norm = net->config.attention_bias = pre_norm;
    net->params = helper_params(&net->config, 3);
    net->batch = helper_batch(&net->config, EXAMPLES, SOURCE_LENS, TARGET_LENS, 3);
    net->ablation = ablation_make(&net->config, NULL);
    assert_non_null(net->ablation);
}

static void net_free(Net *net) {
    params_free(&net->params);
    batch_free(&net->batch);
    ablation_free(net->ablation);
}

static Workspace forward(const Net *net, const Ablation *ablation) {
    return helper_forward_with(&net->config, &net->params, &net->batch,
                               (ForwardOptions){.ablation = ablation});
}

static long logit_count(const Net *net) {
    return (long)EXAMPLES * net->batch.target_len * net->config.target_vocab;
}

/* The heads in turn; start with {SITE_ENCODER, 0, -1}. */
static bool next_head(HeadId *id) {
    if (++id->head < HEADS) return true;
    id->head = 0;
    if (++id->layer < LAYERS) return true;
    id->layer = 0;
    return ++id->site < SITE_COUNT;
}

static MultiheadSaved saved_of(const Workspace *ws, Site site, int layer) {
    return site == SITE_ENCODER   ? ws->encoder[layer].self_attention
           : site == SITE_DECODER ? ws->decoder[layer].self_attention
                                  : ws->decoder[layer].cross_attention;
}

/* --- which heads ------------------------------------------------------------------------------ */

static void test_set_and_get(void **state) {
    (void)state;
    Config config = helper_config();
    config.encoder_layers = 1; /* so that no two sites begin at the same place by chance */
    Ablation *ablation = ablation_make(&config, NULL);
    assert_non_null(ablation);
    assert_int_equal(ablation_count(ablation), 0);
    static const HeadId heads[] = {{SITE_ENCODER, 0, 1},
                                   {SITE_DECODER, 0, 0},
                                   {SITE_DECODER, 1, 1},
                                   {SITE_CROSS, 0, 0},
                                   {SITE_CROSS, 1, 1}};
    for (int i = 0; i < 5; i++) {
        Knockout knockout = i % 2 ? KNOCKOUT_MEAN : KNOCKOUT_ZERO;
        assert_int_equal(ablation_get(ablation, heads[i]), KNOCKOUT_NONE);
        ablation_set(ablation, heads[i], knockout);
        ablation_set(ablation, heads[i], knockout);
        assert_int_equal(ablation_get(ablation, heads[i]), knockout);
        assert_int_equal(ablation_count(ablation), i + 1);
    }
    assert_int_equal(ablation_get(ablation, (HeadId){SITE_ENCODER, 0, 0}), KNOCKOUT_NONE);
    ablation_set(ablation, heads[2], KNOCKOUT_NONE);
    assert_int_equal(ablation_count(ablation), 4);
    ablation_free(ablation);
    ablation_free(NULL);
}

/* --- by zero ---------------------------------------------------------------------------------- */

static void zero_columns(const Net *net, HeadId id) {
    LinearParams out = helper_attention_params(&net->params, id.site, id.layer).out;
    for (int row = 0; row < WIDTH; row++)
        for (int i = 0; i < D; i++)
            out.weight[row * WIDTH + id.head * D + i] = 0;
}

static void check_zero(HeadId id, bool pre_norm) {
    Net net;
    net_make(&net, pre_norm);
    Workspace plain = forward(&net, NULL);
    ablation_set(net.ablation, id, KNOCKOUT_ZERO);
    Workspace ours = forward(&net, net.ablation);
    zero_columns(&net, id);
    Workspace by_hand = forward(&net, NULL);
    /* Both sums hold the same numbers, and zeros in the same places: equal but for the order in
     * which a product may add them, which is a few roundings of 6e-8. */
    double largest = helper_largest(by_hand.logits, logit_count(&net));
    assert_true(helper_gap(ours.logits, by_hand.logits, logit_count(&net)) <= 1e-6 * largest);
    assert_true(helper_gap(ours.logits, plain.logits, logit_count(&net)) > 1e-3 * largest);
    /* The head's own map is still there: before it, nothing has changed. */
    bool encoder = id.site == SITE_ENCODER;
    int steps = encoder ? net.batch.source_len : net.batch.target_len;
    int keys = id.site == SITE_DECODER ? net.batch.target_len : net.batch.source_len;
    long weights = (long)EXAMPLES * HEADS * steps * attention_row(keys);
    assert_memory_equal(saved_of(&ours, id.site, id.layer).weights,
                        saved_of(&plain, id.site, id.layer).weights,
                        (size_t)weights * sizeof(real));
    workspace_free(&plain);
    workspace_free(&ours);
    workspace_free(&by_hand);
    net_free(&net);
}

static void test_zero_is_a_zeroed_projection(void **state) {
    (void)state;
    for (HeadId id = {SITE_ENCODER, 0, -1}; next_head(&id);) {
        check_zero(id, false);
        check_zero(id, true);
    }
}

/* Several at once, and none of them when the ablation is empty. */
static void test_several(void **state) {
    (void)state;
    Net net;
    net_make(&net, true);
    Workspace plain = forward(&net, NULL), none = forward(&net, net.ablation);
    assert_memory_equal(none.logits, plain.logits, (size_t)logit_count(&net) * sizeof(real));
    for (HeadId id = {SITE_ENCODER, 0, -1}; next_head(&id);)
        if (id.head != id.layer) {
            ablation_set(net.ablation, id, KNOCKOUT_ZERO);
            zero_columns(&net, id);
        }
    Workspace by_hand = forward(&net, NULL), ours = forward(&net, net.ablation);
    double largest = helper_largest(by_hand.logits, logit_count(&net));
    assert_true(helper_gap(ours.logits, by_hand.logits, logit_count(&net)) <= 1e-6 * largest);
    workspace_free(&plain);
    workspace_free(&none);
    workspace_free(&by_hand);
    workspace_free(&ours);
    net_free(&net);
}

/* --- by mean ---------------------------------------------------------------------------------- */

/* Adds example after example, each alone and so without padding. */
static void add_alone(AblationMeans *means, const Net *net) {
    for (int b = 0; b < EXAMPLES; b++) {
        Batch alone = {0};
        assert_true(batch_slice(&alone, &net->batch, &b, 1, NULL));
        Workspace ws = helper_forward(&net->config, &net->params, &alone);
        ablation_means_add(means, &ws, &alone);
        workspace_free(&ws);
        batch_free(&alone);
    }
}

/* The mean over a padded batch is that over its examples one by one, and of a head by hand. */
static void test_means(void **state) {
    (void)state;
    Net net;
    net_make(&net, true);
    Ablation *single = ablation_make(&net.config, NULL);
    AblationMeans *batchwise = ablation_means_make(&net.config, NULL);
    AblationMeans *one_by_one = ablation_means_make(&net.config, NULL);
    assert_true(single && batchwise && one_by_one);
    Workspace ws = forward(&net, NULL);
    ablation_means_add(batchwise, &ws, &net.batch);
    ablation_means_store(batchwise, net.ablation);
    add_alone(one_by_one, &net);
    ablation_means_store(one_by_one, single);
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < LAYERS; layer++) {
            const real *mean = ablation_mean(net.ablation, (Site)site, layer);
            assert_true(helper_largest(mean, WIDTH) > 1e-3);
            /* products of another size sum in another order: tens of roundings of 6e-8 */
            assert_true(helper_gap(mean, ablation_mean(single, (Site)site, layer), WIDTH) < 1e-5);
        }
    double sum = 0;
    for (int b = 0; b < EXAMPLES; b++)
        for (int t = 0; t < TARGET_LENS[b]; t++)
            sum += (double)ws.decoder[1]
                       .cross_attention.context[(b * net.batch.target_len + t) * 8 + 5];
    assert_true(fabs((double)ablation_mean(net.ablation, SITE_CROSS, 1)[5] - sum / 8) < 1e-7);
    ablation_free(single);
    ablation_means_free(batchwise);
    ablation_means_free(one_by_one);
    ablation_means_free(NULL);
    workspace_free(&ws);
    net_free(&net);
}

/* No example, or none with a token: a mean of 0. */
static void test_means_of_nothing(void **state) {
    (void)state;
    static const int none[1] = {0};
    Net net;
    net_make(&net, false);
    AblationMeans *means = ablation_means_make(&net.config, NULL);
    Batch empty = helper_batch(&net.config, 1, none, none, 1);
    Workspace ws = helper_forward(&net.config, &net.params, &empty);
    ablation_means_add(means, &ws, &empty);
    ablation_means_store(means, net.ablation);
    assert_true(helper_largest(ablation_mean(net.ablation, SITE_ENCODER, 0), WIDTH) == 0);
    workspace_free(&ws);
    batch_free(&empty);
    ablation_means_free(means);
    net_free(&net);
}

/* A head knocked out by its mean gives it at every step; its neighbour gives what it gave. */
static void check_mean(const Net *net, HeadId id) {
    Workspace plain = forward(net, NULL);
    ablation_set(net->ablation, id, KNOCKOUT_MEAN);
    Workspace ours = forward(net, net->ablation);
    ablation_set(net->ablation, id, KNOCKOUT_NONE);
    int steps = id.site == SITE_ENCODER ? net->batch.source_len : net->batch.target_len;
    const real *mean = ablation_mean(net->ablation, id.site, id.layer);
    const real *context = saved_of(&ours, id.site, id.layer).context;
    const real *before = saved_of(&plain, id.site, id.layer).context;
    for (int row = 0; row < EXAMPLES * steps; row++)
        for (int column = 0; column < WIDTH; column++) {
            real wanted = column / D == id.head ? mean[column] : before[row * WIDTH + column];
            assert_true(context[row * WIDTH + column] == wanted);
        }
    assert_true(helper_gap(ours.logits, plain.logits, logit_count(net)) > 1e-4);
    workspace_free(&plain);
    workspace_free(&ours);
}

static void test_mean_knockout(void **state) {
    (void)state;
    Net net;
    net_make(&net, true);
    Rng rng = rng_make(9, 0);
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < LAYERS; layer++)
            helper_fill(ablation_mean(net.ablation, (Site)site, layer), WIDTH, &rng);
    for (HeadId id = {SITE_ENCODER, 0, -1}; next_head(&id);)
        check_mean(&net, id);
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_and_get),      cmocka_unit_test(test_zero_is_a_zeroed_projection),
        cmocka_unit_test(test_several),          cmocka_unit_test(test_means),
        cmocka_unit_test(test_means_of_nothing), cmocka_unit_test(test_mean_knockout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
