#include "model/kernels/mask.h"

#include <string.h>

#include "model/base/minmax.h"

void mask_fill(int *key_len, const int *valid_lens, int batch, int heads, int queries,
               bool causal) {
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++)
            for (int t = 0; t < queries; t++)
                *key_len++ = causal ? int_min(t + 1, valid_lens[b]) : valid_lens[b];
}

void mask_fill_per_query(int *key_len, const int *valid_lens, int batch, int heads, int queries) {
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++, key_len += queries)
            memcpy(key_len, valid_lens + (long)b * queries, (size_t)queries * sizeof *key_len);
}
