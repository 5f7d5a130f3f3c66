/* Beam search (D2L 10.8): at each step every living target is extended by every token, and the best
 * few of all go on. */
#include <stdlib.h>
#include <string.h>

#include "model/decoding/decode.h"
#include "model/network/loss.h"

typedef struct Candidate {
    double sum; /* of log-probabilities */
    double log_prob;
    int parent, token;
} Candidate;

typedef struct Beam {
    const Config *config;
    int size;
    int living; /* targets being decoded */
    int finished;
    Decoded *alive, *next; /* [size] targets being decoded, before and after this step */
    Decoded *done;         /* [size] the best finished ones, best first */
    double *sums;          /* [size] of the living */
    Candidate *candidates; /* [size*V] */
    int *ids, *parents;    /* [size] */
    real *logits;          /* [size,V] */
} Beam;

/* Descending by sum, NaN last. */
static int by_sum(const void *left, const void *right) {
    const Candidate *a = left, *b = right;
    if (isnan(a->sum) != isnan(b->sum)) return isnan(a->sum) ? 1 : -1;
    if (a->sum < b->sum || a->sum > b->sum) return a->sum < b->sum ? 1 : -1;
    /* Equal sums by row and token, so that the result is the same on all systems. */
    return a->parent != b->parent ? a->parent - b->parent : a->token - b->token;
}

static void copy_decoded(Decoded *to, const Decoded *from) {
    to->length = from->length;
    to->score = from->score;
    memcpy(to->tokens, from->tokens, (size_t)from->length * sizeof *to->tokens);
    memcpy(to->log_probs, from->log_probs, (size_t)from->length * sizeof *to->log_probs);
}

static void append(Decoded *decoded, Candidate candidate) {
    decoded->tokens[decoded->length] = candidate.token;
    decoded->log_probs[decoded->length++] = candidate.log_prob;
    decoded->score = candidate.sum / pow(decoded->length, 0.75);
}

/* Keeps a finished target if it is among the best so far. */
static void finish(Beam *beam, const Decoded *decoded) {
    int place = beam->finished;
    while (place > 0 && beam->done[place - 1].score < decoded->score)
        place--;
    if (place == beam->size) return;
    if (beam->finished < beam->size) beam->finished++;
    Decoded spare = beam->done[beam->finished - 1];
    memmove(&beam->done[place + 1], &beam->done[place],
            (size_t)(beam->finished - 1 - place) * sizeof *beam->done);
    beam->done[place] = spare;
    copy_decoded(&beam->done[place], decoded);
}

static int list_candidates(Beam *beam) {
    int count = 0, vocabulary = beam->config->target_vocab;
    for (int row = 0; row < beam->living; row++) {
        real *log_probs = beam->logits + (long)row * vocabulary;
        loss_log_softmax(log_probs, vocabulary);
        for (int token = 0; token < vocabulary; token++) {
            double log_prob = (double)log_probs[token];
            beam->candidates[count++] =
                (Candidate){beam->sums[row] + log_prob, log_prob, row, token};
        }
    }
    qsort(beam->candidates, (size_t)count, sizeof *beam->candidates, by_sum);
    return count;
}

/* Takes the best `size` candidates: those that end are finished, the others stay alive. */
static void advance(Beam *beam) {
    int count = list_candidates(beam), living = 0;
    for (int i = 0; i < count && i < beam->size; i++) {
        Candidate candidate = beam->candidates[i];
        Decoded *next = &beam->next[living];
        copy_decoded(next, &beam->alive[candidate.parent]);
        append(next, candidate);
        if (candidate.token == beam->config->end_id || next->length == beam->config->max_target) {
            finish(beam, next);
            continue;
        }
        beam->sums[beam->size + living] = candidate.sum;
        beam->ids[living] = candidate.token;
        beam->parents[living++] = candidate.parent;
    }
    memcpy(beam->sums, beam->sums + beam->size, (size_t)living * sizeof *beam->sums);
    /* The decoder always steps all rows: idle ones repeat the first. */
    for (int row = living; row < beam->size; row++) {
        beam->ids[row] = beam->ids[0];
        beam->parents[row] = living ? beam->parents[0] : 0;
    }
    Decoded *old = beam->alive;
    beam->alive = beam->next;
    beam->next = old;
    beam->living = living;
}

/* True if no living target can still beat the worst finished one: its sum can only fall, and the
 * maximum length gives the best score. */
static bool settled(const Beam *beam) {
    if (beam->living == 0) return true;
    if (beam->finished < beam->size) return false;
    double best = beam->sums[0] / pow(beam->config->max_target, 0.75);
    return best <= beam->done[beam->size - 1].score;
}

static void search(Beam *beam, Decoder *decoder) {
    beam->living = 1;
    for (int row = 0; row < beam->size; row++)
        beam->ids[row] = beam->config->start_id;
    for (int step = 0; step < beam->config->max_target && !settled(beam); step++) {
        decoder_step(decoder, beam->ids, beam->logits);
        advance(beam);
        if (beam->size > 1) decoder_reorder(decoder, beam->parents);
    }
}

static bool beam_allocate(Beam *beam) {
    size_t size = (size_t)beam->size, vocabulary = (size_t)beam->config->target_vocab;
    beam->alive = calloc(size, sizeof *beam->alive);
    beam->next = calloc(size, sizeof *beam->next);
    beam->sums = calloc(2 * size, sizeof *beam->sums);
    beam->candidates = calloc(size * vocabulary, sizeof *beam->candidates);
    beam->ids = calloc(size, sizeof *beam->ids);
    beam->parents = calloc(size, sizeof *beam->parents);
    beam->logits = calloc(size * vocabulary, sizeof *beam->logits);
    int max_length = beam->config->max_target;
    return beam->alive && beam->next && beam->sums && beam->candidates && beam->ids &&
           beam->parents && beam->logits && decoded_make(beam->alive, beam->size, max_length) &&
           decoded_make(beam->next, beam->size, max_length) &&
           decoded_make(beam->done, beam->size, max_length);
}

static void beam_free(Beam *beam) {
    if (beam->alive) decoded_free(beam->alive, beam->size);
    if (beam->next) decoded_free(beam->next, beam->size);
    free(beam->alive);
    free(beam->next);
    free(beam->sums);
    free(beam->candidates);
    free(beam->ids);
    free(beam->parents);
    free(beam->logits);
}

bool decode_beam(Decoded *out, int size, int *found, Workspace *workspace, const Config *config,
                 const Params *params, const Batch *source, Error *error) {
    Beam beam = {.config = config, .size = size, .done = out};
    memset(out, 0, (size_t)size * sizeof *out);
    *found = 0;
    if (!decoder_can_cache(config, (ForwardOptions){0}))
        return error_usage(error,
                           "beam search needs cached keys, which do not hold with a mistake in "
                           "the attention; write greedily, with a beam of 1");
    bool allocated = beam_allocate(&beam);
    if (!allocated) error_set(error, "out of memory for a beam of %d", size);
    Decoder *decoder = allocated ? decoder_for_sources(workspace, config, params, source, size,
                                                       (ForwardOptions){0}, error)
                                 : NULL;
    if (decoder) search(&beam, decoder);
    *found = beam.finished;
    beam_free(&beam);
    if (!decoder) decoded_free(out, size);
    bool done = decoder != NULL;
    decoder_free(decoder);
    return done;
}
