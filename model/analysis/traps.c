#include "model/analysis/traps.h"

#include <stddef.h>
#include <string.h>

#define EVERYWHERE                                                                                 \
    { true, true, true }

static const Trap traps[] = {
    {
        .name = "one-reshape",
        .title = "heads split with one reshape",
        .mistakes = {.split = FOLD_RESHAPE},
        .at = EVERYWHERE,
        .wrong = "q = q.reshape(B, H, T, D)",
        .right = "q = q.reshape(B, T, H, D).transpose(1, 2)",
        .agrees = "both give (B, H, T, D), from the same B*T*W numbers",
        .mixes =
            "a head gets whole steps instead of its columns: the steps of a sentence are dealt "
            "out to the heads",
        .caught = "split a tensor that holds its own indices: head h must own columns h*D to "
                  "h*D+D-1 of every step",
    },
    {
        .name = "interleaved-heads",
        .title = "heads split as every H-th column",
        .mistakes = {.split = FOLD_INTERLEAVED},
        .at = EVERYWHERE,
        .wrong = "q = q.reshape(B, T, D, H).permute(0, 3, 1, 2)",
        .right = "q = q.reshape(B, T, H, D).permute(0, 2, 1, 3)",
        .agrees = "both give (B, H, T, D)",
        .mixes = "a head gets every H-th column instead of D neighbouring ones; a model trained so "
                 "is fine, and a checkpoint from elsewhere is not",
        .caught = "load weights that were trained elsewhere, or split a tensor of indices",
    },
    {
        .name = "wrong-concat",
        .title = "heads put together with one reshape",
        .mistakes = {.concat = FOLD_RESHAPE},
        .at = EVERYWHERE,
        .wrong = "out = out.reshape(B, T, W)",
        .right = "out = out.transpose(1, 2).reshape(B, T, W)",
        .agrees = "(B, H, T, D) and (B, T, W) hold the same B*T*W numbers",
        .mixes = "the output of a step is put together from other steps; every weight is right",
        .caught = "compare the output, not only the weights, with single heads side by side",
    },
    {
        .name = "lens-ignored",
        .old_name = "no-cross-padding",
        .title = "valid lengths ignored",
        .mistakes = {.lengths = LENGTHS_IGNORED},
        .at = {[SITE_CROSS] = true},
        .wrong = "Y3 = self.attention2(Y, enc, enc, None)",
        .right = "Y3 = self.attention2(Y, enc, enc, enc_valid_lens)",
        .agrees = "a mask never changes a shape",
        .mixes = "the decoder reads the encoder's outputs for padding, which mean nothing",
        .caught = "pad a source further: no output may change",
    },
    {
        .name = "tiled-lens",
        .title = "valid lengths tiled instead of repeated",
        .mistakes = {.lengths = LENGTHS_TILED},
        .at = EVERYWHERE,
        .wrong = "valid_lens = valid_lens.repeat(H)",
        .right = "valid_lens = torch.repeat_interleave(valid_lens, H)",
        .agrees = "both give B*H lengths for B*H folded rows",
        .mixes = "heads of one example are masked by the lengths of others",
        .caught = "with lengths 3 and 2, every head of an example must zero the same keys",
    },
    {
        .name = "no-repeat",
        .title = "valid lengths not repeated at all",
        .mistakes = {.lengths = LENGTHS_REPEATED},
        .at = EVERYWHERE,
        .is_loud = true,
        .wrong = "self.attention(q, k, v, valid_lens)",
        .right = "self.attention(q, k, v, torch.repeat_interleave(valid_lens, H))",
        .agrees = "there are B lengths for B*H folded rows, and PyTorch stops with an error",
        .mixes = "nothing: with two heads or more it never runs, and with one there is nothing to "
                 "repeat",
        .caught = "the shapes themselves",
    },
    {
        .name = "no-causal",
        .title = "no causal mask",
        .mistakes = {.causal = CAUSAL_MISSING},
        .at = {[SITE_DECODER] = true},
        .wrong = "Y2 = self.attention1(X, X, X, valid_lens)",
        .right =
            "Y2 = self.attention1(X, X, X, torch.arange(1, T + 1).minimum(valid_lens[:, None]))",
        .agrees = "a mask never changes a shape",
        .mixes =
            "in training each step reads the answer that it shall write; at prediction there is "
            "none, and the model is lost",
        .caught = "change the last target token: no output before it may change",
    },
    {
        .name = "causal-cross",
        .title = "a causal mask where there should be none",
        .mistakes = {.causal = CAUSAL_ADDED},
        .at = {[SITE_CROSS] = true},
        .wrong = "Y3 = self.attention2(Y, enc, enc, "
                 "torch.arange(1, T + 1).minimum(enc_valid_lens[:, None]))",
        .right = "Y3 = self.attention2(Y, enc, enc, enc_valid_lens)",
        .agrees = "queries and keys are often of the same length, and a mask never changes a shape",
        .mixes = "step t of the target sees source tokens 0 to t alone: the first step sees one",
        .caught = "the first target step must be able to weigh every valid source token",
    },
    {
        .name = "no-scale",
        .title = "scores not scaled",
        .mistakes = {.scale = SCALE_NONE},
        .at = EVERYWHERE,
        .wrong = "scores = q @ k.transpose(-2, -1)",
        .right = "scores = q @ k.transpose(-2, -1) / math.sqrt(D)",
        .agrees = "a factor never changes a shape",
        .mixes =
            "nothing, but rows are too sharp: one key takes nearly all, and little gradient is "
            "left for the rest",
        .caught = "recompute one row by hand",
    },
    {
        .name = "scale-sqrt-width",
        .title = "scores scaled by the root of the whole width",
        .mistakes = {.scale = SCALE_ROOT_WIDTH},
        .at = EVERYWHERE,
        .wrong = "scores = q @ k.transpose(-2, -1) / math.sqrt(num_hiddens)",
        .right = "scores = q @ k.transpose(-2, -1) / math.sqrt(num_hiddens // num_heads)",
        .agrees = "a factor never changes a shape",
        .mixes = "nothing, but rows are too flat, by a factor of sqrt(H) in their scores",
        .caught = "recompute one row by hand, with more than one head",
    },
    {
        .name = "softmax-queries",
        .title = "softmax over the queries",
        .mistakes = {.softmax = SOFTMAX_QUERIES},
        .at = EVERYWHERE,
        .wrong = "weights = scores.softmax(dim=-2)",
        .right = "weights = scores.softmax(dim=-1)",
        .agrees = "a softmax keeps the shape whatever its axis",
        .mixes = "queries compete for keys: a step's weights sum to anything, and depend on steps "
                 "after it",
        .caught = "every row must sum to 1",
    },
    {
        .name = "mask-after",
        .title = "mask after the softmax, without making the rest sum to 1",
        .mistakes = {.mask = MASK_AFTER},
        .at = EVERYWHERE,
        .wrong = "weights = scores.softmax(-1) * mask",
        .right = "weights = scores.masked_fill(~mask, -1e9).softmax(-1)",
        .agrees = "the mask has the shape of the weights",
        .mixes = "hidden keys take their share of the sum before they are hidden: rows sum to less "
                 "than 1",
        .caught = "every row must sum to 1",
    },
    {
        .name = "mask-leaks",
        .title = "a mask that leaks",
        .mistakes = {.mask = MASK_ADDS, .mask_value = -5},
        .at = EVERYWHERE,
        .wrong = "scores = scores + ~mask * -5",
        .right = "scores = scores.masked_fill(~mask, float('-inf'))",
        .agrees = "the mask has the shape of the scores",
        .mixes = "a hidden key with a large score still gets a weight: e to the -5 is not 0",
        .caught = "hidden weights must be exactly 0",
    },
    {
        .name = "empty-uniform",
        .title = "a row that sees nothing, made uniform",
        .mistakes = {.empty = EMPTY_UNIFORM},
        .at = EVERYWHERE,
        .wrong = "scores[~mask] = -1e6; weights = scores.softmax(-1)   # of a length of 0",
        .right = "weights = weights.masked_fill(~mask, 0)",
        .agrees = "scores that are all -1e6 are all alike, and their softmax is 1/Tk",
        .mixes = "an empty example reads its padding in equal parts (D2L's way; harmless where "
                 "nobody reads that row)",
        .caught = "give an example a length of 0",
    },
    {
        .name = "empty-nan",
        .title = "a query without any key gives NaN",
        .mistakes = {.empty = EMPTY_NAN},
        .at = EVERYWHERE,
        .wrong = "weights = scores.masked_fill(~mask, float('-inf')).softmax(-1)   # a length of 0",
        .right = "weights = torch.nan_to_num(weights)   # or no empty rows",
        .agrees = "0/0 has the shape of any other number",
        .mixes =
            "one empty row makes NaN of every number that it meets, and of the loss (PyTorch's "
            "way)",
        .caught = "give an example a length of 0",
    },
};
enum { TRAPS = sizeof traps / sizeof traps[0] };

const Trap *trap_at(int index) {
    return index >= 0 && index < TRAPS ? &traps[index] : NULL;
}

const Trap *trap_find(const char *name) {
    for (int i = 0; i < TRAPS; i++)
        if (strcmp(traps[i].name, name) == 0 ||
            (traps[i].old_name && strcmp(traps[i].old_name, name) == 0))
            return &traps[i];
    return NULL;
}

void trap_mistakes(AttentionMistakes mistakes[SITE_COUNT], const Trap *trap) {
    for (int site = 0; site < SITE_COUNT; site++)
        mistakes[site] = trap && trap->at[site] ? trap->mistakes : (AttentionMistakes){0};
}

const Trap *trap_of(const AttentionMistakes mistakes[SITE_COUNT]) {
    for (int i = 0; i < TRAPS; i++) {
        AttentionMistakes own[SITE_COUNT];
        trap_mistakes(own, &traps[i]);
        bool same = !traps[i].is_loud;
        for (int site = 0; site < SITE_COUNT; site++)
            same = same && attention_mistakes_equal(own[site], mistakes[site]);
        if (same) return &traps[i];
    }
    return NULL;
}

/* --- traps that change nothing ---------------------------------------------------------------- */

/* Whether both folds place every element alike. */
static bool same_fold(HeadFold a, HeadFold b, AttentionSizes n, int steps) {
    for (int h = 0; h < n.heads; h++)
        for (int t = 0; t < steps; t++)
            for (int i = 0; i < n.head_width; i++)
                if (head_fold_at(a, 0, h, t, i) != head_fold_at(b, 0, h, t, i)) return false;
    return true;
}

/* How many keys the rows of a rule see. */
typedef struct Seen {
    int most;         /* of any row */
    bool all;         /* every row sees every key */
    bool has_empty;   /* some row sees none */
    bool has_partial; /* some row sees some keys and not others */
    bool lone;        /* no key that is seen shares its row or its column with another */
} Seen;

static Seen seen_of(const AttentionRule *rule, AttentionSizes n) {
    Seen seen = {.all = true, .lone = true};
    for (long map = 0; map < (long)n.batch * n.heads; map++) {
        int rows = 0;
        for (int t = 0; t < n.queries; t++) {
            long row = map * n.queries + t;
            int keys = rule->key_end[row] - rule->key_first[row];
            rows += keys > 0;
            if (keys > seen.most) seen.most = keys;
            seen.all = seen.all && keys == n.keys;
            seen.has_empty = seen.has_empty || keys == 0;
            seen.has_partial = seen.has_partial || (keys > 0 && keys < n.keys);
        }
        /* Rows see a prefix: two that see anything share the first key. */
        seen.lone = seen.lone && rows <= 1;
    }
    seen.lone = seen.lone && seen.most <= 1;
    return seen;
}

static const char *fold_idle(AttentionSizes n, const AttentionRule *rule,
                             const AttentionRule *right) {
    int most = seen_of(right, n).most;
    if (most == 0) return "no query sees a key";
    if (!same_fold(rule->value, right->value, n, n.keys) ||
        !same_fold(rule->context, right->context, n, n.queries))
        return NULL;
    if (n.heads == 1) return "there is one head, which owns all columns either way";
    if (n.head_width == 1) return "heads are one column wide: both ways deal them out alike";
    if (n.queries == 1 || same_fold(rule->query, right->query, n, n.queries))
        return "there is one step: its columns are dealt out alike either way";
    if (most > 1) return NULL;
    return "there is one key: every weight is 1, and its value is dealt out alike either way";
}

static const char *lengths_idle(const TrapInput *input) {
    const int *lens = input->mask.valid_lens;
    AttentionSizes n = input->sizes;
    if (!lens) return "there are no valid lengths: every key is seen";
    int count = input->mask.per_query ? n.batch * n.queries : n.batch;
    bool equal = true, full = true;
    for (int i = 0; i < count; i++) {
        equal = equal && lens[i] == lens[0];
        full = full && lens[i] == n.keys;
    }
    if (full) return "nothing is padded: every key is valid";
    if (n.batch == 1) return "there is one example, and so one length";
    if (n.heads == 1) return "there is one head: each example has one folded row";
    if (equal) return "all valid lengths are equal";
    return "each folded row happens to read the right length";
}

/* Of two rules that show every query the same keys. A query sees one key more or fewer unless no
 * length lets it see a second one. */
static const char *causal_idle(const TrapInput *input) {
    AttentionSizes n = input->sizes;
    if (n.queries == 1 && n.keys == 1) return "there is one query and one key";
    if (n.keys == 1) return "there is one key";
    return "no valid length is above 1: no query sees a second key either way";
}

static const char *mask_idle(const Trap *trap, const TrapInput *input, const AttentionRule *rule,
                             const AttentionRule *right) {
    AttentionSizes n = input->sizes;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
        if (rule->key_first[row] != right->key_first[row] ||
            rule->key_end[row] != right->key_end[row])
            return NULL;
    return trap->mistakes.lengths ? lengths_idle(input) : causal_idle(input);
}

static const char *softmax_idle(const Trap *trap, const TrapInput *input, const AttentionRule *rule,
                                const AttentionRule *right) {
    Seen seen = seen_of(right, input->sizes);
    if (trap->mistakes.scale && rule->scale == right->scale)
        return input->sizes.heads == 1 ? "there is one head, as wide as the whole"
                                       : "heads are one column wide, and the root of 1 is 1";
    if (trap->mistakes.scale && seen.most == 0) return "no query sees a key";
    if (trap->mistakes.scale && seen.most == 1)
        return "no query sees two keys: a weight is 1 whatever its score";
    if (trap->mistakes.scale && input->keys_alike)
        return "all keys are alike: every row is uniform, whatever its scores are divided by";
    if (trap->mistakes.softmax && seen.most == 0) return "no query sees a key";
    if (trap->mistakes.softmax && seen.lone)
        return "one query sees one key: its weight is 1 along either axis";
    if (trap->mistakes.mask && seen.all) return "nothing is masked here";
    if (trap->mistakes.mask == MASK_AFTER && !seen.has_partial)
        return "every query sees all keys or none: no hidden key takes a share of a sum";
    if (trap->mistakes.empty && !seen.has_empty) return "every query sees at least one key";
    return NULL;
}

const char *trap_idle(const Trap *trap, const TrapInput *input, int *room) {
    AttentionSizes n = input->sizes;
    if (trap->is_loud) return "it cannot be made silently";
    if (!trap->at[input->site]) return "it is not made at this site";
    AttentionRule rule = attention_rule_make(trap->mistakes, input->mask, n, room);
    AttentionRule right =
        attention_rule_make((AttentionMistakes){0}, input->mask, n, room + attention_rule_room(n));
    if (trap->mistakes.split || trap->mistakes.concat) return fold_idle(n, &rule, &right);
    if (trap->mistakes.lengths || trap->mistakes.causal)
        return mask_idle(trap, input, &rule, &right);
    return softmax_idle(trap, input, &rule, &right);
}
