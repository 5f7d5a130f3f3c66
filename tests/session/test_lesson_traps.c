/* The gallery of traps: its figures against the numbers that its maps show, and these against the
 * definition; its refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/trap_study.h"
#include "tests/session/helper_page.h"

static int case_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 5 : 40;
}

typedef struct Call {
    TrapToy toy;
    int lens[4];
    char words[200];
} Call;

static Call random_call(Rng *rng) {
    AttentionSizes n = {page_between(rng, 1, 4), page_between(rng, 1, 4), page_between(rng, 1, 7),
                        page_between(rng, 1, 7), page_between(rng, 1, 5)};
    Call call = {.toy = {.sizes = n, .seed = (uint64_t)page_between(rng, 1, 1000)}};
    int keys = n.keys < n.queries ? n.keys : n.queries;
    snprintf(call.words, sizeof call.words,
             "--batch %d --queries %d --keys %d --width %d --heads %d --seed %d", n.batch,
             n.queries, n.keys, n.heads * n.head_width, n.heads, (int)call.toy.seed);
    for (int b = 0; b < n.batch; b++) {
        call.lens[b] = page_between(rng, 1, keys);
        snprintf(call.words + strlen(call.words), sizeof call.words - strlen(call.words),
                 b ? ",%d" : " --valid-lens %d", call.lens[b]);
    }
    return call;
}

static const char *gap_text(double gap, char text[24]) {
    if (isinf(gap)) return "no number";
    if (gap == 0) return "0";
    snprintf(text, 24, gap < 1e-3 ? "%.2e" : "%.3f", gap);
    return text;
}

/* The row of the summary's table that names the trap. */
static const LessonRow *row_of(const LessonPage *page, const char *name) {
    for (int i = 0; i < page->count; i++)
        for (int row = 0; page->blocks[i].kind == LESSON_TABLE && page->blocks[i].text &&
                          row < page->blocks[i].table.row_count;
             row++)
            if (strcmp(page->blocks[i].table.rows[row].cells[0], name) == 0)
                return &page->blocks[i].table.rows[row];
    fail_msg("no row of %s", name);
    return NULL;
}

/* What the outcome says is so: each row of the right weights by the formula's own properties, and
 * the check that is named really fails. */
static void assert_outcome(const TrapOutcome *o) {
    AttentionSizes n = o->sizes;
    double weights = 0;
    bool no_number = false, sums = true;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++) {
        int b = (int)(row / n.queries / n.heads), t = (int)(row % n.queries);
        int seen = o->lens[b] < n.keys ? o->lens[b] : n.keys;
        if (o->site == SITE_DECODER && t + 1 < seen) seen = t + 1;
        double right = 0, wrong = 0;
        for (int j = 0; j < n.keys; j++) {
            double a = o->right_weights[row * n.keys + j], w = o->wrong_weights[row * n.keys + j];
            if (j >= seen) assert_true(a == 0);
            right += a;
            wrong += w;
            no_number = no_number || isnan(w);
            weights = fmax(weights, fabs(a - w));
        }
        assert_true(fabs(right - (seen > 0)) < 1e-12);
        sums = sums && (seen == 0 || fabs(wrong - 1) < 1e-9);
    }
    assert_true(no_number ? isinf(o->weights) : o->weights == weights);
    if (o->idle) assert_null(o->caught.text);
    if (o->caught.text && strstr(o->caught.text, "sums to 1")) assert_false(sums);
    if (no_number) assert_string_equal(o->caught.text, "every weight is a number");
}

static void test_gallery(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int round = 0; round < case_count(); round++) {
        Call call = random_call(&rng);
        call.toy.lens = call.lens;
        Page made = page_make(&lesson_traps, call.words);
        Pool pool = {0};
        for (int i = 0; trap_at(i); i++) {
            const MistakeKind *trap = trap_at(i);
            const LessonRow *row = row_of(made.page, trap->name);
            TrapOutcome outcome;
            char text[24];
            if (trap->is_loud) continue;
            assert_true(trap_study(&outcome, trap, &call.toy, &pool));
            assert_outcome(&outcome);
            assert_string_equal(row->cells[3], gap_text(outcome.weights, text));
            assert_string_equal(row->cells[4], gap_text(outcome.output, text));
            if (outcome.caught.text) assert_string_equal(row->cells[5], outcome.caught.text);
            /* What changes nothing says why. */
            bool nothing = outcome.weights <= 1e-9 && outcome.output <= 1e-9;
            assert_true(nothing == !strncmp(row->cells[5], "nothing to catch: ", 18));
        }
        pool_free(&pool);
        lesson_free(made.maker);
    }
}

/* One query sees one key at most: of all traps only those that show it hidden ones, or nothing, or
 * another value, change anything. */
static void test_one_query_or_one_key(void **state) {
    (void)state;
    static const char *const words[] = {"--queries 1", "--keys 1", "--queries 1 --keys 1",
                                        "--valid-lens 1,1"};
    static const char *const idle[] = {"no-scale", "scale-sqrt-width", "no-causal", "causal-cross",
                                       "tiled-lens"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        Page made = page_make(&lesson_traps, words[i]);
        for (size_t j = 0; j < sizeof idle / sizeof idle[0]; j++)
            if (strncmp(row_of(made.page, idle[j])->cells[5], "nothing to catch: ", 18) != 0)
                fail_msg("%s: %s does not say why it changes nothing", words[i], idle[j]);
        lesson_free(made.maker);
    }
}

/* Without the repeat a call of one head is right: nothing stops. */
static void test_no_repeat(void **state) {
    (void)state;
    Page made = page_make(&lesson_traps, "no-repeat --width 4 --heads 1");
    assert_false(page_says(made.page, "It fails"));
    assert_false(page_says(made.page, "IndexError"));
    assert_true(page_says(made.page, "Nothing fails here: there is one head"));
    lesson_free(made.maker);
    made = page_make(&lesson_traps, "no-repeat");
    assert_true(page_says(made.page, "It fails: there are B lengths"));
    assert_true(page_says(made.page,
                          "IndexError: The shape of the mask [10, 6] at index 0 does not "
                          "match the shape of the indexed tensor [20, 6] at index 0"));
    lesson_free(made.maker);
    made = page_make(&lesson_traps, "--width 4 --heads 1");
    assert_non_null(strstr(row_of(made.page, "no-repeat")->cells[5], "there is one head"));
    lesson_free(made.maker);
}

static void assert_refused(const char *words, const char *wanted) {
    char line[512];
    page_refused(&lesson_traps, words, line);
    if (!strstr(line, wanted)) fail_msg("\"%s\" does not hold \"%s\"", line, wanted);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused("two-reshapes", "two-reshapes: no such trap; there are one-reshape");
    assert_refused("--width 9 --heads 2", "9");
    assert_refused("--valid-lens none", "--valid-lens none: the traps need lengths");
    assert_refused("--here", "--here is for the window");
    assert_refused("--input x", "--input belongs to a model");
    assert_refused("--model x", "say what the model reads: --input TEXT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_one_query_or_one_key),
        cmocka_unit_test(test_no_repeat),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
