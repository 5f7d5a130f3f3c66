#include "model/explain/acceptance.h"

#include <stdlib.h>

#include "model/base/arena.h"
#include "model/base/large_memory.h"
#include "model/kernels/mask.h"
#include "model/network/layers.h"
#include "model/network/multihead.h"

/* Everything that multihead_forward reads and writes. */
typedef struct Block {
    Arena arena;
    real *x_query, *x_key_value, *y;
    AttentionParams params;
    MultiheadSaved saved;
    MultiheadScratch scratch;
} Block;

static MultiheadSizes sizes_of(const AcceptanceCall *call) {
    AttentionSizes n = call->sizes;
    return (MultiheadSizes){n.batch, n.queries, n.keys, n.heads * n.head_width, n.heads};
}

static void place(Block *block, const AcceptanceCall *call) {
    MultiheadSizes n = sizes_of(call);
    Arena *arena = &block->arena;
    long width = n.width, rows = (long)n.batch * n.queries, keys = (long)n.batch * n.keys;
    bool in_bias = call->b[PROJECTION_Q] || call->b[PROJECTION_K] || call->b[PROJECTION_V];
    block->x_query = arena_take(arena, rows * width);
    block->x_key_value =
        call->x_key_value == call->x_query ? block->x_query : arena_take(arena, keys * width);
    block->params.in.weight = arena_take(arena, 3 * width * width);
    block->params.in.bias = in_bias ? arena_take(arena, 3 * width) : NULL;
    block->params.out.weight = arena_take(arena, width * width);
    block->params.out.bias = call->b[PROJECTION_O] ? arena_take(arena, width) : NULL;
    block->saved.projected = arena_take(arena, multihead_projected_size(n));
    block->saved.context = arena_take(arena, rows * width);
    block->saved.weights = arena_take(arena, rows * n.heads * attention_row(n.keys));
    block->scratch.attention = arena_take(arena, attention_scratch(call->sizes));
    block->y = arena_take(arena, rows * width);
}

/* `from` NULL: zeros. */
static void to_real(real *to, const double *from, long count) {
    for (long i = 0; i < count; i++)
        to[i] = from ? (real)from[i] : 0;
}

static void fill(Block *block, const AcceptanceCall *call) {
    MultiheadSizes n = sizes_of(call);
    long width = n.width;
    /* NaN marks every number that the block fails to write. */
    for (long i = 0; i < block->arena.used; i++)
        block->arena.block[i] = (real)NAN;
    to_real(block->x_query, call->x_query, n.batch * n.queries * width);
    if (block->x_key_value != block->x_query)
        to_real(block->x_key_value, call->x_key_value, n.batch * n.keys * width);
    for (int p = PROJECTION_Q; p <= PROJECTION_V; p++) {
        to_real(block->params.in.weight + p * width * width, call->w[p], width * width);
        if (block->params.in.bias) to_real(block->params.in.bias + p * width, call->b[p], width);
    }
    to_real(block->params.out.weight, call->w[PROJECTION_O], width * width);
    if (block->params.out.bias) to_real(block->params.out.bias, call->b[PROJECTION_O], width);
}

/* Fills the masks from one length per query or per example, with the network's own functions. */
static void fill_key_len(int *key_len, int *lens, const AcceptanceCall *call) {
    AttentionSizes n = call->sizes;
    MaskSource mask = call->mask;
    int per_example = mask.per_query ? n.queries : 1;
    for (int i = 0; i < n.batch * per_example; i++) {
        lens[i] = mask.valid_lens ? mask.valid_lens[i] : n.keys;
        if (mask.per_query && mask.causal && i % n.queries + 1 < lens[i])
            lens[i] = i % n.queries + 1;
    }
    if (mask.per_query)
        mask_fill_per_query(key_len, lens, n.batch, n.heads, n.queries);
    else
        mask_fill(key_len, lens, n.batch, n.heads, n.queries, mask.causal);
}

static void read_answer(const AcceptanceAnswer *answer, const Block *block, AttentionSizes n) {
    long rows = (long)n.batch * n.queries, width = (long)n.heads * n.head_width;
    double *output = answer->block, *context = output + rows * width;
    double *next = context + rows * width;
    for (long i = 0; i < rows * width; i++) {
        output[i] = (double)block->y[i];
        context[i] = (double)block->saved.context[i];
    }
    const real *row = block->saved.weights;
    for (long r = 0; r < rows * n.heads; r++, row += attention_row(n.keys))
        for (int j = 0; j < n.keys; j++)
            *next++ = (double)row[j];
}

/* `mistakes` NULL: the fast kernel. */
static bool run(AcceptanceAnswer *answer, const AcceptanceCall *call,
                const AttentionMistakes *mistakes, Error *error) {
    AttentionSizes n = call->sizes;
    DumpPrecision precision = sizeof(real) == sizeof(double) ? PRECISION_F64 : PRECISION_F32;
    if (!linear_prepare(error) || !acceptance_answer_make(answer, n, precision, error))
        return false;
    Block block = {0};
    place(&block, call);
    size_t size = (size_t)block.arena.used * sizeof(real);
    size_t rows = (size_t)n.batch * (size_t)n.queries;
    size_t ints = rows * (size_t)n.heads + rows + (size_t)attention_rule_room(n);
    real *memory = large_memory(size);
    int *key_len = malloc(ints * sizeof *key_len);
    double *by_rule =
        mistakes ? malloc((size_t)attention_by_rule_scratch(n, false) * sizeof *by_rule) : NULL;
    bool good = memory && key_len && (by_rule || !mistakes);
    if (good) {
        block = (Block){.arena = {.block = memory}};
        place(&block, call);
        fill(&block, call);
        int *lens = key_len + rows * (size_t)n.heads;
        fill_key_len(key_len, lens, call);
        MultiheadOptions options = {.key_len = key_len};
        AttentionRule rule;
        if (mistakes) {
            rule = attention_rule_make(*mistakes, call->mask, n, lens + rows);
            options.rule = &rule;
            block.scratch.by_rule = by_rule;
        }
        multihead_forward(block.y, block.saved, block.x_query, block.x_key_value, block.params,
                          sizes_of(call), options, block.scratch);
        read_answer(answer, &block, n);
    }
    large_memory_free(memory, size);
    free(key_len);
    free(by_rule);
    if (good) return true;
    acceptance_answer_free(answer);
    return error_set(error, "out of memory for a block of attention");
}

bool acceptance_fast(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                     Error *error) {
    (void)context;
    return run(answer, call, NULL, error);
}

bool acceptance_by_rule(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                        Error *error) {
    static const AttentionMistakes right = {0};
    return run(answer, call, context ? context : &right, error);
}
