/* Random calls of attention, for comparing kernels with each other and with the specification. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_ATTENTION_H
#define HEADSCOPE_TESTS_MODEL_HELPER_ATTENTION_H

#include <stdbool.h>

#include "model/base/rng.h"
#include "model/kernels/attention_plain.h"
#include "model/kernels/kernels.h"

/* How query, key and value lie in `source`: side by side in rows of 3W (self-attention), or queries
 * in rows of W, then keys and values in rows of 2W. */
typedef struct AttentionLayout {
    long size; /* numbers in all */
    long query_at, key_at, value_at;
    HeadFold query, key, value, context;
} AttentionLayout;

/* `group` query heads share a key head: rows of keys and values are that much narrower. */
AttentionLayout helper_layout(AttentionSizes sizes, bool side_by_side, int group);

/* A call with blocks of its own (helper_case_free). What the kernel must write is poisoned. */
typedef struct AttentionCase {
    Attention call;
    AttentionLayout layout;
    real *source;    /* [layout.size] query, key and value */
    real *d_source;  /* their gradients, in the same places */
    real *d_context; /* [B,Tq,H*D] */
    int *key_len;    /* random, 0 to Tk */
    real *scratch;
    long context_size, weight_size;
} AttentionCase;

AttentionCase helper_case(AttentionSizes sizes, bool side_by_side, int group, Rng *rng);
void helper_case_free(AttentionCase *c);

/* Forward, and forward and backward, by one set of kernels. */
void helper_run_forward(AttentionCase *c, const Kernels *kernels);
void helper_run_backward(AttentionCase *c, const Kernels *kernels);

/* The rule that attention_plain needs to do what the call does. */
AttentionRule helper_rule(const AttentionCase *c);

#endif
