/* Greedy decoding, with forced prefixes and any options. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/minmax.h"
#include "model/decoding/decode.h"
#include "model/network/loss.h"

typedef struct Greedy {
    const Config *config;
    const Params *params;
    const Batch *sources;
    const ForcedTarget *forced; /* [B] or NULL */
    ForwardOptions options;
    Workspace *workspace;
    Decoder *decoder; /* NULL: no cache, the whole prefix is run at each step */
    Batch prefix;     /* [B,step+1] the sources and the target tokens so far */
    int *lens;        /* [B] the decoder's lengths at this step */
    real *logits;     /* [B,V] of the last step read */
    Decoded *out;     /* [B] */
} Greedy;

static bool forced_check(const ForcedTarget *forced, int count, const Config *config,
                         Error *error) {
    for (int b = 0; forced && b < count; b++) {
        if (forced[b].count > config->max_target)
            return error_usage(error, "a forced target of %d tokens; this model writes at most %d",
                               forced[b].count, config->max_target);
        for (int i = 0; i < forced[b].count; i++) {
            int token = forced[b].tokens[i];
            if (token < 0 || token >= config->target_vocab)
                return error_usage(error, "forced token %d; the target vocabulary has 0 to %d",
                                   token, config->target_vocab - 1);
        }
    }
    return true;
}

/* --- one step --------------------------------------------------------------------------------- */

/* The input of row b at a step; a finished target reads its </s> again, whose output is unused. */
static int read_token(const Greedy *greedy, int b, int step) {
    const Decoded *decoded = &greedy->out[b];
    if (step == 0) return greedy->config->start_id;
    return decoded->tokens[int_min(step, decoded->length) - 1];
}

static void step_cached(Greedy *greedy, int step) {
    int *ids = greedy->lens; /* unused with a cache */
    for (int b = 0; b < greedy->sources->size; b++)
        ids[b] = read_token(greedy, b, step);
    decoder_step(greedy->decoder, ids, greedy->logits);
}

static bool fill_prefix(Greedy *greedy, int steps, Error *error) {
    const Batch *sources = greedy->sources;
    Batch *prefix = &greedy->prefix;
    if (!batch_reserve(prefix, sources->size, sources->source_len, steps, error)) return false;
    size_t ids = (size_t)sources->size * (size_t)sources->source_len;
    memcpy(prefix->source, sources->source, ids * sizeof(int));
    for (int b = 0; b < sources->size; b++) {
        prefix->enc_valid_lens[b] = sources->enc_valid_lens[b];
        prefix->dec_valid_lens[b] = steps;
        for (int t = 0; t < steps; t++)
            prefix->target_in[b * steps + t] = read_token(greedy, b, t);
    }
    return true;
}

/* A forward pass over the first step + 1 tokens. */
static bool step_uncached(Greedy *greedy, int step, Error *error) {
    int steps = step + 1, vocabulary = greedy->config->target_vocab;
    ForwardOptions options = greedy->options;
    if (!fill_prefix(greedy, steps, error) ||
        !workspace_fit(greedy->workspace, greedy->config, greedy->sources->size,
                       greedy->sources->source_len, steps, false, error) ||
        !workspace_fit_mistakes(greedy->workspace, options.mistakes, error))
        return false;
    for (int b = 0; options.dec_valid_lens && b < greedy->sources->size; b++)
        greedy->lens[b] = int_min(options.dec_valid_lens[b], steps);
    if (options.dec_valid_lens) options.dec_valid_lens = greedy->lens;
    transformer_forward(greedy->workspace, greedy->params, &greedy->prefix, options);
    for (int b = 0; b < greedy->sources->size; b++)
        memcpy(greedy->logits + (long)b * vocabulary,
               greedy->workspace->logits + ((long)b * steps + step) * vocabulary,
               (size_t)vocabulary * sizeof(real));
    return true;
}

/* --- output ----------------------------------------------------------------------------------- */

static int best_of(const real *row, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (row[i] > row[best]) best = i;
    return best;
}

/* Appends the next token to each unfinished target; returns how many are still unfinished. */
static int append(Greedy *greedy, int step) {
    const Config *config = greedy->config;
    int going = 0;
    for (int b = 0; b < greedy->sources->size; b++) {
        Decoded *decoded = &greedy->out[b];
        if (decoded->length < step) continue; /* it has ended */
        if (step > 0 && decoded->tokens[step - 1] == config->end_id) continue;
        real *log_probs = greedy->logits + (long)b * config->target_vocab;
        loss_log_softmax(log_probs, config->target_vocab);
        bool is_forced = greedy->forced && step < greedy->forced[b].count;
        int token =
            is_forced ? greedy->forced[b].tokens[step] : best_of(log_probs, config->target_vocab);
        decoded->tokens[step] = token;
        decoded->log_probs[step] = (double)log_probs[token];
        decoded->length = step + 1;
        going += token != config->end_id;
    }
    return going;
}

static void score(Decoded *decoded) {
    double sum = 0;
    for (int i = 0; i < decoded->length; i++)
        sum += decoded->log_probs[i];
    decoded->score = sum / pow(decoded->length, 0.75);
}

/* --- decoding --------------------------------------------------------------------------------- */

static bool greedy_ready(Greedy *greedy, Error *error) {
    int rows = greedy->sources->size;
    greedy->lens = malloc((size_t)rows * sizeof *greedy->lens);
    greedy->logits =
        malloc((size_t)rows * (size_t)greedy->config->target_vocab * sizeof *greedy->logits);
    if (!greedy->lens || !greedy->logits) return error_set(error, "out of memory for decoding");
    if (!decoder_can_cache(greedy->config, greedy->options)) return true;
    greedy->decoder = decoder_for_sources(greedy->workspace, greedy->config, greedy->params,
                                          greedy->sources, 1, greedy->options, error);
    return greedy->decoder != NULL;
}

static bool greedy_run(Greedy *greedy, Error *error) {
    int going = greedy->sources->size;
    for (int step = 0; going > 0 && step < greedy->config->max_target; step++) {
        if (greedy->decoder) {
            step_cached(greedy, step);
        } else if (!step_uncached(greedy, step, error)) {
            return false;
        }
        going = append(greedy, step);
    }
    return true;
}

bool decode_forced(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, const ForcedTarget *forced, ForwardOptions options,
                   Error *error) {
    assert(options.dropout == 0);
    int rows = sources->size;
    if (!decoded_make(out, rows, config->max_target))
        return error_set(error, "out of memory for %d outputs", rows);
    Greedy greedy = {.config = config,
                     .params = params,
                     .sources = sources,
                     .forced = forced,
                     .options = options,
                     .workspace = workspace,
                     .out = out};
    bool done = forced_check(forced, rows, config, error) && greedy_ready(&greedy, error) &&
                greedy_run(&greedy, error);
    for (int b = 0; done && b < rows; b++)
        score(&out[b]);
    if (!done) decoded_free(out, rows);
    decoder_free(greedy.decoder);
    batch_free(&greedy.prefix);
    free(greedy.lens);
    free(greedy.logits);
    return done;
}

bool decode_greedy(Decoded *out, Workspace *workspace, const Config *config, const Params *params,
                   const Batch *sources, Error *error) {
    return decode_forced(out, workspace, config, params, sources, NULL, (ForwardOptions){0}, error);
}
