#include "app/pass/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/tasks/examples.h"
#include "model/decoding/decode.h"
#include "model/network/transformer.h"

static char *step_label(const char *reads, const char *writes) {
    size_t size = strlen(reads) + strlen(writes) + sizeof "→";
    char *label = malloc(size);
    if (label) snprintf(label, size, "%s→%s", reads, writes);
    return label;
}

static bool name_tokens(Reading *reading, const Model *model, const Batch *batch, Error *error) {
    int sources = batch->enc_valid_lens[0], targets = batch->dec_valid_lens[0];
    reading->source_count = sources;
    reading->source = calloc((size_t)sources + 1, sizeof *reading->source);
    reading->reads = calloc((size_t)targets + 1, sizeof *reading->reads);
    reading->writes = calloc((size_t)targets + 1, sizeof *reading->writes);
    reading->steps = calloc((size_t)targets + 1, sizeof *reading->steps);
    bool good = reading->source && reading->reads && reading->writes && reading->steps;
    for (int s = 0; good && s < sources; s++)
        reading->source[s] = model->source_vocab.tokens[batch->source[s]];
    for (int t = 0; good && t < targets; t++) {
        reading->target_count = t + 1;
        reading->reads[t] = model->target_vocab.tokens[batch->target_in[t]];
        reading->writes[t] = model->target_vocab.tokens[batch->target_out[t]];
        reading->steps[t] = step_label(reading->reads[t], reading->writes[t]);
        good = reading->steps[t] != NULL;
    }
    return good || error_set(error, "out of memory");
}

static bool read_maps(Reading *reading, const Model *model, const Batch *sources,
                      const Decoded *decoded, Workspace *workspace, Batch *batch, Error *error) {
    if (!decoded_to_batch(batch, sources, decoded, &model->config, error) ||
        !workspace_fit(workspace, &model->config, 1, batch->source_len, batch->target_len, false,
                       error))
        return false;
    transformer_forward(workspace, &model->params, batch, (ForwardOptions){0});
    reading->trace = transformer_trace(workspace, batch, 0, batch->enc_valid_lens[0],
                                       batch->dec_valid_lens[0], error);
    return reading->trace && name_tokens(reading, model, batch, error);
}

bool reading_make(Reading *reading, const Model *model, const char *input, Error *error) {
    *reading = (Reading){0};
    Workspace workspace = {0};
    Batch sources = {0}, batch = {0};
    Decoded decoded = {0};
    bool good =
        sources_to_batch(&sources, &input, 1, &model->config, &model->source_vocab, error) &&
        decode_greedy(&decoded, &workspace, &model->config, &model->params, &sources, error) &&
        read_maps(reading, model, &sources, &decoded, &workspace, &batch, error);
    if (good) {
        reading->input = strdup(input);
        reading->output = vocab_decode(&model->target_vocab, decoded.tokens, decoded.length);
        good = (reading->input && reading->output) || error_set(error, "out of memory");
    }
    decoded_free(&decoded, 1);
    batch_free(&sources);
    batch_free(&batch);
    workspace_free(&workspace);
    if (!good) reading_free(reading);
    return good;
}

void reading_free(Reading *reading) {
    for (int t = 0; t < reading->target_count; t++)
        free(reading->steps[t]);
    free(reading->steps);
    free(reading->source);
    free(reading->reads);
    free(reading->writes);
    free(reading->input);
    free(reading->output);
    trace_free(reading->trace);
    *reading = (Reading){0};
}
