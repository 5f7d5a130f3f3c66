#include "model/doctor/traps.h"

#include <stddef.h>

const MistakeKind *trap_at(int index) {
    for (int id = 0; id < MISTAKE_KINDS; id++)
        if (mistake_kind(id)->wrong && index-- == 0) return mistake_kind(id);
    return NULL;
}

const MistakeKind *trap_find(const char *name) {
    const MistakeKind *kind = mistake_find(name);
    return kind && kind->wrong ? kind : NULL;
}

void trap_mistakes(AttentionMistakes mistakes[SITE_COUNT], const MistakeKind *trap) {
    for (int site = 0; site < SITE_COUNT; site++)
        mistakes[site] = trap && trap->at[site] ? trap->rules[0] : (AttentionMistakes){0};
}

const MistakeKind *trap_of(const AttentionMistakes mistakes[SITE_COUNT]) {
    const MistakeKind *trap;
    for (int i = 0; (trap = trap_at(i)); i++) {
        AttentionMistakes own[SITE_COUNT];
        trap_mistakes(own, trap);
        bool same = !trap->is_loud;
        for (int site = 0; site < SITE_COUNT; site++)
            same = same && attention_mistakes_equal(own[site], mistakes[site]);
        if (same) return trap;
    }
    return NULL;
}

/* --- traps that change nothing ---------------------------------------------------------------- */

/* True if both folds put every element at the same place. */
static bool same_fold(HeadFold a, HeadFold b, AttentionSizes n, int steps) {
    for (int h = 0; h < n.heads; h++)
        for (int t = 0; t < steps; t++)
            for (int i = 0; i < n.head_width; i++)
                if (head_fold_at(a, 0, h, t, i) != head_fold_at(b, 0, h, t, i)) return false;
    return true;
}

/* How many keys the rows of a rule see. */
typedef struct Seen {
    int max;          /* of any row */
    bool all;         /* every row sees every key */
    bool has_empty;   /* some row sees none */
    bool has_partial; /* some row sees some keys, but not all */
    bool lone;        /* no visible cell shares its row or column with another */
} Seen;

static Seen seen_of(const AttentionRule *rule, AttentionSizes n) {
    Seen seen = {.all = true, .lone = true};
    for (long map = 0; map < (long)n.batch * n.heads; map++) {
        int rows = 0;
        for (int t = 0; t < n.queries; t++) {
            long row = map * n.queries + t;
            int keys = rule->key_end[row] - rule->key_first[row];
            rows += keys > 0;
            if (keys > seen.max) seen.max = keys;
            seen.all = seen.all && keys == n.keys;
            seen.has_empty = seen.has_empty || keys == 0;
            seen.has_partial = seen.has_partial || (keys > 0 && keys < n.keys);
        }
        /* Rows see a prefix: two that see anything share the first key. */
        seen.lone = seen.lone && rows <= 1;
    }
    seen.lone = seen.lone && seen.max <= 1;
    return seen;
}

static const char *fold_idle(AttentionSizes n, const AttentionRule *rule,
                             const AttentionRule *right) {
    int max = seen_of(right, n).max;
    if (max == 0) return "no query sees a key";
    if (!same_fold(rule->value, right->value, n, n.keys) ||
        !same_fold(rule->context, right->context, n, n.queries))
        return NULL;
    if (n.heads == 1) return "there is one head, which owns all columns either way";
    if (n.head_width == 1) return "heads are one column wide: both ways deal them out alike";
    if (n.queries == 1 || same_fold(rule->query, right->query, n, n.queries))
        return "there is one step: its columns are dealt out alike either way";
    if (max > 1) return NULL;
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

/* For two rules that show every query the same keys. A causal mistake changes what some query sees
 * unless there is one key, or valid lengths hide the second. */
static const char *causal_idle(const TrapInput *input) {
    AttentionSizes n = input->sizes;
    if (n.queries == 1 && n.keys == 1) return "there is one query and one key";
    if (n.keys == 1) return "there is one key";
    return "no valid length is above 1: no query sees a second key either way";
}

static const char *mask_idle(const MistakeKind *trap, const TrapInput *input,
                             const AttentionRule *rule, const AttentionRule *right) {
    AttentionSizes n = input->sizes;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
        if (rule->key_first[row] != right->key_first[row] ||
            rule->key_end[row] != right->key_end[row])
            return NULL;
    return trap->rules[0].lengths ? lengths_idle(input) : causal_idle(input);
}

static const char *softmax_idle(const MistakeKind *trap, const TrapInput *input,
                                const AttentionRule *rule, const AttentionRule *right) {
    Seen seen = seen_of(right, input->sizes);
    if (trap->rules[0].scale && rule->scale == right->scale)
        return input->sizes.heads == 1 ? "there is one head, as wide as the whole"
                                       : "heads are one column wide, and the root of 1 is 1";
    if (trap->rules[0].scale && seen.max == 0) return "no query sees a key";
    if (trap->rules[0].scale && seen.max == 1)
        return "no query sees two keys: a weight is 1 whatever its score";
    if (trap->rules[0].scale && input->keys_alike)
        return "all keys are alike: every row is uniform, whatever its scores are divided by";
    if (trap->rules[0].softmax && seen.max == 0) return "no query sees a key";
    if (trap->rules[0].softmax && seen.lone)
        return "one query sees one key: its weight is 1 along either axis";
    if (trap->rules[0].mask && seen.all) return "nothing is masked here";
    if (trap->rules[0].mask == MASK_AFTER && !seen.has_partial)
        return "every query sees all keys or none: no hidden key takes a share of a sum";
    if (trap->rules[0].empty && !seen.has_empty) return "every query sees at least one key";
    return NULL;
}

const char *trap_idle(const MistakeKind *trap, const TrapInput *input, int *room) {
    AttentionSizes n = input->sizes;
    if (trap->is_loud) return "it cannot be made silently";
    if (!trap->at[input->site]) return "it is not made at this site";
    AttentionRule rule = attention_rule_make(trap->rules[0], input->mask, n, room);
    AttentionRule right =
        attention_rule_make((AttentionMistakes){0}, input->mask, n, room + attention_rule_room(n));
    if (trap->rules[0].split || trap->rules[0].concat) return fold_idle(n, &rule, &right);
    if (trap->rules[0].lengths || trap->rules[0].causal)
        return mask_idle(trap, input, &rule, &right);
    return softmax_idle(trap, input, &rule, &right);
}
