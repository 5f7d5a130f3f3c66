#include "model/doctor/doctor_hypotheses.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* --- mistakes that are a rule of the plain kernel --------------------------------------------- */

/* Which steps of a call the segment covers. */
typedef struct SegmentSteps {
    bool splits, concatenates, weighs, mixes, projects_out;
} SegmentSteps;

static bool is_packed(const PreparedDump *prepared, const Segment *segment, DumpPart part) {
    if (!segment->given[part]) return prepared_can_project(prepared, part);
    return !prepared->dump->parts[part].split;
}

static bool has_target(const Segment *segment, DumpPart part) {
    for (int i = 0; i < segment->target_count; i++)
        if (segment->targets[i] == part) return true;
    return false;
}

bool segment_involves(const Segment *segment, DumpPart part) {
    if (has_target(segment, part)) return true;
    if (part >= DUMP_QUERY) return segment->given[part];
    if (part == DUMP_W_O || part == DUMP_B_O) return segment->until == STAGE_OUTPUT;
    return segment->from == STAGE_PROJECTION;
}

static SegmentSteps steps_of(const PreparedDump *prepared, const Segment *segment) {
    SegmentSteps steps = {0};
    const Dump *dump = prepared->dump;
    if (segment->until == STAGE_PROJECTION) {
        for (int i = 0; i < segment->target_count; i++)
            steps.splits |= dump->parts[segment->targets[i]].split;
        return steps;
    }
    steps.projects_out = has_target(segment, DUMP_OUTPUT);
    steps.mixes =
        has_target(segment, DUMP_CONTEXT) || (steps.projects_out && !segment->given[DUMP_CONTEXT]);
    steps.weighs =
        has_target(segment, DUMP_WEIGHTS) || (steps.mixes && !segment->given[DUMP_WEIGHTS]);
    steps.splits = (steps.weighs && (is_packed(prepared, segment, DUMP_QUERY) ||
                                     is_packed(prepared, segment, DUMP_KEY))) ||
                   (steps.mixes && is_packed(prepared, segment, DUMP_VALUE));
    bool split_context = dump->parts[DUMP_CONTEXT].split;
    steps.concatenates = (has_target(segment, DUMP_CONTEXT) && !split_context) ||
                         (steps.projects_out && (!segment->given[DUMP_CONTEXT] || split_context));
    return steps;
}

/* False if a rule changes nothing on this dump whatever the numbers. */
static bool rule_matters(MistakeSubject subject, AttentionMistakes m, const PreparedDump *prepared,
                         SegmentSteps steps) {
    AttentionSizes n = prepared->sizes;
    const Dump *dump = prepared->dump;
    bool hides = dump->valid_lens || dump->causal;
    bool other_examples = m.lengths == LENGTHS_TILED || m.lengths == LENGTHS_NEXT ||
                          m.lengths == LENGTHS_PREVIOUS || m.lengths == LENGTHS_REVERSED;
    switch (subject) {
    case SUBJECT_SPLIT:
    case SUBJECT_CONCAT:
        if (m.split == FOLD_INTERLEAVED || m.concat == FOLD_INTERLEAVED)
            if (n.head_width == 1) return false;
        return n.heads > 1 && (subject == SUBJECT_SPLIT ? steps.splits : steps.concatenates);
    case SUBJECT_LENGTHS:
        return steps.weighs && dump->valid_lens && (n.batch > 1 || !other_examples);
    case SUBJECT_CAUSAL:
        return steps.weighs && dump->causal == (m.causal != CAUSAL_ADDED);
    case SUBJECT_SCALE:
        return steps.weighs && (m.scale == SCALE_ROOT_WIDTH ? n.heads > 1 : n.head_width > 1);
    case SUBJECT_SOFTMAX:
        return steps.weighs;
    case SUBJECT_MASK:
        return steps.weighs && hides;
    default:
        return false; /* SUBJECT_EMPTY: the judge tries all kinds of empty rows anyway */
    }
}

/* --- other mistakes --------------------------------------------------------------------------- */

typedef struct List {
    Hypothesis *singles;
    int count;
} List;

static Hypothesis *add(List *list, MistakeId id) {
    assert(list->count < HYPOTHESIS_SINGLES);
    Hypothesis *single = &list->singles[list->count++];
    *single = (Hypothesis){.kinds = {mistake_kind((int)id), NULL}};
    return single;
}

static void add_rules(List *list, MistakeId id, const PreparedDump *prepared, SegmentSteps steps) {
    const MistakeKind *kind = mistake_kind((int)id);
    for (int i = 0; i < mistake_rules(kind); i++) {
        AttentionMistakes rule = kind->rules[i];
        rule.mask_value = 0; /* estimated from the dump */
        if (rule_matters(kind->subject, rule, prepared, steps)) add(list, id)->attention = rule;
    }
}

/* True if the segment computes query, key, value (0 to 2) or output (3) with a matrix. */
static bool computes(const Segment *segment, SegmentSteps steps, int matrix) {
    if (matrix == 3) return steps.projects_out;
    DumpPart part = (DumpPart)(DUMP_QUERY + matrix);
    if (segment->until == STAGE_PROJECTION) return has_target(segment, part);
    bool is_used = part == DUMP_VALUE ? steps.mixes : steps.weighs;
    return is_used && !segment->given[part];
}

static void add_sources(List *list, const PreparedDump *prepared, const bool computed[4]) {
    if (!prepared_has(prepared, DUMP_X_KEY_VALUE) || !prepared_has(prepared, DUMP_X_QUERY)) return;
    if (computed[1] && computed[2]) add(list, MISTAKE_KV_FROM_DECODER);
    if (computed[0]) add(list, MISTAKE_Q_FROM_ENCODER);
    if (computed[1]) add(list, MISTAKE_K_FROM_DECODER);
    if (computed[2]) add(list, MISTAKE_V_FROM_DECODER);
}

/* Adds the mistake made with all matrices, with those of query, key and value, and with each. */
static void add_matrices(List *list, MistakeId id, unsigned possible) {
    static const unsigned sets[] = {15, 7, 1, 2, 4, 8};
    unsigned seen[6] = {0};
    for (int i = 0; i < 6; i++) {
        unsigned set = seen[i] = sets[i] & possible;
        for (int j = 0; j < i; j++)
            if (seen[j] == set) set = 0;
        if (!set) continue;
        Hypothesis *single = add(list, id);
        *(id == MISTAKE_W_TRANSPOSED ? &single->transposed : &single->no_bias) = set;
    }
}

int hypothesis_singles(Hypothesis *singles, const PreparedDump *prepared, const Segment *segment) {
    List list = {singles, 0};
    SegmentSteps steps = steps_of(prepared, segment);
    AttentionSizes n = prepared->sizes;
    for (int id = 0; id < MISTAKE_KINDS; id++)
        add_rules(&list, (MistakeId)id, prepared, steps);
    bool computed[4];
    unsigned matrices = 0, biases = 0;
    for (int i = 0; i < 4; i++) {
        computed[i] = computes(segment, steps, i);
        if (computed[i]) matrices |= 1u << i;
        if (computed[i] && prepared_has(prepared, (DumpPart)(DUMP_B_Q + i))) biases |= 1u << i;
    }
    if (steps.weighs && n.queries == n.keys) add(&list, MISTAKE_QUERY_KEY_SWAPPED)->swapped = true;
    if (computed[0] && computed[1] && prepared_can_project(prepared, DUMP_QUERY) &&
        prepared_can_project(prepared, DUMP_KEY))
        add(&list, MISTAKE_QUERY_KEY_SWAPPED)->exchanged = true;
    add_sources(&list, prepared, computed);
    add_matrices(&list, MISTAKE_W_TRANSPOSED, matrices);
    add_matrices(&list, MISTAKE_BIAS_LEFT_OUT, biases);
    if (steps.projects_out) add(&list, MISTAKE_NO_OUTPUT_PROJECTION);
    if (n.heads > 1 && (steps.weighs || steps.mixes)) add(&list, MISTAKE_AVERAGED_HEADS);
    if (segment->until != STAGE_PROJECTION) add(&list, MISTAKE_DROPOUT_ON)->dropout = DROPS_CELLS;
    if (has_target(segment, DUMP_CONTEXT)) add(&list, MISTAKE_DROPOUT_ON)->dropout = DROPS_WEIGHTS;
    return list.count;
}

bool hypothesis_has(const Hypothesis *hypothesis, MistakeId id) {
    const MistakeKind *kind = mistake_kind((int)id);
    return hypothesis->kinds[0] == kind || hypothesis->kinds[1] == kind;
}

/* True if one leaves out the output projection and the other uses it wrongly. */
static bool exclude_each_other(const Hypothesis *one, const Hypothesis *other) {
    return hypothesis_has(one, MISTAKE_NO_OUTPUT_PROJECTION) &&
           (other->transposed >> 3 || other->no_bias >> 3);
}

bool hypothesis_pair(Hypothesis *pair, const Hypothesis *one, const Hypothesis *other) {
    if (one->kinds[0]->subject == other->kinds[0]->subject) return false;
    if (exclude_each_other(one, other) || exclude_each_other(other, one)) return false;
    *pair = *one;
    pair->kinds[1] = other->kinds[0];
    pair->attention = attention_mistakes_join(one->attention, other->attention);
    pair->swapped |= other->swapped;
    pair->exchanged |= other->exchanged;
    if (other->dropout) pair->dropout = other->dropout;
    pair->transposed |= other->transposed;
    pair->no_bias |= other->no_bias;
    return true;
}

/* --- why mistakes give the same numbers ------------------------------------------------------- */

static bool all_equal(const int *lens, long count) {
    for (long i = 1; i < count; i++)
        if (lens[i] != lens[0]) return false;
    return true;
}

static void add_reason(char *text, size_t size, const char *reason) {
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, "%s%s", used ? ", " : "", reason);
}

void hypothesis_why_same(char *text, size_t size, const PreparedDump *prepared,
                         const Segment *segment) {
    AttentionSizes n = prepared->sizes;
    const Dump *dump = prepared->dump;
    text[0] = 0;
    if (n.heads == 1) add_reason(text, size, "there is one head");
    if (n.heads == n.head_width)
        add_reason(text, size, "there are as many heads as columns in a head");
    if (n.head_width == 1) add_reason(text, size, "a head is one column wide");
    if (n.batch == 1) add_reason(text, size, "there is one example");
    if (n.batch == 2) add_reason(text, size, "there are two examples");
    if (n.queries == 1) add_reason(text, size, "there is one query");
    if (n.keys == 1) add_reason(text, size, "there is one key");
    if (n.queries == n.heads) add_reason(text, size, "there are as many queries as heads");
    if (dump->valid_lens && n.batch > 1 &&
        all_equal(dump->valid_lens, prepared_lens_count(prepared)))
        add_reason(text, size, "all valid lengths are equal");
    if (!dump->valid_lens && !dump->causal && segment->until != STAGE_PROJECTION)
        add_reason(text, size, "no key is hidden");
    if (!text[0])
        add_reason(text, size, "on these numbers they come out the same within the precision");
}
