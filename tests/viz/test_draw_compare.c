#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_recorder.h"

enum { ROWS = 5, COLUMNS = 8, HEADS = 12, MANY = 128 };

static const HeadId head_a = {SITE_CROSS, 0, 0}, head_b = {SITE_CROSS, 0, 1};
static const Rect area = {20, 30, 1100, 640};

static Recorder recorder;
static HitList hits;
static Screen screen;
static Paint paint;
static Fixture fixture;
static float similarity[HEADS * HEADS];
static HeadId ids[HEADS];

static ScreenMap map_of(HeadId id, const char *title) {
    return (ScreenMap){.trace = fixture.trace,
                       .id = id,
                       .axes = &fixture.scene.axes[SITE_CROSS],
                       .rows = ROWS,
                       .columns = COLUMNS,
                       .title = title,
                       .lit_row = -1,
                       .lit_column = -1,
                       .pinned_row = -1,
                       .pinned_column = -1};
}

static const ScreenButton modes[] = {{"two heads", NULL, "mode heads", true, NULL},
                                     {"inputs", NULL, "mode inputs", false, NULL},
                                     {"models", NULL, NULL, false, NULL},
                                     {"snapshots", NULL, "mode snapshots", false, NULL},
                                     {"with and without", NULL, "mode without", false, NULL}};
static const double divergences[ROWS] = {0, 0.25, 0.5, NAN, 1};
static const char *const notes[] = {"no two heads are identical", "hover names two heads"};

static void fill_compare(void) {
    ScreenCompare *compare = &screen.compare;
    *compare = (ScreenCompare){.title = "two heads, same input",
                               .caption = "B is cross.0.1",
                               .modes = modes,
                               .mode_count = 5,
                               .a = map_of(head_a, "A cross.0.0"),
                               .b = map_of(head_b, "B cross.0.1"),
                               .difference = map_of(head_a, "A − B"),
                               .reach = 0.6F,
                               .row_names = fixture.tokens,
                               .divergences = divergences,
                               .divergence_count = ROWS,
                               .figures = "largest |A−B| 0.5 · mean 0.1",
                               .similarity = {.title = "all heads, alike ones together",
                                              .values = similarity,
                                              .ids = ids,
                                              .count = HEADS,
                                              .first = 2,
                                              .second = 7,
                                              .lit_row = -1,
                                              .lit_column = -1,
                                              .notes = notes,
                                              .note_count = 2}};
    compare->difference.minus = fixture.trace;
    compare->difference.minus_id = head_b;
}

static int start(void **state) {
    (void)state;
    const TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 2, ROWS, COLUMNS}};
    fixture_make(&fixture, shapes);
    float weights[ROWS * COLUMNS];
    for (int cell = 0; cell < ROWS * COLUMNS; cell++)
        weights[cell] = (float)(cell % COLUMNS) / 28;
    trace_write(fixture.trace, head_a, weights, COLUMNS, NULL);
    for (int cell = 0; cell < ROWS * COLUMNS; cell++)
        weights[cell] = 0.125F;
    trace_write(fixture.trace, head_b, weights, COLUMNS, NULL);
    for (int index = 0; index < HEADS; index++)
        ids[index] = (HeadId){SITE_CROSS, index / 4, index % 4};
    for (int pair = 0; pair < HEADS * HEADS; pair++)
        similarity[pair] = (float)(pair % 10) / 10;
    screen = (Screen){.top = 0.5F, .colormap = COLORMAP_MAGMA};
    paint = (Paint){&recorder.canvas, theme_get(THEME_DARK), &screen, &hits, 1400, 800};
    fill_compare();
    return 0;
}

static int end(void **state) {
    (void)state;
    fixture_free(&fixture);
    recorder_free(&recorder);
    return 0;
}

static void redraw(Rect where) {
    recorder_start(&recorder);
    hits_clear(&hits);
    draw_compare(&paint, where);
    assert_int_equal(recorder.depth, 0);
}

/* The cells of maps in drawing order. */
static int maps_drawn(const Record *maps[3]) {
    int count = 0;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        if (record->kind != RECORD_CELLS || record->cells.rows != ROWS) continue;
        assert_in_range(count, 0, 2);
        maps[count++] = record;
    }
    return count;
}

static const Record *matrix_drawn(void) {
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == RECORD_CELLS &&
            recorder.records[index].cells.rows == HEADS)
            return &recorder.records[index];
    return NULL;
}

static int frames_of(Color color) {
    int count = 0;
    for (int index = 0; index < recorder.count; index++) {
        const Record *record = &recorder.records[index];
        count += record->kind == RECORD_FRAME && record->line_width > 1 &&
                 memcmp(&record->color, &color, sizeof color) == 0;
    }
    return count;
}

static void three_maps_have_equal_cells(void **state) {
    (void)state;
    redraw(area);
    const Record *maps[3];
    assert_int_equal(maps_drawn(maps), 3);
    for (int map = 1; map < 3; map++) {
        assert_true(fabsf(maps[map]->area.w - maps[0]->area.w) < 0.01F);
        assert_true(fabsf(maps[map]->area.h - maps[0]->area.h) < 0.01F);
        assert_true(maps[map]->area.y == maps[0]->area.y);
    }
    assert_false(maps[0]->cells.diverging || maps[1]->cells.diverging);
    assert_true(maps[0]->cells.top == 0.5F && maps[1]->cells.top == 0.5F);
    assert_true(maps[2]->cells.diverging);
    assert_true(maps[2]->cells.top == 0.6F);
    assert_non_null(recorder_find(&recorder, "+0.6"));
    assert_non_null(recorder_find(&recorder, "−0.6"));
    assert_int_equal(frames_of(paint.theme->accent), 1);
    assert_int_equal(frames_of(paint.theme->accent_second), 1);
    recorder_check_overlaps(&recorder);
    recorder_check_texts(&recorder, area);
}

/* A longer row name in one map makes the cells of all maps smaller. */
static void the_smallest_cell_counts(void **state) {
    (void)state;
    const Rect low = {20, 30, 700, 270}; /* if the width limits the cells */
    redraw(low);
    const Record *maps[3];
    maps_drawn(maps);
    float before = maps[0]->area.w;
    static const char *const names[] = {"a name of some length", "t1", "t2", "t3", "t4", "t5"};
    SceneAxes axes = {.rows = names, .columns = fixture.tokens};
    screen.compare.b.axes = &axes;
    redraw(low);
    maps_drawn(maps);
    assert_true(maps[0]->area.w < before);
    assert_true(fabsf(maps[0]->area.w - maps[1]->area.w) < 0.01F);
    assert_true(fabsf(maps[0]->area.w - maps[2]->area.w) < 0.01F);
}

static void the_third_card_shows_the_refusal(void **state) {
    (void)state;
    screen.compare.refusal = "no difference: their sizes differ";
    redraw(area);
    const Record *maps[3];
    assert_int_equal(maps_drawn(maps), 2);
    const Record *text = recorder_find(&recorder, screen.compare.refusal);
    assert_non_null(text);
    assert_true(text->area.x > maps[1]->area.x + maps[1]->area.w);
    assert_non_null(recorder_find(&recorder, "A − B"));
    assert_null(recorder_find(&recorder, "+0.6"));
    recorder_check_overlaps(&recorder);
}

static void bars_have_the_length_of_divergences(void **state) {
    (void)state;
    redraw(area);
    const char *const values[ROWS] = {"0.000", "0.250", "0.500", "–", "1.000"};
    float widths[ROWS] = {0};
    for (int row = 0; row < ROWS; row++) {
        const Record *value = recorder_find(&recorder, values[row]);
        assert_non_null(value);
        float y = value->area.y + value->area.h / 2;
        for (int index = 0; index < recorder.count; index++) {
            const Record *bar = &recorder.records[index];
            if (bar->kind == RECORD_ROUND && fabsf(bar->area.y + bar->area.h / 2 - y) < 3 &&
                bar->area.x < value->area.x && bar->area.h < 10 &&
                bar->color.r == paint.theme->accent.r)
                widths[row] = bar->area.w;
        }
    }
    assert_true(widths[0] == 0 && widths[3] == 0 && widths[4] > 100);
    assert_true(fabsf(widths[1] - widths[4] / 4) < 0.5F);
    assert_true(fabsf(widths[2] - widths[4] / 2) < 0.5F);
    /* hits of bars name their row */
    const Record *value = recorder_find(&recorder, "0.500");
    Spot spot = hits_at(&hits, value->area.x - 20, value->area.y + value->area.h / 2);
    assert_int_equal(spot.hit->kind, HIT_ROWS);
    assert_int_equal(spot.row, 2);
    assert_non_null(recorder_find(&recorder, screen.compare.figures));
}

static void spaces_in_names_are_visible(void **state) {
    (void)state;
    static const char *const names[ROWS] = {" ", "a b", "t2", "t3", "t4"};
    screen.compare.row_names = names;
    redraw(area);
    assert_non_null(recorder_find(&recorder, "␣"));
    assert_non_null(recorder_find(&recorder, "a␣b"));
}

static void many_rows_have_bars_too(void **state) {
    (void)state;
    static double many[MANY];
    for (int row = 0; row < MANY; row++)
        many[row] = (double)row / MANY;
    screen.compare.divergences = many;
    const struct {
        Rect where;
        int rows;
    } cases[] = {{{0, 0, 700, 420}, MANY},
                 {{0, 0, 700, 640}, MANY},
                 {{0, 0, 700, 1400}, MANY},
                 {{0, 0, 1300, 420}, 20}}; /* in columns */
    for (int which = 0; which < 4; which++) {
        Rect where = cases[which].where;
        screen.compare.divergence_count = cases[which].rows;
        redraw(where);
        recorder_check_overlaps(&recorder);
        recorder_check_texts(&recorder, where);
        recorder_check_inside(&recorder, where);
        bool met[MANY] = {false};
        for (float y = 0; y < where.h; y += 0.25F)
            for (float x = 0; x < where.w; x += 20) {
                Spot spot = hits_at(&hits, x, y);
                if (spot.hit && spot.hit->kind == HIT_ROWS && spot.hit->rows == cases[which].rows)
                    met[spot.row] = true;
            }
        for (int row = 0; row < cases[which].rows; row++)
            assert_true(met[row]);
    }
}

static void the_matrix_has_hits(void **state) {
    (void)state;
    similarity[3 * HEADS + 4] = NAN;
    redraw(area);
    const Record *matrix = matrix_drawn();
    assert_non_null(matrix);
    assert_true(matrix->cells.top == 1 && matrix->cells.colormap == COLORMAP_MAGMA);
    assert_true(fabsf(matrix->area.w - matrix->area.h) < 0.01F);
    float cell = matrix->area.w / HEADS;
    Spot spot = hits_at(&hits, matrix->area.x + 7.5F * cell, matrix->area.y + 2.5F * cell);
    assert_int_equal(spot.hit->kind, HIT_SIMILARITY);
    assert_int_equal(spot.row, 2);
    assert_int_equal(spot.column, 7);
    /* of one site: names have only layer and head; A and B are coloured */
    assert_int_equal(recorder_find(&recorder, "0.2")->color.r, paint.theme->accent.r);
    assert_int_equal(recorder_find(&recorder, "1.3")->color.r, paint.theme->accent_second.r);
    ids[0].site = SITE_ENCODER;
    redraw((Rect){20, 30, 1600, 1000});
    assert_non_null(recorder_find(&recorder, "encoder.0.0"));
    recorder_check_overlaps(&recorder);
}

static void an_empty_matrix_has_its_notes(void **state) {
    (void)state;
    screen.compare.similarity.count = 0;
    redraw(area);
    assert_null(matrix_drawn());
    assert_non_null(recorder_find(&recorder, notes[0]));
}

static void the_layout_with_larger_cells_wins(void **state) {
    (void)state;
    const Record *maps[3];
    redraw((Rect){0, 0, 420, 1300}); /* narrow and tall: stacked */
    assert_int_equal(maps_drawn(maps), 3);
    assert_true(maps[1]->area.y >= maps[0]->area.y + maps[0]->area.h);
    redraw((Rect){0, 0, 1800, 420}); /* wide and low: panels beside the maps */
    assert_int_equal(maps_drawn(maps), 3);
    assert_true(maps[1]->area.x >= maps[0]->area.x + maps[0]->area.w);
    assert_true(matrix_drawn()->area.x >= maps[2]->area.x + maps[2]->area.w);
    recorder_check_overlaps(&recorder);
}

static void everything_stays_in_its_area(void **state) {
    (void)state;
    const float sizes[] = {0, 1, 9, 40, 90, 180, 300, 430, 680, 1200};
    for (int refused = 0; refused < 2; refused++) {
        screen.compare.refusal = refused ? "no difference: their sizes differ" : NULL;
        for (int wide = 0; wide < 10; wide++)
            for (int high = 0; high < 10; high++) {
                Rect where = {13, 7, sizes[wide], sizes[high]};
                redraw(where);
                recorder_check_inside(&recorder, where);
                recorder_check_texts(&recorder, where);
                recorder_check_overlaps(&recorder);
            }
    }
}

static void an_empty_comparison_draws(void **state) {
    (void)state;
    screen.compare = (ScreenCompare){.similarity = {.first = -1, .second = -1}};
    redraw(area);
    const Record *maps[3];
    assert_int_equal(maps_drawn(maps), 0);
    fill_compare();
    screen.compare.b = (ScreenMap){0};
    screen.compare.refusal = "choose a head for B";
    redraw(area);
    assert_int_equal(maps_drawn(maps), 1);
}

/* At any size of the matrix: all heads are named if each cell has room for a name. */
static void heads_are_named_where_there_is_room(void **state) {
    (void)state;
    paint.screen = &screen;
    for (int head = 0; head < HEADS; head++)
        ids[head] = (HeadId){SITE_CROSS, head, 3};
    screen.compare.similarity.count = 8;
    screen.compare.similarity.second = -1;
    for (float height = 120; height < 330; height += 9) {
        recorder_start(&recorder);
        hits_clear(&hits);
        draw_similarity(&paint, (Rect){0, 0, 500, height});
        float cell = 0;
        for (int index = 0; index < hits.count; index++)
            if (hits.hits[index].kind == HIT_SIMILARITY) cell = hits.hits[index].row_height;
        int named = 0;
        for (int index = 0; index < 8; index++) {
            char name[16];
            snprintf(name, sizeof name, "%d.3", index);
            named += recorder_find(&recorder, name) != NULL;
        }
        if (height >= 160) assert_int_equal(named, 8);
        assert_true(named == 0 || cell >= 9);
        recorder_check_texts(&recorder, (Rect){0, 0, 500, height});
    }
}

/* Also in a low card, in a smaller font. */
static void figures_are_not_shortened(void **state) {
    (void)state;
    screen.compare.figures =
        "largest |A−B| 1.000 · mean 0.129 · correlation 0.210 · divergence 0.600";
    recorder_start(&recorder);
    draw_compare_rows(&paint, (Rect){0, 0, 430, 150});
    assert_non_null(recorder_find(&recorder, screen.compare.figures));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(three_maps_have_equal_cells, start, end),
        cmocka_unit_test_setup_teardown(the_smallest_cell_counts, start, end),
        cmocka_unit_test_setup_teardown(the_third_card_shows_the_refusal, start, end),
        cmocka_unit_test_setup_teardown(bars_have_the_length_of_divergences, start, end),
        cmocka_unit_test_setup_teardown(spaces_in_names_are_visible, start, end),
        cmocka_unit_test_setup_teardown(many_rows_have_bars_too, start, end),
        cmocka_unit_test_setup_teardown(the_matrix_has_hits, start, end),
        cmocka_unit_test_setup_teardown(an_empty_matrix_has_its_notes, start, end),
        cmocka_unit_test_setup_teardown(the_layout_with_larger_cells_wins, start, end),
        cmocka_unit_test_setup_teardown(everything_stays_in_its_area, start, end),
        cmocka_unit_test_setup_teardown(an_empty_comparison_draws, start, end),
        cmocka_unit_test_setup_teardown(heads_are_named_where_there_is_room, start, end),
        cmocka_unit_test_setup_teardown(figures_are_not_shortened, start, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hits_free(&hits);
    return failed;
}
