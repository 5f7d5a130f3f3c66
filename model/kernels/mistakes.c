#include "model/kernels/mistakes.h"

#include <math.h>
#include <stddef.h>

bool attention_mistaken(AttentionMistakes m) {
    return m.split || m.concat || m.lengths || m.causal || m.scale || m.softmax || m.mask ||
           m.empty;
}

HeadFold fold_way(FoldWay way, int steps, int heads, int head_width) {
    long width = (long)heads * head_width;
    HeadFold fold = head_fold(steps, width, head_width);
    if (way == FOLD_RESHAPE) {
        fold.head = (long)steps * head_width;
        fold.row = head_width;
    } else if (way == FOLD_INTERLEAVED) {
        fold.head = 1;
        fold.element = heads;
    }
    return fold;
}

static double scale_of(ScaleWay way, AttentionSizes n) {
    switch (way) {
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

/* Keys from `first` to `end` - 1 are seen. */
typedef struct Span {
    int first, end;
} Span;

static int at_most(int value, int most) {
    return value < most ? value : most;
}

static int at_least(int value, int least) {
    return value > least ? value : least;
}

int lengths_example(LengthsWay way, int batch, int heads, int b, int h) {
    switch (way) {
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

static Span valid_keys(LengthsWay way, MaskSource mask, AttentionSizes n, int b, int h, int t) {
    if (!mask.valid_lens || way == LENGTHS_IGNORED) return (Span){0, n.keys};
    long example = lengths_example(way, n.batch, n.heads, b, h);
    int len = mask.valid_lens[mask.per_query ? example * n.queries + t : example];
    if (way == LENGTHS_INVERTED) return (Span){len, n.keys};
    if (way == LENGTHS_ONE_MORE) len = at_most(len + 1, n.keys);
    if (way == LENGTHS_ONE_LESS) len = at_least(len - 1, 0);
    return (Span){0, len};
}

static Span past_keys(CausalWay way, bool causal, AttentionSizes n, int t) {
    if (way == CAUSAL_ADDED) causal = true;
    if (!causal || way == CAUSAL_MISSING) return (Span){0, n.keys};
    if (way == CAUSAL_MIRRORED) return (Span){at_most(t, n.keys), n.keys};
    int shift = way == CAUSAL_ONE_MORE ? 1 : way == CAUSAL_ONE_LESS ? -1 : 0;
    return (Span){0, at_most(t + 1 + shift, n.keys)};
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
                Span valid = valid_keys(m.lengths, mask, n, b, h, t);
                Span past = past_keys(m.causal, mask.causal, n, t);
                *first = at_least(valid.first, past.first);
                *end++ = at_least(at_most(valid.end, past.end), *first);
                first++;
            }
    HeadFold keys = fold_way(m.split, n.keys, n.heads, n.head_width);
    return (AttentionRule){
        .query = fold_way(m.split, n.queries, n.heads, n.head_width),
        .key = keys,
        .value = keys,
        .context = fold_way(m.concat, n.queries, n.heads, n.head_width),
        .key_first = room,
        .key_end = room + attention_rule_room(n) / 2,
        .scale = scale_of(m.scale, n),
        .softmax = m.softmax,
        .mask = m.mask,
        .mask_value = m.mask_value,
        .empty = m.empty,
    };
}
