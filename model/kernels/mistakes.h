/* The silent mistakes that a call of attention can make, field by field, and the rule for the plain
 * kernel that reproduces them. Tensors are packed: query [B,Tq,W], key and value [B,Tk,W], context
 * [B,Tq,W]. */
#ifndef HEADSCOPE_MODEL_KERNELS_MISTAKES_H
#define HEADSCOPE_MODEL_KERNELS_MISTAKES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/kernels/attention_plain.h"

/* How heads [B,H,steps,D] are read from or written to [B,steps,W]. */
typedef enum FoldKind {
    FOLD_SLICES,      /* head h owns columns h*D to h*D+D-1: view(B,T,H,D).transpose(1,2) */
    FOLD_RESHAPE,     /* one reshape to (B,H,T,D) or (B*H,T,D), steps mixed into heads */
    FOLD_INTERLEAVED, /* head h owns columns h, h+H, h+2H, ...: view(B,T,D,H) */
} FoldKind;

/* Which valid length a folded row b*H+h reads. */
typedef enum LengthsKind {
    LENGTHS_REPEATED, /* of example b (correct) */
    LENGTHS_TILED,    /* of example (b*H+h) mod B */
    LENGTHS_ONE_MORE, /* of example b, plus 1, at most Tk */
    LENGTHS_ONE_LESS, /* of example b, minus 1, at least 0 */
    LENGTHS_NEXT,     /* of example (b+1) mod B */
    LENGTHS_PREVIOUS, /* of example (b-1) mod B */
    LENGTHS_REVERSED, /* of example B-1-b */
    LENGTHS_IGNORED,  /* none: all keys are visible */
    LENGTHS_INVERTED, /* of example b, but the padding is visible instead */
} LengthsKind;

/* What causality hides. Query t sees ... */
typedef enum CausalKind {
    CAUSAL_RIGHT,    /* keys 0 to t if the site is causal, else all keys (correct) */
    CAUSAL_MISSING,  /* all keys, though the site is causal */
    CAUSAL_ADDED,    /* keys 0 to t, though the site is not causal */
    CAUSAL_ONE_MORE, /* keys 0 to t+1: one from the future */
    CAUSAL_ONE_LESS, /* keys 0 to t-1: not itself */
    CAUSAL_MIRRORED, /* keys t and on: not the past */
} CausalKind;

/* What scores are divided by. */
typedef enum ScaleKind {
    SCALE_ROOT_HEAD_WIDTH,
    SCALE_NONE,
    SCALE_ROOT_WIDTH,
    SCALE_HEAD_WIDTH
} ScaleKind;

/* {0} is correct attention. Fields can be combined. Each has an entry in attention_mistake_fields.
 */
typedef struct AttentionMistakes {
    FoldKind split;  /* of query, key and value */
    FoldKind concat; /* of the context */
    LengthsKind lengths;
    CausalKind causal;
    ScaleKind scale;
    SoftmaxAxis softmax;
    MaskKind mask;
    double mask_value; /* of MASK_ADDS and MASK_FILLS */
    EmptyLine empty;
} AttentionMistakes;

/* One field of AttentionMistakes, for code that treats all fields alike. */
typedef struct AttentionMistakeField {
    const char *name;         /* "split"; NULL ends the list */
    size_t offset;            /* of an enum, read as an int; of mask_value a double */
    const char *const *words; /* the enum's values in order, then NULL; NULL: mask_value */
} AttentionMistakeField;

/* All fields in order; names and words as in model files. */
extern const AttentionMistakeField attention_mistake_fields[];

/* The value of an enum field. */
int attention_mistake_value(const AttentionMistakes *mistakes, const AttentionMistakeField *field);

/* True if any enum field is set. */
bool attention_mistaken(AttentionMistakes mistakes);

bool attention_mistakes_equal(AttentionMistakes one, AttentionMistakes other);

/* `one`, with each field that `other` sets replaced. */
AttentionMistakes attention_mistakes_join(AttentionMistakes one, AttentionMistakes other);

/* The inputs of the mask of a call. */
typedef struct MaskSource {
    const int *valid_lens; /* [B], or [B,Tq] if per_query; each 0..Tk; NULL: all keys are valid */
    bool per_query;
    bool causal; /* the site is causal */
} MaskSource;

/* The fold of a packed tensor [B,steps,W]. */
HeadFold fold_of_kind(FoldKind kind, int steps, int heads, int head_width);

/* The example whose valid length folded row b*H+h reads; -1 for none. */
int lengths_example(LengthsKind kind, int batch, int heads, int b, int h);

/* How many ints attention_rule_make needs. */
long attention_rule_room(AttentionSizes sizes);

/* The rule of a call with these mistakes. Its key_first and key_end lie in `room`
 * [attention_rule_room], which must outlive the rule. */
AttentionRule attention_rule_make(AttentionMistakes mistakes, MaskSource mask, AttentionSizes sizes,
                                  int *room);

#endif
