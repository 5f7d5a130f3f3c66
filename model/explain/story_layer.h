/* The attention layer that a weight of model/explain/weight_story.h stands in, read as
 * the pass left it. */
#ifndef HEADSCOPE_MODEL_EXPLAIN_STORY_LAYER_H
#define HEADSCOPE_MODEL_EXPLAIN_STORY_LAYER_H

#include "model/explain/weight_story.h"

typedef struct StoryLayer {
    const Workspace *workspace;
    MultiheadSizes sizes;
    AttentionSizes attention;
    MultiheadSaved saved;
    AttentionParams params;
    const int *key_len;                  /* [B,H,Tq] that the pass counted */
    bool one_source;                     /* query, key and value lie side by side */
    const real *query_input, *key_input; /* [B*steps,W] what was projected */
    const real *stream;                  /* [B*Tq,W] before the attention */
    const real *sum;                     /* [B*Tq,W] with what the attention added */
    AttentionRule rule;                  /* of packed tensors */
    int *room;                           /* owned: for the rule */
} StoryLayer;

/* Finds the layer that is asked about. free(layer->room). False with *error for lack of memory. */
bool story_layer_find(StoryLayer *layer, const StoryRequest *request, Error *error);

/* The mistakes at the site, its valid lengths [B], and whether it is causal by right. */
AttentionMistakes story_layer_mistakes(const StoryRequest *request);
const int *story_layer_lengths(const StoryRequest *request);
bool story_layer_causal(const StoryRequest *request);

/* The index of a row in [B,H,Tq]. */
long story_layer_row(const StoryLayer *layer, int example, int head, int query);

/* How the pass reads query, key or value, packed. */
HeadFold story_layer_fold(const StoryLayer *layer, StoryRole role);

/* Element i of a head at step t, in double. */
double story_layer_element(const StoryLayer *layer, StoryRole role, int example, int head, int t,
                           int i);

/* sum over i of query(query,i) key(key,i). */
double story_layer_product(const StoryLayer *layer, int example, int head, int query, int key);

/* As the pass has it. */
double story_layer_weight(const StoryLayer *layer, int example, int head, int query, int key);

/* Whether the rule of the pass lets the query see the key. */
bool story_layer_sees(const StoryLayer *layer, int example, int head, int query, int key);

#endif
