/* Decoding one step at a time with cached keys and values: greedy (optionally with forced prefixes)
 * and beam search. Step k computes what a forward pass on the first k tokens would, in time linear
 * in k. */
#ifndef HEADSCOPE_MODEL_DECODING_DECODE_H
#define HEADSCOPE_MODEL_DECODING_DECODE_H

#include "model/network/batch.h"
#include "model/network/transformer.h"

/* The cached state of the targets being decoded, one per row. */
typedef struct Decoder Decoder;

/* True if cached keys and values give the same results as a pass over the prefix: no dropout,
 * causal, no mistakes, and the decoder's lengths not overridden. Then no key vector changes as the
 * target grows, and every step sees all earlier steps. */
bool decoder_can_cache(const Config *config, ForwardOptions options);

/* Returns a decoder for a batch of sources: fits the workspace to them, encodes them, and keeps its
 * arrays in the workspace, which must outlive it and has one decoder at a time. With copies = 1,
 * row b decodes source b; with more, the batch is one source, which all rows read (beam search).
 * The options must allow a cache; the ablation must outlive the decoder. NULL with *error for lack
 * of memory. */
Decoder *decoder_for_sources(Workspace *workspace, const Config *config, const Params *params,
                             const Batch *sources, int copies, ForwardOptions options,
                             Error *error);
void decoder_free(Decoder *decoder); /* NULL is fine */

/* Reads the next token of each row, ids [rows], and writes the logits [rows,V] of the token after
 * it. At most config.max_target steps. */
void decoder_step(Decoder *decoder, const int *ids, real *logits);

/* Row i continues from the state of row parents[i]. */
void decoder_reorder(Decoder *decoder, const int *parents);

/* One decoded target, with </s> if it came within the maximum length. */
typedef struct Decoded {
    int length;
    int *tokens;       /* [max_target], owned */
    double *log_probs; /* [max_target], owned: of each token given the tokens before */
    double score;      /* sum of log_probs / length^0.75 (D2L 10.8.2) */
} Decoded;

/* Makes `count` empty targets of up to `max_length` tokens; false, with all of them freed, for lack
 * of memory. */
bool decoded_make(Decoded *decoded, int count, int max_length);
void decoded_free(Decoded *decoded, int count);

/* Fills *batch with the sources and, as teacher-forced targets, what was decoded; grows and pads
 * it. */
bool decoded_to_batch(Batch *batch, const Batch *sources, const Decoded *decoded,
                      const Config *config, Error *error);

/* Decodes the most probable token at each step, for each source of the batch; makes `out`, with
 * sources->size entries. Fits the workspace to the batch. */
bool decode_greedy(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, Error *error);

/* The prefix that a target must start with. */
typedef struct ForcedTarget {
    const int *tokens; /* [count] ids, without <s>; the first </s> among them ends the target */
    int count;         /* at most max_target */
} ForcedTarget;

/* Greedy decoding with options (no dropout), each target starting with its forced tokens if
 * `forced` [B] is not NULL; the log-probs of forced tokens are the model's own. Step k gives the
 * same as the last row of a forward pass over the first k tokens with these options, where an
 * overridden dec_valid_len (0..max_target) is limited to k. Uses the cache if decoder_can_cache,
 * else runs the whole prefix at each step, which leaves the workspace fitted to another shape.
 * ERROR_USAGE for a forced token outside the vocabulary, or for more than max_target. Makes `out`,
 * with sources->size entries; they are empty after a failure. */
bool decode_forced(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, const ForcedTarget *forced, ForwardOptions options,
                   Error *error);

/* Beam search for a batch of one source. Makes `out`, with `beam` entries, of which *found are
 * filled, best first. A beam of 1 is greedy decoding. */
bool decode_beam(Decoded *out, int beam, int *found, Workspace *workspace, const Config *config,
                 const Params *params, const Batch *source, Error *error);

#endif
