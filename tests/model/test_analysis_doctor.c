/* The doctor against dumps of attention with each mistake made in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/model/helper_copies.h"
#include "tests/model/helper_diagnosis.h"

/* A shape for a site, in which the mistake can be made. */
static void shape(MadeDump *m, Rng *rng, const char *mistake) {
    static const int heads[] = {1, 2, 3, 4, 8, 16};
    m->site = (Site)copies_between(rng, 0, 2);
    bool causal = strncmp(mistake, "causal", 6) == 0 || strcmp(mistake, "no-causal") == 0;
    if (causal) m->site = strcmp(mistake, "causal-cross") ? SITE_DECODER : SITE_CROSS;
    bool crosses = strstr(mistake, "from-") != NULL;
    if (crosses) m->site = SITE_CROSS;
    m->sizes.batch = copies_between(rng, 1, 4);
    m->sizes.heads = heads[copies_between(rng, 0, 5)];
    m->sizes.head_width = copies_between(rng, 2, 8);
    m->sizes.queries = copies_between(rng, 2, 9);
    bool alike = m->site != SITE_CROSS || crosses || strcmp(mistake, "query-key-swapped") == 0;
    m->sizes.keys = alike ? m->sizes.queries : copies_between(rng, 2, 9);
    m->has_lens = strncmp(mistake, "lens", 4) == 0 || strcmp(mistake, "tiled-lens") == 0 ||
                  rng_below(rng, 2) == 0;
    m->biased = strcmp(mistake, "bias-left-out") == 0 || rng_below(rng, 2) == 0;
    m->precision =
        (DumpPrecision[]){PRECISION_F32, PRECISION_F16, PRECISION_BF16}[rng_below(rng, 3)];
    m->compute = m->precision;
}

enum { SHAPES = 12, SOUND = 60 };

/* Whether it is made and named here; the others have tests of their own. */
static bool is_single(const MistakeKind *kind) {
    MistakeId id = mistake_id(kind);
    return kind->mend && id != MISTAKE_HALF_PRECISION && id != MISTAKE_EMPTY_NAN;
}

/* A kind keeps its random shapes when others are added to the catalogue. */
static uint64_t stream_of(const char *name) {
    uint64_t stream = 0;
    while (*name)
        stream = 31 * stream + (unsigned char)*name++;
    return stream;
}

static bool same_numbers(const MadeDump *a, const MadeDump *b) {
    long count = (long)a->sizes.batch * a->sizes.queries * a->sizes.heads * a->sizes.head_width;
    for (long i = 0; i < count; i++) {
        double off = a->parts[DUMP_OUTPUT][i] - b->parts[DUMP_OUTPUT][i];
        if (off > 0.02 || off < -0.02) return false;
    }
    return true;
}

static void test_names_each_mistake(void **state) {
    (void)state;
    int missed = 0;
    for (int id = 0; id < MISTAKE_KINDS; id++) {
        const char *mistake = mistake_kind(id)->name;
        if (!is_single(mistake_kind(id))) continue;
        int named = 0, counted = 0, idle = 0;
        for (unsigned s = 0; s < SHAPES; s++) {
            Rng rng = rng_make(s, stream_of(mistake));
            MadeDump m = {.mistakes = {mistake}, .seed = s}, right;
            shape(&m, &rng, mistake);
            right = m;
            right.mistakes[0] = NULL;
            helper_dump_make(&m);
            helper_dump_make(&right);
            right.dump.valid_lens = right.lens;
            Diagnosis d = helper_examine(&m);
            bool found = helper_names(&d, mistake);
            bool sound = !diagnosis_has_fault(&d);
            if (sound && same_numbers(&m, &right)) {
                idle++;
            } else {
                counted++;
                named += found;
                if (!found) helper_print_diagnosis(&d, &m);
            }
            diagnosis_free(&d);
            helper_dump_free(&m);
            helper_dump_free(&right);
        }
        missed += counted - named;
        printf("%-22s named %2d of %2d, nothing changed in %d\n", mistake, named, counted, idle);
        if (named == 0) fail_msg("%s: tests/model/helper_dump.c does not make it", mistake);
    }
    assert_int_equal(missed, 0);
}

static void test_sound_raises_nothing(void **state) {
    (void)state;
    for (unsigned s = 0; s < SOUND; s++) {
        Rng rng = rng_make(s, 99);
        MadeDump m = {.seed = s};
        shape(&m, &rng, "");
        m.empty_uniform = s % 2;
        helper_dump_make(&m);
        Diagnosis d = helper_examine(&m);
        if (diagnosis_has_fault(&d)) helper_print_diagnosis(&d, &m);
        assert_false(diagnosis_has_fault(&d));
        diagnosis_free(&d);
        helper_dump_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_raises_nothing),
        cmocka_unit_test(test_names_each_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
