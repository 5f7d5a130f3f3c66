#include "model/doctor/doctor_weights.h"

#include <math.h>

#include "model/doctor/doctor_diagnosis.h"
#include "model/doctor/masked_weights.h"

/* --- reading ---------------------------------------------------------------------------------- */

static DoctorPlace place(int b, int h, int t, int j) {
    return (DoctorPlace){b, h, t, j};
}

static bool is_finite_row(const double *row, int keys) {
    for (int j = 0; j < keys; j++)
        if (!isfinite(row[j])) return false;
    return true;
}

static int count_positive(const MaskedWeights *w, const double *row) {
    int count = 0;
    for (int j = 0; j < w->sizes.keys; j++)
        count += row[j] > w->floor;
    return count;
}

static bool is_uniform_over(const MaskedWeights *w, const double *row, int count) {
    for (int j = 0; j < w->sizes.keys; j++)
        if (row[j] > w->floor && fabs(row[j] * count - 1) > w->relative) return false;
    return true;
}

/* How far the sum of that many weights may be from 1. */
static double sum_slack(const MaskedWeights *w, int count) {
    return 1e-5 + 3 * w->roundoff + count * w->decimal_error;
}

static double sum_of(const double *first, int count, long stride) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += first[i * stride];
    return sum;
}

/* --- NaN, infinities and logits --------------------------------------------------------------- */

static void check_finite(MaskedWeights *w) {
    long rows = 0, of_empty = 0;
    DoctorPlace first = {0, 0, 0, -1};
    for (long i = 0; i < masked_weights_rows(w); i++) {
        MaskedRow row = masked_weights_row(w, i);
        if (is_finite_row(row.weights, w->sizes.keys)) continue;
        if (!rows++) first = row.place;
        of_empty += row.end <= row.first;
    }
    if (!rows) return;
    if (rows == of_empty)
        doctor_remark(w->diagnosis, true, MISTAKE_EMPTY_NAN, first,
                      "%ld rows that see no key are NaN: the softmax of -inf alone", rows);
    else
        doctor_remark(w->diagnosis, true, MISTAKE_NAN_ROWS, first,
                      "%ld rows of weights hold NaN or infinities", rows);
}

static bool find_logits(MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    long count = (long)n.batch * n.heads * n.queries * n.keys, negative = 0, first = -1;
    for (long i = 0; i < count; i++)
        if (w->weights[i] < -w->floor - w->decimal_error) {
            if (first < 0) first = i;
            negative++;
        }
    if (!negative) return false;
    long row = first / n.keys;
    doctor_remark(w->diagnosis, true, MISTAKE_LOGITS,
                  place((int)(row / n.queries / n.heads), (int)(row / n.queries % n.heads),
                        (int)(row % n.queries), (int)(first % n.keys)),
                  "%ld weights are below 0: these are scores, from before the softmax", negative);
    return true;
}

/* --- sums ------------------------------------------------------------------------------------- */

typedef struct Sums {
    long rows, wrong;
    long wrong_unhidden; /* wrong rows that see all keys */
    long zero_rows;      /* rows that see keys, but are 0 */
    double min, max;
    long visible, zeros; /* cells that the mask shows; those of them that are 0 */
    DoctorPlace first, first_zero;
} Sums;

static void add_sum(const MaskedWeights *w, MaskedRow row, Sums *sums) {
    int keys = w->sizes.keys, first = row.first, end = row.end;
    if (!is_finite_row(row.weights, keys)) return;
    double sum = sum_of(row.weights, keys, 1);
    if (sum == 0) {
        if (end > first && !sums->zero_rows++) sums->first_zero = row.place;
        return;
    }
    if (first >= end) end = (first = 0, keys);
    for (int j = first; j < end; j++)
        sums->zeros += row.weights[j] == 0;
    sums->visible += end - first;
    sums->min = fmin(sums->min, sum);
    sums->max = fmax(sums->max, sum);
    sums->rows++;
    if (fabs(sum - 1) <= sum_slack(w, count_positive(w, row.weights))) return;
    if (!sums->wrong++) sums->first = row.place;
    sums->wrong_unhidden += first == 0 && end == keys;
}

/* True if `count` cells, `stride` apart, sum to 1 (counted in *whole) or to 0. */
static bool line_is_whole(const MaskedWeights *w, const double *first, int count, long stride,
                          long *whole) {
    double sum = sum_of(first, count, stride);
    if (sum == 0) return true;
    if (!(fabs(sum - 1) <= sum_slack(w, count))) return false;
    ++*whole;
    return true;
}

static bool columns_are_whole(const MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    long whole = 0;
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int j = 0; j < n.keys; j++)
                if (!line_is_whole(w, masked_weights_at(w, b, h, 0) + j, n.queries, n.keys, &whole))
                    return false;
    return whole > 0;
}

static bool heads_are_whole(const MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    long whole = 0, map = (long)n.queries * n.keys;
    for (int b = 0; b < n.batch; b++)
        for (long at = 0; at < map; at++)
            if (!line_is_whole(w, masked_weights_at(w, b, 0, 0) + at, n.heads, map, &whole))
                return false;
    return whole > 0;
}

static bool transpose(MaskedWeights *w) {
    if (!prepared_transpose_weights(w->prepared)) return false;
    w->weights = w->prepared->weights;
    return true;
}

/* Columns sum to 1: a layout if the mask fits the transposed weights alone, else a mistake. */
static void judge_columns(MaskedWeights *w, const Sums *sums) {
    AttentionSizes n = w->sizes;
    bool masked = w->prepared->dump->valid_lens || w->prepared->dump->causal;
    AttentionMistakes right = {0};
    if (masked && n.queries == n.keys && masked_weights_misfit(w, right, NULL) > 0) {
        if (!transpose(w)) return;
        if (masked_weights_misfit(w, right, NULL) == 0) {
            w->diagnosis->column_convention = true;
            return;
        }
        if (!transpose(w)) return;
    }
    doctor_remark(w->diagnosis, true, MISTAKE_SOFTMAX_QUERIES, sums->first,
                  "columns sum to 1 and rows do not (%.4g to %.4g): the softmax is over the "
                  "queries, or the matrix is transposed",
                  sums->min, sums->max);
}

/* True if rows sum to 1 (or columns, by convention); otherwise remarks on the likely mistake. */
static bool check_sums(MaskedWeights *w, Sums *out) {
    Sums sums = {.min = INFINITY, .max = -INFINITY};
    for (long i = 0; i < masked_weights_rows(w); i++)
        add_sum(w, masked_weights_row(w, i), &sums);
    *out = sums;
    if (!sums.wrong) return true;
    double dropped = (double)sums.zeros / (double)sums.visible;
    if (columns_are_whole(w)) {
        judge_columns(w, &sums);
        return w->diagnosis->column_convention;
    }
    if (w->sizes.heads > 1 && heads_are_whole(w))
        doctor_remark(w->diagnosis, true, MISTAKE_SOFTMAX_HEADS, sums.first,
                      "weights sum to 1 over the heads, not over the keys");
    else if (dropped > 0.01 && sums.max > 1 + sum_slack(w, w->sizes.keys))
        doctor_remark(w->diagnosis, true, MISTAKE_DROPOUT_ON, sums.first,
                      "%.0f%% of the weights are 0 and the rows sum to %.4g to %.4g: dropout is on",
                      100 * dropped, sums.min, sums.max);
    else if (sums.max <= 1 + sum_slack(w, w->sizes.keys) && !sums.wrong_unhidden &&
             masked_weights_misfit(w, (AttentionMistakes){0}, NULL) == 0)
        doctor_remark(w->diagnosis, true, MISTAKE_MASK_AFTER, sums.first,
                      "rows with hidden keys sum to less than 1 (down to %.4g): the mask comes "
                      "after the softmax",
                      sums.min);
    else
        doctor_remark(w->diagnosis, true, MISTAKE_ROW_SUMS, sums.first,
                      "%ld of %ld rows do not sum to 1 (%.4g to %.4g)", sums.wrong, sums.rows,
                      sums.min, sums.max);
    return false;
}

/* --- heads ------------------------------------------------------------------------------------ */

static bool same_map(MaskedWeights *w, int one, int other, long *cells) {
    AttentionSizes n = w->sizes;
    for (int b = 0; b < n.batch; b++)
        for (int t = 0; t < n.queries; t++) {
            const double *x = masked_weights_at(w, b, one, t),
                         *y = masked_weights_at(w, b, other, t);
            int seen = count_positive(w, x);
            for (int j = 0; j < n.keys; j++)
                if (!(fabs(x[j] - y[j]) <= w->roundoff * fabs(x[j]) + w->floor)) return false;
            if (seen >= 2 && !is_uniform_over(w, x, seen)) *cells += seen;
        }
    return true;
}

/* Finds two heads that are equal to the last digit, over rows that see two keys or more. */
static void find_identical_heads(MaskedWeights *w) {
    enum { ENOUGH = 6 }; /* cells: fewer can be the same by chance in few digits */
    for (int h = 0; h < w->sizes.heads; h++)
        for (int i = h + 1; i < w->sizes.heads; i++) {
            long cells = 0;
            if (!same_map(w, h, i, &cells) || cells < ENOUGH) continue;
            doctor_remark(w->diagnosis, true, MISTAKE_IDENTICAL_HEADS, place(0, i, -1, -1),
                          "heads %d and %d have the same weights everywhere: the split may hand "
                          "out the same columns, or weights were averaged",
                          h, i);
            return;
        }
}

static void find_uniform_rows(MaskedWeights *w) {
    long telling = 0, uniform = 0; /* rows with two keys or more */
    for (long i = 0; i < masked_weights_rows(w); i++) {
        const double *row = masked_weights_row(w, i).weights;
        int seen = is_finite_row(row, w->sizes.keys) ? count_positive(w, row) : 0;
        telling += seen >= 2;
        uniform += seen >= 2 && is_uniform_over(w, row, seen);
    }
    if (telling && uniform == telling)
        doctor_remark(
            w->diagnosis, false, MISTAKE_UNIFORM_ROWS, place(0, 0, 0, -1),
            "every row is uniform: all keys (or queries) are alike, or the scores vanish; "
            "such weights prove little");
}

/* A sink: the first key takes more than half of a head's weight, over at least this many rows that
 * see four keys or more; in fewer rows it may be chance. */
enum { SINK_ROWS = 16 };

static void find_sink(MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    for (int h = 0; h < n.heads; h++) {
        double sum = 0;
        long rows = 0;
        for (int b = 0; b < n.batch; b++)
            for (int t = 0; t < n.queries; t++) {
                const double *row = masked_weights_at(w, b, h, t);
                if (!is_finite_row(row, n.keys) || count_positive(w, row) < 4) continue;
                sum += row[0];
                rows++;
            }
        if (rows < SINK_ROWS || sum / (double)rows < 0.5) continue;
        doctor_remark(w->diagnosis, false, MISTAKE_FIRST_TOKEN_SINK, place(0, h, -1, 0),
                      "head %d gives %.0f%% of its weight to the first key: a sink, as trained "
                      "models have them",
                      h, 100 * sum / (double)rows);
        return;
    }
}

/* --- which mask was applied, by where the weights are 0 --------------------------------------- */

/* A mistake in lengths or causality that shows other keys. */
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

static bool can_be(const MaskedWeights *w, AttentionMistakes mistakes) {
    const Dump *dump = w->prepared->dump;
    if (mistakes.lengths && !dump->valid_lens) return false;
    return !mistakes.causal || dump->causal == (mistakes.causal != CAUSAL_ADDED);
}

/* True if exactly the cells that the mask shows have weight. */
static bool fits(MaskedWeights *w, AttentionMistakes mistakes) {
    long zeros;
    return can_be(w, mistakes) && masked_weights_misfit(w, mistakes, &zeros) == 0 && zeros == 0;
}

/* The first candidate that fits together with the given mistakes; kind NULL if none does. */
static Candidate find_candidate(MaskedWeights *w, AttentionMistakes given) {
    Candidate c;
    for (int i = 0; (c = candidate_at(i)).kind; i++) {
        if (given.lengths && !c.mistakes.causal) continue;
        if (fits(w, attention_mistakes_join(given, c.mistakes))) break;
    }
    return c;
}

/* --- remarks on the mask ---------------------------------------------------------------------- */

/* Returns the place of the largest weight that the right mask hides. */
static DoctorPlace largest_hidden(const MaskedWeights *w, double *largest) {
    DoctorPlace worst = NO_PLACE;
    *largest = 0;
    for (long i = 0; i < masked_weights_rows(w); i++) {
        MaskedRow row = masked_weights_row(w, i);
        for (int j = 0; j < w->sizes.keys && row.end > row.first; j++)
            if ((j < row.first || j >= row.end) && row.weights[j] > *largest) {
                *largest = row.weights[j];
                worst = row.place;
                worst.key = j;
            }
    }
    return worst;
}

/* other.kind may be NULL. */
static void remark_mask(MaskedWeights *w, Candidate one, Candidate other) {
    double largest;
    DoctorPlace place = largest_hidden(w, &largest);
    bool adds = one.mistakes.causal == CAUSAL_ADDED && !other.kind;
    /* Self-attention may be meant to be causal: the dump does not say. */
    bool is_fault = !adds || w->prepared->dump->site == SITE_CROSS;
    doctor_remark(w->diagnosis, is_fault, mistake_id(one.kind), place,
                  "the weights are 0 where %s would make them, not where the right mask does%s%s",
                  one.kind->title, other.kind ? ", together with " : "",
                  other.kind ? other.kind->title : "");
    if (other.kind)
        doctor_remark(w->diagnosis, true, mistake_id(other.kind), place, "%s", other.kind->title);
}

static void remark_hidden(MaskedWeights *w, long hits) {
    double largest;
    DoctorPlace place = largest_hidden(w, &largest);
    const Dump *dump = w->prepared->dump;
    bool future = dump->causal && place.key > place.query;
    doctor_remark(w->diagnosis, true, future ? MISTAKE_WEIGHT_ON_FUTURE : MISTAKE_WEIGHT_ON_PADDING,
                  place, "%ld weights lie on %s, the largest is %.3g", hits,
                  future ? "keys of the future" : "padding", largest);
}

/* --- unknown lengths -------------------------------------------------------------------------- */

/* The valid length that a head's weights suggest: one past the last key with weight. */
static int length_of(const MaskedWeights *w, int b, int h) {
    AttentionSizes n = w->sizes;
    int length = 0;
    for (int t = 0; t < n.queries; t++)
        for (int j = length; j < n.keys; j++)
            if (masked_weights_at(w, b, h, t)[j] > w->floor) length = j + 1;
    return length;
}

static void compare_lengths(MaskedWeights *w) {
    AttentionSizes n = w->sizes;
    for (int b = 0; b < n.batch; b++)
        for (int h = 1; h < n.heads; h++) {
            int first = length_of(w, b, 0), length = length_of(w, b, h);
            if (length == first) continue;
            doctor_remark(w->diagnosis, true, MISTAKE_TILED_LENS, (DoctorPlace){b, h, -1, length},
                          "heads of one example see different keys (head 0 the first %d, head %d "
                          "the first %d): valid lengths may be tiled instead of repeated",
                          first, h, length);
            return;
        }
}

/* Notes rows that see no key but have weights. */
static void note_empty_rows(MaskedWeights *w) {
    for (long i = 0; i < masked_weights_rows(w); i++) {
        MaskedRow row = masked_weights_row(w, i);
        if (row.end > row.first || !(row.weights[0] > 0)) continue;
        doctor_remark(w->diagnosis, false, MISTAKE_EMPTY_UNIFORM, row.place,
                      "a query that sees no key has weights all the same: a large negative number "
                      "stands for -inf, as in D2L");
        return;
    }
}

/* Names the mask that was applied, if it is not the right one. whole: rows sum to 1, so that a 0
 * means a hidden key. */
static void check_mask(MaskedWeights *w, bool whole) {
    AttentionMistakes right = {0};
    long zeros, hits = masked_weights_misfit(w, right, &zeros);
    note_empty_rows(w);
    if (hits == 0 && (zeros == 0 || !whole)) return;
    Candidate one = find_candidate(w, right), none = {0};
    if (one.kind) {
        remark_mask(w, one, none);
        return;
    }
    for (int i = 0; hits && (one = candidate_at(i)).kind; i++) {
        if (!can_be(w, one.mistakes) || !one.mistakes.lengths) continue;
        Candidate other = find_candidate(w, one.mistakes);
        if (!other.kind) continue;
        remark_mask(w, one, other);
        return;
    }
    if (hits)
        remark_hidden(w, hits);
    else if (!w->prepared->dump->valid_lens && w->sizes.heads > 1)
        compare_lengths(w);
}

/* --- all of it -------------------------------------------------------------------------------- */

bool doctor_check_weights(Diagnosis *diagnosis, PreparedDump *prepared) {
    MaskedWeights w;
    if (!masked_weights_open(&w, diagnosis, prepared)) return false;
    int heads = prepared->dump->sizes.heads;
    if (prepared->dump->parts[DUMP_WEIGHTS].averaged && heads > 1)
        doctor_remark(diagnosis, true, MISTAKE_AVERAGED_HEADS, place(0, -1, -1, -1),
                      "there is one map an example for %d heads: weights averaged over the heads",
                      heads);
    check_finite(&w);
    if (!find_logits(&w)) {
        Sums sums;
        bool whole = check_sums(&w, &sums);
        int remarks_before = diagnosis->remark_count;
        check_mask(&w, whole);
        if (sums.zero_rows && remarks_before == diagnosis->remark_count)
            doctor_remark(diagnosis, false, MISTAKE_ZERO_ROWS, sums.first_zero,
                          "%ld rows are 0 although they see keys", sums.zero_rows);
        if (whole) find_uniform_rows(&w);
        find_identical_heads(&w);
        if (whole) find_sink(&w);
    }
    masked_weights_close(&w);
    return !prepared->no_memory;
}
