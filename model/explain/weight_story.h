/* One attention weight from the beginning: which vectors its query, key and value came from, the
 * score, the mask, the softmax, and what the value then adds to the head's output and to the stream
 * (Vaswani 2017, equation 1 and 3.2.2; D2L 11.3 and 11.5). All numbers are read from a pass that
 * was run, and recomputed from there in double; each recomputed step is held against the pass. */
#ifndef HEADSCOPE_MODEL_EXPLAIN_WEIGHT_STORY_H
#define HEADSCOPE_MODEL_EXPLAIN_WEIGHT_STORY_H

#include "model/network/transformer.h"

/* What is asked. Everything is borrowed for the call. */
typedef struct StoryRequest {
    const Workspace *workspace; /* after transformer_forward, ... */
    const Params *params;       /* ... with these parameters, ... */
    const Batch *batch;         /* ... this batch ... */
    ForwardOptions options;     /* ... and these options, without dropout */
    HeadId id;                  /* of the model */
    int example, query, key;    /* within the batch; padding can be asked for */
} StoryRequest;

/* A tensor of the network that an attention reads. */
typedef enum StoryTensor {
    STORY_SOURCE_EMBEDDED, /* the source's embeddings with their positions */
    STORY_TARGET_EMBEDDED, /* the target's */
    STORY_ENCODER_LAYER,   /* the output of an encoder layer */
    STORY_DECODER_LAYER,   /* the output of a decoder layer */
    STORY_AFTER_SELF,      /* a decoder layer's stream after its self-attention */
    STORY_ENCODED,         /* the encoder's output, after its final norm if there is one */
} StoryTensor;

typedef enum StoryRole { STORY_QUERY, STORY_KEY, STORY_VALUE, STORY_ROLES } StoryRole;

/* The head's slice of a projected vector, and where it came from. */
typedef struct StorySlice {
    StoryTensor tensor;
    int layer;           /* of the tensor, where it is of a layer */
    bool normed;         /* pre-norm: what the attention's norm made of the tensor is projected */
    int step;            /* of the tensor: the query or key asked for, unless a mistake moves it */
    int column, stride;  /* element i is number column + i*stride of the projected vector */
    double input_length; /* the Euclidean length of the vector [W] that is projected */
    double *values;      /* [D] as the pass has them */
    double gap; /* the largest distance of these from the same projection computed in double */
} StorySlice;

typedef struct StoryTerm {
    int element;
    double query, key, product;
} StoryTerm;

/* Why the query sees the key, or does not. */
typedef struct StoryMask {
    int valid_len;  /* of this example's keys */
    bool causal;    /* the site is */
    bool padded;    /* the key is at or past the valid length */
    bool future;    /* the key comes after the query, and the site is causal */
    bool right;     /* by the right rule it is seen: neither of both */
    bool seen;      /* by the rule of the pass, which a mistake may have changed */
    int first, end; /* that rule lets the query see keys first .. end-1 */
    bool agrees;    /* where nothing is mistaken: the pass counted as many */
} StoryMask;

/* One score of those that the softmax sums over. */
typedef struct StoryScore {
    int head, query, key;
    bool seen;
    double score;       /* product / divisor, before the mask */
    double masked;      /* after it; -INFINITY: takes no part */
    double exponential; /* exp(masked - largest): the share that the softmax gives out by */
    double weight;
    double pass_weight; /* as the pass has it */
} StoryScore;

/* What one key of the row gives to the head's context. */
typedef struct StoryKey {
    double weight;       /* that its value is mixed with */
    double *value;       /* [D] as the pass has it */
    double value_length; /* |value| */
    double added_length; /* |weight value| */
    double share;        /* of the context, along it; all keys together 1; 0 for no context */
    double out_length;   /* |weight value| after the output projection */
    double out_share;    /* of what the context becomes there, along it */
} StoryKey;

typedef struct WeightStory {
    HeadId id;
    int example, query, key;
    int head_width, width, heads, queries, keys; /* D, W, H, Tq, Tk with padding */
    bool mistaken;                               /* a mistake is on */

    StorySlice slices[STORY_ROLES];
    StoryTerm *terms; /* [D] the products, the largest |product| first */
    double product;   /* their sum */
    double divisor;   /* sqrt(D), unless mistaken */
    double score;     /* product / divisor */

    StoryMask mask;

    SoftmaxAxis axis; /* over the keys, unless mistaken */
    StoryScore *line; /* [line_count]; over the keys: line[j] is key j */
    int line_count;
    int place;          /* of the weight asked for */
    int taking_part;    /* how many the softmax sums over */
    double largest;     /* of the scores that take part */
    double exponential; /* of this weight; the next two likewise */
    double sum;         /* of all exponentials */
    double weight;
    double pass_weight;
    double gap; /* the largest |weight - pass_weight| over the line */

    StoryKey *row;      /* [keys] the query's row; of other axes, the weights of the pass */
    double *added;      /* [D] weight value */
    double *context;    /* [D] the sum of it over all keys */
    double *standing;   /* [D] what the output projection read: the pass's context, or what stands
                         * in its place */
    Knockout knockout;  /* the head is out: that is zeros, or its mean output */
    double context_gap; /* the largest |context - standing|; of a head that is out: how far it is */

    int out_column, out_stride; /* element i of the context meets that column + i*stride of
                                   out_proj.weight */
    int lands;            /* the step whose stream it is added to: the query, unless mistaken */
    double *out_added;    /* [W] `added` after the head's columns of the output projection */
    double *out_head;     /* [W] `context` after them, */
    double *out_standing; /* [W] and `standing`: what this head adds to the stream */
    double *out_all;      /* [W] what all heads add, and the bias */
    double *stream;       /* [W] the stream before: the residual connection */
    double out_gap;       /* the largest |stream + out_all - the sum that the pass has| */

    double *block; /* owned: all numbers above */
} WeightStory;

/* Tells it. A new story (weight_story_free); {0} with *error for lack of memory. */
bool weight_story_make(WeightStory *story, const StoryRequest *request, Error *error);
void weight_story_free(WeightStory *story); /* {0} is fine */

/* The Euclidean length of [count] numbers. */
double weight_story_length(const double *numbers, int count);

#endif
