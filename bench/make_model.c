/* make_model FILE [WIDTH HEADS ENCODER-LAYERS DECODER-LAYERS MAX-SOURCE MAX-TARGET]: a model with
 * random weights whose tokens are letters. Without numbers, one that is large for the window: 6+6
 * layers, 8 heads, width 128, and sources and targets of up to 64 tokens. */
#include <stdio.h>
#include <stdlib.h>

#include "data/models/checkpoint.h"

enum { NUMBERS = 6 };

static bool make(Model *model, const int *numbers, Error *error) {
    const char *characters = "abcdefghijklmnopqrstuvwxyz";
    Config *config = &model->config;
    *config = config_default();
    config->width = numbers[0];
    config->ffn_width = 4 * numbers[0];
    config->heads = numbers[1];
    config->encoder_layers = numbers[2];
    config->decoder_layers = numbers[3];
    config->max_source = numbers[4];
    config->max_target = numbers[5];
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
    int numbers[NUMBERS] = {128, 8, 6, 6, 64, 64};
    Model model = {0};
    Error error;
    if (argc != 2 && argc != 2 + NUMBERS) {
        fputs("usage: make_model FILE [WIDTH HEADS ENCODER-LAYERS DECODER-LAYERS MAX-SOURCE "
              "MAX-TARGET]\n",
              stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        numbers[i - 2] = atoi(argv[i]);
    bool good = make(&model, numbers, &error) && model_save(&model, argv[1], &error);
    if (!good) fprintf(stderr, "make_model: %s\n", error.text);
    model_free(&model);
    return good ? 0 : 1;
}
