/* Through which mask the weights were seen, told by where they are 0. */
#include <math.h>
#include <stdlib.h>

#include "model/doctor/doctor_look.h"

static MaskSource mask_of(const Look *look) {
    const Dump *dump = look->patient->dump;
    return (MaskSource){dump->valid_lens ? look->lens : NULL, dump->per_query, dump->causal};
}

bool look_masks(Look *look) {
    const Dump *dump = look->patient->dump;
    AttentionSizes n = look->sizes;
    long count = dump->per_query ? (long)n.batch * n.queries : n.batch;
    size_t room = (size_t)attention_rule_room(n) * sizeof(int);
    look->lens = malloc((size_t)count * sizeof(int));
    look->room = malloc(room);
    look->other_room = malloc(room);
    if (!look->lens || !look->room || !look->other_room) {
        look_close(look);
        look->patient->no_memory = true;
        return false;
    }
    for (long i = 0; dump->valid_lens && i < count; i++) {
        int len = dump->valid_lens[i];
        look->lens[i] = len < 0 ? 0 : len > n.keys ? n.keys : len;
    }
    look->rule = attention_rule_make((AttentionMistakes){0}, mask_of(look), n, look->room);
    return true;
}

void look_close(Look *look) {
    free(look->lens);
    free(look->room);
    free(look->other_room);
    look->lens = look->room = look->other_room = NULL;
}

static long row_at(const Look *look, int b, int h, int t) {
    return ((long)b * look->sizes.heads + h) * look->sizes.queries + t;
}

int look_first(const Look *look, int b, int h, int t) {
    return look->rule.key_first[row_at(look, b, h, t)];
}

int look_end(const Look *look, int b, int h, int t) {
    return look->rule.key_end[row_at(look, b, h, t)];
}

/* Whether a row is as a softmax leaves it that saw nothing: all the same, or NaN. */
static bool is_left_empty(const Look *look, long row) {
    const double *weights = look->weights + row * look->sizes.keys;
    for (int j = 1; j < look->sizes.keys; j++)
        if (fabs(weights[j] - weights[0]) > 0.05 * fabs(weights[0])) return false;
    return true;
}

long look_misfit(Look *look, AttentionMistakes mistakes, long *zeros) {
    AttentionSizes n = look->sizes;
    AttentionRule rule = attention_rule_make(mistakes, mask_of(look), n, look->other_room);
    long hits = 0, empty = 0;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++) {
        int first = rule.key_first[row], end = rule.key_end[row];
        if (end <= first) {
            bool is_excused = look->rule.key_end[row] <= look->rule.key_first[row];
            hits += !is_excused && !is_left_empty(look, row);
            continue;
        }
        for (int j = 0; j < n.keys; j++) {
            bool has_weight = look->weights[row * n.keys + j] > look->floor;
            bool is_seen = j >= first && j < end;
            hits += has_weight && !is_seen;
            empty += !has_weight && is_seen && look->weights[row * n.keys + j] == 0;
        }
    }
    if (zeros) *zeros = empty;
    return hits;
}

/* --- candidates ------------------------------------------------------------------------------- */

/* A rule that shows other keys: of a kind about lengths or causality. */
typedef struct Candidate {
    const MistakeKind *kind;
    AttentionMistakes mistakes;
} Candidate;

/* The candidate at an index; kind NULL past the last. */
static Candidate candidate_at(int index) {
    const MistakeKind *kind;
    for (int id = 0; (kind = mistake_kind(id)); id++)
        if (kind->subject == SUBJECT_LENGTHS || kind->subject == SUBJECT_CAUSAL)
            for (int i = 0; i < mistake_rules(kind); i++)
                if (index-- == 0) return (Candidate){kind, kind->rules[i]};
    return (Candidate){0};
}

static bool can_be(const Look *look, AttentionMistakes mistakes) {
    const Dump *dump = look->patient->dump;
    if (mistakes.lengths && !dump->valid_lens) return false;
    return !mistakes.causal || dump->causal == (mistakes.causal != CAUSAL_ADDED);
}

/* Fits where no hidden cell has weight and every visible one has. */
static bool fits(Look *look, AttentionMistakes mistakes) {
    long zeros;
    return can_be(look, mistakes) && look_misfit(look, mistakes, &zeros) == 0 && zeros == 0;
}

/* The first that fits together with what is given. */
static Candidate find(Look *look, AttentionMistakes given) {
    Candidate c;
    for (int i = 0; (c = candidate_at(i)).kind; i++) {
        if (given.lengths && !c.mistakes.causal) continue;
        if (fits(look, attention_mistakes_join(given, c.mistakes))) break;
    }
    return c;
}

/* --- what is said ----------------------------------------------------------------------------- */

/* The largest weight that the right mask hides. */
static DoctorPlace worst_hidden(const Look *look, double *most) {
    AttentionSizes n = look->sizes;
    DoctorPlace worst = {-1, -1, -1, -1};
    *most = 0;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++) {
                int first = look_first(look, b, h, t), end = look_end(look, b, h, t);
                const double *row = look_row(look, b, h, t);
                for (int j = 0; j < n.keys && end > first; j++)
                    if ((j < first || j >= end) && row[j] > *most) {
                        *most = row[j];
                        worst = (DoctorPlace){b, h, t, j};
                    }
            }
    return worst;
}

/* other.kind may be NULL. */
static void say_kind(Look *look, Candidate one, Candidate other) {
    double most;
    DoctorPlace place = worst_hidden(look, &most);
    bool adds = one.mistakes.causal == CAUSAL_ADDED && !other.kind;
    /* Whether encoders and weights of an unknown site are meant to be causal, nobody said. */
    bool is_fault = !adds || look->patient->dump->site == SITE_CROSS;
    doctor_remark(look->diagnosis, is_fault, mistake_id(one.kind), place,
                  "the weights are 0 where %s would make them, not where the right mask does%s%s",
                  one.kind->title, other.kind ? ", together with " : "",
                  other.kind ? other.kind->title : "");
    if (other.kind)
        doctor_remark(look->diagnosis, true, mistake_id(other.kind), place, "%s",
                      other.kind->title);
}

static void say_hidden(Look *look, long hits) {
    double most;
    DoctorPlace place = worst_hidden(look, &most);
    const Dump *dump = look->patient->dump;
    bool future = dump->causal && place.key > place.query;
    doctor_remark(look->diagnosis, true,
                  future ? MISTAKE_WEIGHT_ON_FUTURE : MISTAKE_WEIGHT_ON_PADDING, place,
                  "%ld weights lie on %s, the largest is %.3g", hits,
                  future ? "keys of the future" : "padding", most);
}

/* --- lengths that were not said --------------------------------------------------------------- */

/* One past the last column with weight of a head. */
static int length_of(const Look *look, int b, int h) {
    AttentionSizes n = look->sizes;
    int length = 0;
    for (int t = 0; t < n.queries; t++)
        for (int j = length; j < n.keys; j++)
            if (look_row(look, b, h, t)[j] > look->floor) length = j + 1;
    return length;
}

static void compare_heads(Look *look) {
    AttentionSizes n = look->sizes;
    for (int b = 0; b < n.batch; b++)
        for (int h = 1; h < n.heads; h++) {
            int first = length_of(look, b, 0), length = length_of(look, b, h);
            if (length == first) continue;
            doctor_remark(look->diagnosis, true, MISTAKE_TILED_LENS,
                          (DoctorPlace){b, h, -1, length},
                          "heads of one example see different keys (head 0 the first %d, head %d "
                          "the first %d): valid lengths may be tiled instead of repeated",
                          first, h, length);
            return;
        }
}

/* Rows that see no key, but have weights. */
static void look_at_empty(Look *look) {
    AttentionSizes n = look->sizes;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++) {
                const double *row = look_row(look, b, h, t);
                if (look_end(look, b, h, t) > look_first(look, b, h, t) || !(row[0] > 0)) continue;
                doctor_remark(look->diagnosis, false, MISTAKE_EMPTY_UNIFORM,
                              (DoctorPlace){b, h, t, -1},
                              "a query that sees no key has weights all the same: a large negative "
                              "number stands for -inf, as in D2L");
                return;
            }
}

void look_at_pattern(Look *look, bool whole) {
    AttentionMistakes right = {0};
    long zeros, hits = look_misfit(look, right, &zeros);
    look_at_empty(look);
    if (hits == 0 && (zeros == 0 || !whole)) return;
    Candidate one = find(look, right), none = {0};
    if (one.kind) {
        say_kind(look, one, none);
        return;
    }
    for (int i = 0; hits && (one = candidate_at(i)).kind; i++) {
        if (!can_be(look, one.mistakes) || !one.mistakes.lengths) continue;
        Candidate other = find(look, one.mistakes);
        if (!other.kind) continue;
        say_kind(look, one, other);
        return;
    }
    if (hits)
        say_hidden(look, hits);
    else if (!look->patient->dump->valid_lens && look->sizes.heads > 1)
        compare_heads(look);
}
