#include "app/lessons/toy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/base/rng.h"

static const ToyPreset presets[] = {
    {.name = "d2l",
     .title = "D2L 11.5's toy, cross-attention",
     .sizes = {2, 5, 4, 6, 20},
     .site = SITE_CROSS,
     .valid_lens = {3, 2}},
    {.name = "d2l-self",
     .title = "D2L 11.6's toy, self-attention",
     .sizes = {2, 5, 4, 4, 20},
     .site = SITE_ENCODER,
     .valid_lens = {3, 2}},
    /* As nn.MultiheadAttention(64, 8, batch_first=True) is called in a decoder: biases, an
     * attn_mask above the diagonal, and a key_padding_mask for the shorter example. */
    {.name = "trentorch",
     .title = "PyTorch's nn.MultiheadAttention(64, 8), causal self-attention",
     .sizes = {2, 8, 5, 5, 8},
     .site = SITE_DECODER,
     .causal = true,
     .in_biases = true,
     .out_bias = true,
     .valid_lens = {5, 3}},
    /* X is D x N and each input a column; w_q stacks the heads' Omega_q (equation 12.10), w_o is
     * Omega_c (12.12), which has no bias. */
    {.name = "udl",
     .title = "UDL 12.3.3's columns, self-attention",
     .sizes = {1, 2, 6, 6, 4},
     .site = SITE_ENCODER,
     .in_biases = true,
     .columns = true},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

const ToyPreset *toy_preset_at(int index) {
    return index >= 0 && index < PRESETS ? &presets[index] : NULL;
}

const ToyPreset *toy_preset_find(const char *name, Error *error) {
    char names[120] = "";
    for (int i = 0; i < PRESETS; i++) {
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
        const char *between = i == 0 ? "" : i + 1 < PRESETS ? ", " : " or ";
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", between,
                 presets[i].name);
    }
    error_usage(error, "--preset %s: it takes %s", name, names);
    return NULL;
}

/* Normal numbers from the seed's stream `stream`, rounded to float as a file holds them. */
static const double *draw(Pool *pool, uint64_t seed, uint64_t stream, long count, double size) {
    double *numbers = pool_take(pool, (size_t)count * sizeof *numbers);
    Rng rng = rng_make(seed, stream);
    for (long i = 0; numbers && i < count; i++)
        numbers[i] = (double)(float)(size * rng_normal(&rng));
    return numbers;
}

static const double *source(Pool *pool, uint64_t seed, uint64_t stream, long count, bool ones) {
    if (!ones) return draw(pool, seed, stream, count, 1);
    double *numbers = pool_take(pool, (size_t)count * sizeof *numbers);
    for (long i = 0; numbers && i < count; i++)
        numbers[i] = 1;
    return numbers;
}

static const int *lengths(Pool *pool, const ToyPreset *preset) {
    if (!preset->valid_lens[0]) return NULL;
    int *lens = pool_take(pool, TOY_BATCH * sizeof *lens);
    if (lens) memcpy(lens, preset->valid_lens, sizeof preset->valid_lens);
    return lens;
}

bool toy_make(Toy *toy, const ToyPreset *preset, bool ones, uint64_t seed, Error *error) {
    enum { STREAM_QUERY, STREAM_KEY_VALUE, STREAM_WEIGHT, STREAM_BIAS = STREAM_WEIGHT + 4 };
    AttentionSizes n = preset->sizes;
    long width = (long)n.heads * n.head_width;
    *toy = (Toy){.site = preset->site, .columns = preset->columns};
    Pool *pool = &toy->pool;
    AcceptanceCall *call = &toy->call;
    *call = (AcceptanceCall){
        .sizes = n, .mask = {.valid_lens = lengths(pool, preset), .causal = preset->causal}};
    call->x_query = source(pool, seed, STREAM_QUERY, n.batch * n.queries * width, ones);
    call->x_key_value = preset->site == SITE_CROSS
                            ? source(pool, seed, STREAM_KEY_VALUE, n.batch * n.keys * width, ones)
                            : call->x_query;
    for (unsigned p = 0; p < PROJECTIONS; p++) {
        call->w[p] = draw(pool, seed, STREAM_WEIGHT + p, width * width, 1 / sqrt((double)width));
        bool biased = p == PROJECTION_O ? preset->out_bias : preset->in_biases;
        if (biased) call->b[p] = draw(pool, seed, STREAM_BIAS + p, width, 0.5);
    }
    toy->name = pool_format(pool, "%s%s", preset->name, ones ? ", all ones" : "");
    if (!pool->failed) return true;
    toy_free(toy);
    return error_set(error, "out of memory for a toy");
}

void toy_free(Toy *toy) {
    pool_free(&toy->pool);
    *toy = (Toy){0};
}

const double **toy_part(AcceptanceCall *call, DumpPart part) {
    if (part == DUMP_X_QUERY) return &call->x_query;
    if (part == DUMP_X_KEY_VALUE) return &call->x_key_value;
    if (part >= DUMP_B_Q) return &call->b[part - DUMP_B_Q];
    return &call->w[part - DUMP_W_Q];
}

int toy_part_shape(int64_t shape[3], const Toy *toy, DumpPart part) {
    AttentionSizes n = toy->call.sizes;
    int64_t width = (int64_t)n.heads * n.head_width;
    int64_t steps = part == DUMP_X_KEY_VALUE ? n.keys : n.queries;
    if (part >= DUMP_B_Q) {
        shape[0] = width;
        return 1;
    }
    if (part >= DUMP_W_Q || toy->columns) {
        shape[0] = width;
        shape[1] = part >= DUMP_W_Q ? width : steps;
        return 2;
    }
    shape[0] = n.batch;
    shape[1] = steps;
    shape[2] = width;
    return 3;
}
