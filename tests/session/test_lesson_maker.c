/* A lesson's page, made block by block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "app/lessons/lesson_list.h"

/* Nothing of what was passed is borrowed. */
static void test_all_is_copied(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    char caption[] = "caption", columns[] = ">n\t~why\tname", action[] = "step 1";
    lesson_title(maker, "%s %d", "page", 1);
    lesson_table(maker, caption, columns);
    lesson_row(maker, TONE_WRONG, "%d\tbecause %s", 7, "so");
    lesson_row_action(maker, action);
    float values[] = {1, 2, 3, 4, 5, 6};
    unsigned char states[] = {0, 1, 0, 0, 0, 0};
    char name[] = "a";
    const char *row_names[] = {name, name};
    LessonMap map = {.title = caption,
                     .rows = 2,
                     .columns = 3,
                     .values = values,
                     .states = states,
                     .row_names = row_names,
                     .action = action};
    lesson_maps(maker, NULL, 2);
    lesson_map(maker, &map);
    LessonOrigin cells[] = {{1, 2, 3, 4}, {0, 0, 0, 0}};
    LessonTone tones[] = {TONE_GOOD, TONE_WRONG};
    LessonTensor tensor = {.title = caption,
                           .rows = 2,
                           .columns = 1,
                           .cells = cells,
                           .row_notes = row_names,
                           .row_tones = tones};
    lesson_tensors(maker, caption, 2, 3, 4);
    lesson_tensor(maker, &tensor);
    lesson_bars(maker, NULL, true);
    lesson_bar(maker, name, -0.5, TONE_GOOD, "%.1f", -0.5);
    lesson_buttons(maker, NULL);
    lesson_button(maker, name, true, caption, "lesson %s", name);
    memset(caption, 'x', sizeof caption - 1);
    memset(columns, 'x', sizeof columns - 1);
    memset(action, 'x', sizeof action - 1);
    memset(values, 0, sizeof values);
    memset(states, 2, sizeof states);
    memset(cells, 0, sizeof cells);
    memset(tones, 0, sizeof tones);
    name[0] = 'x';

    Error error;
    const LessonPage *page = lesson_finish(maker, &error);
    assert_non_null(page);
    assert_string_equal(page->title, "page 1");
    assert_int_equal(page->count, 5);
    const LessonBlock *block = page->blocks;
    assert_int_equal(block->kind, LESSON_TABLE);
    assert_string_equal(block->text, "caption");
    const LessonTable *table = &block->table;
    assert_int_equal(table->column_count, 3);
    assert_string_equal(table->columns[0].name, "n");
    assert_true(table->columns[0].right && !table->columns[0].wraps);
    assert_string_equal(table->columns[1].name, "why");
    assert_true(table->columns[1].wraps && !table->columns[1].right);
    assert_string_equal(table->columns[2].name, "name");
    assert_false(table->columns[2].wraps || table->columns[2].right);
    assert_int_equal(table->row_count, 1);
    assert_string_equal(table->rows[0].cells[0], "7");
    assert_string_equal(table->rows[0].cells[1], "because so");
    assert_string_equal(table->rows[0].cells[2], "");
    assert_int_equal(table->rows[0].tone, TONE_WRONG);
    assert_string_equal(table->rows[0].action, "step 1");

    block++;
    assert_null(block->text);
    assert_int_equal(block->maps.together, 2);
    assert_int_equal(block->maps.count, 1);
    const LessonMap *copy = block->maps.maps;
    assert_string_equal(copy->title, "caption");
    assert_float_equal(copy->values[5], 6, 0);
    assert_int_equal(copy->states[1], 1);
    assert_string_equal(copy->row_names[1], "a");
    assert_null(copy->column_names);
    assert_string_equal(copy->action, "step 1");

    block++;
    assert_int_equal(block->tensors.examples, 2);
    assert_int_equal(block->tensors.steps, 3);
    assert_int_equal(block->tensors.heads, 4);
    assert_int_equal(block->tensors.tensors[0].cells[0].head, 3);
    assert_string_equal(block->tensors.tensors[0].row_notes[0], "a");
    assert_int_equal(block->tensors.tensors[0].row_tones[1], TONE_WRONG);
    assert_null(block->tensors.tensors[0].row_names);

    block++;
    assert_true(block->bars.is_signed);
    assert_string_equal(block->bars.bars[0].name, "a");
    assert_string_equal(block->bars.bars[0].value, "-0.5");
    assert_float_equal(block->bars.bars[0].share, -0.5, 0);

    block++;
    assert_string_equal(block->buttons.buttons[0].label, "a");
    assert_string_equal(block->buttons.buttons[0].action, "lesson a");
    assert_string_equal(block->buttons.buttons[0].tip, "caption");
    assert_true(block->buttons.buttons[0].on);
    lesson_free(maker);
}

/* Pages grow: none of their parts is lost on the way, and each follows its own block. */
static void test_long_pages(void **state) {
    (void)state;
    enum { BLOCKS = 70, ROWS = 129 };
    LessonMaker *maker = lesson_maker();
    for (int i = 0; i < BLOCKS; i++) {
        lesson_heading(maker, "heading %d", i);
        lesson_table(maker, NULL, "a\tb");
        for (int row = 0; row < ROWS; row++)
            lesson_row(maker, TONE_PLAIN, "%d\t%d", i, row);
        lesson_bars(maker, NULL, false);
        for (int row = 0; row < ROWS; row++)
            lesson_bar(maker, "bar", row, TONE_PLAIN, "%d", row);
    }
    const LessonPage *page = lesson_finish(maker, NULL);
    assert_non_null(page);
    assert_int_equal(page->count, 3 * BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        char text[24];
        snprintf(text, sizeof text, "heading %d", i);
        assert_string_equal(page->blocks[3 * i].text, text);
        assert_int_equal(page->blocks[3 * i + 1].table.row_count, ROWS);
        assert_int_equal(page->blocks[3 * i + 2].bars.count, ROWS);
        for (int row = 0; row < ROWS; row++) {
            snprintf(text, sizeof text, "%d", row);
            assert_string_equal(page->blocks[3 * i + 1].table.rows[row].cells[1], text);
            assert_string_equal(page->blocks[3 * i + 2].bars.bars[row].value, text);
        }
    }
    lesson_free(maker);
}

/* What follows no block of its kind is left out. */
static void test_parts_without_a_block(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_row(maker, TONE_PLAIN, "a");
    lesson_row_action(maker, "a");
    lesson_table(maker, NULL, "");
    lesson_row_action(maker, "a");
    lesson_bar(maker, "a", 1, TONE_PLAIN, "a");
    lesson_map(maker, &(LessonMap){0});
    lesson_tensor(maker, &(LessonTensor){0});
    lesson_button(maker, "a", false, NULL, "a");
    const LessonPage *page = lesson_finish(maker, NULL);
    assert_int_equal(page->count, 1);
    assert_int_equal(page->blocks[0].table.row_count, 0);
    assert_int_equal(page->blocks[0].table.column_count, 1);
    assert_string_equal(page->title, "");
    lesson_free(maker);
    lesson_free(NULL);
}

/* Where memory ends the page is not given out, and what was passed before and after does no harm.
 */
static void test_out_of_memory(void **state) {
    (void)state;
    LessonMaker *maker = lesson_maker();
    lesson_table(maker, NULL, "a");
    lesson_pool(maker)->failed = true;
    lesson_row(maker, TONE_PLAIN, "a");
    lesson_row_action(maker, "a");
    lesson_bars(maker, NULL, false);
    lesson_bar(maker, "a", 1, TONE_PLAIN, "a");
    lesson_text(maker, TONE_PLAIN, "a");
    Error error = {0};
    assert_null(lesson_finish(maker, &error));
    assert_non_null(strstr(error.text, "memory"));
    lesson_free(maker);
}

/* The registry ends, and names are found in it. */
static void test_registry(void **state) {
    (void)state;
    int count = 0;
    for (const Lesson *lesson; (lesson = lesson_at(count)); count++) {
        assert_ptr_equal(lesson_find(lesson->name), lesson);
        assert_non_null(lesson->make);
        assert_true(lesson->title[0] && lesson->help[0]);
        assert_null(strchr(lesson->help, '\n'));
    }
    assert_null(lesson_at(count + 1));
    assert_null(lesson_at(-1));
    assert_null(lesson_find("nothing of that name"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_is_copied), cmocka_unit_test(test_long_pages),
        cmocka_unit_test(test_parts_without_a_block), cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_registry)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
