#include "model/explain/weight_story.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/explain/story_layer.h"

double weight_story_length(const double *numbers, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += numbers[i] * numbers[i];
    return sqrt(sum);
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The larger of `gap` and |a - b|; NaN if either number is NaN. */
static double max_gap(double gap, double a, double b) {
    double here = fabs(a - b);
    return here > gap || isnan(here) ? here : gap;
}

/* --- memory ----------------------------------------------------------------------------------- */

static double *take_doubles(double **at, long count) {
    double *taken = *at;
    *at += count;
    return taken;
}

static bool allocate(WeightStory *story, Error *error) {
    long width = story->width, d = story->head_width, keys = story->keys;
    long count = (STORY_ROLES + 3 + keys) * d + 5 * width;
    story->line_count = story->axis == SOFTMAX_KEYS      ? story->keys
                        : story->axis == SOFTMAX_QUERIES ? story->queries
                                                         : story->heads;
    story->block = calloc((size_t)count, sizeof *story->block);
    story->terms = calloc((size_t)d, sizeof *story->terms);
    story->line = calloc((size_t)story->line_count, sizeof *story->line);
    story->row = calloc((size_t)keys, sizeof *story->row);
    if (!story->block || !story->terms || !story->line || !story->row)
        return error_set(error, "out of memory to explain a weight");
    double *at = story->block;
    for (int role = 0; role < STORY_ROLES; role++)
        story->slices[role].values = take_doubles(&at, d);
    for (int key = 0; key < keys; key++)
        story->row[key].value = take_doubles(&at, d);
    story->added = take_doubles(&at, d);
    story->context = take_doubles(&at, d);
    story->used_context = take_doubles(&at, d);
    story->out_added = take_doubles(&at, width);
    story->out_head = take_doubles(&at, width);
    story->out_used = take_doubles(&at, width);
    story->out_all = take_doubles(&at, width);
    story->stream = take_doubles(&at, width);
    return true;
}

/* --- query, key and value --------------------------------------------------------------------- */

/* Names the tensor that the sublayer reads from the residual stream. */
static void name_stream(StorySlice *slice, HeadId id) {
    bool decoder = id.site != SITE_ENCODER;
    slice->layer = id.layer;
    if (id.site == SITE_CROSS) {
        slice->tensor = STORY_AFTER_SELF;
    } else if (id.layer == 0) {
        slice->tensor = decoder ? STORY_TARGET_EMBEDDED : STORY_SOURCE_EMBEDDED;
    } else {
        slice->tensor = decoder ? STORY_DECODER_LAYER : STORY_ENCODER_LAYER;
        slice->layer = id.layer - 1;
    }
}

static double projection(const StoryLayer *layer, int row, const real *input) {
    LinearParams in = layer->params.in;
    double sum = in.bias ? (double)in.bias[row] : 0;
    for (int i = 0; i < layer->sizes.width; i++)
        sum += (double)in.weight[(long)row * layer->sizes.width + i] * (double)input[i];
    return sum;
}

static void explain_slice(WeightStory *story, const StoryLayer *layer, StoryRole role) {
    StorySlice *slice = &story->slices[role];
    int width = story->width, t = role == STORY_QUERY ? story->query : story->key;
    bool from_encoder = story->id.site == SITE_CROSS && role != STORY_QUERY;
    HeadFold fold = story_layer_fold(layer, role);
    long first = head_fold_at(fold, 0, story->id.head, t, 0);
    name_stream(slice, story->id);
    if (from_encoder) slice->tensor = STORY_ENCODED;
    slice->normed = layer->workspace->context.config->pre_norm && !from_encoder;
    slice->step = (int)(first / width);
    slice->column = (int)(first % width);
    slice->stride = head_fold_step(fold);
    int steps = role == STORY_QUERY ? story->queries : story->keys;
    const real *input = (role == STORY_QUERY ? layer->query_input : layer->key_input) +
                        ((long)story->example * steps + slice->step) * width;
    double squares = 0;
    for (int i = 0; i < width; i++)
        squares += (double)input[i] * (double)input[i];
    slice->input_length = sqrt(squares);
    for (int i = 0; i < story->head_width; i++) {
        int row = (int)role * width + slice->column + i * slice->stride;
        slice->values[i] = story_layer_element(layer, role, story->example, story->id.head, t, i);
        slice->gap = max_gap(slice->gap, slice->values[i], projection(layer, row, input));
    }
}

static int compare_terms(const void *a, const void *b) {
    const StoryTerm *x = a, *y = b;
    double first = fabs(x->product), second = fabs(y->product);
    if (first > second) return -1;
    return first < second ? 1 : x->element - y->element;
}

static void explain_product(WeightStory *story) {
    const double *query = story->slices[STORY_QUERY].values, *key = story->slices[STORY_KEY].values;
    for (int i = 0; i < story->head_width; i++) {
        story->terms[i] = (StoryTerm){i, query[i], key[i], query[i] * key[i]};
        story->product += query[i] * key[i];
    }
    qsort(story->terms, (size_t)story->head_width, sizeof *story->terms, compare_terms);
}

/* --- the mask --------------------------------------------------------------------------------- */

static void explain_mask(WeightStory *story, const StoryLayer *layer, const StoryRequest *request) {
    StoryMask *mask = &story->mask;
    long row = story_layer_row(layer, story->example, story->id.head, story->query);
    mask->valid_len = story_layer_lengths(request)[story->example];
    mask->causal = story_layer_causal(request);
    mask->padded = story->key >= mask->valid_len;
    mask->future = mask->causal && story->key > story->query;
    mask->right = !mask->padded && !mask->future;
    mask->seen = story_layer_sees(layer, story->example, story->id.head, story->query, story->key);
    mask->first = layer->rule.key_first[row];
    mask->end = layer->rule.key_end[row];
    mask->agrees = !story->mistaken && mask->first == 0 && mask->end == layer->key_len[row];
}

/* --- the softmax ------------------------------------------------------------------------------ */

static double masked_score(AttentionRule rule, double score, bool seen) {
    if (seen || rule.mask == MASK_AFTER) return score;
    if (rule.mask == MASK_ADDS) return score + rule.mask_value;
    return rule.mask == MASK_FILLS ? rule.mask_value : -INFINITY;
}

static void fill_line(WeightStory *story, const StoryLayer *layer) {
    story->largest = -INFINITY;
    for (int i = 0; i < story->line_count; i++) {
        StoryScore *at = &story->line[i];
        *at = (StoryScore){.head = story->id.head, .query = story->query, .key = story->key};
        int *moves = story->axis == SOFTMAX_KEYS      ? &at->key
                     : story->axis == SOFTMAX_QUERIES ? &at->query
                                                      : &at->head;
        if (*moves == i) story->place = i;
        *moves = i;
        at->seen = story_layer_sees(layer, story->example, at->head, at->query, at->key);
        at->score = story_layer_product(layer, story->example, at->head, at->query, at->key) *
                    layer->rule.scale;
        at->masked = masked_score(layer->rule, at->score, at->seen);
        at->pass_weight = story_layer_weight(layer, story->example, at->head, at->query, at->key);
        story->taking_part += at->masked != -INFINITY;
        story->largest = fmax(story->largest, at->masked);
    }
}

/* The weight of a softmax over no scores. */
static double empty_weight(const WeightStory *story, EmptyLine empty) {
    return empty == EMPTY_NAN ? NAN : empty == EMPTY_UNIFORM ? 1.0 / story->line_count : 0;
}

static void explain_softmax(WeightStory *story, const StoryLayer *layer) {
    fill_line(story, layer);
    for (int i = 0; i < story->line_count; i++) {
        StoryScore *at = &story->line[i];
        if (at->masked != -INFINITY) at->exponential = exp(at->masked - story->largest);
        story->sum += at->exponential;
    }
    for (int i = 0; i < story->line_count; i++) {
        StoryScore *at = &story->line[i];
        at->weight = story->taking_part ? at->exponential / story->sum
                                        : empty_weight(story, layer->rule.empty);
        if (layer->rule.mask == MASK_AFTER && !at->seen) at->weight = 0;
        story->gap = max_gap(story->gap, at->weight, at->pass_weight);
    }
    const StoryScore *chosen = &story->line[story->place];
    story->exponential = chosen->exponential;
    story->weight = chosen->weight;
    story->pass_weight = chosen->pass_weight;
}

/* --- the value -------------------------------------------------------------------------------- */

/* Projects a head's context [D] by its columns of the output projection. */
static void project_out(double *out, const double *context, const WeightStory *story,
                        const StoryLayer *layer) {
    for (int w = 0; w < story->width; w++) {
        const real *weight = layer->params.out.weight + (long)w * story->width + story->out_column;
        double sum = 0;
        for (int i = 0; i < story->head_width; i++)
            sum += (double)weight[i * story->out_stride] * context[i];
        out[w] = sum;
    }
}

/* What all heads add to the stream at the step of this head's context. */
static void explain_stream(WeightStory *story, const StoryLayer *layer) {
    LinearParams out = layer->params.out;
    long width = story->width;
    long row = (long)story->example * story->queries + story->lands;
    const real *context = layer->saved.context + row * width;
    for (int w = 0; w < story->width; w++) {
        double sum = out.bias ? (double)out.bias[w] : 0;
        for (int i = 0; i < story->width; i++)
            sum += (double)out.weight[w * width + i] * (double)context[i];
        story->out_all[w] = sum;
        story->stream[w] = (double)layer->stream[row * width + w];
        story->out_gap =
            max_gap(story->out_gap, story->stream[w] + sum, (double)layer->sum[row * width + w]);
    }
}

static void explain_context(WeightStory *story, const StoryLayer *layer) {
    int d = story->head_width;
    for (int key = 0; key < story->keys; key++) {
        StoryKey *at = &story->row[key];
        at->weight =
            story->axis == SOFTMAX_KEYS
                ? story->line[key].weight
                : story_layer_weight(layer, story->example, story->id.head, story->query, key);
        if (story->axis != SOFTMAX_KEYS && key == story->key) at->weight = story->weight;
        for (int i = 0; i < d; i++) {
            at->value[i] =
                story_layer_element(layer, STORY_VALUE, story->example, story->id.head, key, i);
            story->context[i] += at->weight * at->value[i];
        }
        at->value_length = weight_story_length(at->value, d);
        at->added_length = fabs(at->weight) * at->value_length;
    }
    for (int i = 0; i < d; i++) {
        long at =
            head_fold_at(layer->rule.context, story->example, story->id.head, story->query, i);
        story->added[i] = story->weight * story->row[story->key].value[i];
        story->used_context[i] = (double)layer->saved.context[at];
        story->context_gap = max_gap(story->context_gap, story->context[i], story->used_context[i]);
    }
}

/* The share of `part` in `whole`, by projection onto it. */
static double share_of(const double *part, const double *whole, int count) {
    double length = dot(whole, whole, count);
    return length > 0 ? dot(part, whole, count) / length : 0;
}

static void explain_value(WeightStory *story, const StoryLayer *layer, Knockout knockout) {
    int d = story->head_width;
    HeadFold fold = layer->rule.context;
    long at = head_fold_at(fold, 0, story->id.head, story->query, 0);
    story->lands = (int)(at / story->width);
    story->out_column = (int)(at % story->width);
    story->out_stride = head_fold_step(fold);
    story->knockout = knockout;
    explain_context(story, layer);
    explain_stream(story, layer);
    project_out(story->out_head, story->context, story, layer);
    project_out(story->out_used, story->used_context, story, layer);
    for (int key = 0; key < story->keys; key++) {
        StoryKey *given = &story->row[key];
        given->share = given->weight * share_of(given->value, story->context, d);
        project_out(story->out_added, given->value, story, layer);
        given->out_share =
            given->weight * share_of(story->out_added, story->out_head, story->width);
        given->out_length =
            fabs(given->weight) * weight_story_length(story->out_added, story->width);
    }
    project_out(story->out_added, story->added, story, layer);
}

/* --- the whole story -------------------------------------------------------------------------- */

static WeightStory begin(const StoryRequest *request, const StoryLayer *layer) {
    return (WeightStory){.id = request->id,
                         .example = request->example,
                         .query = request->query,
                         .key = request->key,
                         .head_width = layer->attention.head_width,
                         .width = layer->sizes.width,
                         .heads = layer->sizes.heads,
                         .queries = layer->sizes.queries,
                         .keys = layer->sizes.keys,
                         .mistaken = attention_mistaken(story_layer_mistakes(request)),
                         .axis = layer->rule.softmax};
}

bool weight_story_make(WeightStory *story, const StoryRequest *request, Error *error) {
    StoryLayer layer;
    *story = (WeightStory){0};
    if (!story_layer_find(&layer, request, error)) return false;
    *story = begin(request, &layer);
    assert(request->example >= 0 && request->example < layer.sizes.batch);
    assert(request->query >= 0 && request->query < story->queries);
    assert(request->key >= 0 && request->key < story->keys);
    bool good = allocate(story, error);
    if (good) {
        for (int role = 0; role < STORY_ROLES; role++)
            explain_slice(story, &layer, (StoryRole)role);
        explain_product(story);
        explain_mask(story, &layer, request);
        explain_softmax(story, &layer);
        story->divisor = 1 / layer.rule.scale;
        story->score = story->line[story->place].score;
        const Ablation *ablation = request->options.ablation;
        explain_value(story, &layer,
                      ablation ? ablation_get(ablation, request->id) : KNOCKOUT_NONE);
    }
    free(layer.room);
    if (!good) weight_story_free(story);
    return good;
}

void weight_story_free(WeightStory *story) {
    free(story->block);
    free(story->terms);
    free(story->line);
    free(story->row);
    *story = (WeightStory){0};
}
