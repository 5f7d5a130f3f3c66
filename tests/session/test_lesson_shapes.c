/* The lesson of shapes against shapes computed here, for random calls; its presets and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_page.h"

enum { SITE_SELF, SITE_OF_DECODER, SITE_OF_CROSS };

typedef struct Call {
    int batch, queries, keys, heads, head_width, width, site;
    int lens[5]; /* -1 first: none */
} Call;

static int case_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 200;
}

static Call random_call(Rng *rng) {
    Call c = {.batch = page_between(rng, 1, 5),
              .queries = page_between(rng, 1, 20),
              .keys = page_between(rng, 1, 20),
              .heads = page_between(rng, 1, 9),
              .head_width = page_between(rng, 1, 30),
              .site = page_between(rng, SITE_SELF, SITE_OF_CROSS)};
    c.width = c.heads * c.head_width;
    if (c.site != SITE_OF_CROSS) c.keys = c.queries;
    for (int b = 0; b < c.batch; b++)
        c.lens[b] = page_between(rng, 0, c.keys);
    if (page_between(rng, 0, 3) == 0) c.lens[0] = -1;
    return c;
}

static const char *words_of(const Call *c, char *words, size_t room) {
    static const char *const sites[] = {"self", "decoder", "cross"};
    snprintf(words, room, "--batch %d --queries %d --keys %d --width %d --heads %d --site %s",
             c->batch, c->queries, c->keys, c->width, c->heads, sites[c->site]);
    for (int b = 0; b < c->batch && c->lens[0] >= 0; b++)
        snprintf(words + strlen(words), room - strlen(words), b ? ",%d" : " --valid-lens %d",
                 c->lens[b]);
    if (c->lens[0] < 0) strcat(words, " --valid-lens none");
    return words;
}

/* --- shapes as text -----------------------------------------------------------------------------
 */

/* "(a,b,c)"; a 0 ends. In one of some texts taken in turn. */
static const char *dims(int a, int b, int c, int d) {
    static char texts[16][80];
    static int next;
    char *text = texts[next++ % 16];
    if (!b) snprintf(text, 80, "(%d,)", a);
    if (b && !c) snprintf(text, 80, "(%d,%d)", a, b);
    if (c && !d) snprintf(text, 80, "(%d,%d,%d)", a, b, c);
    if (d) snprintf(text, 80, "(%d,%d,%d,%d)", a, b, c, d);
    return text;
}

static void assert_begins(const char *text, const char *beginning) {
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", text, beginning);
}

static void assert_ends(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    if (length < tail || strcmp(text + length - tail, end) != 0)
        fail_msg("\"%s\" does not end with \"%s\"", text, end);
}

static void assert_holds(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

/* --- the walk -----------------------------------------------------------------------------------
 */

/* Reads a table from its first row on. */
typedef struct Reader {
    const LessonTable *table;
    int row;
} Reader;

/* The next row has these shapes, and in the columns' convention a matrix of rows x columns (0: not
 * looked at) with the number of the book's equation. */
static void expect(Reader *reader, const char *name, const char *folded, const char *own_axis,
                   int rows, int columns, const char *equation) {
    assert_true(reader->row < reader->table->row_count);
    const char *const *cells = reader->table->rows[reader->row++].cells;
    assert_string_equal(cells[0], name);
    assert_string_equal(cells[2], folded);
    assert_string_equal(cells[3], own_axis);
    if (!rows) return;
    char matrix[80];
    snprintf(matrix, sizeof matrix, ": %d x %d%s", rows, columns, equation);
    assert_ends(cells[4], matrix);
}

static void check_walk(const LessonPage *page, const Call *c) {
    int b = c->batch, h = c->heads, d = c->head_width, w = c->width, q = c->queries, k = c->keys;
    bool lens = c->lens[0] >= 0;
    Reader reader = {page_table(page, 0, "step", 0), 0};
    assert_non_null(reader.table);
    expect(&reader, "input", dims(b, q, w, 0), dims(b, q, w, 0), w, q, "");
    if (c->site == SITE_OF_CROSS) expect(&reader, "", dims(b, k, w, 0), dims(b, k, w, 0), w, k, "");
    expect(&reader, "", lens ? dims(b, 0, 0, 0) : "none", lens ? dims(b, 0, 0, 0) : "none", 0, 0,
           "");
    expect(&reader, "projections", dims(w, w, 0, 0), dims(w, w, 0, 0), d, w, "");
    expect(&reader, "", dims(b, q, w, 0), dims(b, q, w, 0), d, q, " (12.10)");
    expect(&reader, "", dims(b, k, w, 0), dims(b, k, w, 0), d, k, " (12.10)");
    expect(&reader, "", dims(b, k, w, 0), dims(b, k, w, 0), d, k, " (12.10)");
    expect(&reader, "split", dims(b, q, h, d), dims(b, q, h, d), 0, 0, "");
    expect(&reader, "", dims(b, h, q, d), dims(b, h, q, d), 0, 0, "");
    expect(&reader, "", dims(b * h, q, d, 0), dims(b, h, q, d), d, q, "");
    expect(&reader, "", dims(b * h, k, d, 0), dims(b, h, k, d), d, k, "");
    expect(&reader, "", dims(b * h, k, d, 0), dims(b, h, k, d), d, k, "");
    expect(&reader, "scores", dims(b * h, q, k, 0), dims(b, h, q, k), k, q, " (12.11)");
    if (c->site == SITE_OF_DECODER)
        expect(&reader, "mask", dims(b * h, q, 0, 0), dims(lens ? b : 1, 1, q, k), 0, 0, "");
    else if (lens)
        expect(&reader, "mask", dims(b * h, 0, 0, 0), dims(b, 1, 1, k), 0, 0, "");
    else
        expect(&reader, "mask", "none", "none", 0, 0, "");
    expect(&reader, "softmax", dims(b * h, q, k, 0), dims(b, h, q, k), k, q, " (12.11)");
    expect(&reader, "mix", dims(b * h, q, d, 0), dims(b, h, q, d), d, q, " (12.11)");
    expect(&reader, "concatenation", dims(b, h, q, d), dims(b, h, q, d), 0, 0, "");
    expect(&reader, "", dims(b, q, h, d), dims(b, q, h, d), 0, 0, "");
    expect(&reader, "", dims(b, q, w, 0), dims(b, q, w, 0), w, q, " (12.12)");
    expect(&reader, "output", dims(b, q, w, 0), dims(b, q, w, 0), w, q, " (12.12)");
    assert_int_equal(reader.row, reader.table->row_count);
    char text[200];
    snprintf(text, sizeof text, "%d / %d = %d: each head is %d wide, %d from %d over %d heads.", w,
             h, d, d, d, w, h);
    assert_true(page_says(page, text));
    snprintf(text, sizeof text, "its query matrix is %d x %d.", d, w);
    assert_true(page_says(page, text));
}

/* --- sites, lengths, decoder --------------------------------------------------------------------
 */

static void check_sites(const LessonPage *page, const Call *c) {
    const LessonTable *table = page_table(page, 0, "  site", 0);
    assert_non_null(table);
    assert_int_equal(table->row_count, 3);
    const char *query_from[] = {"encoder's input ", "decoder's input ", "decoder "};
    const char *key_from[] = {"encoder's input ", "decoder's input ", "encoder's output "};
    int source = c->keys, target = c->queries;
    int queries[] = {source, target, target}, keys[] = {source, target, source};
    for (int site = 0; site < 3; site++) {
        const LessonRow *row = &table->rows[site];
        assert_int_equal(row->tone, site == c->site ? TONE_STRONG : TONE_PLAIN);
        assert_begins(row->cells[1], query_from[site]);
        assert_ends(row->cells[1], dims(c->batch, queries[site], c->width, 0));
        for (int i = 2; i <= 3; i++) {
            assert_begins(row->cells[i], key_from[site]);
            assert_ends(row->cells[i], dims(c->batch, keys[site], c->width, 0));
        }
        assert_string_equal(row->cells[4], dims(c->batch * c->heads, queries[site], keys[site], 0));
    }
}

/* "[1,2,3]", or the beginning of it, as the page must show it. */
static void assert_list(const char *text, const int *numbers, int count) {
    char whole[4096] = "[";
    for (int i = 0; i < count; i++)
        snprintf(whole + strlen(whole), sizeof whole - strlen(whole), i ? ",%d" : "%d", numbers[i]);
    strcat(whole, "]");
    const char *cut = strstr(text, ", ... ");
    if (!cut) {
        assert_string_equal(text, whole);
        return;
    }
    char tail[40];
    snprintf(tail, sizeof tail, ", ... %d in all]", count);
    assert_string_equal(cut, tail);
    assert_memory_equal(text, whole, (size_t)(cut - text));
    assert_true(strlen(whole) > 40);
}

static void check_lengths(const LessonPage *page, const Call *c) {
    const LessonTable *table = page_table(page, 1, "shape", 0);
    if (c->site == SITE_OF_DECODER || c->lens[0] < 0) {
        assert_null(table);
        return;
    }
    assert_non_null(table);
    assert_int_equal(table->row_count, 4);
    int rows = c->batch * c->heads, repeated[45], tiled[45], flat[45 * 20], count = 0;
    for (int row = 0; row < rows; row++) {
        repeated[row] = c->lens[row / c->heads];
        tiled[row] = c->lens[row % c->batch];
        for (int t = 0; t < c->queries; t++)
            flat[count++] = repeated[row];
    }
    const int *expected[] = {c->lens, repeated, tiled, flat};
    int counts[] = {c->batch, rows, rows, count};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(table->rows[i].cells[1], dims(counts[i], 0, 0, 0));
        assert_list(table->rows[i].cells[2], expected[i], counts[i]);
    }
    bool same = memcmp(repeated, tiled, (size_t)rows * sizeof(int)) == 0;
    assert_int_equal(table->rows[2].tone, same ? TONE_PLAIN : TONE_WRONG);
    assert_int_equal(strstr(table->rows[2].cells[0], "the same here") != NULL, same);
}

static void check_training(const LessonPage *page, const Call *c) {
    const LessonTable *table = page_table(page, 0, "folded row", 0);
    assert_non_null(table);
    int rows = c->batch * c->heads, last = -1;
    for (int i = 0; i < table->row_count; i++) {
        const char *const *cells = table->rows[i].cells;
        if (strcmp(cells[0], "...") == 0) continue;
        int row = atoi(cells[0]), lens[20];
        assert_true(row > last && row < rows);
        last = row;
        assert_int_equal(atoi(cells[1]), row / c->heads);
        assert_int_equal(atoi(cells[2]), row % c->heads);
        for (int t = 0; t < c->queries; t++) {
            int most = c->site == SITE_OF_DECODER && c->lens[0] >= 0 ? c->lens[row / c->heads] : 99;
            lens[t] = t + 1 < most ? t + 1 : most;
        }
        assert_list(cells[3], lens, c->queries);
    }
    assert_int_equal(last, rows - 1);
    char text[120];
    snprintf(text, sizeof text, "dec_valid_lens is %s. Repeated for each head it is %s:",
             dims(c->batch, c->queries, 0, 0), dims(rows, c->queries, 0, 0));
    assert_true(page_says(page, text));
}

static void check_prediction(const LessonPage *page, const Call *c) {
    const LessonTable *table = page_table(page, 6, "cross weights", 0);
    assert_non_null(table);
    int rows = c->batch * c->heads, last = -1;
    for (int i = 0; i < table->row_count; i++) {
        const char *const *cells = table->rows[i].cells;
        if (strcmp(cells[0], "...") == 0) continue;
        int step = atoi(cells[0]);
        assert_true(step > last);
        last = step;
        assert_string_equal(cells[1], dims(c->batch, 1, c->width, 0));
        assert_string_equal(cells[2], dims(c->batch, step + 1, c->width, 0));
        assert_string_equal(cells[3], dims(rows, 1, c->head_width, 0));
        assert_string_equal(cells[4], dims(rows, step + 1, c->head_width, 0));
        assert_string_equal(cells[5], dims(rows, 1, step + 1, 0));
        assert_string_equal(cells[6], dims(rows, 1, c->keys, 0));
    }
    assert_int_equal(last, c->queries - 1);
}

/* The provenance of this very shape is on the page: its tensors bear the shapes. */
static void check_pictures(const LessonPage *page, const Call *c) {
    const LessonTensors *split = page_tensors(page, 0);
    assert_non_null(split);
    assert_int_equal(split->count, 4);
    assert_holds(split->tensors[0].title, dims(c->batch, c->queries, c->width, 0));
    for (int i = 1; i < 4; i++)
        assert_begins(split->tensors[i].title,
                      dims(c->batch * c->heads, c->queries, c->head_width, 0));
    const LessonTensors *second = page_tensors(page, 1), *third = page_tensors(page, 2);
    assert_non_null(second);
    if (c->lens[0] >= 0) {
        assert_non_null(third);
        assert_holds(second->tensors[0].title,
                     dims(c->batch * c->heads, c->keys, c->head_width, 0));
    }
    const LessonTensors *joined = c->lens[0] >= 0 ? third : second;
    assert_int_equal(joined->count, 4);
    for (int i = 1; i < 4; i++)
        assert_begins(joined->tensors[i].title, dims(c->batch, c->queries, c->width, 0));
}

static void check_page(const LessonPage *page, const Call *c) {
    check_walk(page, c);
    check_sites(page, c);
    check_lengths(page, c);
    check_training(page, c);
    check_prediction(page, c);
    check_pictures(page, c);
}

static void random_calls(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int i = 0; i < case_count(); i++) {
        Call c = random_call(&rng);
        char words[400];
        Page page = page_make(&lesson_shapes, words_of(&c, words, sizeof words));
        check_page(page.page, &c);
        lesson_free(page.maker);
    }
}

/* --- presets and defaults -----------------------------------------------------------------------
 */

static void check_words(const char *words, Call c) {
    c.width = c.heads * c.head_width;
    Page page = page_make(&lesson_shapes, words);
    check_page(page.page, &c);
    lesson_free(page.maker);
}

static void presets_and_defaults(void **state) {
    (void)state;
    Call d2l = {2, 4, 6, 5, 20, 0, SITE_OF_CROSS, {3, 2}};
    Call d2l_self = {2, 4, 4, 5, 20, 0, SITE_SELF, {3, 2}};
    check_words("", d2l);
    check_words("--preset d2l", d2l);
    check_words("--preset d2l-self", d2l_self);
    check_words("--site self", d2l_self);
    check_words("--site self --keys 4", d2l_self);
    check_words("--preset d2l-self --site cross --keys 6", d2l);
    check_words("--site decoder", (Call){2, 4, 4, 5, 20, 0, SITE_OF_DECODER, {-1}});
    check_words("--heads 4 --preset d2l", (Call){2, 4, 6, 4, 25, 0, SITE_OF_CROSS, {3, 2}});
    check_words("--batch 4 --keys 3", (Call){4, 4, 3, 5, 20, 0, SITE_OF_CROSS, {2, 1, 2, 1}});
}

/* The figures that a learner finds in the books. */
static void d2l_and_bert(void **state) {
    (void)state;
    Page page = page_make(&lesson_shapes, "");
    const char *const d2l[] = {"(2,4,100)", "(10,4,20)", "(10,6,20)", "(10,4,6)",
                               "[3,3,3,3,3,2,2,2,2,2]"};
    for (size_t i = 0; i < sizeof d2l / sizeof *d2l; i++)
        assert_true(page_says(page.page, d2l[i]));
    lesson_free(page.maker);
    page = page_make(&lesson_shapes, "--preset bert");
    assert_true(page_says(page.page, "64 from 1024 over 16 heads"));
    assert_true(page_says(page.page, "its query matrix is 64 x 1024"));
    assert_true(page_says(page.page, "(32,512,64)"));
    lesson_free(page.maker);
    page = page_make(&lesson_shapes, "--preset vaswani");
    assert_true(page_says(page.page, "64 from 512 over 8 heads"));
    lesson_free(page.maker);
}

static void refusals(void **state) {
    (void)state;
    const struct {
        const char *words, *part;
    } cases[] = {
        {"--heads 7", "--heads 7 does not divide the width 100"},
        {"--heads 7", "1, 2, 4, 5, 10, 20, 25, 50, 100"},
        {"--width 3 --heads 5", "these do: 1, 3"},
        {"--preset bert --heads 3", "the width 1024"},
        {"--preset gpt", "d2l, d2l-self, bert or vaswani"},
        {"--site encoder", "self, cross or decoder"},
        {"--valid-lens 3", "1 given for a batch of 2"},
        {"--valid-lens 3,2,1", "3 given for a batch of 2"},
        {"--valid-lens 3,7", "7 is more than the 6 keys"},
        {"--valid-lens 3,-1", "whole numbers"},
        {"--valid-lens 3,", "whole numbers"},
        {"--valid-lens a,b", "whole numbers"},
        {"--valid-lens 3,99999999999", "whole numbers"},
        {"--site self --queries 4 --keys 6", "--queries 4 and --keys 6"},
        {"--batch 0", "from 1 to"},
        {"--heads 0", "from 1 to"},
        {"--keys -2", "from 1 to"},
        {"--width 99999999", "from 1 to"},
        {"word", "one word too many"},
    };
    char text[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        page_refused(&lesson_shapes, cases[i].words, text);
        assert_holds(text, cases[i].part);
    }
}

/* Whatever divides is taken, whatever does not is refused. */
static void heads_must_divide(void **state) {
    (void)state;
    Rng rng = rng_make(2, 0);
    for (int i = 0; i < case_count(); i++) {
        int width = page_between(&rng, 1, 60), heads = page_between(&rng, 1, 60);
        char words[80], text[512], part[80];
        snprintf(words, sizeof words, "--width %d --heads %d", width, heads);
        if (width % heads == 0) {
            lesson_free(page_make(&lesson_shapes, words).maker);
            continue;
        }
        page_refused(&lesson_shapes, words, text);
        snprintf(part, sizeof part, "--heads %d does not divide the width %d", heads, width);
        assert_holds(text, part);
    }
}

static void buttons_lead_to_pages(void **state) {
    (void)state;
    Rng rng = rng_make(3, 0);
    for (int i = 0; i < case_count() / 10; i++) {
        Call c = random_call(&rng);
        char words[400];
        Page page = page_make(&lesson_shapes, words_of(&c, words, sizeof words));
        page_press_all(&lesson_shapes, page.page);
        lesson_free(page.maker);
    }
}

/* Of one example, or equal lengths, tiling gives the right lengths: the page does not say
 * otherwise. */
static void one_example(void **state) {
    (void)state;
    Page page = page_make(&lesson_shapes, "--batch 1 --width 8 --heads 2 --valid-lens 2");
    assert_false(page_says(page.page, "next example"));
    assert_true(page_says(page.page, "there is 1 length for 2 rows"));
    assert_false(page_says(page.page, "the lengths are not"));
    lesson_free(page.maker);
    page = page_make(&lesson_shapes, "--batch 2 --width 8 --heads 2 --valid-lens 2,2");
    assert_false(page_says(page.page, "the lengths are not"));
    assert_true(page_says(page.page, "the lengths are right all the same"));
    lesson_free(page.maker);
    page = page_make(&lesson_shapes, "--batch 2 --width 8 --heads 2 --valid-lens 2,3");
    assert_true(page_says(page.page, "the lengths are not"));
    lesson_free(page.maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls),          cmocka_unit_test(presets_and_defaults),
        cmocka_unit_test(d2l_and_bert),          cmocka_unit_test(refusals),
        cmocka_unit_test(one_example),           cmocka_unit_test(heads_must_divide),
        cmocka_unit_test(buttons_lead_to_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
