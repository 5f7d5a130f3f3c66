/* Decoding one step at a time with cached keys and values: greedy (with forced beginnings)
 * and beam search. Step k computes what the forward pass on the first k tokens would, at a cost
 * that grows linearly with k. */
#ifndef HEADSCOPE_MODEL_DECODING_DECODE_H
#define HEADSCOPE_MODEL_DECODING_DECODE_H

#include "model/network/batch.h"
#include "model/network/transformer.h"

/* The cached state of `rows` targets that are being written. */
typedef struct Decoder Decoder;

/* Whether cached keys and values give what a pass over the prefix would: with no dropout, causality
 * on, no mistakes made and the decoder's lengths not overridden, since then no key's vector changes
 * as the target grows and every step sees all that came before. */
bool decoder_can_cache(const Config *config, ForwardOptions options);

/* A decoder for a batch of sources: fits the workspace to them, encodes them, and takes its room
 * from the workspace, which must stay, and has one decoder at a time. With copies = 1, row b writes
 * the target of source b; with more, the batch is one source, which all rows read (beam search).
 * The options must allow a cache; the ablation must stay. NULL with *error for lack of memory. */
Decoder *decoder_for_sources(Workspace *workspace, const Config *config, const Params *params,
                             const Batch *sources, int copies, ForwardOptions options,
                             Error *error);
void decoder_free(Decoder *decoder); /* NULL is fine */

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

/* Sources and targets side by side, teacher forced: what was decoded is what is to be written. The
 * batch is made large enough; ends are padded. */
bool decoded_to_batch(Batch *batch, const Batch *sources, const Decoded *decoded,
                      const Config *config, Error *error);

/* The most probable token at each step, for each source of the batch; `out` has sources->size
 * entries, made here. The workspace is fitted to the batch. */
bool decode_greedy(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, Error *error);

/* What a target must begin with; the model goes on from there. */
typedef struct ForcedTarget {
    const int *tokens; /* [count] ids, without <s>; the first </s> among them ends the target */
    int count;         /* at most max_target */
} ForcedTarget;

/* Greedy decoding with options (no dropout), each target beginning with its forced tokens, if
 * `forced` [B] is not NULL; the log-probs of forced tokens are the model's own. Step k gives what
 * the last row of a forward pass over the first k tokens would under these options, an overridden
 * dec_valid_len (0..max_target) longer than k counting as k. Uses the cache where that can be
 * (decoder_can_cache), else runs the prefix anew at each step; then the workspace is left fitted to
 * another shape. ERROR_USAGE for a forced token that the model lacks or more than max_target. `out`
 * has sources->size entries, made here; after a failure they hold nothing. */
bool decode_forced(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, const ForcedTarget *forced, ForwardOptions options,
                   Error *error);

/* The best targets of a batch of one source by beam search, best first: `out` has `beam` entries,
 * made here, of which *found are filled. A beam of 1 is greedy decoding. */
bool decode_beam(Decoded *out, int beam, int *found, Workspace *workspace, const Config *config,
                 const Params *params, const Batch *source, Error *error);

#endif
