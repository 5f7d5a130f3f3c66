#include "model/explain/story_layer.h"

#include <stdlib.h>

/* --- finding the layer ------------------------------------------------------------------------ */

static StoryLayer layer_of(const Workspace *ws, const Params *params, Site site, int layer) {
    const Config *config = ws->context.config;
    StepSaved step = site == SITE_ENCODER   ? ws->encoder[layer].step1
                     : site == SITE_DECODER ? ws->decoder[layer].step1
                                            : ws->decoder[layer].step2;
    const real *stream = site == SITE_ENCODER   ? ws->encoder[layer].x
                         : site == SITE_DECODER ? ws->decoder[layer].x
                         : config->pre_norm     ? ws->decoder[layer].step1.sum
                                                : ws->decoder[layer].step1.normed;
    const real *input = config->pre_norm ? step.normed : stream;
    return (StoryLayer){.workspace = ws,
                        .sizes = block_sizes(&ws->context, site),
                        .saved = workspace_attention(ws, site, layer),
                        .params = site == SITE_ENCODER   ? params->encoder[layer].self_attention
                                  : site == SITE_DECODER ? params->decoder[layer].self_attention
                                                         : params->decoder[layer].cross_attention,
                        .key_len = ws->context.key_len[site],
                        .one_source = site != SITE_CROSS,
                        .query_input = input,
                        .key_input = site == SITE_CROSS ? ws->encoded : input,
                        .stream = stream,
                        .sum = step.sum};
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
    *layer = layer_of(ws, request->params, request->id.site, request->id.layer);
    layer->params = attention_params_used(layer->params, ws->context.config);
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
