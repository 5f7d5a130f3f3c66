#include "model/kernels/attention.h"

#include "model/kernels/kernels.h"

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
