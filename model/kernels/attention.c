#include "model/kernels/attention.h"

#include "model/kernels/kernels.h"

enum { WIDEST_VECTOR = 16 }; /* floats in an AVX-512 register */

HeadFold head_fold(int steps, long row, int head_width) {
    return (HeadFold){.example = steps * row, .head = head_width, .row = row, .group = 1};
}

int attention_row(int keys) {
    return (keys + WIDEST_VECTOR - 1) / WIDEST_VECTOR * WIDEST_VECTOR;
}

long attention_scratch(AttentionSizes n) {
    return (long)attention_row(n.keys) * (n.head_width + 2L * n.queries);
}

void attention_forward(const Attention *call, real *scratch) {
    const Kernels *kernels = kernels_in_use();
    for (int example = 0; example < call->sizes.batch; example++)
        for (int head = 0; head < call->sizes.heads; head++)
            kernels->attention_forward(call, example, head, scratch);
}

void attention_backward(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                        HeadTensor d_context, const Attention *call, real *scratch) {
    const Kernels *kernels = kernels_in_use();
    for (int example = 0; example < call->sizes.batch; example++)
        for (int head = 0; head < call->sizes.heads; head++)
            kernels->attention_backward(d_query, d_key, d_value, d_context, call, example, head,
                                        scratch);
}
