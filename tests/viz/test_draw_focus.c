#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_recorder.h"

enum { TOKENS = 100, LINES = RECORDED_AT_MOST };

static const HeadId head = {SITE_CROSS, 0, 0};
static const Rect area = {40, 30, 900, 220};

static Recorder recorder;
static HitList hits;
static Screen screen;
static Paint paint;
static Fixture fixture, other;

static int start(void **state) {
    (void)state;
    recorder_start(&recorder);
    hits_clear(&hits);
    screen = (Screen){.top = 1};
    paint = (Paint){&recorder.canvas, theme_get(THEME_LIGHT), &screen, &hits, 1000, 700};
    return 0;
}

static void redraw(Rect where) {
    recorder_start(&recorder);
    hits_clear(&hits);
    draw_focus(&paint, where);
    assert_int_equal(recorder.depth, 0);
}

static void make_map(Fixture *made, int rows, int columns, const float *weights,
                     const int *key_len) {
    TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 1, rows, columns}};
    fixture_make(made, shapes);
    trace_write(made->trace, head, weights, columns, key_len);
}

static void show_lines(int rows, int columns) {
    screen.focus = (ScreenFocus){.map = {.trace = fixture.trace,
                                         .id = head,
                                         .axes = &fixture.scene.axes[SITE_CROSS],
                                         .rows = rows,
                                         .columns = columns,
                                         .lit_row = -1,
                                         .lit_column = -1,
                                         .pinned_row = -1,
                                         .pinned_column = -1},
                                 .lines = true,
                                 .threshold = 0.05F,
                                 .title = "cross.0.0 as lines"};
}

static int end(void **state) {
    (void)state;
    fixture_free(&fixture);
    fixture_free(&other);
    fixture = other = (Fixture){0};
    recorder_free(&recorder);
    return 0;
}

/* The lines in drawing order. */
static int lines_drawn(const Record *lines[LINES]) {
    int count = 0;
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == RECORD_LINE) lines[count++] = &recorder.records[index];
    return count;
}

static float text_middle(const char *text, bool top) {
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        bool above = record->area.y < area.y + area.h / 2;
        if (record->kind == RECORD_TEXT && strcmp(record->text, text) == 0 && above == top)
            return record->area.x + record->area.w / 2;
    }
    fail_msg("no token %s", text);
    return 0;
}

static void lines_follow_weights(void **state) {
    (void)state;
    const float weights[] = {0.9F, 0.1F, 0, 0.04F, 0.5F, 0.46F};
    make_map(&fixture, 2, 3, weights, NULL);
    show_lines(2, 3);
    redraw(area);
    static const Record *lines[LINES];
    assert_int_equal(lines_drawn(lines), 4); /* 0 and 0.04 have none */
    /* by query, then key: 0.9, 0.1, 0.5, 0.46 */
    const int by_weight[] = {1, 3, 2, 0};
    for (int index = 1; index < 4; index++) {
        assert_true(lines[by_weight[index]]->line_width > lines[by_weight[index - 1]]->line_width);
        assert_true(lines[by_weight[index]]->color.a > lines[by_weight[index - 1]]->color.a);
    }
    /* from the query at the bottom to the key at the top */
    assert_true(fabsf(lines[2]->line[0] - text_middle("t1", false)) < 1);
    assert_true(fabsf(lines[2]->line[2] - text_middle("t1", true)) < 1);
    assert_true(fabsf(lines[3]->line[2] - text_middle("t2", true)) < 1);
    assert_true(lines[2]->line[1] > lines[2]->line[3]);
    screen.focus.threshold = 0.48F;
    redraw(area);
    assert_int_equal(lines_drawn(lines), 2);
    screen.focus.threshold = 0;
    redraw(area);
    assert_int_equal(lines_drawn(lines), 5); /* a weight of 0 never has a line */
}

static void nan_has_no_line(void **state) {
    (void)state;
    const float weights[] = {NAN, 0.5F, INFINITY, 0.25F};
    make_map(&fixture, 2, 2, weights, NULL);
    show_lines(2, 2);
    screen.focus.threshold = 0;
    redraw(area);
    static const Record *lines[LINES];
    assert_in_range(lines_drawn(lines), 2, 3);
    for (int line = 0; line < lines_drawn(lines); line++)
        assert_true(isfinite(lines[line]->line_width) && lines[line]->line_width <= 6);
}

static void highlighted_tokens_stand_out(void **state) {
    (void)state;
    const float weights[] = {0.5F, 0.5F, 0, 0.5F, 0.25F, 0.25F};
    make_map(&fixture, 2, 3, weights, NULL);
    show_lines(2, 3);
    screen.focus.map.lit_row = 1;
    redraw(area);
    static const Record *lines[LINES];
    assert_int_equal(lines_drawn(lines), 5);
    /* the others are drawn first, and fainter although they are heavier */
    assert_true(lines[0]->color.a < lines[3]->color.a && lines[1]->color.a < lines[4]->color.a);
    float lit = lines[2]->line[0];
    assert_true(lines[3]->line[0] == lit && lines[4]->line[0] == lit && lines[0]->line[0] != lit);
    screen.focus.map.lit_row = -1;
    screen.focus.map.pinned_column = 0;
    redraw(area);
    assert_int_equal(lines_drawn(lines), 5);
    assert_true(lines[3]->line[2] == lines[4]->line[2]);
    assert_true(lines[3]->color.a > lines[0]->color.a);
    const Record *pinned = recorder_find(&recorder, "t0");
    assert_true(pinned->style.bold);
}

static void a_difference_has_two_colours(void **state) {
    (void)state;
    const float one[] = {0.75F, 0.25F}, two[] = {0.25F, 0.75F};
    make_map(&fixture, 1, 2, one, NULL);
    make_map(&other, 1, 2, two, NULL);
    show_lines(1, 2);
    screen.focus.map.minus = other.trace;
    screen.focus.map.minus_id = head;
    redraw(area);
    static const Record *lines[LINES];
    assert_int_equal(lines_drawn(lines), 2);
    assert_true(lines[0]->color.b == paint.theme->accent.b);
    assert_true(lines[1]->color.b == paint.theme->accent_second.b);
    assert_true(lines[0]->line_width == lines[1]->line_width);
}

static void masked_keys_are_hatched(void **state) {
    (void)state;
    const float weights[] = {1, 0, 0, 0, 0.5F, 0.5F, 0, 0, 0.4F, 0.3F, 0.3F, 0};
    make_map(&fixture, 3, 4, weights, (const int[]){1, 2, 3});
    show_lines(3, 4);
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_HATCH), 1);
    float quarter = 0;
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == RECORD_HATCH) quarter = recorder.records[index].area.w;
    /* no row sees the last key; the first row sees only one key */
    screen.focus.map.lit_row = 0;
    redraw(area);
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == RECORD_HATCH)
            assert_true(fabsf(recorder.records[index].area.w - 3 * quarter) < 0.1F);
}

static void unwritten_rows_have_only_names(void **state) {
    (void)state;
    const float weights[] = {0.5F, 0.5F};
    make_map(&fixture, 1, 2, weights, NULL);
    show_lines(3, 2);
    redraw(area);
    static const Record *lines[LINES];
    assert_int_equal(lines_drawn(lines), 2);
    text_middle("t2", false);
}

static void tokens_have_hits(void **state) {
    (void)state;
    const float weights[] = {0.9F, 0.1F, 0, 0.04F, 0.5F, 0.46F};
    make_map(&fixture, 2, 3, weights, NULL);
    show_lines(2, 3);
    screen.focus.map.example = 1;
    redraw(area);
    float bottom = recorder_find(&recorder, "t1")->area.y;
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == RECORD_TEXT)
            bottom = fmaxf(bottom, recorder.records[index].area.y);
    Spot spot = hits_at(&hits, text_middle("t1", false), bottom + 5);
    assert_int_equal(spot.hit->kind, HIT_ROWS);
    assert_int_equal(spot.hit->example, 1);
    assert_int_equal(spot.row, 1);
    assert_int_equal(spot.column, -1);
    spot = hits_at(&hits, text_middle("t2", true), recorder_find(&recorder, "t2")->area.y + 5);
    assert_int_equal(spot.hit->kind, HIT_COLUMNS);
    assert_int_equal(spot.column, 2);
    assert_int_equal(spot.row, -1);
    spot = hits_at(&hits, area.x + area.w / 2, area.y + area.h * 0.6F);
    assert_int_equal(spot.hit->kind, HIT_FOCUS);
    assert_int_equal(spot.row, -1);
    assert_true(fabsf(spot.share_x - 0.5F) < 0.01F);
}

static void zoom_shows_a_part_of_both_axes(void **state) {
    (void)state;
    float weights[TOKENS * TOKENS] = {0};
    for (int token = 0; token < TOKENS; token++)
        weights[token * TOKENS + token] = 1;
    make_map(&fixture, TOKENS, TOKENS, weights, NULL);
    show_lines(TOKENS, TOKENS);
    screen.focus.zoom = 10;
    screen.focus.left = 0.505F;
    redraw(area);
    static const Record *lines[LINES];
    assert_int_equal(lines_drawn(lines), 11); /* 10.5 at both ends */
    assert_null(recorder_find(&recorder, "t49"));
    assert_null(recorder_find(&recorder, "t61"));
    float y = recorder_find(&recorder, "t55")->area.y + 5;
    for (int token = 51; token < 60; token++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", token);
        float x = text_middle(name, true), off = 0.4F * area.w / 11;
        assert_int_equal(hits_at(&hits, x - off, y).column, token);
        assert_int_equal(hits_at(&hits, x + off, y).column, token);
    }
    screen.focus.left = 7; /* past the end: the last part */
    redraw(area);
    assert_non_null(recorder_find(&recorder, "t99"));
    assert_int_equal(lines_drawn(lines), 10);
}

static void many_tokens_stay_readable(void **state) {
    (void)state;
    float weights[TOKENS * TOKENS];
    for (int cell = 0; cell < TOKENS * TOKENS; cell++)
        weights[cell] = (float)(cell % 97) / 9700;
    make_map(&fixture, TOKENS, TOKENS, weights, NULL);
    show_lines(TOKENS, TOKENS);
    screen.focus.threshold = 0;
    screen.focus.map.lit_row = 41;
    screen.focus.map.pinned_row = 42;
    screen.focus.map.lit_column = 0;
    redraw(area);
    recorder_check_overlaps(&recorder);
    recorder_check_texts(&recorder, area);
    static const Record *lines[LINES];
    assert_in_range(lines_drawn(lines), 500, 1200); /* the heaviest of ten thousand */
    /* the neighbours of the token under the pointer have no name */
    int bold = 0;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        if (record->kind != RECORD_TEXT || record->area.y < area.y + area.h / 2) continue;
        bold += record->style.bold && strcmp(record->text, "t41") == 0;
        assert_true(strcmp(record->text, "t40") != 0 && strcmp(record->text, "t42") != 0);
    }
    assert_int_equal(bold, 1);
    bool says_so = false;
    for (int index = 0; index < recorder.count; index++)
        says_so = says_so || strncmp(recorder.records[index].text, "heaviest, from 0.0", 18) == 0;
    assert_true(says_so);
}

static void the_title_has_its_slider(void **state) {
    (void)state;
    const ScreenButton buttons[] = {{"heat map", NULL, "focus map", false, NULL},
                                    {"lines", NULL, "focus lines", true, NULL}};
    const float weights[] = {1};
    make_map(&fixture, 1, 1, weights, NULL);
    show_lines(1, 1);
    screen.focus.buttons = buttons;
    screen.focus.button_count = 2;
    redraw(area);
    Rect slider;
    assert_true(hits_find(&hits, HIT_SLIDER, 0, SLIDER_THRESHOLD, &slider));
    const Record *value = recorder_find(&recorder, "threshold 0.05");
    assert_true(value->area.x + value->area.w <= slider.x);
    assert_non_null(recorder_find(&recorder, "cross.0.0 as lines"));
    recorder_check_overlaps(&recorder);
    screen.focus.lines = false;
    redraw(area);
    assert_false(hits_find(&hits, HIT_SLIDER, 0, SLIDER_THRESHOLD, &slider));
    assert_int_equal(recorder_count(&recorder, RECORD_CELLS), 1);
}

static void everything_stays_in_its_area(void **state) {
    (void)state;
    float weights[30 * 20];
    for (int cell = 0; cell < 30 * 20; cell++)
        weights[cell] = (float)(cell % 7) / 7;
    make_map(&fixture, 30, 20, weights, NULL);
    show_lines(30, 20);
    const ScreenButton buttons[] = {{"heat map", NULL, "focus map", false, NULL},
                                    {"lines", NULL, "focus lines", true, NULL}};
    screen.focus.buttons = buttons;
    screen.focus.button_count = 2;
    const float sizes[] = {0, 1, 3, 17, 40, 77, 120, 260, 600, 1500};
    for (int lines = 0; lines < 2; lines++)
        for (int wide = 0; wide < 10; wide++)
            for (int high = 0; high < 10; high++) {
                Rect where = {13, 7, sizes[wide], sizes[high]};
                screen.focus.lines = lines;
                redraw(where);
                recorder_check_inside(&recorder, where);
                recorder_check_texts(&recorder, where);
                recorder_check_overlaps(&recorder);
            }
}

static void an_empty_head_draws(void **state) {
    (void)state;
    for (int lines = 0; lines < 2; lines++) {
        screen.focus = (ScreenFocus){.lines = lines};
        redraw(area);
    }
    const TraceShape shapes[SITE_COUNT] = {[SITE_ENCODER] = {1, 1, 2, 2}};
    fixture_make(&fixture, shapes);
    show_lines(4, 4); /* the trace lacks the site ... */
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
    screen.focus.map.id = (HeadId){SITE_ENCODER, 1, 0}; /* ... or the head */
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_follow_weights, start, end),
        cmocka_unit_test_setup_teardown(nan_has_no_line, start, end),
        cmocka_unit_test_setup_teardown(highlighted_tokens_stand_out, start, end),
        cmocka_unit_test_setup_teardown(a_difference_has_two_colours, start, end),
        cmocka_unit_test_setup_teardown(masked_keys_are_hatched, start, end),
        cmocka_unit_test_setup_teardown(unwritten_rows_have_only_names, start, end),
        cmocka_unit_test_setup_teardown(tokens_have_hits, start, end),
        cmocka_unit_test_setup_teardown(zoom_shows_a_part_of_both_axes, start, end),
        cmocka_unit_test_setup_teardown(many_tokens_stay_readable, start, end),
        cmocka_unit_test_setup_teardown(the_title_has_its_slider, start, end),
        cmocka_unit_test_setup_teardown(everything_stays_in_its_area, start, end),
        cmocka_unit_test_setup_teardown(an_empty_head_draws, start, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hits_free(&hits);
    return failed;
}
