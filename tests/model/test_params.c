/* The one list of tensors, and the numbers that training starts with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/model/helper_network.h"

typedef struct Entry {
    const char *name;
    int rows, cols;
} Entry;

/* The state_dict of torch.nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1,
 * num_decoder_layers=1, dim_feedforward=12), between two embeddings (7 and 9 tokens) and the
 * generator. */
static const Entry LIST[] = {
    {"src_embedding.weight", 7, 8},
    {"tgt_embedding.weight", 9, 8},
    {"encoder.layers.0.self_attn.in_proj_weight", 24, 8},
    {"encoder.layers.0.self_attn.in_proj_bias", 24, 0},
    {"encoder.layers.0.self_attn.out_proj.weight", 8, 8},
    {"encoder.layers.0.self_attn.out_proj.bias", 8, 0},
    {"encoder.layers.0.linear1.weight", 12, 8},
    {"encoder.layers.0.linear1.bias", 12, 0},
    {"encoder.layers.0.linear2.weight", 8, 12},
    {"encoder.layers.0.linear2.bias", 8, 0},
    {"encoder.layers.0.norm1.weight", 8, 0},
    {"encoder.layers.0.norm1.bias", 8, 0},
    {"encoder.layers.0.norm2.weight", 8, 0},
    {"encoder.layers.0.norm2.bias", 8, 0},
    {"encoder.norm.weight", 8, 0},
    {"encoder.norm.bias", 8, 0},
    {"decoder.layers.0.self_attn.in_proj_weight", 24, 8},
    {"decoder.layers.0.self_attn.in_proj_bias", 24, 0},
    {"decoder.layers.0.self_attn.out_proj.weight", 8, 8},
    {"decoder.layers.0.self_attn.out_proj.bias", 8, 0},
    {"decoder.layers.0.multihead_attn.in_proj_weight", 24, 8},
    {"decoder.layers.0.multihead_attn.in_proj_bias", 24, 0},
    {"decoder.layers.0.multihead_attn.out_proj.weight", 8, 8},
    {"decoder.layers.0.multihead_attn.out_proj.bias", 8, 0},
    {"decoder.layers.0.linear1.weight", 12, 8},
    {"decoder.layers.0.linear1.bias", 12, 0},
    {"decoder.layers.0.linear2.weight", 8, 12},
    {"decoder.layers.0.linear2.bias", 8, 0},
    {"decoder.layers.0.norm1.weight", 8, 0},
    {"decoder.layers.0.norm1.bias", 8, 0},
    {"decoder.layers.0.norm2.weight", 8, 0},
    {"decoder.layers.0.norm2.bias", 8, 0},
    {"decoder.layers.0.norm3.weight", 8, 0},
    {"decoder.layers.0.norm3.bias", 8, 0},
    {"decoder.norm.weight", 8, 0},
    {"decoder.norm.bias", 8, 0},
    {"generator.weight", 9, 8},
    {"generator.bias", 9, 0},
};
enum { LIST_LENGTH = sizeof LIST / sizeof *LIST };

static Config one_layer(bool final_norm) {
    Config config = helper_config();
    config.encoder_layers = config.decoder_layers = 1;
    config.final_norm = final_norm;
    return config;
}

/* Follows the list while it is walked; tensors must lie one after another. */
typedef struct Listing {
    int entry;
    bool final_norm, held;
    long numbers;
    const real *block;
} Listing;

static bool is_final_norm(const char *name) {
    return strcmp(name, "encoder.norm.weight") == 0 || strcmp(name, "encoder.norm.bias") == 0 ||
           strcmp(name, "decoder.norm.weight") == 0 || strcmp(name, "decoder.norm.bias") == 0;
}

static bool is_attention_bias(const char *name) {
    return strstr(name, "attn.") && strstr(name, "bias");
}

static bool visit_listed(void *context, const ParamInfo *info, real **tensor) {
    Listing *listing = context;
    while (!listing->final_norm && is_final_norm(LIST[listing->entry].name))
        listing->entry++;
    const Entry *entry = &LIST[listing->entry++];
    assert_string_equal(info->name, entry->name);
    assert_int_equal(info->rows, entry->rows);
    assert_int_equal(info->cols, entry->cols);
    assert_int_equal(info->stacked, strstr(entry->name, "in_proj_weight") ? 3 : 0);
    assert_int_equal(info->held_at_zero, listing->held && is_attention_bias(entry->name));
    assert_ptr_equal(*tensor, listing->block + listing->numbers);
    listing->numbers += param_size(info);
    return true;
}

static void check_list(bool final_norm, bool attention_bias) {
    Config config = one_layer(final_norm);
    config.attention_bias = attention_bias;
    Params params = helper_params(&config, 1);
    Listing listing = {.final_norm = final_norm, .held = !attention_bias, .block = params.block};
    assert_true(params_place(&params, &config, visit_listed, &listing));
    assert_int_equal(listing.entry, LIST_LENGTH);
    assert_int_equal(listing.numbers, params.count);
    assert_int_equal(listing.numbers, params_count(&config));
    params_free(&params);
}

static void test_list(void **state) {
    (void)state;
    check_list(true, true);
    check_list(true, false);
    check_list(false, true);
}

/* 56+72 embeddings; encoder 192+24+64+8 + 96+12+96+8 + 32 = 532; decoder 2*288 + 212 + 48 = 836;
 * two final norms of 16; generator 81. */
static void test_count(void **state) {
    (void)state;
    Config config = one_layer(true);
    assert_int_equal(params_count(&config), 128 + 532 + 836 + 32 + 81);
    config.final_norm = false;
    config.encoder_layers = 3;
    config.decoder_layers = 2;
    assert_int_equal(params_count(&config), 128 + 3 * 532 + 2 * 836 + 81);
}

static bool visit_stop(void *context, const ParamInfo *info, real **tensor) {
    (void)info;
    (void)tensor;
    return ++*(int *)context < 5;
}

static void test_a_visit_can_end_the_walk(void **state) {
    (void)state;
    Config config = one_layer(true);
    Params unplaced = {0};
    int visits = 0;
    assert_false(params_place(&unplaced, &config, visit_stop, &visits));
    assert_int_equal(visits, 5);
}

/* --- initial numbers -------------------------------------------------------------------------- */

typedef struct Moments {
    double mean, deviation, largest;
} Moments;

static Moments moments_of(const real *numbers, long count) {
    Moments m = {.largest = helper_largest(numbers, count)};
    double squares = 0;
    for (long i = 0; i < count; i++) {
        m.mean += (double)numbers[i] / (double)count;
        squares += (double)numbers[i] * (double)numbers[i] / (double)count;
    }
    m.deviation = sqrt(squares - m.mean * m.mean);
    return m;
}

/* Mean 0 and the deviation asked for, each within five standard errors of `count` draws (that of a
 * deviation is at most deviation / sqrt(2 count), the normal's). */
static void assert_spread(Moments m, double deviation, long count) {
    double error = deviation / sqrt((double)count);
    assert_true(fabs(m.mean) < 5 * error);
    assert_true(fabs(m.deviation - deviation) < 5 * error / sqrt(2));
}

static bool visit_statistics(void *context, const ParamInfo *info, real **tensor) {
    int width = *(const int *)context;
    long count = param_size(info);
    Moments m = moments_of(*tensor, count);
    if (strstr(info->name, "norm") && strstr(info->name, "weight")) {
        assert_true(m.mean == 1 && m.largest == 1);
    } else if (strstr(info->name, "bias")) {
        assert_true(m.largest == 0);
    } else if (strstr(info->name, "embedding")) {
        assert_spread(m, 1 / sqrt(width), count);
        assert_true(m.largest > 3 / sqrt(width)); /* normal, not uniform */
    } else {
        /* Xavier's bound; query, key and value are one square matrix each. */
        int rows = strstr(info->name, "in_proj") ? width : info->rows;
        double bound = sqrt(6.0 / (rows + info->cols));
        assert_spread(m, bound / sqrt(3), count);
        assert_true(m.largest <= bound * (1 + 1e-7) && m.largest > 0.99 * bound);
    }
    return true;
}

static Config wide(void) {
    Config config = one_layer(true);
    config.width = 64;
    config.heads = 4;
    config.ffn_width = 96;
    config.source_vocab = 50;
    config.target_vocab = 60;
    return config;
}

static void init(Params *params, const Config *config, uint64_t seed) {
    Error error = {0};
    if (!params_make(params, config, &error)) fail_msg("%s", error.text);
    params_init(params, config, seed);
}

static void test_init_statistics(void **state) {
    (void)state;
    Config config = wide();
    Params params;
    init(&params, &config, 7);
    params_place(&params, &config, visit_statistics, &config.width);
    params_free(&params);
}

static void test_init_follows_the_seed(void **state) {
    (void)state;
    Config config = wide();
    Params first, again, other;
    init(&first, &config, 7);
    init(&again, &config, 7);
    init(&other, &config, 8);
    size_t bytes = (size_t)first.count * sizeof(real);
    assert_memory_equal(first.block, again.block, bytes);
    assert_memory_not_equal(first.block, other.block, bytes);
    /* No two tensors share a stream. */
    assert_memory_not_equal(first.encoder[0].self_attention.in.weight,
                            first.decoder[0].self_attention.in.weight, 64 * sizeof(real));
    params_free(&first);
    params_free(&again);
    params_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_a_visit_can_end_the_walk),
        cmocka_unit_test(test_init_statistics),
        cmocka_unit_test(test_init_follows_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
