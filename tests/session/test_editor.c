/* The line editor: places on characters, selection, erasing, texts set from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "app/window/editor.h"
#include "model/base/rng.h"
#include "model/base/utf8.h"

static Editor line_of(const char *text, size_t caret) {
    Editor editor = {0};
    assert_true(editor_set(&editor, text));
    editor_place(&editor, caret, false);
    return editor;
}

static void assert_line(const Editor *editor, const char *text, size_t caret, size_t anchor) {
    assert_string_equal(editor_text(editor), text);
    assert_int_equal(editor->length, strlen(text));
    assert_int_equal(editor->caret, caret);
    assert_int_equal(editor->anchor, anchor);
}

static void test_empty_line_takes_everything(void **state) {
    (void)state;
    Editor editor = {0};
    assert_string_equal(editor_text(&editor), "");
    for (EditorMove move = MOVE_LEFT; move <= MOVE_END; move++) {
        editor_move(&editor, move, move % 2 == 0);
        assert_false(editor_erase(&editor, move));
    }
    editor_select_all(&editor);
    editor_select_word(&editor, 7);
    assert_null(editor_selection(&editor));
    assert_true(editor_insert(&editor, ""));
    assert_true(editor_set(&editor, ""));
    assert_line(&editor, "", 0, 0);
    editor_free(&editor);
}

static void test_caret_goes_by_characters(void **state) {
    (void)state;
    Editor editor = line_of("aäあ", 0);
    static const size_t places[] = {1, 3, 6, 6};
    for (int i = 0; i < 4; i++) {
        editor_move(&editor, MOVE_RIGHT, false);
        assert_int_equal(editor.caret, places[i]);
    }
    editor_move(&editor, MOVE_LEFT, false);
    assert_int_equal(editor.caret, 3);
    editor_place(&editor, 5, false); /* inside the third */
    assert_line(&editor, "aäあ", 3, 3);
    editor_place(&editor, 99, false);
    assert_int_equal(editor.caret, 6);
    assert_true(editor_erase(&editor, MOVE_LEFT));
    assert_line(&editor, "aä", 3, 3);
    assert_true(editor_erase(&editor, MOVE_LEFT));
    assert_line(&editor, "a", 1, 1);
    editor_free(&editor);
}

static void test_words(void **state) {
    (void)state;
    Editor editor = line_of("3 May  2021", 11);
    editor_move(&editor, MOVE_WORD_LEFT, false);
    assert_int_equal(editor.caret, 7);
    assert_true(editor_erase(&editor, MOVE_WORD_LEFT));
    assert_line(&editor, "3 2021", 2, 2);
    assert_true(editor_erase(&editor, MOVE_WORD_RIGHT));
    assert_line(&editor, "3 ", 2, 2);
    editor_move(&editor, MOVE_HOME, false);
    editor_move(&editor, MOVE_WORD_RIGHT, true);
    assert_line(&editor, "3 ", 2, 0);
    assert_true(editor_set(&editor, "one two three"));
    editor_select_word(&editor, 5);
    char *word = editor_selection(&editor);
    assert_string_equal(word, "two");
    free(word);
    editor_free(&editor);
}

static void test_selection_is_replaced_and_left(void **state) {
    (void)state;
    Editor editor = line_of("abcdef", 1);
    editor_move(&editor, MOVE_RIGHT, true);
    editor_move(&editor, MOVE_RIGHT, true);
    char *cut = editor_selection(&editor);
    assert_string_equal(cut, "bc");
    free(cut);
    editor_move(&editor, MOVE_LEFT, false); /* leaves it at its left */
    assert_line(&editor, "abcdef", 1, 1);
    editor_place(&editor, 4, true);
    editor_move(&editor, MOVE_RIGHT, false);
    assert_line(&editor, "abcdef", 4, 4);
    editor_place(&editor, 2, true);
    assert_true(editor_insert(&editor, "ä"));
    assert_line(&editor, "abäef", 4, 4);
    editor_select_all(&editor);
    assert_true(editor_erase(&editor, MOVE_RIGHT));
    assert_line(&editor, "", 0, 0);
    editor_free(&editor);
}

static void test_pasted_lines_become_one(void **state) {
    (void)state;
    Editor editor = line_of("<>", 1);
    assert_true(editor_insert(&editor, "a\r\nb\tc\x7F\x01"));
    assert_line(&editor, "<a  b c  >", 9, 9);
    editor_free(&editor);
}

static void test_long_paste_is_cut_at_a_character(void **state) {
    (void)state;
    char *paste = malloc(EDITOR_MAX + 100);
    assert_non_null(paste);
    for (int i = 0; i < EDITOR_MAX + 98; i += 2)
        memcpy(paste + i, "ä", 3);
    Editor editor = line_of("ab", 1);
    assert_true(editor_insert(&editor, paste));
    assert_int_equal(editor.length, EDITOR_MAX); /* 2 and an even number of bytes */
    editor_place(&editor, 0, false);
    assert_true(editor_erase(&editor, MOVE_RIGHT));
    editor_place(&editor, editor.length, false);
    assert_true(editor_insert(&editor, paste)); /* one byte is left, no character fits */
    assert_int_equal(editor.length, EDITOR_MAX - 1);
    assert_true(utf8_valid(editor_text(&editor)));
    editor_free(&editor);
    free(paste);
}

static void test_text_from_outside_keeps_the_caret_in_place(void **state) {
    (void)state;
    Editor editor = line_of("3 May 2021", 5);
    assert_true(editor_set(&editor, "13 May 2021")); /* grew before it */
    assert_int_equal(editor.caret, 6);
    assert_true(editor_set(&editor, "13 May 20")); /* lost what is behind it */
    assert_int_equal(editor.caret, 6);
    assert_true(editor_set(&editor, "13")); /* lost its place */
    assert_line(&editor, "13", 2, 2);
    editor_select_all(&editor);
    assert_true(editor_set(&editor, "13")); /* the same text keeps the selection */
    assert_line(&editor, "13", 2, 0);
    editor_free(&editor);
    /* Two characters that share their first byte: the caret must not stand between its bytes. */
    editor = line_of("aä", 3);
    assert_true(editor_set(&editor, "aöx"));
    assert_true(editor.caret == 1 || editor.caret == 3 || editor.caret == 4);
    editor_free(&editor);
}

static bool is_place(const Editor *editor, size_t offset) {
    size_t place = 0;
    int length;
    while (place < offset && (length = utf8_next(editor_text(editor) + place, NULL)) != 0)
        place += length > 0 ? (size_t)length : 1;
    return place == offset && offset <= editor->length;
}

static void do_anything(Editor *editor, Rng *rng) {
    static const char *const texts[] = {"a", "ä ", "あ", "\xFF", "\xE3\x81", "x\ny", "", "12 34"};
    const char *text = texts[rng_below(rng, 8)];
    EditorMove move = (EditorMove)rng_below(rng, MOVE_END + 1);
    bool select = rng_below(rng, 2) == 0;
    size_t offset = rng_below(rng, 40);
    switch (rng_below(rng, 7)) {
    case 0:
    case 1:
        assert_true(editor_insert(editor, text));
        break;
    case 2:
        editor_erase(editor, move);
        break;
    case 3:
        editor_move(editor, move, select);
        break;
    case 4:
        editor_place(editor, offset, select);
        break;
    case 5:
        editor_select_word(editor, offset);
        break;
    default:
        assert_true(editor_set(editor, text));
    }
}

/* Whatever is done, also with bytes that are no UTF-8, both places are places. */
static void test_places_stay_on_characters(void **state) {
    (void)state;
    Rng rng = rng_make(5, 1);
    Editor editor = {0};
    for (int i = 0; i < 20000; i++) {
        do_anything(&editor, &rng);
        assert_int_equal(strlen(editor_text(&editor)), editor.length);
        assert_true(is_place(&editor, editor.caret) && is_place(&editor, editor.anchor));
    }
    editor_free(&editor);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_line_takes_everything),
        cmocka_unit_test(test_caret_goes_by_characters),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_selection_is_replaced_and_left),
        cmocka_unit_test(test_pasted_lines_become_one),
        cmocka_unit_test(test_long_paste_is_cut_at_a_character),
        cmocka_unit_test(test_text_from_outside_keeps_the_caret_in_place),
        cmocka_unit_test(test_places_stay_on_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
