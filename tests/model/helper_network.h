/* What the tests of the network share: random numbers, a tiny network, batches. Every function that
 * makes something fails the running test if it cannot. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_NETWORK_H
#define HEADSCOPE_TESTS_MODEL_HELPER_NETWORK_H

#include "model/base/rng.h"
#include "model/network/transformer.h"

/* Uniform numbers in [-1, 1). */
void helper_fill(real *to, long count, Rng *rng);

/* A block of its own, so that the address sanitizer sees a step past its end: uniform numbers, or
 * NaN wherever a result must not depend on what stood there before. Free with free. */
real *helper_random(long count, Rng *rng);
real *helper_poisoned(long count);

/* The largest |a - b|; NaN in either counts as infinite. */
double helper_gap(const real *a, const real *b, long count);

/* The largest |a|. */
double helper_largest(const real *a, long count);

/* Width 8, 2 heads, 2+2 layers, feed-forward 12, vocabularies 7 and 9, no dropout. */
Config helper_config(void);

/* Parameters as training starts with them, then every one that is not held at zero moved a little,
 * so that no bias is 0 and no gain is 1. */
Params helper_params(const Config *config, uint64_t seed);

/* A batch of random tokens with these lengths, padded to the longest. */
Batch helper_batch(const Config *config, int size, const int *source_lens, const int *target_lens,
                   uint64_t seed);

/* One pass over the batch with a workspace of its own (workspace_free). */
Workspace helper_forward(const Config *config, const Params *params, const Batch *batch);
Workspace helper_forward_with(const Config *config, const Params *params, const Batch *batch,
                              ForwardOptions options);

/* The attention parameters of one layer of a site. */
AttentionParams helper_attention_params(const Params *params, Site site, int layer);

#endif
