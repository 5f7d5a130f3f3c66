/* What the doctor tells from weights alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/helper_diagnosis.h"

/* Sizes under which every mistake shows. */
static MadeDump made_of(const char *mistake, Site site, bool lens) {
    MadeDump m = {.sizes = {3, 4, 6, 6, 8},
                  .site = site,
                  .has_lens = lens,
                  .lens_set = true,
                  .lens = {4, 6, 3},
                  .precision = PRECISION_F32,
                  .mistakes = {mistake},
                  .seed = 5};
    helper_dump_make(&m);
    for (int i = 0; i < DUMP_WEIGHTS; i++)
        helper_dump_without(&m, (DumpPart)i);
    helper_dump_without(&m, DUMP_CONTEXT);
    helper_dump_without(&m, DUMP_OUTPUT);
    m.dump.sizes.head_width = 0;
    return m;
}

static Diagnosis examine(MadeDump *m) {
    m->dump.valid_lens = m->has_lens ? m->lens : NULL;
    Diagnosis diagnosis = helper_examine(m);
    assert_non_null(diagnosis.evidence.yours);
    assert_int_equal(diagnosis.stages[STAGE_WEIGHTS].state, STAGE_NOT_CHECKED);
    return diagnosis;
}

static const DoctorRemark *find(const Diagnosis *d, const char *name) {
    for (int i = 0; i < d->remark_count; i++)
        if (strcmp(d->remarks[i].kind->name, name) == 0) return &d->remarks[i];
    return NULL;
}

static void check(MadeDump *m, const char *name, bool is_fault) {
    Diagnosis d = examine(m);
    const DoctorRemark *remark = find(&d, name);
    if (!remark || remark->is_fault != is_fault || diagnosis_has_fault(&d) != is_fault) {
        print_message("made %s, looked for %s\n", m->mistakes[0] ? m->mistakes[0] : "nothing",
                      name);
        for (int i = 0; i < d.remark_count; i++)
            print_message("  %s: %s\n", d.remarks[i].kind->name, d.remarks[i].text);
        fail();
    }
    diagnosis_free(&d);
}

static void check_sound(MadeDump *m) {
    Diagnosis d = examine(m);
    for (int i = 0; i < d.remark_count; i++)
        print_message("  %s: %s\n", d.remarks[i].kind->name, d.remarks[i].text);
    assert_int_equal(d.remark_count, 0);
    diagnosis_free(&d);
}

static void test_names_masks_and_softmax(void **state) {
    (void)state;
    static const struct {
        const char *mistake;
        Site site;
        bool lens;
    } cases[] = {
        {"tiled-lens", SITE_ENCODER, true},       {"lens-one-more", SITE_ENCODER, true},
        {"lens-one-less", SITE_CROSS, true},      {"lens-other-example", SITE_CROSS, true},
        {"lens-ignored", SITE_DECODER, true},     {"lens-inverted", SITE_ENCODER, true},
        {"no-causal", SITE_DECODER, false},       {"causal-one-more", SITE_DECODER, true},
        {"causal-one-less", SITE_DECODER, false}, {"causal-mirrored", SITE_DECODER, false},
        {"causal-cross", SITE_CROSS, true},       {"softmax-queries", SITE_CROSS, false},
        {"softmax-heads", SITE_ENCODER, false},   {"mask-after", SITE_DECODER, true},
        {"dropout-on", SITE_ENCODER, false},      {"empty-nan", SITE_ENCODER, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MadeDump m = made_of(cases[i].mistake, cases[i].site, cases[i].lens);
        if (strcmp(cases[i].mistake, "empty-nan") == 0) {
            helper_dump_free(&m);
            m = made_of(NULL, SITE_ENCODER, true);
            m.lens[1] = 0;
            for (int at = 4 * 36; at < 2 * 4 * 36; at++)
                m.parts[DUMP_WEIGHTS][at] = NAN;
        }
        check(&m, cases[i].mistake, true);
        helper_dump_free(&m);
    }
}

static void test_sound_is_quiet(void **state) {
    (void)state;
    for (int site = 0; site < SITE_COUNT; site++)
        for (int lens = 0; lens < 2; lens++) {
            MadeDump m = made_of(NULL, (Site)site, lens);
            check_sound(&m);
            helper_dump_free(&m);
        }
}

static void test_rounding_is_fine(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, SITE_DECODER, true);
    for (int i = 0; i < 3 * 4 * 36; i++)
        m.parts[DUMP_WEIGHTS][i] = (double)(float)(nearbyint(m.parts[DUMP_WEIGHTS][i] * 1e4) / 1e4);
    check_sound(&m);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_DECODER, true);
    for (int i = 0; i < 3 * 4 * 36; i++)
        m.parts[DUMP_WEIGHTS][i] = helper_rounded(m.parts[DUMP_WEIGHTS][i], PRECISION_BF16);
    check_sound(&m);
    m.dump.parts[DUMP_WEIGHTS].precision = PRECISION_BF16;
    check_sound(&m);
    helper_dump_free(&m);
}

static void test_padding_future_and_sums(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, SITE_DECODER, false);
    m.parts[DUMP_WEIGHTS][5] = 0.25; /* row 0, key 5 */
    m.parts[DUMP_WEIGHTS][0] = 0.75;
    check(&m, "weight-on-future", true);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, true);
    m.parts[DUMP_WEIGHTS][5] = m.parts[DUMP_WEIGHTS][0];
    m.parts[DUMP_WEIGHTS][0] = 0;
    check(&m, "weight-on-padding", true);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, false);
    for (int j = 0; j < 6; j++)
        m.parts[DUMP_WEIGHTS][j] *= 1.01;
    check(&m, "row-sums", true);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, false);
    for (int i = 0; i < 3 * 4 * 36; i++)
        m.parts[DUMP_WEIGHTS][i] = log(m.parts[DUMP_WEIGHTS][i]);
    check(&m, "logits", true);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, false);
    m.parts[DUMP_WEIGHTS][40] = INFINITY;
    check(&m, "nan-rows", true);
    helper_dump_free(&m);
}

static void test_heads(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, SITE_CROSS, false);
    for (int b = 0; b < 3; b++)
        memcpy(m.parts[DUMP_WEIGHTS] + (b * 4 + 2) * 36, m.parts[DUMP_WEIGHTS] + (b * 4 + 1) * 36,
               36 * sizeof(double));
    check(&m, "identical-heads", true);
    helper_dump_free(&m);
    m = made_of("averaged-heads", SITE_CROSS, false);
    check(&m, "identical-heads", true);
    m.dump.parts[DUMP_WEIGHTS].averaged = true;
    check(&m, "averaged-heads", true);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_DECODER, false);
    for (int row = 0; row < 3 * 4 * 6; row++)
        for (int j = 0; j < 6; j++)
            m.parts[DUMP_WEIGHTS][row * 6 + j] = j <= row % 6 ? 1.0 / (row % 6 + 1) : 0;
    check(&m, "uniform-rows", false);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, false);
    for (int b = 0; b < 3; b++)
        for (int t = 0; t < 6; t++) {
            double *row = m.parts[DUMP_WEIGHTS] + ((b * 4 + 3) * 6 + t) * 6;
            for (int j = 0; j < 6; j++)
                row[j] *= 0.2;
            row[0] += 0.8;
        }
    check(&m, "first-token-sink", false);
    helper_dump_free(&m);
}

/* Lengths nobody told, tiled. */
static void test_heads_that_see_different_keys(void **state) {
    (void)state;
    MadeDump m = made_of("tiled-lens", SITE_CROSS, true);
    m.has_lens = false;
    m.dump.valid_lens = NULL;
    check(&m, "tiled-lens", true);
    helper_dump_free(&m);
}

static void turn(MadeDump *m) {
    for (int map = 0; map < 12; map++)
        for (int t = 0; t < 6; t++)
            for (int j = 0; j < t; j++) {
                double *one = &m->parts[DUMP_WEIGHTS][map * 36 + t * 6 + j];
                double *other = &m->parts[DUMP_WEIGHTS][map * 36 + j * 6 + t], kept = *one;
                *one = *other;
                *other = kept;
            }
}

static void test_columns(void **state) {
    (void)state;
    MadeDump m = made_of(NULL, SITE_DECODER, true);
    turn(&m);
    Diagnosis d = examine(&m);
    assert_true(d.column_convention);
    assert_false(diagnosis_has_fault(&d));
    diagnosis_free(&d);
    helper_dump_free(&m);
    m = made_of(NULL, SITE_CROSS, false);
    turn(&m);
    check(&m, "softmax-queries", true); /* nothing tells it from a wrong axis */
    m.dump.parts[DUMP_WEIGHTS].transposed = true;
    d = examine(&m);
    assert_true(d.column_convention);
    assert_int_equal(d.remark_count, 0);
    diagnosis_free(&d);
    helper_dump_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_masks_and_softmax),
        cmocka_unit_test(test_sound_is_quiet),
        cmocka_unit_test(test_rounding_is_fine),
        cmocka_unit_test(test_padding_future_and_sums),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_heads_that_see_different_keys),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
