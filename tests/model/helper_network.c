#include "tests/model/helper_network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

void helper_fill(real *to, long count, Rng *rng) {
    for (long i = 0; i < count; i++)
        to[i] = (real)(2 * rng_uniform(rng) - 1);
}

real *helper_random(long count, Rng *rng) {
    real *numbers = malloc((size_t)count * sizeof *numbers);
    assert_true(numbers != NULL || count == 0);
    helper_fill(numbers, count, rng);
    return numbers;
}

real *helper_poisoned(long count) {
    real *numbers = malloc((size_t)count * sizeof *numbers);
    assert_true(numbers != NULL || count == 0);
    for (long i = 0; i < count; i++)
        numbers[i] = (real)NAN;
    return numbers;
}

double helper_gap(const real *a, const real *b, long count) {
    double max = 0;
    for (long i = 0; i < count; i++) {
        double gap = fabs((double)a[i] - (double)b[i]);
        if (isnan(gap)) return INFINITY;
        max = gap > max ? gap : max;
    }
    return max;
}

double helper_largest(const real *a, long count) {
    double max = 0;
    for (long i = 0; i < count; i++)
        max = fabs((double)a[i]) > max ? fabs((double)a[i]) : max;
    return max;
}

Config helper_config(void) {
    Config config = config_default();
    config.width = 8;
    config.heads = 2;
    config.ffn_width = 12;
    config.source_vocab = 7;
    config.target_vocab = 9;
    config.max_source = 12;
    config.max_target = 12;
    config.dropout = 0;
    return config;
}

static bool visit_move(void *context, const ParamInfo *info, real **tensor) {
    for (long i = 0; !info->held_at_zero && i < param_size(info); i++)
        (*tensor)[i] += (real)(0.4 * rng_uniform(context) - 0.2);
    return true;
}

Params helper_params(const Config *config, uint64_t seed) {
    Params params;
    Error error = {0};
    if (!config_check(config, &error)) fail_msg("%s", error.text);
    if (!params_make(&params, config, &error)) fail_msg("%s", error.text);
    params_init(&params, config, seed);
    Rng rng = rng_make(seed, 1000);
    params_place(&params, config, visit_move, &rng);
    return params;
}

static int longest(const int *lengths, int count) {
    int max = 0;
    for (int i = 0; i < count; i++)
        max = lengths[i] > max ? lengths[i] : max;
    return max;
}

/* A row of random tokens (no marks), padded; the longest row of tokens is `steps`. */
static void fill_tokens(int *row, int length, int steps, int vocabulary, const Config *config,
                        Rng *rng) {
    int marks = config->end_id + 1;
    for (int t = 0; t < steps; t++)
        row[t] = t < length ? marks + (int)rng_below(rng, (uint32_t)(vocabulary - marks))
                            : config->pad_id;
}

Batch helper_batch(const Config *config, int size, const int *source_lens, const int *target_lens,
                   uint64_t seed) {
    Batch batch = {0};
    Error error = {0};
    Rng rng = rng_make(seed, 0);
    int source_len = longest(source_lens, size), target_len = longest(target_lens, size);
    if (!batch_reserve(&batch, size, source_len, target_len, &error)) fail_msg("%s", error.text);
    for (int b = 0; b < size; b++) {
        batch.enc_valid_lens[b] = source_lens[b];
        batch.dec_valid_lens[b] = target_lens[b];
        fill_tokens(batch.source + b * source_len, source_lens[b], source_len, config->source_vocab,
                    config, &rng);
        fill_tokens(batch.target_out + b * target_len, target_lens[b], target_len,
                    config->target_vocab, config, &rng);
        for (int t = 0; t < target_len; t++)
            batch.target_in[b * target_len + t] =
                t == 0 ? config->start_id : batch.target_out[b * target_len + t - 1];
    }
    return batch;
}

Workspace helper_forward_with(const Config *config, const Params *params, const Batch *batch,
                              ForwardOptions options) {
    Workspace ws = {0};
    Error error = {0};
    if (!workspace_fit(&ws, config, batch->size, batch->source_len, batch->target_len, false,
                       &error))
        fail_msg("%s", error.text);
    transformer_forward(&ws, params, batch, options);
    return ws;
}

Workspace helper_forward(const Config *config, const Params *params, const Batch *batch) {
    return helper_forward_with(config, params, batch, (ForwardOptions){0});
}

AttentionParams helper_attention_params(const Params *params, Site site, int layer) {
    return site == SITE_ENCODER   ? params->encoder[layer].self_attention
           : site == SITE_DECODER ? params->decoder[layer].self_attention
                                  : params->decoder[layer].cross_attention;
}
