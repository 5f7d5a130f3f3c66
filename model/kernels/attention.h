/* Scaled dot-product attention over all heads, read and written in place: the fast kernel, for the
 * right rule alone. model/kernels/attention_plain.h is its specification. */
#ifndef HEADSCOPE_MODEL_KERNELS_ATTENTION_H
#define HEADSCOPE_MODEL_KERNELS_ATTENTION_H

#include "model/base/real.h"
#include "model/kernels/dropout.h"

/* Where the heads of a tensor lie. Element i of head h at step t of example b is at
 * b*example + (h/group)*head + t*row + i*element. Splitting heads is this view; nothing is moved.
 * The fast kernel takes neighbouring elements alone. */
typedef struct HeadFold {
    long example, head, row;
    int group;   /* 1, or how many query heads share a key head (then for reading only) */
    int element; /* between the elements of a head; 0: 1 */
} HeadFold;

/* From one element of a head to the next. */
static inline int head_fold_step(HeadFold fold) {
    return fold.element ? fold.element : 1;
}

/* Where element i is. */
static inline long head_fold_at(HeadFold fold, int b, int h, int t, int i) {
    return b * fold.example + (h / fold.group) * fold.head + t * fold.row +
           (long)i * head_fold_step(fold);
}

typedef struct HeadTensor {
    real *data;
    HeadFold fold;
} HeadTensor;

/* The right fold of [B, steps, row]: head h owns columns h*head_width and on. */
static inline HeadFold head_fold(int steps, long row, int head_width) {
    return (HeadFold){.example = steps * row, .head = head_width, .row = row, .group = 1};
}

typedef struct AttentionSizes {
    int batch, heads, queries, keys, head_width; /* B, H, Tq, Tk, D */
} AttentionSizes;

/* One call: everything that forward reads and writes. */
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
 * (Vaswani 2017, equation 1; D2L 11.3). Both `=`. A weight past key_len is exactly 0, and what
 * stands there is not mixed in, be it infinite or NaN; a query that sees no key has weights and
 * context 0. A visible score of NaN or infinity makes all weights of its row NaN, one of -inf makes
 * its own 0, as torch.softmax does. */
void attention_forward(const Attention *call, real *scratch);

/* Gradients of the same call, all `=`; d_context is read. A query that sees no key gives and gets
 * gradient 0. */
void attention_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                        HeadTensor d_context, const Attention *call, real *scratch);

#endif
