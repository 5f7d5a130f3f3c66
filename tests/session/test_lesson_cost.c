/* The lesson cost: every figure of its page against ones counted here, loop by loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/cost_time.h"
#include "tests/session/helper_page.h"

/* As on the command line or, `live`, as in the window. */
static Page make(const char *text, bool live) {
    static const Command command = {"cost", "", "", NULL};
    static const ShownPass shown; /* the page asks only whether there is one */
    if (!live) return page_make(&lesson_cost, text);
    char words[400], *argv[20];
    int argc = 0;
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    Page made = {.maker = lesson_maker()};
    LessonCall call = {.command = &command, .argc = argc, .argv = argv, .shown = &shown};
    LessonResult result = {0};
    Error error = {0};
    if (!lesson_cost.make(made.maker, &call, &result, &error)) fail_msg("%s", error.text);
    made.page = lesson_finish(made.maker, &error);
    assert_non_null(made.page);
    return made;
}

/* The n-th table, of three: what stays, what grows, the full width. */
static const LessonTable *table_of(const LessonPage *page, int n) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].kind == LESSON_TABLE && n-- == 0) return &page->blocks[i].table;
    fail_msg("there is no such table");
    return NULL;
}

static const LessonBars *bars_of(const LessonPage *page, const char *caption) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].kind == LESSON_BARS && strstr(page->blocks[i].text, caption))
            return &page->blocks[i].bars;
    fail_msg("there are no bars of %s", caption);
    return NULL;
}

/* "10,240" */
static long number(const char *cell) {
    long value = 0;
    int since = -1;
    for (const char *at = cell; *at; at++) {
        if (*at == ',') {
            assert_true(since == -1 || since == 3);
            since = 0;
            continue;
        }
        assert_in_range(*at, '0', '9');
        value = 10 * value + (*at - '0');
        if (since >= 0) since++;
    }
    assert_true(since == -1 || since == 3);
    return value;
}

static double bytes(const char *cell) {
    double value;
    char unit[8];
    assert_int_equal(sscanf(cell, "%lf %7s", &value, unit), 2);
    return value * (strcmp(unit, "B") == 0     ? 1
                    : strcmp(unit, "KiB") == 0 ? 1024
                    : strcmp(unit, "MiB") == 0 ? 1024 * 1024
                                               : 1024.0 * 1024 * 1024);
}

typedef struct Sizes {
    int batch, queries, keys, width, heads;
} Sizes;

/* Multiplications and additions, each added for itself. */
typedef struct Counts {
    long parameters, projections, pairs, weights;
} Counts;

static Counts count(Sizes n, int head_width) {
    Counts c = {0};
    for (int h = 0; h < n.heads; h++)
        for (int column = 0; column < head_width; column++)
            for (int other = 0; other < n.width; other++) {
                c.parameters += 4;
                for (int b = 0; b < n.batch; b++) {
                    for (int t = 0; t < n.queries; t++)
                        c.projections += 2 + 2; /* query and output */
                    for (int j = 0; j < n.keys; j++)
                        c.projections += 2 + 2; /* key and value */
                }
            }
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++) {
                    c.weights++;
                    for (int column = 0; column < head_width; column++)
                        c.pairs += 2;
                }
    return c;
}

static void assert_near(double value, double wanted) {
    assert_true(value > 0.9994 * wanted && value < 1.0006 * wanted); /* four digits are shown */
}

static void assert_row(const LessonPage *page, int row, Sizes n) {
    int head_width = n.width / n.heads;
    Counts shared = count(n, head_width), full = count(n, n.width);
    const char *const *flat = table_of(page, 0)->rows[row].cells;
    assert_int_equal(number(flat[0]), n.heads);
    assert_int_equal(number(flat[1]), head_width);
    assert_int_equal(number(flat[2]), shared.parameters);
    assert_int_equal(number(flat[3]), shared.projections);
    assert_int_equal(number(flat[4]), shared.pairs);
    assert_int_equal(number(flat[5]), shared.pairs);
    assert_int_equal(number(flat[6]), shared.projections + 2 * shared.pairs);
    assert_int_equal(number(flat[7]), shared.projections + 2 * shared.pairs);

    const char *const *growing = table_of(page, 1)->rows[row].cells;
    assert_int_equal(number(growing[0]), n.heads);
    assert_int_equal(number(growing[1]), shared.weights);
    assert_near(bytes(growing[2]), 4.0 * (double)shared.weights);
    double ratio = strtod(growing[3], NULL);
    assert_true(row == 0 ? ratio == 1 : ratio > 0);

    const char *const *wide = table_of(page, 2)->rows[row].cells;
    assert_int_equal(number(wide[0]), n.heads);
    assert_int_equal(number(wide[1]), n.width);
    assert_int_equal(number(wide[2]), full.parameters);
    assert_int_equal(number(wide[3]), full.projections + 2 * full.pairs);
    assert_int_equal(number(wide[4]), full.projections + 2 * full.pairs);
    assert_near(bytes(wide[5]), 4.0 * (double)shared.weights);
    assert_true(strtod(wide[6], NULL) > 0);
}

/* Random sizes, and numbers of heads that divide the width in any order. */
static void test_figures(void **state) {
    (void)state;
    Rng rng = rng_make(5, 0);
    for (int trial = 0; trial < 6; trial++) {
        Sizes n = {.batch = 1 + (int)rng_below(&rng, 3),
                   .queries = 1 + (int)rng_below(&rng, 5),
                   .keys = 1 + (int)rng_below(&rng, 5),
                   .width = 12 * (1 + (int)rng_below(&rng, 2))};
        static const int divisors[] = {1, 2, 3, 4, 6, 12};
        int heads[4];
        for (int i = 0; i < 4; i++)
            heads[i] = divisors[rng_below(&rng, 6)];
        char words[200];
        snprintf(words, sizeof words,
                 "--width %d --batch %d --steps %d --keys %d --heads %d,%d,%d,%d", n.width, n.batch,
                 n.queries, n.keys, heads[0], heads[1], heads[2], heads[3]);
        Page made = make(words, trial % 2);
        for (int i = 0; i < 3; i++)
            assert_int_equal(table_of(made.page, i)->row_count, 4);
        for (int i = 0; i < 4; i++) {
            n.heads = heads[i];
            assert_row(made.page, i, n);
        }
        assert_true(page_says(made.page,
                              "the same as by formula in 4 of 4 rows, and the same for every "
                              "number of heads."));
        lesson_free(made.maker);
    }
}

static void test_sentences_and_bars(void **state) {
    (void)state;
    Page made = make("--width 60 --batch 1 --steps 8 --heads 1,5,20", false);
    assert_true(page_says(made.page, "4 x 60 x 60 = 14,400 parameters (and 240 more with biases)"));
    assert_true(page_says(made.page, "H x 60 / H = 60 multiplications"));
    assert_true(page_says(made.page, "1 x H x 8 x 8 weights"));
    assert_true(page_says(made.page, "One call with 1 head takes "));
    assert_true(page_says(made.page, "the softmax has 20 times as many exponentials"));
    assert_true(page_says(made.page,
                          "60 x 1,200: 20 times the parameters and 20 times the operations "
                          "of 20 heads of 3"));
    const LessonBars *weights = bars_of(made.page, "Bytes of weights");
    assert_int_equal(weights->count, 3);
    assert_string_equal(weights->bars[0].value, "256 B");
    assert_string_equal(weights->bars[2].value, "5 KiB");
    assert_float_equal(weights->bars[1].share, 5.0F / 20, 1e-6);
    assert_float_equal(weights->bars[2].share, 1, 1e-6);
    const LessonBars *parameters = bars_of(made.page, "Parameters");
    assert_int_equal(parameters->count, 5); /* one head is not told twice */
    assert_string_equal(parameters->bars[1].name, "5 heads of 12");
    assert_string_equal(parameters->bars[1].value, "14,400");
    assert_float_equal(parameters->bars[1].share, 1.0F / 20, 1e-6);
    assert_string_equal(parameters->bars[4].name, "20 heads of 60");
    assert_string_equal(parameters->bars[4].value, "288,000");
    assert_int_equal(bars_of(made.page, "Time")->count, 3);
    lesson_free(made.maker);
}

/* Heads that are not asked for divide the width, and begin with one. */
static void test_default_heads(void **state) {
    (void)state;
    for (int width = 1; width <= 40; width += width < 13 ? 1 : 9) {
        char words[80];
        snprintf(words, sizeof words, "--width %d --steps 1 --batch 1", width);
        Page made = make(words, true);
        const LessonTable *table = table_of(made.page, 0);
        assert_in_range(table->row_count, 1, 10);
        long last = 0;
        for (int i = 0; i < table->row_count; i++) {
            long heads = number(table->rows[i].cells[0]);
            assert_true(i ? heads > last : heads == 1);
            assert_int_equal(width % heads, 0);
            last = heads;
        }
        lesson_free(made.maker);
    }
}

/* What would keep the reader waiting is told by formula alone, and said. */
static void test_too_large(void **state) {
    (void)state;
    for (int live = 0; live < 2; live++) {
        Page made = make("--width 8192 --batch 64 --steps 8192 --heads 1,8192", live);
        const LessonTable *flat = table_of(made.page, 0), *full = table_of(made.page, 2);
        assert_string_equal(flat->rows[0].cells[2], "268,435,456");
        assert_string_equal(flat->rows[0].cells[6], "422,212,465,065,984"); /* 3 * 2^47 */
        assert_string_equal(flat->rows[1].cells[7], "-");
        assert_string_equal(table_of(made.page, 1)->rows[0].cells[2], "16 GiB");
        assert_string_equal(table_of(made.page, 1)->rows[1].cells[2], "128 TiB");
        assert_string_equal(table_of(made.page, 1)->rows[1].cells[3], "-");
        assert_string_equal(full->rows[1].cells[3], "3,458,764,513,820,540,928"); /* times 2^13 */
        assert_true(page_says(made.page, "is not counted"));
        assert_true(page_says(made.page, "time is not measured"));
        lesson_free(made.maker);
    }
}

static void test_bad_words(void **state) {
    (void)state;
    static const struct {
        const char *words, *error;
    } bad[] = {
        {"--heads 3", "--heads 3: 3 heads do not divide the width 100; 1, 2, 4, 5, 10, 20, 25, 50, "
                      "100 do"},
        {"--width 12 --heads 1,5", "--heads 5: 5 heads do not divide the width 12; 1, 2, 3, 4, 6, "
                                   "12 do"},
        {"--heads 0", "do not divide"},
        {"--heads 200", "do not divide"},
        {"--heads 99999999999999999999999", "do not divide"},
        {"--heads 1,", "as 1,2,4"},
        {"--heads 1,,2", "as 1,2,4"},
        {"--heads -1", "as 1,2,4"},
        {"--heads=", "as 1,2,4"},
        {"--heads 1;2", "as 1,2,4"},
        {"--heads 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "up to 24"},
        {"--width 0", "--width"},
        {"--steps 9000", "--steps"},
        {"--keys 0", "--keys"},
        {"--batch x", "--batch"},
        {"100", "one word too many"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        page_refused(&lesson_cost, bad[i].words, text);
        if (!strstr(text, bad[i].error)) fail_msg("%s", text);
    }
}

/* Earlier calls are measured first; those past the effort are not. */
static void test_times(void **state) {
    (void)state;
    CostCall calls[3] = {{1, 4, 4, 8, 2, 4}, {64, 999, 999, 512, 8, 64}, {1, 3, 5, 6, 3, 2}};
    double ms[3];
    Error error;
    assert_true(cost_times(ms, calls, 3, (CostEffort){3, 1e4, 1e7}, &error));
    assert_true(ms[0] > 0 && ms[2] > 0);
    assert_true(ms[1] != ms[1]);
    assert_true(cost_times(ms, calls, 3, (CostEffort){3, 1e4, 0}, &error));
    assert_true(ms[0] != ms[0] && ms[2] != ms[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),       cmocka_unit_test(test_sentences_and_bars),
        cmocka_unit_test(test_default_heads), cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_bad_words),     cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
