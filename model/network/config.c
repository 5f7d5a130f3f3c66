#include "model/network/config.h"

#include "model/base/minmax.h"

Config config_default(void) {
    return (Config){
        .width = 64,
        .heads = 4,
        .encoder_layers = 2,
        .decoder_layers = 2,
        .ffn_width = 256,
        .dropout = 0, /* examples never repeat: no overfitting */
        .layernorm_epsilon = 1e-5,
        .positions = POSITION_INTERLEAVED,
        .embedding_scale = true,
        .source_end_mark = true,
        .pad_id = 0,
        .start_id = 1,
        .end_id = 2,
    };
}

static bool in_range(const char *name, int value, int min, int max, Error *error) {
    if (value >= min && value <= max) return true;
    return error_usage(error, "%s is %d; it must be %d to %d", name, value, min, max);
}

bool config_check(const Config *c, Error *error) {
    bool sizes = in_range("width", c->width, 1, 4096, error) &&
                 in_range("heads", c->heads, 1, 256, error) &&
                 in_range("encoder layers", c->encoder_layers, 1, 64, error) &&
                 in_range("decoder layers", c->decoder_layers, 1, 64, error) &&
                 in_range("feed-forward width", c->ffn_width, 1, 16384, error) &&
                 in_range("source vocabulary", c->source_vocab, 4, 1 << 17, error) &&
                 in_range("target vocabulary", c->target_vocab, 4, 1 << 17, error) &&
                 in_range("maximum source length", c->max_source, 1, 4096, error) &&
                 in_range("maximum target length", c->max_target, 1, 4096, error) &&
                 in_range("first position", c->first_position, 0, 4096, error);
    if (!sizes) return false;
    if (c->width % c->heads != 0)
        return error_usage(error,
                           "%d heads do not divide the width %d; each head needs the same whole "
                           "number of columns",
                           c->heads, c->width);
    if (c->positions != POSITION_NONE && c->width % 2 != 0)
        return error_usage(error, "width is %d; sine and cosine positions need an even one",
                           c->width);
    if (!(c->dropout >= 0 && c->dropout < 1))
        return error_usage(error, "dropout is %g; it must be from 0 to below 1", c->dropout);
    if (!(c->layernorm_epsilon > 0 && c->layernorm_epsilon < 1))
        return error_usage(error, "layer-norm epsilon is %g; it must be between 0 and 1",
                           c->layernorm_epsilon);
    int smallest = int_min(c->source_vocab, c->target_vocab);
    return in_range("pad id", c->pad_id, 0, smallest - 1, error) &&
           in_range("start id", c->start_id, 0, smallest - 1, error) &&
           in_range("end id", c->end_id, 0, smallest - 1, error);
}

bool sites_mistaken(const AttentionMistakes mistakes[SITE_COUNT]) {
    for (int site = 0; site < SITE_COUNT; site++)
        if (attention_mistaken(mistakes[site])) return true;
    return false;
}

bool config_mistaken(const Config *config) {
    return sites_mistaken(config->mistakes);
}

int config_head_width(const Config *config) {
    return config->width / config->heads;
}
