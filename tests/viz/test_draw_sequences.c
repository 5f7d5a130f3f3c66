#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_screen.h"

static Stage stage;

static int make(void **state) {
    (void)state;
    stage_make(&stage, (StageSize){1, 2, 11, 9});
    return 0;
}

static int end(void **state) {
    (void)state;
    stage_free(&stage);
    return 0;
}

static ScreenSequence *source(void) {
    return &stage.screen.sequences[0];
}

static void draw(float width, float height) {
    recorder_start(&stage.recorder);
    hits_clear(&stage.hits);
    Paint paint = {
        &stage.recorder.canvas, theme_get(THEME_DARK), &stage.screen, &stage.hits, width, height};
    Rect area = {0, 0, width, height};
    float used = draw_sequences(&paint, area);
    assert_true(used >= 0 && used <= height);
    recorder_check_texts(&stage.recorder, (Rect){0, 0, width, used});
    recorder_check_overlaps(&stage.recorder);
}

static Rect chip(int sequence, int token) {
    Rect area = {0};
    assert_true(hits_find(&stage.hits, HIT_TOKEN, sequence, token, &area));
    return area;
}

static bool shown(int sequence, int token) {
    Rect area;
    return hits_find(&stage.hits, HIT_TOKEN, sequence, token, &area);
}

/* The caret is the last fill of a field, 2 pixels wide. */
static Rect caret(void) {
    for (int index = stage.recorder.count - 1; index >= 0; index--) {
        const Record *record = &stage.recorder.records[index];
        if (record->kind == RECORD_FILL && record->area.w == 2) return record->area;
    }
    fail();
    return (Rect){0};
}

static void hits_match_tokens(void **state) {
    (void)state;
    draw(1000, 300);
    for (int token = 0; token < 11; token++) {
        Rect area = chip(0, token);
        Spot spot = hits_at(&stage.hits, area.x + 5, area.y + 5);
        assert_int_equal(spot.hit->kind, HIT_TOKEN);
        assert_int_equal(spot.hit->item, token);
        if (token > 0) assert_true(area.x > chip(0, token - 1).x + chip(0, token - 1).w);
        const Record *text = recorder_find(&stage.recorder, stage.fixture.tokens[token]);
        assert_true(rect_inside(text->area, area, 1));
    }
    Rect line;
    assert_true(hits_find(&stage.hits, HIT_LINE, 1, 0, &line));
    Spot spot = hits_at(&stage.hits, line.x + line.w - 3, line.y + 5);
    assert_int_equal(spot.hit->kind, HIT_LINE);
    assert_int_equal(spot.hit->index, 1);
}

static void the_handle_stands_at_the_valid_length(void **state) {
    (void)state;
    for (int length = 0; length <= 11; length++) {
        source()->valid_len = length;
        draw(1000, 300);
        Rect handle;
        assert_true(hits_find(&stage.hits, HIT_LENGTH, 0, 0, &handle));
        assert_true(handle.w >= 16);
        float x = handle.x + handle.w / 2;
        if (length > 0) assert_true(x >= chip(0, length - 1).x + chip(0, length - 1).w);
        if (length < 11) assert_true(x <= chip(0, length).x);
        assert_int_equal(hits_boundary(&stage.hits, 0, x, handle.y + 5), length);
        assert_int_equal(hits_at(&stage.hits, x, handle.y + 5).hit->kind, HIT_LENGTH);
    }
    source()->valid_len = -1;
    draw(1000, 300);
    Rect handle;
    assert_false(hits_find(&stage.hits, HIT_LENGTH, 0, 0, &handle));
    assert_true(hits_find(&stage.hits, HIT_LENGTH, 1, 0, &handle));
}

static void the_caret_stands_between_the_bytes(void **state) {
    (void)state;
    source()->editing = true;
    float before = 0;
    for (int byte = 0; byte <= stage.source[10].end; byte++) {
        source()->caret = source()->anchor = byte;
        draw(1000, 300);
        Rect at = caret();
        float x = at.x + 1;
        assert_true(x > before);
        before = x;
        int token = 0;
        while (token < 10 && stage.source[token].end <= byte)
            token++;
        Rect area = chip(0, token);
        if (byte == stage.source[token].begin)
            assert_true(x <= area.x);
        else if (byte < stage.source[token].end)
            assert_true(x > area.x && x < area.x + area.w);
        else
            assert_true(x >= area.x + area.w);
    }
}

static void an_empty_line_can_be_typed_into(void **state) {
    (void)state;
    source()->count = 0;
    source()->valid_len = 0;
    source()->editing = true;
    draw(600, 200);
    Rect line, at = caret();
    assert_true(hits_find(&stage.hits, HIT_LINE, 0, 0, &line));
    assert_true(rect_inside(at, line, 0) && line.w > 100);
    /* With only marks: after the start mark, before the end mark. */
    stage.source[0] = (ScreenToken){.text = "<s>", .mark = true};
    source()->count = 1;
    draw(600, 200);
    assert_true(caret().x >= chip(0, 0).x + chip(0, 0).w);
    stage.source[0] = (ScreenToken){.text = "</s>", .mark = true};
    draw(600, 200);
    assert_true(caret().x + 2 <= chip(0, 0).x + 1);
}

static void composing_text_is_at_the_caret(void **state) {
    (void)state;
    source()->editing = true;
    source()->caret = source()->anchor = stage.source[3].end;
    source()->composing = "kana";
    draw(1000, 300);
    const Record *text = recorder_find(&stage.recorder, "kana");
    assert_non_null(text);
    assert_true(text->area.x > chip(0, 3).x + chip(0, 3).w);
    assert_true(text->area.x + text->area.w < chip(0, 4).x);
    assert_true(caret().x >= text->area.x + text->area.w - 1);
}

static int washes(Rect area) {
    int count = 0;
    for (int index = 0; index < stage.recorder.count; index++) {
        const Record *record = &stage.recorder.records[index];
        count += record->kind == RECORD_ROUND && record->color.a == 0x60 &&
                 rect_inside(record->area, area, 0.5F);
    }
    return count;
}

static void the_selection_lies_over_its_tokens(void **state) {
    (void)state;
    source()->editing = true;
    source()->caret = stage.source[5].begin + 1; /* inside of it */
    source()->anchor = stage.source[2].begin;
    draw(1000, 300);
    for (int token = 0; token < 11; token++)
        assert_int_equal(washes(chip(0, token)), token >= 2 && token <= 5);
    source()->editing = false;
    draw(1000, 300);
    assert_int_equal(washes(chip(0, 3)), 0);
}

static void long_sequences_show_the_caret(void **state) {
    (void)state;
    stage_free(&stage);
    stage_make(&stage, (StageSize){1, 2, 64, 64});
    draw(1440, 400);
    for (int token = 0; token < 64; token++)
        assert_true(shown(0, token) && shown(1, token));
    /* With less space: the part with the caret, and an ellipsis for the rest. */
    source()->editing = true;
    for (int token = 0; token < 64; token += 7)
        for (float width = 260; width < 900; width += 91) {
            source()->caret = source()->anchor = stage.source[token].end;
            draw(width, 200);
            assert_true(shown(0, token));
        }
    assert_non_null(recorder_find(&stage.recorder, "…"));
}

static void one_token_longer_than_the_line(void **state) {
    (void)state;
    char text[3000];
    memset(text, 'm', sizeof text);
    text[sizeof text - 1] = '\0';
    stage.source[4].text = text;
    for (float width = 1; width < 700; width += 23)
        for (float height = 1; height < 300; height += 41)
            draw(width, height);
}

static void marks_have_tips(void **state) {
    (void)state;
    stage.source[1].unknown = stage.source[2].masked = stage.source[3].forced = true;
    source()->note = "the model cannot read it";
    source()->note_alarm = true;
    draw(1400, 300);
    Rect unknown = chip(0, 1), masked = chip(0, 2), forced = chip(0, 3);
    assert_string_equal(hits_tip(&stage.hits, unknown.x + 4, unknown.y + 4),
                        "not in the vocabulary");
    assert_non_null(strstr(hits_tip(&stage.hits, masked.x + 4, masked.y + 4), "not seen"));
    assert_string_equal(hits_tip(&stage.hits, forced.x + 4, forced.y + 4), "set by you");
    assert_int_equal(recorder_count(&stage.recorder, RECORD_HATCH), 1);
    assert_non_null(recorder_find(&stage.recorder, "the model cannot read it"));
}

static void controls_fit_at_any_width(void **state) {
    (void)state;
    for (float width = 300; width < 1600; width += 61) {
        draw(width, 400);
        assert_int_equal(stage_count(&stage, HIT_ACTION), 6);
        Rect line;
        assert_true(hits_find(&stage.hits, HIT_LINE, 0, 0, &line));
        assert_true(line.w > 0.3F * width);
    }
}

static void two_examples(void **state) {
    (void)state;
    stage.screen.sequences[2] = stage_sequence("source 2", stage.source, 11);
    stage.screen.sequences[2].line = LINE_COMPANION_SOURCE;
    stage.screen.sequences[3] = stage_sequence("target 2", stage.target, 9);
    stage.screen.sequences[3].line = LINE_COMPANION_TARGET;
    stage.screen.sequence_count = 4;
    draw(1000, 400);
    float within = chip(1, 0).y - chip(0, 0).y, between = chip(2, 0).y - chip(1, 0).y;
    assert_true(between > within);
    assert_true(chip(3, 0).y > chip(2, 0).y);
    for (float height = 1; height < 400; height += 17)
        draw(700, height);
}

static void changes_have_a_strip(void **state) {
    (void)state;
    recorder_start(&stage.recorder);
    hits_clear(&stage.hits);
    Paint paint = {
        &stage.recorder.canvas, theme_get(THEME_DARK), &stage.screen, &stage.hits, 900, 600};
    Rect area = {0, 100, 900, 300};
    assert_true(draw_world(&paint, area) == 0);
    assert_int_equal(stage.recorder.count, 0);
    stage.screen.world = "cross.1.2 is out (zero)";
    stage.screen.world_buttons = stage_world;
    stage.screen.world_button_count = 2;
    float used = draw_world(&paint, area);
    assert_true(used > 20);
    assert_non_null(recorder_find(&stage.recorder, stage.screen.world));
    assert_int_equal(stage_count(&stage, HIT_ACTION), 2);
    recorder_check_texts(&stage.recorder, (Rect){0, 100, 900, used});
}

/* Beside the tokens if there is room, else below them; not shortened if a line has room for it. */
static void notes_are_readable(void **state) {
    (void)state;
    stage.screen.sequences[1].note = "now writes 2021-05-0 instead of it";
    bool beside = false, below = false;
    for (float width = 500; width < 1700; width += 41) {
        draw(width, 400);
        const Record *note = recorder_find(&stage.recorder, stage.screen.sequences[1].note);
        assert_non_null(note);
        Rect line, last = chip(1, 8);
        assert_true(hits_find(&stage.hits, HIT_LINE, 1, 0, &line));
        assert_true(rect_inside(note->area, line, 1));
        bool under = note->area.y >= last.y + last.h;
        assert_true(under || note->area.x > last.x + last.w);
        beside = beside || !under, below = below || under;
    }
    assert_true(beside && below);
}

static void long_changes_have_two_lines(void **state) {
    (void)state;
    recorder_start(&stage.recorder);
    hits_clear(&stage.hits);
    Paint paint = {
        &stage.recorder.canvas, theme_get(THEME_DARK), &stage.screen, &stage.hits, 900, 600};
    stage.screen.world = "cross.0.1, cross.1.0, cross.1.1 and 2 more are out (zero) · causality is "
                         "off: the model never trained so · log-probability -0.034";
    stage.screen.world_buttons = stage_world;
    stage.screen.world_button_count = 2;
    float used = draw_world(&paint, (Rect){0, 100, 900, 400});
    int lines = 0;
    for (int index = 0; index < stage.recorder.count; index++) {
        const Record *record = &stage.recorder.records[index];
        bool button =
            strcmp(record->text, "compare") == 0 || strcmp(record->text, "as trained") == 0;
        if (record->kind != RECORD_TEXT || button) continue;
        assert_null(strstr(record->text, "…"));
        lines++;
    }
    assert_int_equal(lines, 2);
    recorder_check_texts(&stage.recorder, (Rect){0, 100, 900, used});
    recorder_check_overlaps(&stage.recorder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hits_match_tokens, make, end),
        cmocka_unit_test_setup_teardown(the_handle_stands_at_the_valid_length, make, end),
        cmocka_unit_test_setup_teardown(the_caret_stands_between_the_bytes, make, end),
        cmocka_unit_test_setup_teardown(an_empty_line_can_be_typed_into, make, end),
        cmocka_unit_test_setup_teardown(composing_text_is_at_the_caret, make, end),
        cmocka_unit_test_setup_teardown(the_selection_lies_over_its_tokens, make, end),
        cmocka_unit_test_setup_teardown(long_sequences_show_the_caret, make, end),
        cmocka_unit_test_setup_teardown(one_token_longer_than_the_line, make, end),
        cmocka_unit_test_setup_teardown(marks_have_tips, make, end),
        cmocka_unit_test_setup_teardown(controls_fit_at_any_width, make, end),
        cmocka_unit_test_setup_teardown(two_examples, make, end),
        cmocka_unit_test_setup_teardown(changes_have_a_strip, make, end),
        cmocka_unit_test_setup_teardown(notes_are_readable, make, end),
        cmocka_unit_test_setup_teardown(long_changes_have_two_lines, make, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recorder_free(&stage.recorder);
    hits_free(&stage.hits);
    return failed;
}
