#include "model/explain/story_layer.h"

#include <stdlib.h>

/* --- where it stands in the network ----------------------------------------------------------- */

static const real *entered(StepSaved step, const real *x, const Config *config) {
    return config->pre_norm ? step.normed : x;
}

static StoryLayer encoder_layer(const Workspace *ws, const Params *params, int layer) {
    const EncoderSaved *saved = &ws->encoder[layer];
    const real *input = entered(saved->step1, saved->x, ws->context.config);
    return (StoryLayer){.saved = saved->self_attention,
                        .params = params->encoder[layer].self_attention,
                        .key_len = ws->context.key_len[SITE_ENCODER],
                        .one_source = true,
                        .query_input = input,
                        .key_input = input,
                        .stream = saved->x,
                        .sum = saved->step1.sum};
}

static StoryLayer decoder_layer(const Workspace *ws, const Params *params, int layer) {
    const DecoderSaved *saved = &ws->decoder[layer];
    const real *input = entered(saved->step1, saved->x, ws->context.config);
    return (StoryLayer){.saved = saved->self_attention,
                        .params = params->decoder[layer].self_attention,
                        .key_len = ws->context.key_len[SITE_DECODER],
                        .one_source = true,
                        .query_input = input,
                        .key_input = input,
                        .stream = saved->x,
                        .sum = saved->step1.sum};
}

static StoryLayer cross_layer(const Workspace *ws, const Params *params, int layer) {
    const DecoderSaved *saved = &ws->decoder[layer];
    const Config *config = ws->context.config;
    const real *stream = config->pre_norm ? saved->step1.sum : saved->step1.normed;
    return (StoryLayer){.saved = saved->cross_attention,
                        .params = params->decoder[layer].cross_attention,
                        .key_len = ws->context.key_len[SITE_CROSS],
                        .query_input = entered(saved->step2, stream, config),
                        .key_input = ws->encoded,
                        .stream = stream,
                        .sum = saved->step2.sum};
}

const int *story_layer_lengths(const StoryRequest *request) {
    const ForwardOptions *options = &request->options;
    if (request->id.site == SITE_DECODER)
        return options->dec_valid_lens ? options->dec_valid_lens : request->batch->dec_valid_lens;
    return options->enc_valid_lens ? options->enc_valid_lens : request->batch->enc_valid_lens;
}

bool story_layer_causal(const StoryRequest *request) {
    return request->id.site == SITE_DECODER && !request->options.not_causal;
}

AttentionMistakes story_layer_mistakes(const StoryRequest *request) {
    const AttentionMistakes *mistakes = request->options.mistakes;
    return (mistakes ? mistakes : request->workspace->context.config->mistakes)[request->id.site];
}

bool story_layer_find(StoryLayer *layer, const StoryRequest *request, Error *error) {
    const Workspace *ws = request->workspace;
    const BlockContext *c = &ws->context;
    const Config *config = c->config;
    Site site = request->id.site;
    *layer = site == SITE_ENCODER   ? encoder_layer(ws, request->params, request->id.layer)
             : site == SITE_DECODER ? decoder_layer(ws, request->params, request->id.layer)
                                    : cross_layer(ws, request->params, request->id.layer);
    layer->workspace = ws;
    layer->params = attention_params_used(layer->params, config);
    layer->sizes = (MultiheadSizes){c->batch, site == SITE_ENCODER ? c->source_len : c->target_len,
                                    site == SITE_DECODER ? c->target_len : c->source_len,
                                    config->width, config->heads};
    layer->attention = multihead_attention_sizes(layer->sizes);
    layer->room = malloc((size_t)(attention_rule_room(layer->attention) + 1) * sizeof(int));
    if (!layer->room) return error_set(error, "out of memory to explain a weight");
    MaskSource mask = {.valid_lens = story_layer_lengths(request),
                       .causal = story_layer_causal(request)};
    layer->rule =
        attention_rule_make(story_layer_mistakes(request), mask, layer->attention, layer->room);
    return true;
}

long story_layer_row(const StoryLayer *layer, int example, int head, int query) {
    return ((long)example * layer->sizes.heads + head) * layer->sizes.queries + query;
}

/* --- reading the pass ------------------------------------------------------------------------- */

/* The projected vector [W] of one step. */
static const real *projected(const StoryLayer *layer, StoryRole role, int example, int step) {
    const real *all = layer->saved.projected;
    MultiheadSizes n = layer->sizes;
    long width = n.width, row = (long)example * (role == STORY_QUERY ? n.queries : n.keys) + step;
    if (layer->one_source) return all + row * 3 * width + role * width;
    if (role == STORY_QUERY) return all + row * width;
    return all + (long)n.batch * n.queries * width + row * 2 * width + (role - 1) * width;
}

HeadFold story_layer_fold(const StoryLayer *layer, StoryRole role) {
    return role == STORY_QUERY ? layer->rule.query
           : role == STORY_KEY ? layer->rule.key
                               : layer->rule.value;
}

/* Every fold reads packed rows of W. */
double story_layer_element(const StoryLayer *layer, StoryRole role, int example, int head, int t,
                           int i) {
    HeadFold fold = story_layer_fold(layer, role);
    long at = head_fold_at(fold, 0, head, t, i), width = layer->sizes.width;
    return (double)projected(layer, role, example, (int)(at / width))[at % width];
}

double story_layer_product(const StoryLayer *layer, int example, int head, int query, int key) {
    double sum = 0;
    for (int i = 0; i < layer->attention.head_width; i++)
        sum += story_layer_element(layer, STORY_QUERY, example, head, query, i) *
               story_layer_element(layer, STORY_KEY, example, head, key, i);
    return sum;
}

double story_layer_weight(const StoryLayer *layer, int example, int head, int query, int key) {
    long row = story_layer_row(layer, example, head, query);
    return (double)layer->saved.weights[row * attention_row(layer->sizes.keys) + key];
}

bool story_layer_sees(const StoryLayer *layer, int example, int head, int query, int key) {
    long row = story_layer_row(layer, example, head, query);
    return key >= layer->rule.key_first[row] && key < layer->rule.key_end[row];
}
