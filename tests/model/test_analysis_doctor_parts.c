/* The doctor where parts of a dump are missing, split, rounded, or no numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/helper_diagnosis.h"

static Diagnosis examine(MadeDump *m) {
    m->dump.valid_lens = m->has_lens ? m->lens : NULL;
    return helper_examine(m);
}

/* Sizes under which every mistake shows, in float32. */
static MadeDump made_of(const char *mistake, const char *other, Site site) {
    MadeDump m = {.sizes = {3, 4, 6, 6, 5},
                  .site = site,
                  .has_lens = true,
                  .lens_set = true,
                  .biased = true,
                  .lens = {4, 6, 3},
                  .precision = PRECISION_F32,
                  .mistakes = {mistake, other},
                  .seed = 6};
    helper_dump_make(&m);
    return m;
}

static void keep_only(MadeDump *m, unsigned parts) {
    for (int i = 0; i < DUMP_PARTS; i++)
        if (!(parts >> i & 1)) helper_dump_without(m, (DumpPart)i);
}

#define PART(name) (1u << DUMP_##name)
enum {
    SOURCES = PART(X_QUERY) | PART(X_KEY_VALUE) | PART(W_Q) | PART(W_K) | PART(W_V) | PART(B_Q) |
              PART(B_K) | PART(B_V),
    OUT = PART(W_O) | PART(B_O) | PART(OUTPUT),
    PROJECTED = PART(QUERY) | PART(KEY) | PART(VALUE),
};

/* --- which stages are judged from what -------------------------------------------------------- */

/* `states` has a letter a stage: - not checked, s sound, f a fault of that name, ? wrong. Frees m.
 */
static void assert_stages(MadeDump *m, const char *mistake, const char *states) {
    Diagnosis d = examine(m);
    for (int i = 0; i < STAGES; i++) {
        char is = "-sf?"[d.stages[i].state];
        if (is != states[i]) {
            helper_print_diagnosis(&d, m);
            fail_msg("stage %d is %c, not %c", i, is, states[i]);
        }
        if (is == 'f') assert_true(helper_stage_names(&d.stages[i], mistake));
    }
    diagnosis_free(&d);
    helper_dump_free(m);
}

static void check_stages(unsigned parts, const char *mistake, Site site, const char *states) {
    MadeDump m = made_of(mistake, NULL, site);
    keep_only(&m, parts);
    assert_stages(&m, mistake, states);
}

static void test_each_stage_is_judged_by_itself(void **state) {
    (void)state;
    unsigned all = SOURCES | OUT | PROJECTED | PART(WEIGHTS) | PART(CONTEXT);
    check_stages(all, NULL, SITE_CROSS, "ssss");
    check_stages(all, "kv-from-decoder", SITE_CROSS, "fsss");
    check_stages(all, "no-scale", SITE_CROSS, "sfss");
    check_stages(all, "one-reshape", SITE_CROSS, "sffs");
    check_stages(all, "wrong-concat", SITE_CROSS, "ssfs");
    check_stages(all, "no-output-projection", SITE_CROSS, "sssf");
    check_stages(all, "w-transposed", SITE_CROSS, "fssf");
}

static void test_missing_parts_join_stages(void **state) {
    (void)state;
    check_stages(PROJECTED | PART(CONTEXT), "tiled-lens", SITE_CROSS, "-ff-");
    check_stages(PROJECTED | OUT, "tiled-lens", SITE_CROSS, "-fff");
    check_stages(PROJECTED | OUT, NULL, SITE_CROSS, "-sss");
    check_stages(SOURCES | OUT, "softmax-queries", SITE_CROSS, "ffff");
    check_stages(SOURCES | OUT, "kv-from-decoder", SITE_CROSS, "ffff");
    check_stages(SOURCES | PART(WEIGHTS), "k-from-decoder", SITE_CROSS, "ff--");
    check_stages(PART(WEIGHTS) | PART(VALUE) | OUT, "wrong-concat", SITE_CROSS, "--ff");
    check_stages(PART(CONTEXT) | OUT, "bias-left-out", SITE_CROSS, "---f");
    check_stages(PART(QUERY) | PART(KEY) | PART(WEIGHTS), "no-causal", SITE_DECODER, "-f--");
    check_stages(SOURCES | PART(QUERY), "q-from-encoder", SITE_CROSS, "f---");
    /* Keys show in the weights, values in the output: together they are one mistake. */
    check_stages(SOURCES | PART(WEIGHTS) | OUT, "kv-from-decoder", SITE_CROSS, "ffff");
}

/* Numbers of a part, a factor on each. */
static void enlarge(MadeDump *m, DumpPart part, double factor) {
    AttentionSizes n = m->sizes;
    int steps = part == DUMP_KEY ? n.keys : n.queries;
    for (long i = 0; i < (long)n.batch * steps * n.heads * n.head_width; i++)
        m->parts[part][i] *= factor;
}

/* Scores so large that their rounding alone can be a weight's all: whatever context there is would
 * do, so that one which nobody computed is neither sound nor a known mistake. */
static void test_context_that_rounding_swallows(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, NULL, SITE_CROSS);
    keep_only(&m, PROJECTED | PART(CONTEXT));
    enlarge(&m, DUMP_QUERY, 16384);
    enlarge(&m, DUMP_KEY, 16384);
    Rng rng = rng_make(1, 0);
    for (long i = 0; i < 3 * 6 * 4 * 5; i++)
        m.parts[DUMP_CONTEXT][i] = (double)(float)rng_normal(&rng);
    Diagnosis d;
    Error error = {0};
    m.dump.valid_lens = m.lens;
    assert_false(doctor_examine(&d, &m.dump, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "almost any context would do"));
    helper_dump_free(&m);
}

/* w_q made the keys and w_k the queries: the same as a file that names them the other way round. */
static void test_exchanged_projections(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, NULL, SITE_CROSS);
    DumpTensor *parts = m.dump.parts, kept = parts[DUMP_W_Q], bias = parts[DUMP_B_Q];
    parts[DUMP_W_Q] = parts[DUMP_W_K];
    parts[DUMP_W_K] = kept;
    parts[DUMP_B_Q] = parts[DUMP_B_K];
    parts[DUMP_B_K] = bias;
    Diagnosis d = examine(&m);
    assert_true(helper_stage_names(&d.stages[STAGE_PROJECTION], "query-key-swapped"));
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* Keys and values from the decoder show in an output even where there are fewer of them. */
static void test_wrong_sources_of_another_length(void **state) {
    (void)state;
    MadeDump m = {.sizes = {2, 2, 5, 5, 4}, .site = SITE_CROSS, .precision = PRECISION_F32};
    m.mistakes[0] = "kv-from-decoder";
    helper_dump_make(&m);
    keep_only(&m, SOURCES | OUT);
    m.dump.sizes.keys = 3; /* of the encoder's steps, which nothing has read */
    Diagnosis d = examine(&m);
    assert_true(helper_names(&d, "kv-from-decoder"));
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* --- split tensors ---------------------------------------------------------------------------- */

static void use_split(MadeDump *m) {
    const double *split[] = {m->query_split, m->key_split, m->value_split};
    for (int i = 0; i < 3; i++) {
        m->dump.parts[DUMP_QUERY + i].numbers = split[i];
        m->dump.parts[DUMP_QUERY + i].split = true;
    }
    m->dump.parts[DUMP_CONTEXT].numbers = m->context_split;
    m->dump.parts[DUMP_CONTEXT].split = true;
}

static void check_split(unsigned parts, const char *mistake, const char *states) {
    MadeDump m = made_of(mistake, NULL, SITE_CROSS);
    use_split(&m);
    keep_only(&m, parts);
    assert_stages(&m, mistake, states);
}

static void test_split_tensors(void **state) {
    (void)state;
    unsigned all = SOURCES | OUT | PROJECTED | PART(WEIGHTS) | PART(CONTEXT);
    check_split(all, NULL, "ssss");
    check_split(all, "one-reshape", "fsss");
    check_split(all, "interleaved-heads", "fsss");
    check_split(all, "wrong-concat", "sssf");
    check_split(all, "concat-interleaved", "sssf");
    check_split(all, "no-scale", "sfss");
    /* Without the sources nothing shows the split. */
    check_split(PROJECTED | PART(WEIGHTS) | PART(CONTEXT), "one-reshape", "-ss-");
    check_split(PROJECTED | PART(WEIGHTS), "scale-sqrt-width", "-f--");
}

/* --- pairs ------------------------------------------------------------------------------------ */

static void test_pairs(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"no-scale", "tiled-lens"},
        {"one-reshape", "no-scale"},
        {"no-causal", "lens-one-more"},
        {"softmax-queries", "no-causal"},
        {"causal-one-less", "no-scale"},
        {"mask-leaks", "scale-sqrt-width"},
        {"interleaved-heads", "lens-ignored"},
        {"lens-ignored", "dropout-on"},
        {"query-key-swapped", "no-scale"},
        {"mask-after", "scale-head-width"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        MadeDump m = made_of(pairs[i][0], pairs[i][1], SITE_DECODER);
        keep_only(&m, PART(QUERY) | PART(KEY) | PART(WEIGHTS));
        Diagnosis d = examine(&m);
        const StageFinding *f = &d.stages[STAGE_WEIGHTS];
        if (!helper_stage_names(f, pairs[i][0]) || !helper_stage_names(f, pairs[i][1])) {
            helper_print_diagnosis(&d, &m);
            fail();
        }
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

static void test_pairs_across_stages_in_an_output(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"one-reshape", "wrong-concat"},     {"no-scale", "no-output-projection"},
        {"kv-from-decoder", "lens-ignored"}, {"w-transposed", "tiled-lens"},
        {"bias-left-out", "softmax-heads"},  {"averaged-heads", "no-scale"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        MadeDump m = made_of(pairs[i][0], pairs[i][1], SITE_CROSS);
        keep_only(&m, SOURCES | OUT);
        Diagnosis d = examine(&m);
        if (!helper_names(&d, pairs[i][0]) || !helper_names(&d, pairs[i][1])) {
            helper_print_diagnosis(&d, &m);
            fail();
        }
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

/* --- what has to be estimated --------------------------------------------------------------------
 */

static void test_leaking_mask_in_an_output(void **state) {
    (void)state;
    static const char *const others[] = {NULL, "no-scale", "wrong-concat"};
    for (int i = 0; i < 3; i++) {
        MadeDump m = made_of("mask-leaks", others[i], SITE_DECODER);
        keep_only(&m, PROJECTED | OUT);
        Diagnosis d = examine(&m);
        if (!helper_names(&d, "mask-leaks") || (others[i] && !helper_names(&d, others[i]))) {
            helper_print_diagnosis(&d, &m);
            fail();
        }
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

/* D2L keeps the weights from before dropout: only the context shows it. */
static void test_dropout_that_only_the_context_shows(void **state) {
    (void)state;
    MadeDump m = {.sizes = {2, 3, 5, 5, 8}, .precision = PRECISION_F32, .dropped_later = true};
    m.mistakes[0] = "dropout-on";
    helper_dump_make(&m);
    Diagnosis d = examine(&m);
    assert_int_equal(d.stages[STAGE_WEIGHTS].state, STAGE_SOUND);
    if (d.stages[STAGE_MIX].state != STAGE_FAULT) helper_print_diagnosis(&d, &m);
    assert_true(helper_stage_names(&d.stages[STAGE_MIX], "dropout-on"));
    assert_int_equal(d.stages[STAGE_OUTPUT].state, STAGE_SOUND);
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* --- precision -------------------------------------------------------------------------------- */

static void test_half_precision_in_between(void **state) {
    (void)state;
    for (int half = PRECISION_F16; half <= PRECISION_BF16; half++) {
        MadeDump m = {.sizes = {2, 4, 6, 6, 8}, .site = SITE_DECODER, .precision = PRECISION_F32};
        m.compute = (DumpPrecision)half;
        helper_dump_make(&m);
        keep_only(&m, SOURCES | PROJECTED | PART(WEIGHTS));
        Diagnosis d = examine(&m);
        assert_true(helper_names(&d, "half-precision"));
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

/* The scores are divided by too much, but by nothing that is known. Rounding to
 * halves is not to blame, and does not hide it. */
static void test_halves_excuse_no_other_formula(void **state) {
    (void)state;
    for (int precision = PRECISION_F32; precision <= PRECISION_BF16; precision++) {
        MadeDump m = {.sizes = {2, 5, 4, 6, 20},
                      .site = SITE_CROSS,
                      .precision = (DumpPrecision)precision,
                      .lens_set = true,
                      .seed = 3};
        helper_dump_make(&m);
        keep_only(&m, SOURCES | PART(WEIGHTS));
        for (int row = 0; row < 2 * 5 * 4; row++) {
            double *weights = m.parts[DUMP_WEIGHTS] + (long)row * 6, sum = 0;
            for (int j = 0; j < 6; j++)
                sum += weights[j] = pow(weights[j], 0.65);
            for (int j = 0; j < 6; j++)
                weights[j] = helper_rounded(weights[j] / sum, m.precision);
        }
        Diagnosis d = examine(&m);
        if (d.stages[STAGE_WEIGHTS].state != STAGE_UNKNOWN) helper_print_diagnosis(&d, &m);
        assert_int_equal(d.stages[STAGE_WEIGHTS].state, STAGE_UNKNOWN);
        assert_true(d.stages[STAGE_WEIGHTS].right_error > 1);
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

static void test_printed_decimals_are_sound(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, NULL, SITE_DECODER);
    for (int part = DUMP_QUERY; part < DUMP_PARTS; part++)
        for (int i = 0; i < 3 * 4 * 6 * (part == DUMP_WEIGHTS ? 6 : 5); i++)
            m.parts[part][i] =
                helper_rounded(nearbyint(m.parts[part][i] * 1e4) / 1e4, PRECISION_F32);
    Diagnosis d = examine(&m);
    if (diagnosis_has_fault(&d)) helper_print_diagnosis(&d, &m);
    assert_false(diagnosis_has_fault(&d));
    assert_int_equal(d.remark_count, 1);
    assert_string_equal(d.remarks[0].kind->name, "rounded");
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* --- rows that see no key --------------------------------------------------------------------- */

static void check_empty(const char *mistake, bool uniform, const char *remark, bool is_fault) {
    MadeDump m = made_of(NULL, NULL, SITE_CROSS);
    helper_dump_free(&m);
    m.lens[1] = 0;
    m.empty_uniform = uniform;
    m.mistakes[0] = mistake;
    helper_dump_make(&m);
    Diagnosis d = examine(&m);
    if (diagnosis_has_fault(&d) != is_fault || d.remark_count != (remark != NULL)) {
        helper_print_diagnosis(&d, &m);
        fail();
    }
    if (remark) assert_string_equal(d.remarks[0].kind->name, remark);
    if (is_fault) assert_true(helper_names(&d, mistake));
    diagnosis_free(&d);
    helper_dump_free(&m);
}

static void test_rows_without_keys(void **state) {
    (void)state;
    check_empty(NULL, false, NULL, false);
    check_empty(NULL, true, "empty-uniform", false);
    check_empty("empty-nan", false, "empty-nan", true);
}

/* --- biases that are not in the file ---------------------------------------------------------- */

static void test_biases_that_nobody_dumped(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, NULL, SITE_CROSS);
    for (int i = DUMP_B_Q; i <= DUMP_B_O; i++)
        helper_dump_without(&m, (DumpPart)i);
    Diagnosis d = examine(&m);
    assert_int_equal(d.stages[STAGE_PROJECTION].state, STAGE_UNKNOWN);
    diagnosis_free(&d);
    m.dump.biases_unknown = true;
    d = examine(&m);
    assert_false(diagnosis_has_fault(&d));
    assert_string_equal(d.remarks[0].kind->name, "bias-not-in-file");
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* --- columns ---------------------------------------------------------------------------------- */

static void test_columns_are_a_layout(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, NULL, SITE_DECODER);
    for (int map = 0; map < 12; map++)
        for (int t = 0; t < 6; t++)
            for (int j = 0; j < t; j++) {
                double *one = &m.parts[DUMP_WEIGHTS][map * 36 + t * 6 + j];
                double *other = &m.parts[DUMP_WEIGHTS][map * 36 + j * 6 + t], kept = *one;
                *one = *other;
                *other = kept;
            }
    Diagnosis d = examine(&m);
    assert_true(d.column_convention);
    if (diagnosis_has_fault(&d)) helper_print_diagnosis(&d, &m);
    assert_false(diagnosis_has_fault(&d));
    diagnosis_free(&d);
    helper_dump_free(&m);
}

/* --- bad numbers ------------------------------------------------------------------------------ */

static void spoil(const MadeDump *m, int part, double with) {
    AttentionSizes n = m->sizes;
    long width = (long)n.heads * n.head_width, count = (long)n.batch * n.queries * width;
    if (part >= DUMP_W_Q && part <= DUMP_W_O) count = width * width;
    if (part >= DUMP_B_Q && part <= DUMP_B_O) count = width;
    if (part == DUMP_WEIGHTS) count = (long)n.batch * n.heads * n.queries * n.keys;
    for (long i = 0; i < count; i++)
        m->parts[part][i] = with;
}

static void test_bad_numbers_are_a_finding(void **state) {
    (void)state;
    static const double numbers[] = {NAN, INFINITY, -INFINITY, 1e300, -1e38, 1e-320};
    for (int part = -1; part < DUMP_PARTS; part++)
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            MadeDump m = made_of(NULL, NULL, SITE_CROSS);
            for (int p = 0; p < DUMP_PARTS; p++)
                if (part < 0 || p == part) spoil(&m, p, numbers[i]);
            Diagnosis d = examine(&m);
            if (!isfinite(numbers[i])) assert_true(diagnosis_has_fault(&d));
            diagnosis_free(&d);
            helper_dump_free(&m);
        }
}

static void test_empty_dumps_are_refused(void **state) {
    (void)state;
    Diagnosis d;
    Error error = {0};
    MadeDump m = made_of(NULL, NULL, SITE_CROSS);
    Dump dump = m.dump;
    dump.sizes.keys = 0;
    assert_false(doctor_examine(&d, &dump, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    keep_only(&m, PART(X_QUERY) | PART(OUTPUT));
    assert_false(doctor_examine(&d, &m.dump, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    helper_dump_free(&m);
}

/* --- evidence --------------------------------------------------------------------------------- */

static void check_evidence(unsigned parts, const char *mistake, DumpPart part, int rows,
                           int columns) {
    MadeDump m = made_of(mistake, NULL, SITE_CROSS);
    keep_only(&m, parts);
    Diagnosis d = examine(&m);
    const DoctorEvidence *e = &d.evidence;
    double apart = 0, left = 0;
    assert_non_null(e->left);
    assert_int_equal(e->part, part);
    assert_int_equal(e->rows, rows);
    assert_int_equal(e->columns, columns);
    for (int i = 0; i < rows * columns; i++) {
        apart = fmax(apart, fabs((double)(e->yours[i] - e->right[i])));
        left = fmax(left, fabs((double)e->left[i]));
        assert_true(e->left[i] == e->yours[i] - e->predicted[i]);
    }
    assert_true(left < 1e-5);
    assert_true(mistake ? apart > 0.01 : apart < 1e-5);
    diagnosis_free(&d);
    helper_dump_free(&m);
}

static void test_evidence(void **state) {
    (void)state;
    unsigned all = SOURCES | OUT | PROJECTED | PART(WEIGHTS) | PART(CONTEXT);
    check_evidence(all, NULL, DUMP_WEIGHTS, 6, 6);
    check_evidence(all, "no-scale", DUMP_WEIGHTS, 6, 6);
    check_evidence(all, "wrong-concat", DUMP_CONTEXT, 6, 5);
    check_evidence(all, "no-output-projection", DUMP_OUTPUT, 6, 20);
    check_evidence(all, "k-from-decoder", DUMP_KEY, 6, 20);
    check_evidence(PROJECTED | PART(WEIGHTS), "dropout-on", DUMP_WEIGHTS, 6, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_stage_is_judged_by_itself),
        cmocka_unit_test(test_missing_parts_join_stages),
        cmocka_unit_test(test_exchanged_projections),
        cmocka_unit_test(test_context_that_rounding_swallows),
        cmocka_unit_test(test_wrong_sources_of_another_length),
        cmocka_unit_test(test_split_tensors),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_pairs_across_stages_in_an_output),
        cmocka_unit_test(test_leaking_mask_in_an_output),
        cmocka_unit_test(test_dropout_that_only_the_context_shows),
        cmocka_unit_test(test_half_precision_in_between),
        cmocka_unit_test(test_halves_excuse_no_other_formula),
        cmocka_unit_test(test_printed_decimals_are_sound),
        cmocka_unit_test(test_rows_without_keys),
        cmocka_unit_test(test_biases_that_nobody_dumped),
        cmocka_unit_test(test_columns_are_a_layout),
        cmocka_unit_test(test_bad_numbers_are_a_finding),
        cmocka_unit_test(test_empty_dumps_are_refused),
        cmocka_unit_test(test_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
