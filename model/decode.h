/* Decoding one step at a time with cached keys and values: greedy and beam search. Step k computes
 * what the forward pass on the first k tokens would, at a cost that grows linearly with k. */
#ifndef HEADSCOPE_MODEL_DECODE_H
#define HEADSCOPE_MODEL_DECODE_H

#include "model/batch.h"
#include "model/transformer.h"

/* The cached state of `rows` targets that are being written. */
typedef struct Decoder Decoder;

/* A decoder for an encoded batch of sources; `workspace` holds them (transformer_encode) and must
 * stay. With copies = 1, row b writes the target of source b; with more, the batch is one source,
 * which all rows read (beam search). NULL with *error for lack of memory. */
Decoder *decoder_make(const Workspace *workspace, const Params *params, const Batch *sources,
                      int copies, Error *error);
void decoder_free(Decoder *decoder); /* NULL is fine */

/* The two steps before it as well: fits the workspace to the sources and encodes them. */
Decoder *decoder_for_sources(Workspace *workspace, const Config *config, const Params *params,
                             const Batch *sources, int copies, Error *error);

/* Reads the next token of each row, ids [rows]; logits [rows,V] of the token after it. At most
 * config.max_target steps. */
void decoder_step(Decoder *decoder, const int *ids, real *logits);

/* Row i goes on from what row parents[i] has read. */
void decoder_reorder(Decoder *decoder, const int *parents);

/* One target: what was written, </s> included if it came within the maximum length. */
typedef struct Decoded {
    int length;
    int *tokens;       /* [max_target], owned */
    double *log_probs; /* [max_target], owned: of each token given the ones before */
    double score;      /* beam: sum of log_probs / length^0.75 (D2L 10.8.2) */
} Decoded;

/* Makes `count` empty targets of up to `most` tokens; false, with all of them freed, for lack of
 * memory. */
bool decoded_make(Decoded *decoded, int count, int most);
void decoded_free(Decoded *decoded, int count);

/* The most probable token at each step, for each source of the batch; `out` has sources->size
 * entries, made here. The workspace is fitted to the batch. */
bool decode_greedy(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, Error *error);

/* The best targets of a batch of one source by beam search, best first: `out` has `beam` entries,
 * made here, of which *found are filled. A beam of 1 is greedy decoding. */
bool decode_beam(Decoded *out, int beam, int *found, Workspace *workspace, const Config *config,
                 const Params *params, const Batch *source, Error *error);

#endif
