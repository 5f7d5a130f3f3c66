/* Explains one attention weight: which vectors its query, key and value come from, the score, the
 * mask, the softmax, and what the value adds to the head's output and to the residual stream
 * (Vaswani 2017, equation 1 and 3.2.2; D2L 11.3 and 11.5). The inputs are read from a finished
 * pass; each step is recomputed in double and compared with the pass. */
#ifndef HEADSCOPE_MODEL_EXPLAIN_WEIGHT_STORY_H
#define HEADSCOPE_MODEL_EXPLAIN_WEIGHT_STORY_H

#include "model/network/transformer.h"

/* The weight to explain. Everything is borrowed for the call. */
typedef struct StoryRequest {
    const Workspace *workspace; /* after transformer_forward, ... */
    const Params *params;       /* ... with these parameters, ... */
    const Batch *batch;         /* ... this batch ... */
    ForwardOptions options;     /* ... and these options, without dropout */
    HeadId id;
    int example, query, key; /* within the batch; may be padding */
} StoryRequest;

/* A tensor that attention reads. */
typedef enum StoryTensor {
    STORY_SOURCE_EMBEDDED, /* the source's embeddings, with positions */
    STORY_TARGET_EMBEDDED, /* the target's embeddings, with positions */
    STORY_ENCODER_LAYER,   /* the output of an encoder layer */
    STORY_DECODER_LAYER,   /* the output of a decoder layer */
    STORY_AFTER_SELF,      /* the residual stream after a decoder layer's self-attention */
    STORY_ENCODED,         /* the encoder's output, after the final norm if there is one */
} StoryTensor;

typedef enum StoryRole { STORY_QUERY, STORY_KEY, STORY_VALUE, STORY_ROLES } StoryRole;

/* The head's slice of a projected vector, and the input of the projection. */
typedef struct StorySlice {
    StoryTensor tensor;
    int layer;           /* for the outputs of layers */
    bool normed;         /* pre-norm: the layer norm of the tensor is projected */
    int step;            /* the requested query or key, unless a mistake moves it */
    int column, stride;  /* element i is number column + i*stride of the projected vector */
    double input_length; /* Euclidean length of the projected vector [W] */
    double *values;      /* [D] in the pass */
    double gap;          /* largest distance of these from the projection in double */
} StorySlice;

typedef struct StoryTerm {
    int element;
    double query, key, product;
} StoryTerm;

/* Why the query does or does not see the key. */
typedef struct StoryMask {
    int valid_len;  /* of the keys of this example */
    bool causal;    /* the site is causal */
    bool padded;    /* the key is at or past the valid length */
    bool future;    /* the site is causal and the key comes after the query */
    bool right;     /* visible by the correct rule: neither padded nor future */
    bool seen;      /* visible by the rule of the pass, which may be mistaken */
    int first, end; /* by that rule the query sees keys first to end-1 */
    bool agrees;    /* without mistakes: the pass used the same range */
} StoryMask;

/* One of the scores that the softmax sums over. */
typedef struct StoryScore {
    int head, query, key;
    bool seen;
    double score;       /* product / divisor, before the mask */
    double masked;      /* after the mask; -INFINITY: takes no part */
    double exponential; /* exp(masked - largest) */
    double weight;
    double pass_weight; /* the weight in the pass */
} StoryScore;

/* What one key of the row contributes to the head's context. */
typedef struct StoryKey {
    double weight;       /* of its value in the context */
    double *value;       /* [D] in the pass */
    double value_length; /* |value| */
    double added_length; /* |weight value| */
    double share;      /* of the context, by projection onto it: sums to 1; 0 if the context is 0 */
    double out_length; /* |weight value| after the output projection */
    double out_share;  /* the share after the output projection */
} StoryKey;

typedef struct WeightStory {
    HeadId id;
    int example, query, key;
    int head_width, width, heads, queries, keys; /* D, W, H, Tq, Tk with padding */
    bool mistaken;                               /* the attention is mistaken */

    StorySlice slices[STORY_ROLES];
    StoryTerm *terms; /* [D] products of query and key, the largest |product| first */
    double product;   /* their sum */
    double divisor;   /* sqrt(D), unless mistaken */
    double score;     /* product / divisor */

    StoryMask mask;

    SoftmaxAxis axis; /* over the keys, unless mistaken */
    StoryScore *line; /* [line_count] all scores along the axis: for keys, line[j] is key j */
    int line_count;
    int place;          /* index of the explained weight in `line` */
    int taking_part;    /* how many scores the softmax sums over */
    double largest;     /* of the scores that take part */
    double sum;         /* of all exponentials */
    double exponential; /* line[place].exponential */
    double weight;      /* line[place].weight */
    double pass_weight; /* line[place].pass_weight */
    double gap;         /* the largest |weight - pass_weight| over the line */

    StoryKey *row;        /* [keys] the query's row; for other axes with the weights of the pass */
    double *added;        /* [D] weight value */
    double *context;      /* [D] the sum of weight value over all keys */
    double *used_context; /* [D] what the output projection read: the pass's context, or zeros or
                             the head's mean output if it is knocked out */
    Knockout knockout;
    double
        context_gap; /* the largest |context - used_context|; for a knocked-out head, its effect */

    int out_column, out_stride; /* element i of the context is multiplied by column out_column +
                                   i*out_stride of out_proj.weight */
    int lands;                  /* the step to whose stream the result is added: the query, unless
                                   mistaken */
    double *out_added;          /* [W] `added` after the head's columns of the output projection */
    double *out_head;           /* [W] `context` after them */
    double *out_used; /* [W] `used_context` after them: what the head adds to the stream */
    double *out_all;  /* [W] what all heads and the bias add */
    double *stream;   /* [W] the residual stream before */
    double out_gap;   /* the largest |stream + out_all - the sum in the pass| */

    double *block; /* owned: all numbers above */
} WeightStory;

/* Explains the weight. Free the story with weight_story_free. False with *error, and the story {0},
 * for lack of memory. */
bool weight_story_make(WeightStory *story, const StoryRequest *request, Error *error);
void weight_story_free(WeightStory *story); /* {0} is fine */

/* The Euclidean length of [count] numbers. */
double weight_story_length(const double *numbers, int count);

#endif
