/* Masks as counts: each query sees a prefix of the keys. */
#ifndef HEADSCOPE_MODEL_KERNELS_MASK_H
#define HEADSCOPE_MODEL_KERNELS_MASK_H

#include <stdbool.h>

/* key_len[B,H,queries] = valid_lens[b] for every head and query of example b (D2L 11.3.2.1: the
 * lengths repeated for each head); with `causal`, at most query + 1 (D2L 11.7.5). */
void mask_fill(int *key_len, const int *valid_lens, int batch, int heads, int queries, bool causal);

/* The same from one length per query, valid_lens[B,queries] (D2L's dec_valid_lens in training). */
void mask_fill_per_query(int *key_len, const int *valid_lens, int batch, int heads, int queries);

#endif
