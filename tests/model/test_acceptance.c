/* What a correct multi-head block must show: our own blocks pass every check on random calls, and
 * each mistake fails the checks that are meant for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/base/rng.h"
#include "model/explain/acceptance.h"

/* --- random calls ----------------------------------------------------------------------------- */

/* A call with blocks of its own. */
typedef struct Case {
    AcceptanceCall call;
    double *numbers[2 + 2 * PROJECTIONS];
    int *lens;
} Case;

static double *numbers(Case *c, int slot, long count, double size, Rng *rng) {
    double *block = malloc((size_t)count * sizeof *block);
    assert_non_null(block);
    for (long i = 0; i < count; i++)
        block[i] = (double)(float)(size * rng_normal(rng));
    return c->numbers[slot] = block;
}

/* Self-attention where `self`. Lengths are random, from `shortest`; NULL where shortest is above
 * the keys. */
static Case case_make(AttentionSizes n, bool self, bool causal, bool biases, int shortest,
                      Rng *rng) {
    Case c = {.call = {.sizes = n, .mask = {.causal = causal}}};
    long width = (long)n.heads * n.head_width, square = width * width;
    c.call.x_query = numbers(&c, 0, n.batch * n.queries * width, 1, rng);
    c.call.x_key_value = self ? c.call.x_query : numbers(&c, 1, n.batch * n.keys * width, 1, rng);
    for (int p = 0; p < PROJECTIONS; p++) {
        c.call.w[p] = numbers(&c, 2 + p, square, 1 / sqrt((double)width), rng);
        if (biases) c.call.b[p] = numbers(&c, 2 + PROJECTIONS + p, width, 0.5, rng);
    }
    c.lens = malloc((size_t)n.batch * sizeof *c.lens);
    assert_non_null(c.lens);
    for (int b = 0; b < n.batch && shortest <= n.keys; b++)
        c.lens[b] = shortest + (int)rng_below(rng, (uint32_t)(n.keys - shortest + 1));
    if (shortest <= n.keys) c.call.mask.valid_lens = c.lens;
    return c;
}

static void case_free(Case *c) {
    for (int i = 0; i < 2 + 2 * PROJECTIONS; i++)
        free(c->numbers[i]);
    free(c->lens);
}

/* D2L 11.5's toy: random, or all inputs 1. */
static Case d2l(bool ones) {
    Rng rng = rng_make(5, 0);
    AttentionSizes n = {2, 5, 4, 6, 20};
    Case c = case_make(n, false, false, false, 1, &rng);
    c.lens[0] = 3;
    c.lens[1] = 2;
    for (int i = 0; ones && i < 2 * 6 * 100; i++)
        c.numbers[1][i] = c.numbers[0][i % (2 * 4 * 100)] = 1;
    return c;
}

static AcceptanceReport report_of(const AcceptanceCall *call, AcceptanceRun *run,
                                  const AttentionMistakes *mistakes) {
    AcceptanceReference reference;
    AcceptanceAnswer answer;
    AcceptanceReport report;
    assert_true(acceptance_reference_make(&reference, call, NULL));
    assert_true(run(mistakes, &answer, call, NULL));
    assert_true(acceptance_check(&report, call, &reference, &answer, NULL));
    assert_true(acceptance_check_runs(&report, call, &reference, run, mistakes, NULL));
    acceptance_answer_free(&answer);
    acceptance_reference_free(&reference);
    return report;
}

static void assert_state(const AcceptanceReport *report, AcceptanceCheck check,
                         AcceptanceState state) {
    const AcceptanceFinding *finding = &report->findings[check];
    if (finding->state != state)
        fail_msg("%s: state %d, not %d: %g of %g, %ld of %ld, %s", acceptance_check_name(check),
                 finding->state, state, finding->value, finding->allowed, finding->count,
                 finding->of, finding->why ? finding->why : "");
}

/* --- right blocks ----------------------------------------------------------------------------- */

static const AttentionSizes SHAPES[] = {{2, 5, 4, 6, 20}, {1, 1, 1, 1, 1}, {3, 4, 5, 5, 3},
                                        {1, 2, 7, 7, 4},  {4, 3, 2, 9, 5}, {2, 8, 5, 5, 8},
                                        {2, 2, 8, 8, 1}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof SHAPES[0] };

static bool sees_a_key(const AcceptanceCall *call) {
    if (!call->mask.valid_lens) return true;
    for (int b = 0; b < call->sizes.batch; b++)
        if (call->mask.valid_lens[b] > 0) return true;
    return false;
}

static void test_right_blocks_pass(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int i = 0; i < 8 * SHAPE_COUNT; i++) {
        AttentionSizes n = SHAPES[i % SHAPE_COUNT];
        bool self = n.queries == n.keys && i % 2, causal = self && i / SHAPE_COUNT % 2;
        int shortest = i / SHAPE_COUNT % 4 == 3 ? n.keys + 1 : i % 3 ? 1 : 0;
        Case c = case_make(n, self, causal, i % 5 > 1, shortest, &rng);
        static AcceptanceRun *const blocks[] = {acceptance_fast, acceptance_by_rule,
                                                acceptance_plain};
        for (int block = 0; block < 3; block++) {
            AcceptanceReport report = report_of(&c.call, blocks[block], NULL);
            for (int check = 0; check < ACCEPT_CHECKS; check++)
                if (report.findings[check].state == ACCEPT_FAILED)
                    assert_state(&report, (AcceptanceCheck)check, ACCEPT_PASSED);
            AcceptanceState compared = sees_a_key(&c.call) ? ACCEPT_PASSED : ACCEPT_NOT_CHECKED;
            assert_state(&report, ACCEPT_HEADS, compared);
            assert_state(&report, ACCEPT_CHUNKS, compared);
            acceptance_report_free(&report);
        }
        case_free(&c);
    }
}

/* All that can be checked is; nothing passes unchecked. */
static void test_what_is_not_checked(void **state) {
    (void)state;
    Case c = d2l(false);
    AcceptanceReport report = report_of(&c.call, acceptance_fast, NULL);
    for (int check = 0; check < ACCEPT_CHECKS; check++)
        assert_state(&report, (AcceptanceCheck)check,
                     check == ACCEPT_FUTURE ? ACCEPT_NOT_CHECKED : ACCEPT_PASSED);
    assert_int_equal(report.findings[ACCEPT_OUTPUT_SHAPE].of, 2 * 4 * 100);
    assert_int_equal(report.findings[ACCEPT_WEIGHTS_SHAPE].of, 2 * 5 * 4 * 6);
    assert_int_equal(report.findings[ACCEPT_HIDDEN].of, 5 * 4 * (3 + 4));
    assert_int_equal(report.findings[ACCEPT_SEEN].of, 5 * 4 * (3 + 2));
    assert_int_equal(report.findings[ACCEPT_SLOTS].of, 2 * 4);
    assert_int_equal(acceptance_count(&report, ACCEPT_NOT_CHECKED), 1);
    acceptance_report_free(&report);
    case_free(&c);
}

/* The reference by the formula alone, written down once more: no plain kernel, no rows of w. */
static double score(const AcceptanceCall *call, int b, int h, int t, int j) {
    AttentionSizes n = call->sizes;
    int width = n.heads * n.head_width;
    double sum = 0;
    for (int i = h * n.head_width; i < (h + 1) * n.head_width; i++) {
        double q = call->b[0] ? call->b[0][i] : 0, k = call->b[1] ? call->b[1][i] : 0;
        for (int x = 0; x < width; x++) {
            q += call->w[0][i * width + x] * call->x_query[(b * n.queries + t) * width + x];
            k += call->w[1][i * width + x] * call->x_key_value[(b * n.keys + j) * width + x];
        }
        sum += q * k;
    }
    return sum / sqrt((double)n.head_width);
}

static void test_reference_is_the_formula(void **state) {
    (void)state;
    Rng rng = rng_make(2, 0);
    AttentionSizes n = {2, 3, 4, 4, 2};
    for (int causal = 0; causal < 2; causal++) {
        Case c = case_make(n, true, causal, true, 1, &rng);
        AcceptanceReference reference;
        assert_true(acceptance_reference_make(&reference, &c.call, NULL));
        const double *weights = reference.answer.weights.numbers;
        for (int b = 0; b < 2; b++)
            for (int h = 0; h < 3; h++)
                for (int t = 0; t < 4; t++) {
                    int end = causal && t + 1 < c.lens[b] ? t + 1 : c.lens[b];
                    double total = 0;
                    assert_int_equal(reference.visible[b * 4 + t], end);
                    for (int j = 0; j < end; j++)
                        total += exp(score(&c.call, b, h, t, j));
                    for (int j = 0; j < 4; j++) {
                        double right = j < end ? exp(score(&c.call, b, h, t, j)) / total : 0;
                        assert_true(fabs(weights[((b * 3 + h) * 4 + t) * 4 + j] - right) < 1e-12);
                    }
                }
        acceptance_reference_free(&reference);
        case_free(&c);
    }
}

/* --- mistakes --------------------------------------------------------------------------------- */

typedef struct Wrong {
    AttentionMistakes mistakes;
    AcceptanceCheck fails[6]; /* these and no others, of the checks of one run */
    int count;
} Wrong;

/* On D2L's toy with random inputs. Whatever is wrong before the output shows in it. */
static const Wrong WRONG[] = {
    {{.split = FOLD_RESHAPE}, {ACCEPT_HEADS, ACCEPT_CHUNKS, ACCEPT_OUTPUT}, 3},
    {{.split = FOLD_INTERLEAVED}, {ACCEPT_HEADS, ACCEPT_CHUNKS, ACCEPT_OUTPUT}, 3},
    {{.concat = FOLD_RESHAPE}, {ACCEPT_CHUNKS, ACCEPT_OUTPUT}, 2},
    {{.concat = FOLD_INTERLEAVED}, {ACCEPT_CHUNKS, ACCEPT_OUTPUT}, 2},
    {{.lengths = LENGTHS_TILED},
     {ACCEPT_HIDDEN, ACCEPT_SEEN, ACCEPT_SLOTS, ACCEPT_HEADS, ACCEPT_OUTPUT},
     5},
    {{.lengths = LENGTHS_ONE_MORE}, {ACCEPT_HIDDEN, ACCEPT_HEADS, ACCEPT_OUTPUT}, 3},
    /* one key is left of two: all heads give it 1 */
    {{.lengths = LENGTHS_ONE_LESS}, {ACCEPT_SEEN, ACCEPT_HEADS, ACCEPT_DISTINCT, ACCEPT_OUTPUT}, 4},
    {{.lengths = LENGTHS_IGNORED}, {ACCEPT_HIDDEN, ACCEPT_HEADS, ACCEPT_OUTPUT}, 3},
    {{.scale = SCALE_NONE}, {ACCEPT_HEADS, ACCEPT_OUTPUT}, 2},
    {{.scale = SCALE_ROOT_WIDTH}, {ACCEPT_HEADS, ACCEPT_OUTPUT}, 2},
    {{.softmax = SOFTMAX_QUERIES}, {ACCEPT_ROWS, ACCEPT_HEADS, ACCEPT_OUTPUT}, 3},
    {{.mask = MASK_AFTER}, {ACCEPT_ROWS, ACCEPT_HEADS, ACCEPT_OUTPUT}, 3},
    {{.mask = MASK_ADDS, .mask_value = -4}, {ACCEPT_HIDDEN, ACCEPT_HEADS, ACCEPT_OUTPUT}, 3},
};
enum { WRONG_COUNT = sizeof WRONG / sizeof WRONG[0] };

static bool is_listed(const Wrong *wrong, AcceptanceCheck check) {
    for (int i = 0; i < wrong->count; i++)
        if (wrong->fails[i] == check) return true;
    return false;
}

static void test_each_mistake_fails_its_checks(void **state) {
    (void)state;
    Case c = d2l(false);
    AcceptanceReference reference;
    assert_true(acceptance_reference_make(&reference, &c.call, NULL));
    for (int i = 0; i < WRONG_COUNT; i++) {
        AcceptanceReport report =
            report_of(&c.call, i % 2 ? acceptance_plain : acceptance_by_rule, &WRONG[i].mistakes);
        AcceptanceMistake mistake;
        assert_true(acceptance_mistake(&mistake, WRONG[i].mistakes, &c.call, &reference, NULL));
        for (int check = 0; check < ACCEPT_ONE_RUN; check++) {
            bool fails = is_listed(&WRONG[i], (AcceptanceCheck)check);
            if (report.findings[check].state != (fails ? ACCEPT_FAILED : ACCEPT_PASSED))
                fail_msg("mistake %d, %s", i, acceptance_check_name((AcceptanceCheck)check));
            assert_int_equal(mistake.fails[check], fails);
        }
        assert_true(mistake.output_gap > 0.01);
        acceptance_report_free(&report);
    }
    acceptance_reference_free(&reference);
    case_free(&c);
}

/* The wrong scales, and an interleaved split undone at the end, change nothing where all keys are
 * alike; a wrong count of keys shows in the weights but not in the output. */
static void test_ones_hide_mistakes(void **state) {
    (void)state;
    static const AttentionMistakes unseen[] = {
        {.scale = SCALE_NONE},
        {.scale = SCALE_ROOT_WIDTH},
        {.split = FOLD_INTERLEAVED, .concat = FOLD_INTERLEAVED},
    };
    Case c = d2l(true);
    AcceptanceReference reference;
    AcceptanceMistake mistake;
    assert_true(acceptance_reference_make(&reference, &c.call, NULL));
    assert_true(reference.min_head_gap < 1e-12);
    for (int i = 0; i < 3; i++) {
        AcceptanceReport report = report_of(&c.call, acceptance_plain, &unseen[i]);
        assert_int_equal(acceptance_count(&report, ACCEPT_FAILED), 0);
        assert_state(&report, ACCEPT_DISTINCT, ACCEPT_NOT_CHECKED);
        acceptance_report_free(&report);
    }
    AttentionMistakes tiled = {.lengths = LENGTHS_TILED};
    assert_true(acceptance_mistake(&mistake, tiled, &c.call, &reference, NULL));
    assert_true(mistake.fails[ACCEPT_HEADS] && mistake.fails[ACCEPT_SLOTS]);
    assert_false(mistake.fails[ACCEPT_OUTPUT]);
    assert_true(mistake.weights_gap > 0.1 && mistake.output_gap <= mistake.output_allowed);
    acceptance_reference_free(&reference);
    case_free(&c);
}

/* --- answers from elsewhere ------------------------------------------------------------------- */

/* D2L's toy and its right answer, to be changed. */
typedef struct Given {
    Case c;
    AcceptanceReference reference;
    AcceptanceAnswer answer;
    double *output, *context, *weights; /* in the answer's block */
} Given;

static Given given_make(void) {
    Given given = {.c = d2l(false)};
    assert_true(acceptance_reference_make(&given.reference, &given.c.call, NULL));
    assert_true(acceptance_plain(NULL, &given.answer, &given.c.call, NULL));
    given.output = given.answer.block;
    given.context = given.output + 2 * 4 * 100;
    given.weights = given.context + 2 * 4 * 100;
    return given;
}

static AcceptanceReport given_report(const Given *given) {
    AcceptanceReport report;
    assert_true(acceptance_check(&report, &given->c.call, &given->reference, &given->answer, NULL));
    return report;
}

static void given_free(Given *given) {
    acceptance_answer_free(&given->answer);
    acceptance_reference_free(&given->reference);
    case_free(&given->c);
}

/* A check whose tensor is missing is never passed. */
static void test_missing_tensors(void **state) {
    (void)state;
    for (int mask = 0; mask < 8; mask++) {
        Given given = given_make();
        bool output = mask & 1, weights = mask & 2, context = mask & 4;
        if (!output) given.answer.output.numbers = NULL;
        if (!weights) given.answer.weights.numbers = NULL;
        if (!context) given.answer.context.numbers = NULL;
        AcceptanceReport report = given_report(&given);
        for (int check = 0; check < ACCEPT_ONE_RUN; check++) {
            bool can = check == ACCEPT_OUTPUT_SHAPE || check == ACCEPT_OUTPUT ? output
                       : check == ACCEPT_PROJECTION                           ? output && context
                       : check == ACCEPT_CHUNKS                               ? context
                                                                              : weights;
            assert_state(&report, (AcceptanceCheck)check, can ? ACCEPT_PASSED : ACCEPT_NOT_CHECKED);
            assert_int_equal(report.findings[check].why == NULL, can);
        }
        acceptance_report_free(&report);
        given_free(&given);
    }
}

/* Chunks in another order: the gaps say which head each holds. */
static void test_swapped_chunks(void **state) {
    (void)state;
    Given given = given_make();
    for (int row = 0; row < 2 * 4; row++)
        for (int i = 0; i < 20; i++) {
            double *a = &given.context[row * 100 + 20 + i], *b = &given.context[row * 100 + 60 + i];
            double kept = *a;
            *a = *b;
            *b = kept;
        }
    AcceptanceReport report = given_report(&given);
    assert_state(&report, ACCEPT_CHUNKS, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_PROJECTION, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_OUTPUT, ACCEPT_PASSED);
    static const int holds[5] = {0, 3, 2, 1, 4};
    for (int chunk = 0; chunk < 5; chunk++)
        for (int head = 0; head < 5; head++)
            assert_int_equal(report.chunk_gaps[chunk * 5 + head] < 1e-12, head == holds[chunk]);
    assert_int_equal(report.findings[ACCEPT_CHUNKS].place.head % 2, 1);
    acceptance_report_free(&report);
    given_free(&given);
}

/* The output projection left out: context is right, and output is not its product. */
static void test_no_projection(void **state) {
    (void)state;
    Given given = given_make();
    memcpy(given.output, given.context, 2 * 4 * 100 * sizeof(double));
    AcceptanceReport report = given_report(&given);
    for (int check = 0; check < ACCEPT_ONE_RUN; check++)
        assert_state(&report, (AcceptanceCheck)check,
                     check == ACCEPT_PROJECTION || check == ACCEPT_OUTPUT ? ACCEPT_FAILED
                                                                          : ACCEPT_PASSED);
    acceptance_report_free(&report);
    given_free(&given);
}

/* No number anywhere is found, and told apart from a number that is off. */
static void test_no_numbers(void **state) {
    (void)state;
    Given given = given_make();
    given.weights[((1 * 5 + 2) * 4 + 3) * 6 + 1] = NAN;
    given.output[(1 * 4 + 2) * 100 + 7] = INFINITY;
    AcceptanceReport report = given_report(&given);
    assert_state(&report, ACCEPT_WEIGHTS_SHAPE, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_OUTPUT_SHAPE, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_HEADS, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_OUTPUT, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_HIDDEN, ACCEPT_PASSED);
    DoctorPlace place = report.findings[ACCEPT_WEIGHTS_SHAPE].place;
    assert_true(place.example == 1 && place.head == 2 && place.query == 3 && place.key == 1);
    place = report.findings[ACCEPT_OUTPUT].place;
    assert_true(place.example == 1 && place.query == 2);
    acceptance_report_free(&report);
    given_free(&given);
}

/* Heads averaged and handed out to each: all is well but the maps. */
static void test_averaged_heads(void **state) {
    (void)state;
    Given given = given_make();
    for (int b = 0; b < 2; b++)
        for (int cell = 0; cell < 24; cell++) {
            double sum = 0;
            for (int h = 0; h < 5; h++)
                sum += given.weights[(b * 5 + h) * 24 + cell];
            for (int h = 0; h < 5; h++)
                given.weights[(b * 5 + h) * 24 + cell] = sum / 5;
        }
    AcceptanceReport report = given_report(&given);
    assert_state(&report, ACCEPT_HEADS, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_DISTINCT, ACCEPT_FAILED);
    assert_state(&report, ACCEPT_ROWS, ACCEPT_PASSED);
    assert_state(&report, ACCEPT_SLOTS, ACCEPT_PASSED);
    acceptance_report_free(&report);
    given_free(&given);
}

/* A query that sees nothing may be given zeros, a uniform row or no number. */
static void test_empty_rows_are_left_out(void **state) {
    (void)state;
    for (int empty = EMPTY_ZERO; empty <= EMPTY_NAN; empty++) {
        Case c = d2l(false);
        c.lens[1] = 0;
        AttentionMistakes mistakes = {.empty = (EmptyLine)empty};
        AcceptanceReport report = report_of(&c.call, acceptance_plain, &mistakes);
        assert_int_equal(acceptance_count(&report, ACCEPT_FAILED), 0);
        assert_int_equal(report.findings[ACCEPT_ROWS].of, 5 * 4);
        acceptance_report_free(&report);
        case_free(&c);
    }
}

/* Where no query sees a key, nothing is said to have passed. */
static void test_nothing_to_look_at(void **state) {
    (void)state;
    Case c = d2l(false);
    c.lens[0] = c.lens[1] = 0;
    AcceptanceReport report = report_of(&c.call, acceptance_fast, NULL);
    for (int check = 0; check < ACCEPT_CHECKS; check++)
        assert_state(&report, (AcceptanceCheck)check, ACCEPT_NOT_CHECKED);
    acceptance_report_free(&report);
    case_free(&c);
}

/* --- other runs ------------------------------------------------------------------------------- */

/* Blocks that read what they must not, a little. */
static bool reads_padding(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                          Error *error) {
    AttentionMistakes leak = {.mask = MASK_ADDS, .mask_value = -9};
    (void)context;
    return acceptance_plain(&leak, answer, call, error);
}

static bool reads_neighbour(const void *context, AcceptanceAnswer *answer,
                            const AcceptanceCall *call, Error *error) {
    (void)context;
    if (!acceptance_plain(NULL, answer, call, error)) return false;
    AttentionSizes n = call->sizes;
    answer->block[0] +=
        1e-4 * call->x_query[(long)(n.batch - 1) * n.queries * n.heads * n.head_width];
    return true;
}

static bool reads_future(const void *context, AcceptanceAnswer *answer, const AcceptanceCall *call,
                         Error *error) {
    (void)context;
    if (!acceptance_plain(NULL, answer, call, error)) return false;
    AttentionSizes n = call->sizes;
    answer->block[0] += 1e-4 * call->x_query[(long)(n.queries - 1) * n.heads * n.head_width];
    return true;
}

static void test_blocks_that_read_too_much(void **state) {
    (void)state;
    AcceptanceRun *const blocks[] = {reads_padding, reads_neighbour, reads_future};
    Rng rng = rng_make(7, 0);
    Case c = case_make((AttentionSizes){2, 2, 6, 6, 4}, true, true, true, 2, &rng);
    c.lens[0] = 6;
    c.lens[1] = 3;
    for (int i = 0; i < 3; i++) {
        AcceptanceReport report = report_of(&c.call, blocks[i], NULL);
        assert_state(&report, (AcceptanceCheck)(ACCEPT_PADDING + i), ACCEPT_FAILED);
        if (i == 1) assert_state(&report, ACCEPT_FUTURE, ACCEPT_PASSED);
        if (i == 2) assert_state(&report, ACCEPT_EXAMPLES, ACCEPT_PASSED);
        acceptance_report_free(&report);
    }
    case_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_blocks_pass),
        cmocka_unit_test(test_what_is_not_checked),
        cmocka_unit_test(test_reference_is_the_formula),
        cmocka_unit_test(test_each_mistake_fails_its_checks),
        cmocka_unit_test(test_ones_hide_mistakes),
        cmocka_unit_test(test_missing_tensors),
        cmocka_unit_test(test_swapped_chunks),
        cmocka_unit_test(test_no_projection),
        cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_averaged_heads),
        cmocka_unit_test(test_empty_rows_are_left_out),
        cmocka_unit_test(test_nothing_to_look_at),
        cmocka_unit_test(test_blocks_that_read_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
