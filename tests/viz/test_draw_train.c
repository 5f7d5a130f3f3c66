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

static void curves_match_their_values(void **state) {
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

/* At most two lines for each column of pixels, without loss: a single peak is visible wherever it
 * is in its column. */
static void many_points_make_few_lines(void **state) {
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

static void nan_is_a_gap(void **state) {
    (void)state;
    matches[5] = NAN;
    match_steps[8] = INFINITY;
    redraw(area);
    assert_int_equal(lines_of(paint.theme->accent_second, NULL, NULL), MATCHES - 1 - 4);
}

static void a_curve_without_points_draws(void **state) {
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

static void a_single_point_is_a_dot(void **state) {
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

static void the_marker_is_at_its_step(void **state) {
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

static void everything_stays_in_its_area(void **state) {
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

/* --- the page --------------------------------------------------------------------------------- */

static void draw_page(Rect where) {
    recorder_start(&recorder);
    hits_clear(&hits);
    draw_train(&paint, where);
    assert_int_equal(recorder.depth, 0);
    recorder_check_inside(&recorder, where);
    recorder_check_texts(&recorder, where);
    recorder_check_overlaps(&recorder);
}

static const ScreenButton buttons[] = {{"start", NULL, "train", false, NULL},
                                       {"stop", NULL, NULL, false, NULL}};

static void fill_page(Fixture *fixture, ScreenMap maps[4]) {
    const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 4, 5, 7}};
    fixture_make(fixture, shapes);
    for (int head = 0; head < 4; head++)
        maps[head] = (ScreenMap){.trace = fixture->trace,
                                 .id = {SITE_CROSS, 0, head},
                                 .axes = &fixture->scene.axes[SITE_CROSS],
                                 .rows = 5,
                                 .columns = 7,
                                 .title = "head",
                                 .lit_row = -1,
                                 .lit_column = -1,
                                 .pinned_row = -1,
                                 .pinned_column = -1};
    screen.panels = (ScreenPanels){"cross-attention, layer 0", "rows: queries", maps, 4};
    screen.train.snapshots = 16;
    screen.train.snapshot = 5;
    screen.train.at_step = 2000.0F / 3;
    screen.train.snapshot_text = "snapshot 6 of 16, step 667";
    screen.train.buttons = buttons;
    screen.train.button_count = 2;
}

static int maps_drawn(void) {
    int count = 0;
    for (int index = 0; index < recorder.count; index++)
        count +=
            recorder.records[index].kind == RECORD_CELLS && recorder.records[index].cells.rows == 5;
    return count;
}

static void the_page_shows_curves_and_heads(void **state) {
    (void)state;
    Fixture fixture;
    ScreenMap maps[4];
    fill_page(&fixture, maps);
    const Rect pages[] = {{10, 10, 640, 440}, {10, 10, 1000, 700}, {10, 10, 1200, 330}};
    for (int page = 0; page < 3; page++) {
        draw_page(pages[page]);
        assert_int_equal(maps_drawn(), 4);
        assert_non_null(recorder_find(&recorder, screen.train.title));
        assert_non_null(recorder_find(&recorder, "start"));
        assert_true(lines_of(paint.theme->accent, NULL, NULL) > 100);
        Rect slider;
        assert_true(hits_find(&hits, HIT_SLIDER, 0, SLIDER_SNAPSHOT, &slider));
        /* 5 of 0..15, a third of the steps: the knob stands below the marker */
        float marker = -1, knob = -1;
        for (int index = 0; index < recorder.count; index++) {
            const Record *record = &recorder.records[index];
            if (record->kind == RECORD_FILL && record->area.w == 1 && record->area.h > 20 &&
                record->color.r == paint.theme->text.r)
                marker = record->area.x;
            if (record->kind == RECORD_ROUND && record->area.w == record->area.h &&
                record->area.y >= slider.y)
                knob = record->area.x + record->area.w / 2;
            if (knob >= 0) break;
        }
        assert_true(marker > 0 && fabsf(marker - knob) < 1);
    }
    fixture_free(&fixture);
}

static void the_page_fits_any_area(void **state) {
    (void)state;
    Fixture fixture;
    ScreenMap maps[4];
    fill_page(&fixture, maps);
    const float sizes[] = {0, 1, 9, 40, 90, 180, 300, 430, 800, 1300};
    for (int wide = 0; wide < 10; wide++)
        for (int high = 0; high < 10; high++)
            draw_page((Rect){13, 7, sizes[wide], sizes[high]});
    screen.train = (ScreenTrain){.at_step = -1, .snapshot = -1};
    screen.panels = (ScreenPanels){0};
    draw_page(area);
    fixture_free(&fixture);
}

static void snapshots_are_at_their_steps(void **state) {
    (void)state;
    static const float taken[] = {0, 40, 100, 711, 2000};
    ScreenTrain train = {.snapshots = 5, .snapshot_steps = taken, .last_step = 2000};
    assert_true(fabsf(screen_snapshot_share(&train, 3) - 0.3555F) < 1e-5F);
    assert_true(screen_snapshot_share(&train, -1) == 1); /* the model itself */
    assert_true(screen_snapshot_share(&train, 5) == 1);
    for (int snapshot = 0; snapshot < 5; snapshot++)
        assert_int_equal(screen_snapshot_at(&train, screen_snapshot_share(&train, snapshot)),
                         snapshot);
    assert_int_equal(screen_snapshot_at(&train, 0.2F), 2);
    assert_int_equal(screen_snapshot_at(&train, 0.25F), 3);
    assert_int_equal(screen_snapshot_at(&train, 7), 4);
    train.snapshot_steps = NULL;
    assert_true(screen_snapshot_share(&train, 1) == 0.25F);
    train.snapshots = 1;
    assert_true(screen_snapshot_share(&train, 0) == 1);
    train.snapshots = 0;
    assert_int_equal(screen_snapshot_at(&train, 0.5F), -1);
}

/* Panels keep their positions while the target grows. */
static void panels_do_not_move_when_tokens_change(void **state) {
    (void)state;
    Fixture fixture;
    ScreenMap maps[4];
    fill_page(&fixture, maps);
    screen.page = PAGE_TRAIN;
    Rect page = {0, 0, 744, 560}, places[4];
    for (int rows = 1; rows <= 24; rows++) {
        for (int head = 0; head < 4; head++)
            maps[head].rows = rows;
        recorder_start(&recorder);
        hits_clear(&hits);
        draw_train(&paint, page);
        int count = 0;
        for (int index = 0; index < hits.count && count < 4; index++) {
            if (hits.hits[index].kind != HIT_MAP) continue;
            Rect at = hits.hits[index].area;
            if (rows > 1) assert_true(at.x == places[count].x && at.y == places[count].y);
            places[count++] = at;
        }
        assert_int_equal(count, 4);
    }
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(curves_match_their_values, start, end),
        cmocka_unit_test_setup_teardown(many_points_make_few_lines, start, end),
        cmocka_unit_test_setup_teardown(nan_is_a_gap, start, end),
        cmocka_unit_test_setup_teardown(a_curve_without_points_draws, start, end),
        cmocka_unit_test_setup_teardown(a_single_point_is_a_dot, start, end),
        cmocka_unit_test_setup_teardown(the_marker_is_at_its_step, start, end),
        cmocka_unit_test_setup_teardown(everything_stays_in_its_area, start, end),
        cmocka_unit_test_setup_teardown(the_page_shows_curves_and_heads, start, end),
        cmocka_unit_test_setup_teardown(the_page_fits_any_area, start, end),
        cmocka_unit_test_setup_teardown(snapshots_are_at_their_steps, start, end),
        cmocka_unit_test_setup_teardown(panels_do_not_move_when_tokens_change, start, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hits_free(&hits);
    return failed;
}
