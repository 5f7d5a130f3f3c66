/* Token embeddings and positions (Vaswani 2017, 3.4 and 3.5; D2L 11.6.3, 11.7.4). */
#ifndef HEADSCOPE_MODEL_NETWORK_EMBEDDING_H
#define HEADSCOPE_MODEL_NETWORK_EMBEDDING_H

#include "model/base/real.h"
#include "model/kernels/dropout.h"
#include "model/network/config.h"

/* table[steps,W] = the position encodings of positions config.first_position and on. Interleaved:
 * column 2j is sin(p / 10000^(2j/W)), column 2j+1 the cosine. Halves: column j is sin(p f^j) and
 * column W/2+j the cosine, f = 10000^(-1/(W/2-1)). */
void embedding_positions(real *table, int steps, const Config *config);

/* y[B*steps,W] = dropout(embedding[id] * scale + positions[step]). `first_step` is the step of the
 * first column of ids [B,steps]: decoding goes one step at a time. */
void embedding_forward(real *y, const int *ids, const real *embedding, const real *positions,
                       int first_step, int batch, int steps, const Config *config, Dropout dropout);

/* d_embedding[id] += dropout(d_y) * scale. Overwrites d_y. */
void embedding_backward(real *d_embedding, real *d_y, const int *ids, int batch, int steps,
                        const Config *config, Dropout dropout);

#endif
