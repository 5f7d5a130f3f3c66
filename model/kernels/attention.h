/* Scaled dot-product attention over all heads, read and written in place: the fast kernel, which
 * implements correct attention only. model/kernels/attention_plain.h is its specification. */
#ifndef HEADSCOPE_MODEL_KERNELS_ATTENTION_H
#define HEADSCOPE_MODEL_KERNELS_ATTENTION_H

#include "model/base/real.h"
#include "model/kernels/dropout.h"

/* Where the heads of a tensor lie. Element i of head h at step t of example b is at
 * b*example + (h/group)*head + t*row + i*element. Splitting heads is this view; nothing is moved.
 * The fast kernel requires adjacent elements. */
typedef struct HeadFold {
    long example, head, row;
    int group;   /* query heads that share a key head; more than 1 only for reading */
    int element; /* stride between the elements of a head; 0 means 1 */
} HeadFold;

/* The stride between the elements of a head. */
static inline int head_fold_step(HeadFold fold) {
    return fold.element ? fold.element : 1;
}

/* The index of element i of head h at step t of example b. */
static inline long head_fold_at(HeadFold fold, int b, int h, int t, int i) {
    return b * fold.example + (h / fold.group) * fold.head + t * fold.row +
           (long)i * head_fold_step(fold);
}

typedef struct HeadTensor {
    real *data;
    HeadFold fold;
} HeadTensor;

/* The correct fold of [B, steps, row]: head h owns columns h*head_width and on. */
static inline HeadFold head_fold(int steps, long row, int head_width) {
    return (HeadFold){.example = steps * row, .head = head_width, .row = row, .group = 1};
}

typedef struct AttentionSizes {
    int batch, heads, queries, keys, head_width; /* B, H, Tq, Tk, D */
} AttentionSizes;

/* Everything that one forward call reads and writes. */
typedef struct Attention {
    AttentionSizes sizes;
    HeadTensor query, key, value; /* read */
    HeadTensor context;           /* written: the mix of values */
    real *weights;                /* written: [B,H,Tq,attention_row(Tk)], before dropout */
    const int *key_len;           /* [B,H,Tq]: how many keys the query sees, a prefix; 0..Tk */
    real scale;                   /* 1/sqrt(D) */
    Dropout dropout;              /* of the weights */
} Attention;

/* Tk', the length of a stored row of weights: Tk rounded up to whole vectors. */
static inline int attention_row(int keys) {
    enum { LANES_MAX = 16 }; /* floats in an AVX-512 register */
    return (keys + LANES_MAX - 1) / LANES_MAX * LANES_MAX;
}

/* How many reals of scratch one call needs, forward or backward. */
static inline long attention_scratch(AttentionSizes sizes) {
    return (long)attention_row(sizes.keys) * (sizes.head_width + 2L * sizes.queries);
}

/* weights = softmax(scale * query key^T) over the visible keys; context = dropout(weights) value
 * (Vaswani 2017, equation 1; D2L 11.3). Both `=`. A weight past key_len is exactly 0, and its value
 * is not read, even if it is infinite or NaN; a query that sees no key has weights and context 0. A
 * visible score of NaN or +inf makes all weights of its row NaN, a score of -inf gets weight 0, as
 * in torch.softmax. */
void attention_forward(const Attention *call, real *scratch);

/* Gradients of the same call, all `=`; d_context is read. A query that sees no key contributes
 * and receives gradient 0. */
void attention_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                        HeadTensor d_context, const Attention *call, real *scratch);

#endif
