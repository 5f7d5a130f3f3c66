#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_recorder.h"

enum { POINTS = 2000, MATCHES = 11 };

static const Rect area = {20, 30, 700, 240};

static Recorder recorder;
static HitList hits;
static Screen screen;
static Paint paint;
static float steps[POINTS], losses[POINTS];
static float match_steps[MATCHES], matches[MATCHES];
static ScreenCurve curves[2];

static int start(void **state) {
    (void)state;
    for (int point = 0; point < POINTS; point++) {
        steps[point] = (float)point;
        losses[point] = 3.5F * (1 - (float)point / POINTS) + (point % 2 ? 0.25F : 0);
    }
    for (int point = 0; point < MATCHES; point++) {
        match_steps[point] = (float)point * 200;
        matches[point] = (float)point / (MATCHES - 1);
    }
    curves[0] = (ScreenCurve){"loss", steps, losses, POINTS, 0, false};
    curves[1] = (ScreenCurve){"exact match", match_steps, matches, MATCHES, 1, true};
    screen = (Screen){.train = {.title = "reverse, step 2000 of 2000",
                                .caption = "loss 0.213",
                                .curves = curves,
                                .curve_count = 2,
                                .last_step = 2000,
                                .at_step = -1,
                                .snapshot = -1}};
    paint = (Paint){&recorder.canvas, theme_get(THEME_LIGHT), &screen, &hits, 1000, 700};
    return 0;
}

static int end(void **state) {
    (void)state;
    recorder_free(&recorder);
    return 0;
}

static Rect redraw(Rect where) {
    recorder_start(&recorder);
    hits_clear(&hits);
    Rect plot = draw_train_curves(&paint, where);
    assert_int_equal(recorder.depth, 0);
    return plot;
}

static int lines_of(Color color, const Record **first, const Record **last) {
    int count = 0;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        if (record->kind != RECORD_LINE || memcmp(&record->color, &color, sizeof color) != 0)
            continue;
        if (first && count == 0) *first = record;
        if (last) *last = record;
        count++;
    }
    return count;
}

static void curves_lie_where_their_values_are(void **state) {
    (void)state;
    Rect plot = redraw(area);
    const Record *first = NULL, *last = NULL;
    assert_int_equal(lines_of(paint.theme->accent_second, &first, &last), MATCHES - 1);
    assert_true(fabsf(first->line[0] - plot.x) < 0.1F);
    assert_true(fabsf(first->line[1] - (plot.y + plot.h)) < 0.1F);
    assert_true(fabsf(first->line[3] - (plot.y + plot.h * 0.9F)) < 0.1F);
    assert_true(fabsf(last->line[2] - (plot.x + plot.w)) < 0.1F);
    assert_true(fabsf(last->line[3] - plot.y) < 0.1F);
    /* 3.75 under a nice top: 4; both axes have the same ticks */
    assert_non_null(recorder_find(&recorder, "4"));
    assert_non_null(recorder_find(&recorder, "100 %"));
    assert_true(recorder_find(&recorder, "4")->area.y == recorder_find(&recorder, "100 %")->area.y);
    assert_true(recorder_find(&recorder, "1")->area.y == recorder_find(&recorder, "25 %")->area.y);
    assert_non_null(recorder_find(&recorder, "step 2000"));
    assert_int_equal(recorder_find(&recorder, "loss")->color.b, paint.theme->accent.b);
    recorder_check_overlaps(&recorder);
    recorder_check_texts(&recorder, area);
    recorder_check_inside(&recorder, area);
}

/* Two lines for each column of pixels at most, and none of the noise is lost: a lone peak is seen
 * wherever in its column it lies. */
static void many_points_are_few_lines(void **state) {
    (void)state;
    for (int peak = 1000; peak < 1006; peak++) {
        float before = losses[peak];
        losses[peak] = 3.9F;
        Rect plot = redraw(area);
        losses[peak] = before;
        int count = lines_of(paint.theme->accent, NULL, NULL);
        assert_in_range(count, (int)plot.w, 2 * (int)plot.w + 4);
        float highest = plot.y + plot.h, middle = plot.x + plot.w / 2;
        for (int index = 0; index < recorder.count; index++) {
            const Record *record = &recorder.records[index];
            if (record->kind == RECORD_LINE && fabsf(record->line[0] - middle) < 4)
                highest = fminf(highest, record->area.y);
        }
        assert_true(fabsf(highest - (plot.y + plot.h * (1 - 3.9F / 4))) < 1);
    }
}

static void a_value_that_is_none_is_a_gap(void **state) {
    (void)state;
    matches[5] = NAN;
    match_steps[8] = INFINITY;
    redraw(area);
    assert_int_equal(lines_of(paint.theme->accent_second, NULL, NULL), MATCHES - 1 - 4);
}

static void no_points_are_no_curve(void **state) {
    (void)state;
    curves[0].count = curves[1].count = 0;
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
    assert_non_null(recorder_find(&recorder, "no steps yet"));
    screen.train.curve_count = 0;
    screen.train.last_step = 0;
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
    for (int point = 0; point < POINTS; point++)
        losses[point] = NAN;
    curves[0].count = POINTS;
    screen.train.curve_count = 1;
    screen.train.last_step = 2000;
    redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
}

static void one_point_is_a_dot(void **state) {
    (void)state;
    curves[0].count = 1;
    screen.train.curve_count = 1;
    Rect plot = redraw(area);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 0);
    bool dot = false;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        dot = dot || (record->kind == RECORD_ROUND && record->area.w == record->area.h &&
                      fabsf(record->area.x + record->area.w / 2 - plot.x) < 0.1F);
    }
    assert_true(dot);
}

static void the_marker_stands_at_its_step(void **state) {
    (void)state;
    screen.train.at_step = 500;
    screen.train.snapshots = 16;
    screen.train.snapshot = 3;
    screen.train.snapshot_text = "snapshot 4 of 16";
    Rect plot = redraw(area);
    bool found = false;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        found = found ||
                (record->kind == RECORD_FILL && record->area.w == 1 && record->area.h == plot.h &&
                 fabsf(record->area.x - (plot.x + plot.w / 4)) <= 0.5F);
    }
    assert_true(found);
    const Record *text = recorder_find(&recorder, "snapshot 4 of 16");
    assert_true(fabsf(text->area.x + text->area.w / 2 - (plot.x + plot.w / 4)) < 1);
    recorder_check_overlaps(&recorder);
}

static void nothing_leaves_any_area(void **state) {
    (void)state;
    screen.train.at_step = 1990;
    screen.train.snapshots = 16;
    screen.train.snapshot_text = "snapshot 16 of 16, step 1990";
    const float sizes[] = {0, 1, 9, 40, 70, 90, 180, 430, 1200};
    for (int wide = 0; wide < 9; wide++)
        for (int high = 0; high < 9; high++) {
            Rect where = {13, 7, sizes[wide], sizes[high]};
            redraw(where);
            recorder_check_inside(&recorder, where);
            recorder_check_texts(&recorder, where);
            recorder_check_overlaps(&recorder);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(curves_lie_where_their_values_are, start, end),
        cmocka_unit_test_setup_teardown(many_points_are_few_lines, start, end),
        cmocka_unit_test_setup_teardown(a_value_that_is_none_is_a_gap, start, end),
        cmocka_unit_test_setup_teardown(no_points_are_no_curve, start, end),
        cmocka_unit_test_setup_teardown(one_point_is_a_dot, start, end),
        cmocka_unit_test_setup_teardown(the_marker_stands_at_its_step, start, end),
        cmocka_unit_test_setup_teardown(nothing_leaves_any_area, start, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hits_free(&hits);
    return failed;
}
