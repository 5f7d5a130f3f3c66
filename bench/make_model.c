/* make_model FILE: a model with random weights, large for the window: 6+6 layers, 8 heads, width
 * 128, and sources and targets of up to 64 tokens. */
#include <stdio.h>

#include "data/checkpoint.h"

static bool make(Model *model, Error *error) {
    const char *characters = "abcdefghijklmnopqrstuvwxyz";
    Config *config = &model->config;
    *config = config_default();
    config->width = 128;
    config->ffn_width = 512;
    config->heads = 8;
    config->encoder_layers = config->decoder_layers = 6;
    config->max_source = config->max_target = 64;
    if (!vocab_from_characters(&model->source_vocab, characters, error) ||
        !vocab_from_characters(&model->target_vocab, characters, error))
        return false;
    config->source_vocab = model->source_vocab.size;
    config->target_vocab = model->target_vocab.size;
    if (!config_check(config, error) || !params_make(&model->params, config, error)) return false;
    params_init(&model->params, config, 1);
    return true;
}

int main(int argc, char **argv) {
    Model model = {0};
    Error error;
    if (argc != 2) {
        fputs("usage: make_model FILE\n", stderr);
        return 2;
    }
    bool good = make(&model, &error) && model_save(&model, argv[1], &error);
    if (!good) fprintf(stderr, "make_model: %s\n", error.text);
    model_free(&model);
    return good ? 0 : 1;
}
