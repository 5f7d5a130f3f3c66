/* What can be wrong in a call of attention without an error, field by field, and the rule for the
 * plain kernel that it gives. Here a call reads packed tensors: query [B,Tq,W], key and value
 * [B,Tk,W], context [B,Tq,W]. */
#ifndef HEADSCOPE_MODEL_KERNELS_MISTAKES_H
#define HEADSCOPE_MODEL_KERNELS_MISTAKES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/kernels/attention_plain.h"

/* How [B,steps,W] is read as heads [B,H,steps,D], or heads are written into it. */
typedef enum FoldKind {
    FOLD_SLICES,      /* head h owns columns h*D to h*D+D-1: view(B,T,H,D).transpose(1,2) */
    FOLD_RESHAPE,     /* one reshape to (B,H,T,D) or (B*H,T,D), steps mixed into heads */
    FOLD_INTERLEAVED, /* head h owns columns h, h+H, h+2H, ...: view(B,T,D,H) */
} FoldKind;

/* Which valid length a folded row b*H+h reads. */
typedef enum LengthsKind {
    LENGTHS_REPEATED, /* that of its example b */
    LENGTHS_TILED,    /* that of example (b*H+h) mod B */
    LENGTHS_ONE_MORE, /* one key more, at most Tk */
    LENGTHS_ONE_LESS, /* one key less, at least 0 */
    LENGTHS_NEXT,     /* of example b+1, round and round */
    LENGTHS_PREVIOUS, /* of example b-1 */
    LENGTHS_REVERSED, /* of example B-1-b */
    LENGTHS_IGNORED,  /* all keys */
    LENGTHS_INVERTED, /* the padding is seen, the rest is not */
} LengthsKind;

/* What causality hides. Query t sees ... */
typedef enum CausalKind {
    CAUSAL_RIGHT,    /* keys 0 to t where the site is causal, all where it is not */
    CAUSAL_MISSING,  /* all keys, where the site is causal */
    CAUSAL_ADDED,    /* keys 0 to t, where the site is not causal */
    CAUSAL_ONE_MORE, /* keys 0 to t+1: one from the future */
    CAUSAL_ONE_LESS, /* keys 0 to t-1: not itself */
    CAUSAL_MIRRORED, /* keys t and on: the future alone */
} CausalKind;

/* What scores are divided by. */
typedef enum ScaleKind {
    SCALE_ROOT_HEAD_WIDTH,
    SCALE_NONE,
    SCALE_ROOT_WIDTH,
    SCALE_HEAD_WIDTH
} ScaleKind;

/* {0} is right. Any can be set together. Each field has an entry in attention_mistake_fields. */
typedef struct AttentionMistakes {
    FoldKind split;  /* of query, key and value */
    FoldKind concat; /* of the heads' contexts */
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

/* All fields in order; names and words as model files have them. */
extern const AttentionMistakeField attention_mistake_fields[];

/* The value of an enum field. */
int attention_mistake_value(const AttentionMistakes *mistakes, const AttentionMistakeField *field);

/* Whether any enum field is set. */
bool attention_mistaken(AttentionMistakes mistakes);

bool attention_mistakes_equal(AttentionMistakes one, AttentionMistakes other);

/* One with each field replaced that the other sets. */
AttentionMistakes attention_mistakes_join(AttentionMistakes one, AttentionMistakes other);

/* What the mask of a call is made from. */
typedef struct MaskSource {
    const int *valid_lens; /* [B], or [B,Tq] if per_query; each 0..Tk; NULL: all keys are valid */
    bool per_query;
    bool causal; /* the site is */
} MaskSource;

/* The fold of a packed tensor [B,steps,W]. */
HeadFold fold_of_kind(FoldKind kind, int steps, int heads, int head_width);

/* The example whose valid length folded row b*H+h reads; -1: none is read. */
int lengths_example(LengthsKind kind, int batch, int heads, int b, int h);

/* How many ints attention_rule_make takes. */
long attention_rule_room(AttentionSizes sizes);

/* The rule of a call with these mistakes. Its key_first and key_end lie in `room`
 * [attention_rule_room], which must stay as long as the rule is used. */
AttentionRule attention_rule_make(AttentionMistakes mistakes, MaskSource mask, AttentionSizes sizes,
                                  int *room);

#endif
