/* The attention layer of an explained weight (model/explain/weight_story.h), as the pass left it.
 */
#ifndef HEADSCOPE_MODEL_EXPLAIN_STORY_LAYER_H
#define HEADSCOPE_MODEL_EXPLAIN_STORY_LAYER_H

#include "model/explain/weight_story.h"

typedef struct StoryLayer {
    const Workspace *workspace;
    MultiheadSizes sizes;
    AttentionSizes attention;
    MultiheadSaved saved;
    AttentionParams params;
    const int *key_len;                  /* [B,H,Tq] the masks of the pass */
    bool one_source;                     /* self-attention: query, key and value are one product */
    const real *query_input, *key_input; /* [B*steps,W] inputs of the projections */
    const real *stream;                  /* [B*Tq,W] residual stream before the attention */
    const real *sum;                     /* [B*Tq,W] residual stream after it */
    AttentionRule rule;                  /* over packed tensors */
    int *room;                           /* owned: storage of the rule */
} StoryLayer;

/* Finds the layer of the requested weight. Free layer->room with free. False with *error for lack
 * of memory. */
bool story_layer_find(StoryLayer *layer, const StoryRequest *request, Error *error);

/* The mistakes at the site, its valid lengths [B], and whether it is causal. */
AttentionMistakes story_layer_mistakes(const StoryRequest *request);
const int *story_layer_lengths(const StoryRequest *request);
bool story_layer_causal(const StoryRequest *request);

/* The index of a row in [B,H,Tq]. */
long story_layer_row(const StoryLayer *layer, int example, int head, int query);

/* The fold by which the pass reads query, key or value. */
HeadFold story_layer_fold(const StoryLayer *layer, StoryRole role);

/* Element i of a head at step t, in double. */
double story_layer_element(const StoryLayer *layer, StoryRole role, int example, int head, int t,
                           int i);

/* The dot product of a query and a key of a head. */
double story_layer_product(const StoryLayer *layer, int example, int head, int query, int key);

/* The weight in the pass. */
double story_layer_weight(const StoryLayer *layer, int example, int head, int query, int key);

/* True if the query sees the key by the rule of the pass. */
bool story_layer_sees(const StoryLayer *layer, int example, int head, int query, int key);

#endif
