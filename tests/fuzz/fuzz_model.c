/* Model files, and snapshots of the model in the seeds, under libFuzzer: the input as it is, and
 * behind a header length that fits it, which the fuzzer would hardly find. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/models/snapshots.h"
#include "tests/fuzz/helper_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The model that the seed tiny.snapshots belongs to: its config, vocabularies and (no) hash. */
static const Model *snapshots_model(void) {
    static Model model;
    if (model.config.width) return &model;
    model.config = config_default();
    model.config.width = model.config.ffn_width = 4;
    model.config.heads = model.config.encoder_layers = model.config.decoder_layers = 1;
    model.config.max_source = model.config.max_target = 4;
    if (!vocab_from_characters(&model.source_vocab, "a", NULL) ||
        !vocab_from_characters(&model.target_vocab, "a", NULL))
        abort();
    model.config.source_vocab = model.config.target_vocab = 4;
    return &model;
}

static void read_snapshots(const uint8_t *bytes, size_t size) {
    Snapshots snapshots;
    Error error = {0};
    if (snapshots_from_bytes(&snapshots, "fuzz", bytes, size, snapshots_model(), &error)) {
        if (snapshots.count < 1 || snapshots.count > snapshots.planned) abort();
        snapshots_free(&snapshots);
    } else if (!error.text[0] || strchr(error.text, '\n')) {
        abort();
    }
}

static void read_model(const uint8_t *bytes, size_t size) {
    Model model;
    Error error = {0};
    if (model_from_bytes(&model, "fuzz", bytes, size, &error)) {
        if (!config_check(&model.config, &error)) abort();
        model_free(&model);
    } else if (!error.text[0] || strchr(error.text, '\n')) {
        abort();
    }
}

static void read_with_length(const uint8_t *data, size_t size) {
    size_t whole;
    uint8_t *bytes = frame_safetensors(data, size, &whole);
    if (bytes) read_model(bytes, whole);
    if (bytes) read_snapshots(bytes, whole);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_model(data, size);
    read_snapshots(data, size);
    read_with_length(data, size);
    return 0;
}
