/* One weight from the beginning: every number of the story follows from the one before and ends in
 * what the pass has, for all sites, norms, biases, masks and ablations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/explain/weight_story.h"
#include "tests/model/helper_network.h"

enum { EXAMPLES = 2, WIDTH = 8, HEADS = 2, D = WIDTH / HEADS };
static const int SOURCE_LENS[EXAMPLES] = {3, 5};
static const int TARGET_LENS[EXAMPLES] = {4, 2};

/* Floats of a few additions, near 1: their rounding is some 1e-7. */
#define CLOSE 3e-6

static void assert_near(double a, double b, double allowed) {
    if (!(fabs(a - b) <= allowed)) fail_msg("%.12g is not %.12g to %g", a, b, allowed);
}

typedef struct Net {
    Config config;
    Params params;
    Batch batch;
    ForwardOptions options;
    Workspace ws;
} Net;

static void net_make(Net *net, Config config, ForwardOptions options, uint64_t seed) {
    *net = (Net){.config = config, .options = options};
    net->params = helper_params(&net->config, seed);
    net->batch = helper_batch(&net->config, EXAMPLES, SOURCE_LENS, TARGET_LENS, seed);
    net->ws = helper_forward_with(&net->config, &net->params, &net->batch, options);
}

static void net_free(Net *net) {
    workspace_free(&net->ws);
    params_free(&net->params);
    batch_free(&net->batch);
}

static StoryRequest request_of(const Net *net, HeadId id, int example, int query, int key) {
    return (StoryRequest){.workspace = &net->ws,
                          .params = &net->params,
                          .batch = &net->batch,
                          .options = net->options,
                          .id = id,
                          .example = example,
                          .query = query,
                          .key = key};
}

static WeightStory story_of(const StoryRequest *request) {
    WeightStory story;
    Error error;
    if (!weight_story_make(&story, request, &error)) fail_msg("%s", error.text);
    return story;
}

static WeightStory explain(const Net *net, HeadId id, int example, int query, int key) {
    StoryRequest request = request_of(net, id, example, query, key);
    return story_of(&request);
}

static int queries_of(const Net *net, Site site) {
    return site == SITE_ENCODER ? net->batch.source_len : net->batch.target_len;
}

static int keys_of(const Net *net, Site site) {
    return site == SITE_DECODER ? net->batch.target_len : net->batch.source_len;
}

/* --- one story against itself ----------------------------------------------------------------- */

static void check_product(const WeightStory *story) {
    double sum = 0;
    bool met[D] = {false};
    for (int i = 0; i < D; i++) {
        StoryTerm term = story->terms[i];
        assert_false(met[term.element]);
        met[term.element] = true;
        assert_true(term.query == story->slices[STORY_QUERY].values[term.element]);
        assert_true(term.key == story->slices[STORY_KEY].values[term.element]);
        assert_true(term.product == term.query * term.key);
        if (i) assert_true(fabs(term.product) <= fabs(story->terms[i - 1].product));
        sum += term.product;
    }
    assert_near(sum, story->product, 1e-14);
    assert_near(story->divisor * story->divisor, D, 1e-12);
    assert_near(story->score, story->product / story->divisor, 1e-14);
}

static void check_softmax(const WeightStory *story) {
    double exponentials = 0, weights = 0, largest = -INFINITY;
    int taking_part = 0;
    assert_int_equal(story->line_count, story->keys);
    assert_int_equal(story->place, story->key);
    for (int key = 0; key < story->keys; key++) {
        const StoryScore *at = &story->line[key];
        assert_int_equal(at->key, key);
        assert_int_equal(at->query, story->query);
        if (!at->seen) {
            assert_true(at->weight == 0 && at->pass_weight == 0 && at->exponential == 0);
            continue;
        }
        taking_part++;
        largest = fmax(largest, at->score);
        assert_true(at->masked == at->score);
        exponentials += at->exponential;
        weights += at->weight;
        assert_near(at->exponential, exp(at->score - story->largest), 1e-14);
        assert_near(at->weight, at->exponential / story->sum, 1e-14);
        assert_near(at->weight, at->pass_weight, 1e-6);
    }
    assert_int_equal(taking_part, story->taking_part);
    assert_true(story->gap < 1e-6);
    assert_near(exponentials, story->sum, 1e-14);
    if (taking_part) {
        assert_true(largest == story->largest);
        assert_near(weights, 1, 1e-12);
    }
    assert_true(story->line[story->key].score == story->score);
    assert_true(story->line[story->key].weight == story->weight);
    assert_true(story->line[story->key].pass_weight == story->pass_weight);
    assert_true(story->line[story->key].exponential == story->exponential);
}

static void check_value(const WeightStory *story) {
    double shares = 0, out_shares = 0;
    for (int i = 0; i < D; i++) {
        double sum = 0;
        for (int key = 0; key < story->keys; key++)
            sum += story->row[key].weight * story->row[key].value[i];
        assert_near(sum, story->context[i], 1e-13);
        assert_true(story->row[story->key].value[i] == story->slices[STORY_VALUE].values[i]);
        assert_near(story->added[i], story->weight * story->slices[STORY_VALUE].values[i], 1e-15);
    }
    for (int key = 0; key < story->keys; key++) {
        const StoryKey *at = &story->row[key];
        assert_true(at->weight == story->line[key].weight);
        assert_near(at->value_length, weight_story_length(at->value, D), 1e-14);
        assert_near(at->added_length, at->weight * at->value_length, 1e-14);
        shares += at->share;
        out_shares += at->out_share;
    }
    const StoryKey *chosen = &story->row[story->key];
    assert_near(chosen->out_length, weight_story_length(story->out_added, WIDTH), 1e-13);
    assert_near(shares, story->taking_part ? 1 : 0, 1e-9);
    assert_near(out_shares, story->taking_part ? 1 : 0, 1e-9);
    assert_true(story->out_gap < CLOSE);
    if (!story->knockout) assert_true(story->context_gap < CLOSE);
}

static void check_story(const WeightStory *story) {
    for (int role = 0; role < STORY_ROLES; role++) {
        const StorySlice *slice = &story->slices[role];
        assert_true(slice->gap < CLOSE);
        assert_int_equal(slice->column, story->id.head * D);
        assert_int_equal(slice->stride, 1);
        assert_int_equal(slice->step, role == STORY_QUERY ? story->query : story->key);
    }
    check_product(story);
    check_softmax(story);
    check_value(story);
    assert_true(story->mask.agrees);
    assert_true(story->mask.seen == story->mask.right);
    assert_true(story->mask.seen == story->line[story->key].seen);
    assert_false(story->mistaken);
    assert_int_equal(story->lands, story->query);
}

/* --- against the pass ------------------------------------------------------------------------- */

/* What the heads of a layer add, with the bias, is what the attention adds before the residual. */
static void check_heads_together(const Net *net, HeadId id, int example, int query) {
    double together[WIDTH] = {0};
    AttentionParams params = helper_attention_params(&net->params, id.site, id.layer);
    WeightStory story = {0};
    for (id.head = 0; id.head < HEADS; id.head++) {
        weight_story_free(&story);
        story = explain(net, id, example, query, 0);
        for (int w = 0; w < WIDTH; w++)
            together[w] += story.knockout ? story.out_used[w] : story.out_head[w];
    }
    const StepSaved *step = id.site == SITE_ENCODER   ? &net->ws.encoder[id.layer].step1
                            : id.site == SITE_DECODER ? &net->ws.decoder[id.layer].step1
                                                      : &net->ws.decoder[id.layer].step2;
    long row = (long)example * queries_of(net, id.site) + query;
    for (int w = 0; w < WIDTH; w++) {
        if (net->config.attention_bias) together[w] += (double)params.out.bias[w];
        assert_near(together[w], story.out_all[w], CLOSE);
        assert_near(story.stream[w] + together[w], (double)step->sum[row * WIDTH + w], CLOSE);
    }
    weight_story_free(&story);
}

/* All weights of a network. */
static void check_net(const Net *net) {
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < 2; layer++)
            for (int example = 0; example < EXAMPLES; example++)
                for (int query = 0; query < queries_of(net, (Site)site); query++) {
                    for (int head = 0; head < HEADS; head++)
                        for (int key = 0; key < keys_of(net, (Site)site); key++) {
                            HeadId id = {(Site)site, layer, head};
                            WeightStory story = explain(net, id, example, query, key);
                            check_story(&story);
                            weight_story_free(&story);
                        }
                    check_heads_together(net, (HeadId){(Site)site, layer, 0}, example, query);
                }
}

static void test_every_number_follows(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; variant++) {
        Config config = helper_config();
        config.pre_norm = variant & 1;
        config.attention_bias = variant & 2;
        config.final_norm = variant & 4;
        Net net;
        net_make(&net, config, (ForwardOptions){0}, 20 + (uint64_t)variant);
        check_net(&net);
        net_free(&net);
    }
}

static void test_the_pass_of_lengths_and_no_causality(void **state) {
    (void)state;
    static const int enc[EXAMPLES] = {5, 1}, dec[EXAMPLES] = {2, 4};
    for (int causal = 0; causal < 2; causal++) {
        Net net;
        net_make(
            &net, helper_config(),
            (ForwardOptions){.enc_valid_lens = enc, .dec_valid_lens = dec, .not_causal = !causal},
            31);
        check_net(&net);
        net_free(&net);
    }
}

/* --- single facts ----------------------------------------------------------------------------- */

static void check_mask(const Net *net, HeadId id, int query, int key, bool padded, bool future) {
    WeightStory story = explain(net, id, 0, query, key);
    assert_true(story.mask.padded == padded);
    assert_true(story.mask.future == future);
    assert_true(story.mask.seen == (!padded && !future));
    assert_int_equal(story.mask.first, 0);
    if (!story.mask.seen) assert_true(story.weight == 0 && story.pass_weight == 0);
    if (story.mask.seen) assert_true(story.weight > 0);
    weight_story_free(&story);
}

/* The first example has 3 source tokens of 5 and 4 target tokens of 4. */
static void test_why_a_key_is_hidden(void **state) {
    (void)state;
    static const int dec[EXAMPLES] = {2, 2};
    Net net;
    net_make(&net, helper_config(), (ForwardOptions){.dec_valid_lens = dec}, 5);
    HeadId encoder = {SITE_ENCODER, 0, 1}, decoder = {SITE_DECODER, 1, 0},
           cross = {SITE_CROSS, 1, 1};
    check_mask(&net, encoder, 0, 2, false, false);
    check_mask(&net, encoder, 0, 3, true, false);
    check_mask(&net, cross, 0, 2, false, false);
    check_mask(&net, cross, 0, 4, true, false);
    check_mask(&net, decoder, 1, 1, false, false);
    check_mask(&net, decoder, 0, 1, false, true);
    check_mask(&net, decoder, 3, 2, true, false);
    check_mask(&net, decoder, 2, 3, true, true);
    net.options.not_causal = true;
    workspace_free(&net.ws);
    net.ws = helper_forward_with(&net.config, &net.params, &net.batch, net.options);
    check_mask(&net, decoder, 0, 1, false, false);
    check_mask(&net, decoder, 0, 2, true, false);
    net_free(&net);
}

static void test_a_query_that_sees_nothing(void **state) {
    (void)state;
    static const int none[EXAMPLES] = {0, 5};
    Net net;
    net_make(&net, helper_config(), (ForwardOptions){.enc_valid_lens = none}, 6);
    WeightStory story = explain(&net, (HeadId){SITE_CROSS, 0, 0}, 0, 1, 2);
    check_story(&story);
    assert_int_equal(story.taking_part, 0);
    assert_true(story.sum == 0 && story.weight == 0);
    assert_true(weight_story_length(story.context, D) == 0);
    assert_true(weight_story_length(story.out_head, WIDTH) == 0);
    weight_story_free(&story);
    net_free(&net);
}

static void check_source(const Net *net, HeadId id, StoryRole role, StoryTensor tensor, int layer,
                         bool normed, const real *rows) {
    int query = 1, key = 2, step = role == STORY_QUERY ? query : key;
    WeightStory story = explain(net, id, 1, query, key);
    StorySlice *slice = &story.slices[role];
    int steps = role == STORY_QUERY ? story.queries : story.keys;
    double squares = 0;
    for (int w = 0; w < WIDTH; w++) {
        double number = (double)rows[((long)steps + step) * WIDTH + w];
        squares += number * number;
    }
    assert_int_equal(slice->tensor, tensor);
    assert_int_equal(slice->layer, layer);
    assert_true(slice->normed == normed);
    assert_near(slice->input_length, sqrt(squares), 1e-12);
    weight_story_free(&story);
}

static void test_where_they_came_from(void **state) {
    (void)state;
    for (int pre = 0; pre < 2; pre++) {
        Config config = helper_config();
        config.pre_norm = pre;
        config.final_norm = pre;
        Net net;
        net_make(&net, config, (ForwardOptions){0}, 7);
        const EncoderSaved *e = net.ws.encoder;
        const DecoderSaved *d = net.ws.decoder;
        for (int role = 0; role < STORY_ROLES; role++) {
            StoryRole r = (StoryRole)role;
            check_source(&net, (HeadId){SITE_ENCODER, 0, 1}, r, STORY_SOURCE_EMBEDDED, 0, pre,
                         pre ? e[0].step1.normed : net.ws.source_embedded);
            check_source(&net, (HeadId){SITE_ENCODER, 1, 0}, r, STORY_ENCODER_LAYER, 0, pre,
                         pre ? e[1].step1.normed : e[0].step2.normed);
            check_source(&net, (HeadId){SITE_DECODER, 0, 0}, r, STORY_TARGET_EMBEDDED, 0, pre,
                         pre ? d[0].step1.normed : net.ws.target_embedded);
            check_source(&net, (HeadId){SITE_DECODER, 1, 1}, r, STORY_DECODER_LAYER, 0, pre,
                         pre ? d[1].step1.normed : d[0].step3.normed);
        }
        for (int layer = 0; layer < 2; layer++) {
            HeadId id = {SITE_CROSS, layer, 1};
            check_source(&net, id, STORY_QUERY, STORY_AFTER_SELF, layer, pre,
                         pre ? d[layer].step2.normed : d[layer].step1.normed);
            check_source(&net, id, STORY_KEY, STORY_ENCODED, layer, false, net.ws.encoded);
            check_source(&net, id, STORY_VALUE, STORY_ENCODED, layer, false, net.ws.encoded);
        }
        net_free(&net);
    }
}

/* What stands in the place of a head that is out is chosen beside what the head would give. */
static void test_heads_that_are_out(void **state) {
    (void)state;
    Config config = helper_config();
    HeadId zero = {SITE_CROSS, 0, 1}, mean = {SITE_DECODER, 1, 0};
    Ablation *ablation = ablation_make(&config, NULL);
    assert_non_null(ablation);
    ablation_set(ablation, zero, KNOCKOUT_ZERO);
    ablation_set(ablation, mean, KNOCKOUT_MEAN);
    for (int i = 0; i < D; i++)
        ablation_mean(ablation, mean.site, mean.layer)[i] = (real)(0.5 + i);
    Net net;
    net_make(&net, config, (ForwardOptions){.ablation = ablation}, 8);
    check_net(&net);
    WeightStory story = explain(&net, zero, 0, 1, 0);
    assert_int_equal(story.knockout, KNOCKOUT_ZERO);
    assert_true(weight_story_length(story.used_context, D) == 0);
    assert_true(weight_story_length(story.out_used, WIDTH) == 0);
    assert_true(weight_story_length(story.context, D) > 0.01);
    weight_story_free(&story);
    story = explain(&net, mean, 0, 1, 0);
    assert_int_equal(story.knockout, KNOCKOUT_MEAN);
    for (int i = 0; i < D; i++)
        assert_near(story.used_context[i], 0.5 + i, 1e-7);
    weight_story_free(&story);
    net_free(&net);
    ablation_free(ablation);
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void check_mistaken(const WeightStory *story, AttentionMistakes mistakes) {
    double sum = 0;
    assert_true(story->mistaken);
    for (int role = 0; role < STORY_ROLES; role++)
        assert_true(story->slices[role].gap < CLOSE);
    for (int i = 0; i < D; i++)
        sum += story->terms[i].product;
    assert_near(sum, story->product, 1e-14);
    assert_near(story->score, story->product / story->divisor, 1e-13);
    assert_near(story->weight, story->pass_weight, 1e-6);
    assert_true(story->gap < 1e-6);
    assert_true(story->context_gap < CLOSE);
    assert_true(story->out_gap < CLOSE);
    if (mistakes.split == FOLD_INTERLEAVED) assert_int_equal(story->slices[0].stride, HEADS);
}

/* Wherever the heads' contexts land, what they become there is what is added there. */
static void check_landing(const Net *net, Site site, int example) {
    enum { MOST = 5 };
    double together[MOST][WIDTH] = {{0}}, all[MOST][WIDTH] = {{0}};
    int steps = queries_of(net, site);
    assert_true(steps <= MOST);
    for (int head = 0; head < HEADS; head++)
        for (int query = 0; query < steps; query++) {
            WeightStory story = explain(net, (HeadId){site, 1, head}, example, query, 0);
            for (int w = 0; w < WIDTH; w++) {
                together[story.lands][w] += story.out_used[w];
                all[story.lands][w] = story.out_all[w];
            }
            weight_story_free(&story);
        }
    for (int step = 0; step < steps; step++)
        for (int w = 0; w < WIDTH; w++)
            assert_near(together[step][w], all[step][w], 1e-12);
}

static void check_mistaken_site(const Net *net, Site site, int example) {
    check_landing(net, site, example);
    for (int head = 0; head < HEADS; head++)
        for (int query = 0; query < queries_of(net, site); query++)
            for (int key = 0; key < keys_of(net, site); key++) {
                WeightStory story = explain(net, (HeadId){site, 1, head}, example, query, key);
                check_mistaken(&story, net->config.mistakes[site]);
                weight_story_free(&story);
            }
}

/* The story explains a pass by its own rule, whatever that is. */
static void test_mistaken_passes(void **state) {
    (void)state;
    static const AttentionMistakes all[] = {
        {.split = FOLD_RESHAPE},
        {.split = FOLD_INTERLEAVED},
        {.concat = FOLD_RESHAPE},
        {.concat = FOLD_INTERLEAVED},
        {.lengths = LENGTHS_TILED},
        {.lengths = LENGTHS_INVERTED},
        {.causal = CAUSAL_MISSING},
        {.causal = CAUSAL_ADDED},
        {.causal = CAUSAL_ONE_MORE},
        {.causal = CAUSAL_MIRRORED},
        {.causal = CAUSAL_ONE_LESS, .empty = EMPTY_UNIFORM},
        {.scale = SCALE_NONE},
        {.scale = SCALE_ROOT_WIDTH},
        {.softmax = SOFTMAX_QUERIES},
        {.softmax = SOFTMAX_HEADS},
        {.mask = MASK_AFTER},
        {.mask = MASK_ADDS, .mask_value = -1},
        {.mask = MASK_FILLS, .mask_value = -2},
        {.split = FOLD_RESHAPE, .concat = FOLD_INTERLEAVED, .scale = SCALE_HEAD_WIDTH},
    };
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
        Config config = helper_config();
        Net net;
        for (int site = 0; site < SITE_COUNT; site++)
            config.mistakes[site] = all[m];
        net_make(&net, config, (ForwardOptions){0}, 40 + m);
        for (int example = 0; example < EXAMPLES; example++)
            for (int site = 0; site < SITE_COUNT; site++)
                check_mistaken_site(&net, (Site)site, example);
        net_free(&net);
    }
}

/* The mistakes of a pass come before those of its network. */
static void test_mistakes_of_the_pass(void **state) {
    (void)state;
    static const AttentionMistakes none[SITE_COUNT];
    Config config = helper_config();
    Net net;
    config.mistakes[SITE_CROSS].scale = SCALE_NONE;
    net_make(&net, config, (ForwardOptions){.mistakes = none}, 9);
    check_net(&net);
    net_free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number_follows),
        cmocka_unit_test(test_the_pass_of_lengths_and_no_causality),
        cmocka_unit_test(test_why_a_key_is_hidden),
        cmocka_unit_test(test_a_query_that_sees_nothing),
        cmocka_unit_test(test_where_they_came_from),
        cmocka_unit_test(test_heads_that_are_out),
        cmocka_unit_test(test_mistaken_passes),
        cmocka_unit_test(test_mistakes_of_the_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
