#include "app/pass/world.h"

#include <math.h>
#include <stdlib.h>

#include "app/pass/texts.h"
#include "model/base/minmax.h"

/* log(sum(exp(logits))). */
static double log_sum(const real *logits, int count) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, (double)logits[i]);
    for (int i = 0; i < count; i++)
        sum += exp((double)logits[i] - largest);
    return largest + log(sum);
}

/* Inserts into the sorted list; equal ones stay in the order of their ids, in which they come. */
static void offer(Candidate *list, int count, Candidate candidate) {
    int place = 0;
    while (place < count && list[place].token >= 0 &&
           list[place].probability >= candidate.probability)
        place++;
    for (int last = count - 1; last > place; last--)
        list[last] = list[last - 1];
    if (place < count) list[place] = candidate;
}

static void read_step(WorldExample *example, int step, const real *logits, int written, int vocab) {
    double sum = log_sum(logits, vocab);
    Candidate *list = example->candidates + (long)step * WORLD_CANDIDATES;
    example->log_probs[step] = (double)logits[written] - sum;
    for (int place = 0; place < example->candidate_count; place++)
        list[place] = (Candidate){.token = -1};
    for (int token = 0; token < vocab; token++)
        offer(list, example->candidate_count, (Candidate){token, exp((double)logits[token] - sum)});
}

/* A valid length shorter than the text reduces the real tokens; a longer one leaves padding as it
 * is. */
static void cut_real(Trace *trace, const WorldRequest *request, int index) {
    const int *enc = request->options.enc_valid_lens, *dec = request->options.dec_valid_lens;
    int sources = request->batch->enc_valid_lens[index],
        targets = request->batch->dec_valid_lens[index];
    if (enc) sources = int_min(sources, enc[index]);
    if (dec) targets = int_min(targets, dec[index]);
    trace_set_real_lens(trace, sources, targets);
}

static bool read_example(WorldExample *example, const Workspace *workspace,
                         const WorldRequest *request, int index, Error *error) {
    const Batch *batch = request->batch;
    int steps = batch->target_len, vocab = request->config->target_vocab;
    example->candidate_count = int_min(vocab, WORLD_CANDIDATES);
    example->log_probs = calloc((size_t)steps + 1, sizeof *example->log_probs);
    example->candidates =
        calloc(((size_t)steps + 1) * WORLD_CANDIDATES, sizeof *example->candidates);
    if (!example->log_probs || !example->candidates) return error_set(error, "out of memory");
    for (int step = 0; step < steps; step++) {
        long row = (long)index * steps + step;
        read_step(example, step, workspace->logits + row * vocab, batch->target_out[row], vocab);
    }
    example->trace = transformer_trace(workspace, batch, index, batch->source_len, steps, error);
    if (example->trace) cut_real(example->trace, request, index);
    return example->trace != NULL;
}

bool world_decode(World *world, const WorldRequest *request, Error *error) {
    Workspace workspace = {0};
    Decoded decoded[WORLD_EXAMPLES] = {0};
    bool good = decode_forced(decoded, &workspace, request->config, request->params,
                              request->sources, request->forced, request->options, error);
    for (int index = 0; good && index < world->count; index++)
        world->examples[index].decoded = decoded[index];
    workspace_free(&workspace);
    return good;
}

bool world_make(World *world, Workspace *workspace, const WorldRequest *request, Error *error) {
    const Batch *batch = request->batch;
    *world = (World){.count = batch->size};
    bool good =
        texts_forward(workspace, request->config, request->params, batch, request->options, error);
    for (int index = 0; good && index < world->count; index++)
        good = read_example(&world->examples[index], workspace, request, index, error);
    if (!good) world_free(world);
    return good;
}

void world_free(World *world) {
    for (int index = 0; index < WORLD_EXAMPLES; index++) {
        WorldExample *example = &world->examples[index];
        trace_free(example->trace);
        free(example->log_probs);
        free(example->candidates);
        decoded_free(&example->decoded, 1);
    }
    *world = (World){0};
}

double world_log_prob(const World *world, int example, int steps) {
    double sum = 0;
    for (int step = 0; step < steps; step++)
        sum += world->examples[example].log_probs[step];
    return sum;
}
