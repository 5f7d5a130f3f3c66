#include "model/kernels/mistakes.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

/* --- the fields ------------------------------------------------------------------------------- */

static const char *const fold_words[] = {"slices", "reshape", "interleaved", NULL};
static const char *const length_words[] = {"repeated", "tiled",    "one_more", "one_less", "next",
                                           "previous", "reversed", "ignored",  "inverted", NULL};
static const char *const causal_words[] = {"right",    "missing",  "added", "one_more",
                                           "one_less", "mirrored", NULL};
static const char *const scale_words[] = {"root_head_width", "none", "root_width", "head_width",
                                          NULL};
static const char *const softmax_words[] = {"keys", "queries", "heads", NULL};
static const char *const mask_words[] = {"removes", "adds", "fills", "after", NULL};
static const char *const empty_words[] = {"zero", "uniform", "nan", NULL};

const AttentionMistakeField attention_mistake_fields[] = {
    {"split", offsetof(AttentionMistakes, split), fold_words},
    {"concat", offsetof(AttentionMistakes, concat), fold_words},
    {"lengths", offsetof(AttentionMistakes, lengths), length_words},
    {"causal", offsetof(AttentionMistakes, causal), causal_words},
    {"scale", offsetof(AttentionMistakes, scale), scale_words},
    {"softmax", offsetof(AttentionMistakes, softmax), softmax_words},
    {"mask", offsetof(AttentionMistakes, mask), mask_words},
    {"mask_value", offsetof(AttentionMistakes, mask_value), NULL},
    {"empty", offsetof(AttentionMistakes, empty), empty_words},
    {0},
};

int attention_mistake_value(const AttentionMistakes *m, const AttentionMistakeField *field) {
    int value;
    memcpy(&value, (const char *)m + field->offset, sizeof value);
    return value;
}

bool attention_mistaken(AttentionMistakes m) {
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++)
        if (field->words && attention_mistake_value(&m, field)) return true;
    return false;
}

bool attention_mistakes_equal(AttentionMistakes one, AttentionMistakes other) {
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++)
        if (field->words &&
            attention_mistake_value(&one, field) != attention_mistake_value(&other, field))
            return false;
    return one.mask_value == other.mask_value;
}

AttentionMistakes attention_mistakes_join(AttentionMistakes one, AttentionMistakes other) {
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++)
        if (field->words && attention_mistake_value(&other, field))
            memcpy((char *)&one + field->offset, (const char *)&other + field->offset, sizeof(int));
    if (other.mask_value != 0) one.mask_value = other.mask_value;
    return one;
}

/* --- the rule --------------------------------------------------------------------------------- */

HeadFold fold_of_kind(FoldKind kind, int steps, int heads, int head_width) {
    long width = (long)heads * head_width;
    HeadFold fold = head_fold(steps, width, head_width);
    if (kind == FOLD_RESHAPE) {
        fold.head = (long)steps * head_width;
        fold.row = head_width;
    } else if (kind == FOLD_INTERLEAVED) {
        fold.head = 1;
        fold.element = heads;
    }
    return fold;
}

static double scale_of(ScaleKind kind, AttentionSizes n) {
    switch (kind) {
    case SCALE_NONE:
        return 1;
    case SCALE_ROOT_WIDTH:
        return 1 / sqrt((double)n.heads * n.head_width);
    case SCALE_HEAD_WIDTH:
        return 1.0 / n.head_width;
    case SCALE_ROOT_HEAD_WIDTH:
        break;
    }
    return 1 / sqrt((double)n.head_width);
}

/* Keys first to end - 1. */
typedef struct KeyRange {
    int first, end;
} KeyRange;

int lengths_example(LengthsKind kind, int batch, int heads, int b, int h) {
    switch (kind) {
    case LENGTHS_TILED:
        return (b * heads + h) % batch;
    case LENGTHS_NEXT:
        return (b + 1) % batch;
    case LENGTHS_PREVIOUS:
        return (b + batch - 1) % batch;
    case LENGTHS_REVERSED:
        return batch - 1 - b;
    case LENGTHS_IGNORED:
        return -1;
    default:
        return b;
    }
}

static KeyRange valid_keys(LengthsKind kind, MaskSource mask, AttentionSizes n, int b, int h,
                           int t) {
    if (!mask.valid_lens || kind == LENGTHS_IGNORED) return (KeyRange){0, n.keys};
    long example = lengths_example(kind, n.batch, n.heads, b, h);
    int len = mask.valid_lens[mask.per_query ? example * n.queries + t : example];
    if (kind == LENGTHS_INVERTED) return (KeyRange){len, n.keys};
    if (kind == LENGTHS_ONE_MORE) len = int_min(len + 1, n.keys);
    if (kind == LENGTHS_ONE_LESS) len = int_max(len - 1, 0);
    return (KeyRange){0, len};
}

static KeyRange past_keys(CausalKind kind, bool causal, AttentionSizes n, int t) {
    if (kind == CAUSAL_ADDED) causal = true;
    if (!causal || kind == CAUSAL_MISSING) return (KeyRange){0, n.keys};
    if (kind == CAUSAL_MIRRORED) return (KeyRange){int_min(t, n.keys), n.keys};
    int shift = kind == CAUSAL_ONE_MORE ? 1 : kind == CAUSAL_ONE_LESS ? -1 : 0;
    return (KeyRange){0, int_min(t + 1 + shift, n.keys)};
}

long attention_rule_room(AttentionSizes n) {
    return 2L * n.batch * n.heads * n.queries;
}

AttentionRule attention_rule_make(AttentionMistakes m, MaskSource mask, AttentionSizes n,
                                  int *room) {
    int *first = room, *end = room + attention_rule_room(n) / 2;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++) {
                KeyRange valid = valid_keys(m.lengths, mask, n, b, h, t);
                KeyRange past = past_keys(m.causal, mask.causal, n, t);
                *first = int_max(valid.first, past.first);
                *end++ = int_max(int_min(valid.end, past.end), *first);
                first++;
            }
    HeadFold keys = fold_of_kind(m.split, n.keys, n.heads, n.head_width);
    return (AttentionRule){
        .query = fold_of_kind(m.split, n.queries, n.heads, n.head_width),
        .key = keys,
        .value = keys,
        .context = fold_of_kind(m.concat, n.queries, n.heads, n.head_width),
        .key_first = room,
        .key_end = room + attention_rule_room(n) / 2,
        .scale = scale_of(m.scale, n),
        .softmax = m.softmax,
        .mask = m.mask,
        .mask_value = m.mask_value,
        .empty = m.empty,
    };
}
