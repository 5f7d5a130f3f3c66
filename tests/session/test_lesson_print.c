/* A lesson's page as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/text_columns.h"
#include "app/page/lesson_maker.h"
#include "app/page/lesson_print.h"

/* Checks the printed page; frees the maker. */
static void prints(LessonMaker *maker, const char *wanted) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(lesson_print(stream, lesson_finish(maker, NULL), NULL));
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, wanted);
    free(text);
    lesson_free(maker);
}

static void test_prose(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_title(maker, "Köpfe");
    lesson_heading(maker, "one");
    lesson_text(maker, TONE_PLAIN, "%s",
                "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
                "aaaaaaaaa aaaaaaaaa aaaaaa bb\nnew");
    lesson_buttons(maker, "press");
    lesson_button(maker, "a", false, NULL, "a");
    lesson_text(maker, TONE_FAINT, "end");
    prints(maker, "Köpfe\n=====\n\none\n---\n\n"
                  "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
                  "aaaaaaaaa aaaaaaaaa aaaaaa\nbb\nnew\n\nend\n");
}

static void test_tables(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_table(maker, "sizes:", "step\t>number\twhat");
    lesson_row(maker, TONE_PLAIN, "split\t7\tfold");
    lesson_row(maker, TONE_WRONG, "über\t12345678");
    lesson_row(maker, TONE_WRONG, "\t1\t→");
    lesson_table(maker, NULL, "\t");
    lesson_row(maker, TONE_PLAIN, "a\tb");
    prints(maker, "sizes:\nstep     number  what\nsplit         7  fold\nüber   12345678\n"
                  "              1  →\n\na  b\n");
}

/* Prose is wrapped, figures are not. */
static void test_tables_wrap(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_table(maker, NULL, ">n\t~why\tend");
    lesson_row(
        maker, TONE_PLAIN,
        "1\tone two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen\tlast");
    lesson_row(maker, TONE_PLAIN, "2\tshort\tx");
    prints(
        maker,
        "n  why                                                                                  "
        "    end\n"
        "1  one two three four five six seven eight nine ten eleven twelve thirteen fourteen     "
        "    last\n"
        "   fifteen\n"
        "2  short                                                                                "
        "    x\n");
}

static void test_bars(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_bars(maker, "shares:", false);
    lesson_bar(maker, "a", 0.25, TONE_PLAIN, "0.25");
    lesson_bar(maker, "long", 2, TONE_PLAIN, "10");
    lesson_bar(maker, "none", 0, TONE_PLAIN, "0");
    lesson_bars(maker, NULL, true);
    lesson_bar(maker, "a", -0.25, TONE_PLAIN, "-1");
    lesson_bar(maker, "b", 0.1, TONE_PLAIN, "+0.4");
    lesson_bar(maker, "c", NAN, TONE_PLAIN, "NaN");
    prints(maker, "shares:\na     0.25  ##########\n"
                  "long    10  ########################################\nnone     0\n\n"
                  "a    -1                 #####|\nb  +0.4                      |##\n"
                  "c   NaN                      |\n");
}

static void test_maps(void **state) {
    (void)state;
    float values[] = {0.25F, 0.75F, 1, 0, NAN, -0.5F};
    unsigned char states[] = {CELL_VALUE,  CELL_VALUE, CELL_VALUE,
                              CELL_MASKED, CELL_VALUE, CELL_MISSING};
    LessonMap map = {
        .title = "yours", .rows = 3, .columns = 2, .values = values, .states = states, .top = 1};
    LessonMaker *maker = lesson_maker();
    lesson_maps(maker, "weights:", 0);
    lesson_map(maker, &map);
    const char *names[] = {"x", "yyy", "z"}, *columns[] = {"k", "l"};
    map = (LessonMap){.title = "difference",
                      .note = "small",
                      .rows = 2,
                      .columns = 2,
                      .values = values,
                      .top = 20,
                      .diverging = true,
                      .row_names = names,
                      .column_names = columns};
    lesson_map(maker, &map);
    prints(maker, "weights:\n"
                  "yours          difference\n"
                  "     0    1           k    l\n"
                  "0 0.25 0.75      x +0.2 +0.8\n"
                  "1 1.00    .    yyy +1.0  0.0\n"
                  "2  NaN         small\n");
}

/* Rows and columns that do not fit are counted, and no line is wider than a terminal. */
static void test_large_maps(void **state) {
    (void)state;
    enum { SIDE = 60 };
    static float values[SIDE * SIDE];
    LessonMap map = {.rows = SIDE, .columns = SIDE, .values = values, .top = 1};
    LessonMaker *maker = lesson_maker();
    lesson_maps(maker, NULL, 0);
    lesson_map(maker, &map);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_true(lesson_print(stream, lesson_finish(maker, NULL), NULL));
    fclose(stream);
    assert_true(text_columns_widest(text) <= LESSON_PRINT_COLUMNS);
    assert_non_null(strstr(text, "(32 of 60 rows, 18 of 60 columns)\n"));
    free(text);
    lesson_free(maker);
}

static void test_tensors(void **state) {
    (void)state;
    LessonOrigin cells[] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, 1, 1},
                            {1, 0, 0, 0}, {1, 0, 0, 1}, {1, 0, 1, 0}, {-1, 0, 0, 0}};
    const char *names[] = {"first", "b1"}, *notes[] = {"3", "2"};
    LessonTensor tensor = {.title = "X (2,4)",
                           .note = "whole",
                           .rows = 2,
                           .columns = 4,
                           .cells = cells,
                           .row_names = names,
                           .row_notes = notes,
                           .row_group = 1,
                           .column_group = 2};
    LessonMaker *maker = lesson_maker();
    lesson_tensors(maker, NULL, 2, 1, 2);
    lesson_tensor(maker, &tensor);
    lesson_tensors(maker, "heads alone:", 1, 1, 2);
    tensor = (LessonTensor){.rows = 1, .columns = 4, .cells = cells};
    lesson_tensor(maker, &tensor);
    prints(maker, "X (2,4)\n"
                  "first  b0h0 b0h0   b0h1 b0h1  3\n\n"
                  "b1     b1h0 b1h0   b1h1 .     2\n"
                  "whole\n\nheads alone:\nh0 h0 h1 h1\n");
}

/* A row that is too wide for a terminal is written as runs. */
static void test_wide_tensors(void **state) {
    (void)state;
    enum { WIDTH = 100, HEADS = 5 };
    LessonOrigin cells[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        cells[i] = (LessonOrigin){0, 0, i / (WIDTH / HEADS), i % (WIDTH / HEADS)};
    LessonTensor tensor = {.rows = 1, .columns = WIDTH, .cells = cells};
    LessonMaker *maker = lesson_maker();
    lesson_tensors(maker, NULL, 1, 1, HEADS);
    lesson_tensor(maker, &tensor);
    prints(maker, "h0x20 h1x20 h2x20 h3x20 h4x20\n");
}

static void test_columns_of_texts(void **state) {
    (void)state;
    assert_int_equal(text_columns("aäb→", strlen("aäb→")), 4);
    assert_int_equal(text_columns("日本", strlen("日本")), 4);
    assert_int_equal(text_columns("e\xCC\x81", 3), 1);
    assert_int_equal(text_columns("\xFFx", 2), 2);
    const char *text = "日本語 x";
    size_t length;
    const char *line = text;
    assert_true(text_columns_wrap(&text, 4, &length));
    assert_memory_equal(line, "日本", length);
    line = text;
    assert_true(text_columns_wrap(&text, 4, &length));
    assert_int_equal(length, strlen("語 x"));
    assert_false(text_columns_wrap(&text, 4, &length));
    for (int width = 1; width < 5; width++) { /* it always terminates */
        int lines = 0;
        for (text = "  日  a\n\n bb\xFF"; text_columns_wrap(&text, width, &length); lines++)
            assert_true(lines < 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prose),
                                       cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_tables_wrap),
                                       cmocka_unit_test(test_bars),
                                       cmocka_unit_test(test_maps),
                                       cmocka_unit_test(test_large_maps),
                                       cmocka_unit_test(test_tensors),
                                       cmocka_unit_test(test_wide_tensors),
                                       cmocka_unit_test(test_columns_of_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
