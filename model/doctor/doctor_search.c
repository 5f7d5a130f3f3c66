#include "model/doctor/doctor_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/doctor_diagnosis.h"
#include "model/doctor/doctor_estimate.h"

enum { SAMPLE = 24, CHOSEN = 12 };

typedef struct Search {
    PreparedDump *prepared;
    const Segment *segment;
    Predictor predictor;
    Unit sample[SAMPLE]; /* first those with the largest error under the right formula */
    int sampled;
    long clean; /* units that the right formula explains */
    Hypothesis singles[HYPOTHESIS_SINGLES];
    int single_count;
    /* the best so far */
    bool found;
    Hypothesis best;
    Outcome outcome;
    const MistakeKind *others[DOCTOR_NAMES];
    double other_squares[DOCTOR_NAMES];
    int other_count;
} Search;

/* --- the right formula ------------------------------------------------------------------------ */

static long all_units(const Search *s) {
    long count = 0;
    for (int i = 0; i < s->segment->target_count; i++)
        count += predictor_units(&s->predictor, i);
    return count;
}

static Unit unit_at(const Search *s, long index) {
    int target = 0;
    while (index >= predictor_units(&s->predictor, target))
        index -= predictor_units(&s->predictor, target++);
    return predictor_unit(&s->predictor, target, index);
}

static void judge_right(Search *s, Outcome *outcome, double *errors) {
    Hypothesis right = {0};
    if (predictor_set(&s->predictor, &right)) judge_all(&s->predictor, outcome, INFINITY, errors);
}

/* Chooses the units that the right formula explains worst, then some spread over all. */
static void choose_sample(Search *s, double *errors) {
    long count = all_units(s);
    s->sampled = 0;
    s->clean = 0;
    for (long u = 0; u < count; u++)
        s->clean += errors[u] <= 1;
    for (int i = 0; i < CHOSEN && i < count; i++) {
        long worst = 0;
        for (long u = 1; u < count; u++)
            if (errors[u] > errors[worst]) worst = u;
        if (!(errors[worst] > 1)) break;
        s->sample[s->sampled++] = unit_at(s, worst);
        errors[worst] = -1;
    }
    long step = count / (SAMPLE - CHOSEN) + 1;
    for (long u = step / 2; u < count && s->sampled < SAMPLE; u += step)
        if (errors[u] >= 0) s->sample[s->sampled++] = unit_at(s, u);
}

/* --- one hypothesis --------------------------------------------------------------------------- */

/* True if the hypothesis has a parameter that must be estimated. */
static bool is_open(const Hypothesis *h) {
    return h->dropout || h->attention.mask == MASK_ADDS || h->attention.mask == MASK_FILLS;
}

/* True if the number of dropped cells agrees with the factor 1/(1-p), within five deviations. */
static bool drops_fit(double factor, const Outcome *o) {
    double p = 1 - 1 / factor, all = (double)(o->dropped + o->kept);
    if (o->dropped == 0 || o->compared == 0) return false;
    return fabs((double)o->dropped / all - p) <= 5 * sqrt(p * (1 - p) / all) + 2 / all;
}

/* True if the hypothesis explains the whole segment; tries the sample first. Fills in its estimated
 * parameters. */
static bool explains(Search *s, Hypothesis *h, Outcome *outcome) {
    Predictor *p = &s->predictor;
    if (!predictor_set(p, h)) return false;
    if (is_open(h) && !estimate_hypothesis(p, h, s->sample, s->sampled)) return false;
    *outcome = (Outcome){0};
    for (int i = 0; i < s->sampled; i++)
        if (judge_unit(p, s->sample[i], outcome) > 1) return false;
    judge_all(p, outcome, 1, NULL);
    /* Under half precision the bounds are inconclusive, but try_half looks for other signs. */
    bool conclusive = s->prepared->half_roundoff > 0 || outcome_is_conclusive(outcome);
    return outcome->error <= 1 && conclusive && (!h->dropout || drops_fit(h->factor, outcome));
}

static void note_other(Search *s, const MistakeKind *kind, double squares) {
    for (int i = 0; i < s->other_count; i++)
        if (s->others[i] == kind) return;
    if (!kind || s->other_count == DOCTOR_NAMES) return;
    s->other_squares[s->other_count] = squares;
    s->others[s->other_count++] = kind;
}

/* 1 if the outcome relies on a kind of empty row other than zeros: the weaker explanation. */
static int excuses(const Outcome *o) {
    for (int i = EMPTY_ROW_UNIFORM; i < EMPTY_ROW_KINDS; i++)
        if (o->empty[i]) return 1;
    return 0;
}

/* Keeps the hypothesis if it explains better than the best so far; of those that differ by rounding
 * alone, the first tried stays. */
static void consider(Search *s, Hypothesis h) {
    Outcome outcome;
    if (!explains(s, &h, &outcome)) return;
    int more_excuses = excuses(&outcome) - (s->found ? excuses(&s->outcome) : 2);
    bool better =
        more_excuses < 0 || (more_excuses == 0 && outcome.squares < 0.5 * s->outcome.squares);
    for (int i = 0; i < 2; i++)
        note_other(s,
                   better && s->found ? s->best.kinds[i]
                   : better           ? NULL
                                      : h.kinds[i],
                   better ? s->outcome.squares : outcome.squares);
    if (!better) return;
    s->found = true;
    s->best = h;
    s->outcome = outcome;
}

static void try_singles(Search *s, bool open) {
    for (int i = 0; i < s->single_count; i++)
        if (is_open(&s->singles[i]) == open) consider(s, s->singles[i]);
}

/* softmax: the pairs with a softmax over queries or heads, whose first unit costs as much as all.
 */
static void try_pairs(Search *s, bool open, bool softmax) {
    Hypothesis pair;
    for (int i = 0; i < s->single_count; i++)
        for (int j = i + 1; j < s->single_count; j++)
            if (hypothesis_pair(&pair, &s->singles[i], &s->singles[j]) && is_open(&pair) == open &&
                (pair.attention.softmax != SOFTMAX_KEYS) == softmax)
                consider(s, pair);
}

/* Cheap hypotheses first: open ones need an estimate. */
static void try_all_pairs(Search *s) {
    for (int i = 0; i < 4 && !s->found; i++)
        try_pairs(s, i >= 2, i % 2 == 1);
}

static void try_all_singles(Search *s) {
    try_singles(s, false);
    if (!s->found) try_singles(s, true);
}

static void set_tight(PreparedDump *prepared, bool tight) {
    prepared->tight = tight;
    projections_invalidate(prepared);
}

/* --- half precision --------------------------------------------------------------------------- */

/* Rounding affects units everywhere, up as often as down; a mistake of the same size rarely does.
 */
static bool looks_rounded(const Search *s) {
    double sizable = (double)s->outcome.sizable, above = (double)s->outcome.above;
    double deviation = 0.5 * sqrt(sizable);
    return 2 * s->clean <= all_units(s) && fabs(above - sizable / 2) <= 6 * deviation + sizable / 8;
}

/* Tries arithmetic in half precision whose results were stored in a finer one. */
static void try_half(Search *s) {
    static const DumpPrecision halves[] = {PRECISION_F16, PRECISION_BF16};
    const MistakeKind *kind = mistake_kind(MISTAKE_HALF_PRECISION);
    PreparedDump *prepared = s->prepared;
    for (int target = 0; target < s->segment->target_count; target++) {
        DumpPrecision own = prepared->dump->parts[s->segment->targets[target]].precision;
        if (own == PRECISION_F16 || own == PRECISION_BF16) return;
    }
    for (int i = 0; i < 2 && !s->found; i++) {
        bool fits = true;
        for (int target = 0; target < s->segment->target_count; target++) {
            DumpPart part = s->segment->targets[target];
            fits = fits && numbers_fit(prepared_numbers(prepared, part),
                                       prepared_count(prepared, part), halves[i]);
        }
        prepared->half_roundoff = precision_roundoff(halves[i]);
        set_tight(prepared, false);
        Hypothesis h = {.kinds = {kind, NULL}};
        consider(s, h);
        for (int j = 0; j < s->single_count && !s->found; j++)
            if (!is_open(&s->singles[j])) {
                h = s->singles[j];
                h.kinds[1] = kind;
                consider(s, h);
            }
        s->found = s->found && (fits || looks_rounded(s));
    }
    if (s->found) return;
    prepared->half_roundoff = 0;
    projections_invalidate(prepared);
}

/* True if tight and wide bounds differ. */
static bool has_room(const Search *s) {
    bool halves = s->predictor.work > precision_roundoff(PRECISION_F32);
    return halves || s->segment->from != s->segment->until;
}

/* Searches within tight bounds first, since the wide bounds of halves and long segments admit
 * nearly anything. A mistake within tight bounds takes precedence over the right formula within
 * wide ones. *sound: the right formula explains the dump within wide bounds, and no mistake within
 * tight ones. */
static void search_tight(Search *s, bool *sound, Outcome *right) {
    Outcome wide;
    set_tight(s->prepared, false);
    judge_right(s, &wide, NULL);
    *sound = wide.error <= 1;
    set_tight(s->prepared, true);
    try_all_singles(s);
    if (!*sound) try_all_pairs(s);
    if (s->found) {
        *sound = false;
        return;
    }
    set_tight(s->prepared, false);
    *right = wide;
}

static void search(Search *s) {
    try_all_singles(s);
    try_all_pairs(s);
    if (!s->found) try_half(s);
}

/* --- numbers printed with few decimals, biases that are not in the dump ----------------------- */

/* Allows for the rounding of numbers that were printed. Returns true if there are any. */
static bool allow_decimals(Search *s) {
    PreparedDump *prepared = s->prepared;
    bool any = false;
    for (int i = 0; i < DUMP_PARTS; i++) {
        DumpPart part = (DumpPart)i;
        if (!prepared_has(prepared, part) || !segment_involves(s->segment, part)) continue;
        int decimals =
            numbers_decimals(prepared_numbers(prepared, part), prepared_count(prepared, part),
                             prepared->dump->parts[part].precision);
        if (decimals < 3) continue;
        prepared->decimal_error[part] = 0.505 * pow(10, -decimals);
        any = true;
    }
    if (any) projections_invalidate(prepared);
    return any;
}

/* Takes the mean residual of each column for a bias that is not in the dump. With two steps or more
 * such a constant explains nothing else. Returns true if a bias was guessed. */
static bool guess_biases(Search *s) {
    PreparedDump *prepared = s->prepared;
    Predictor *p = &s->predictor;
    Hypothesis right = {0};
    bool any = false;
    for (int target = 0; target < s->segment->target_count; target++) {
        DumpPart part = s->segment->targets[target];
        int matrix = part == DUMP_OUTPUT ? 3 : (int)part - DUMP_QUERY;
        long units = predictor_units(p, target);
        if (part == DUMP_WEIGHTS || part == DUMP_CONTEXT || units < 2) continue;
        if (prepared_has(prepared, (DumpPart)(DUMP_B_Q + matrix)) || prepared->bias_guess[matrix])
            continue;
        double *guess = calloc((size_t)prepared->width, sizeof *guess);
        if (!guess) prepared->no_memory = true;
        if (!guess || !predictor_set(p, &right)) {
            free(guess);
            return false;
        }
        const double *yours = prepared_numbers(prepared, part);
        for (long u = 0; u < units; u++) {
            predict_unit(p, predictor_unit(p, target, u));
            for (int i = 0; i < p->cells; i++)
                guess[i] += (yours[p->at[i]] - p->predicted[i]) / (double)units;
        }
        prepared->bias_guess[matrix] = guess;
        any = true;
    }
    if (any) projections_invalidate(prepared);
    return any;
}

static void forget_biases(Search *s) {
    for (int i = 0; i < 4; i++) {
        free(s->prepared->bias_guess[i]);
        s->prepared->bias_guess[i] = NULL;
    }
    projections_invalidate(s->prepared);
}

/* --- the finding ------------------------------------------------------------------------------ */

static void fill_right(StageFinding *finding, const Segment *segment, const Outcome *right) {
    finding->part = segment->targets[right->target];
    finding->right_error = finding->error = right->error;
    finding->allowed = right->allowed;
    finding->difference = right->difference;
    finding->place = right->place;
}

/* Sound, unless nearly any numbers would pass. */
static void fill_sound(StageFinding *finding, const Outcome *right) {
    if (outcome_is_conclusive(right))
        finding->state = STAGE_SOUND;
    else
        snprintf(finding->why, sizeof finding->why,
                 "what it is made from is so large for the precision that almost any %s would do",
                 dump_part_name(finding->part));
    if (!right->empty[EMPTY_ROW_NAN]) return;
    finding->state = STAGE_FAULT;
    finding->kinds[0] = mistake_kind(MISTAKE_EMPTY_NAN);
}

static void fill_fault(StageFinding *finding, const Search *s) {
    finding->state = s->found ? STAGE_FAULT : STAGE_UNKNOWN;
    if (!s->found) return;
    finding->error = s->outcome.error;
    finding->kinds[0] = s->best.kinds[0];
    finding->kinds[1] = s->best.kinds[1];
    /* Others within the bounds are the same unless they are further off than rounding explains. */
    double max_squares = 4 * s->outcome.squares + 1e-6 * (double)s->outcome.compared;
    for (int i = 0; i < s->other_count; i++)
        if (s->others[i] != s->best.kinds[0] && s->others[i] != s->best.kinds[1] &&
            s->other_squares[i] <= max_squares)
            finding->same[finding->same_count++] = s->others[i];
    if (finding->same_count)
        hypothesis_why_same(finding->same_why, sizeof finding->same_why, s->prepared, s->segment);
}

static void remark_empty(Diagnosis *diagnosis, const Outcome *o) {
    bool sees = o->empty[EMPTY_ROW_SEES] || o->empty[EMPTY_ROW_SEES_PAST];
    if (o->empty[EMPTY_ROW_UNIFORM] || o->empty[EMPTY_ROW_PAST_UNIFORM])
        doctor_remark(diagnosis, false, MISTAKE_EMPTY_UNIFORM, o->empty_place,
                      "a query that sees no key has uniform weights: a large negative number "
                      "stands for -inf, as in D2L");
    else if (sees)
        doctor_remark(diagnosis, false, MISTAKE_EMPTY_UNIFORM, o->empty_place,
                      "a query that sees no key mixes hidden ones: the mask adds the same number "
                      "to all its scores");
    if (o->empty[EMPTY_ROW_NAN])
        doctor_remark(diagnosis, true, MISTAKE_EMPTY_NAN, o->empty_place,
                      "a query that sees no key has NaN: the softmax of -inf alone");
}

/* True if the right formula explains the segment, if need be with weights transposed, with rounded
 * decimals or with a guessed bias; adds a remark for these. errors [units]. */
static bool right_explains(Search *s, Outcome *right, double *errors, Diagnosis *diagnosis,
                           StageFinding *finding) {
    judge_right(s, right, errors);
    if (right->error <= 1) return true;
    const PreparedDump *prepared = s->prepared;
    bool is_weights = s->segment->targets[0] == DUMP_WEIGHTS;
    if (is_weights && prepared->sizes.queries == prepared->sizes.keys && !prepared->weights) {
        Outcome transposed;
        if (!prepared_transpose_weights(s->prepared)) return false;
        judge_right(s, &transposed, errors);
        if (transposed.error <= 1) {
            *right = transposed;
            diagnosis->column_convention = true;
            return true;
        }
        free(s->prepared->weights);
        s->prepared->weights = NULL;
        judge_right(s, right, errors);
    }
    if (allow_decimals(s)) {
        judge_right(s, right, errors);
        if (right->error <= 1) {
            doctor_remark(diagnosis, false, MISTAKE_ROUNDED, right->place,
                          "the numbers were rounded to few decimals, which hides differences below "
                          "%.2g",
                          right->allowed);
            return true;
        }
    }
    if (prepared->dump->biases_unknown && guess_biases(s)) {
        Outcome biased;
        judge_right(s, &biased, errors);
        if (biased.error <= 1) {
            *right = biased;
            doctor_remark(diagnosis, false, MISTAKE_BIAS_NOT_IN_FILE, right->place,
                          "%s fits with a bias that the file does not hold: it is the same at "
                          "every step",
                          dump_part_name(finding->part));
            return true;
        }
        forget_biases(s);
        judge_right(s, right, errors);
    }
    return false;
}

bool search_segment(StageFinding *finding, Hypothesis *best, PreparedDump *prepared,
                    const Segment *segment, Diagnosis *diagnosis) {
    Search *s = calloc(1, sizeof *s);
    double *errors = NULL;
    *finding = (StageFinding){.from = segment->from,
                              .until = segment->until,
                              .part = segment->targets[0],
                              .state = STAGE_NOT_CHECKED};
    *best = (Hypothesis){0};
    prepared->half_roundoff = 0;
    set_tight(prepared, true);
    if (s && predictor_open(&s->predictor, prepared, segment)) {
        s->prepared = prepared;
        s->segment = segment;
        errors = malloc((size_t)(all_units(s) + 1) * sizeof *errors);
    }
    if (!errors) {
        if (s) predictor_close(&s->predictor);
        free(s);
        prepared->no_memory = true;
        return false;
    }
    Outcome right = {0};
    bool sound = right_explains(s, &right, errors, diagnosis, finding);
    fill_right(finding, segment, &right);
    remark_empty(diagnosis, &right);
    if (!sound) {
        choose_sample(s, errors);
        s->single_count = hypothesis_singles(s->singles, s->prepared, s->segment);
        if (has_room(s)) search_tight(s, &sound, &right);
        if (!s->found && !sound) search(s);
        if (!s->found) fill_right(finding, segment, &right);
        if (sound) remark_empty(diagnosis, &right);
    }
    if (sound) {
        fill_sound(finding, &right);
    } else {
        fill_fault(finding, s);
        *best = s->best;
        if (s->found) remark_empty(diagnosis, &s->outcome);
    }
    free(errors);
    predictor_close(&s->predictor);
    free(s);
    return !prepared->no_memory;
}
