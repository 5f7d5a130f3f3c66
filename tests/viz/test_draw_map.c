#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_recorder.h"

static Recorder recorder;
static HitList hits;
static Screen screen;
static Paint paint;
static Fixture fixture, other;

enum { ROWS = 5, COLUMNS = 8 };
static const HeadId head = {SITE_CROSS, 0, 0};

static void write_map(Fixture *written, float weight, int seen) {
    float weights[ROWS * COLUMNS];
    int key_len[ROWS];
    for (int cell = 0; cell < ROWS * COLUMNS; cell++)
        weights[cell] = weight;
    for (int row = 0; row < ROWS; row++)
        key_len[row] = seen;
    trace_write(written->trace, head, weights, COLUMNS, key_len);
}

static int start(void **state) {
    (void)state;
    recorder_start(&recorder);
    hits_clear(&hits);
    screen = (Screen){.top = 1};
    paint = (Paint){&recorder.canvas, theme_get(THEME_LIGHT), &screen, &hits, 1000, 700};
    return 0;
}

static int make(void **state) {
    TraceShape shapes[SITE_COUNT] = {[SITE_CROSS] = {1, 1, ROWS, COLUMNS}};
    fixture_make(&fixture, shapes);
    fixture_make(&other, shapes);
    write_map(&fixture, 0.75F, 6);
    write_map(&other, 0.5F, 7);
    return start(state);
}

static int end(void **state) {
    (void)state;
    fixture_free(&fixture);
    fixture_free(&other);
    return 0;
}

static ScreenMap plain_map(void) {
    return (ScreenMap){.trace = fixture.trace,
                       .id = head,
                       .axes = &fixture.scene.axes[SITE_CROSS],
                       .rows = ROWS,
                       .columns = COLUMNS,
                       .title = "head 0",
                       .note = "diagonal",
                       .lit_row = -1,
                       .lit_column = -1,
                       .pinned_row = -1,
                       .pinned_column = -1,
                       .example = 1,
                       .action = "head cross.0.0"};
}

static const MapStyle full = {.title = true, .labels = true, .numbers = true};

static const Hit *find_hit(HitKind kind) {
    for (int index = 0; index < hits.count; index++)
        if (hits.hits[index].kind == kind) return &hits.hits[index];
    return NULL;
}

static const Record *find_record(RecordKind kind) {
    for (int index = 0; index < recorder.count; index++)
        if (recorder.records[index].kind == kind) return &recorder.records[index];
    return NULL;
}

static void hits_match_cells(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    draw_map(&paint, (Rect){100, 50, 400, 300}, &map, full);
    const Record *cells = find_record(RECORD_CELLS);
    assert_int_equal(recorder_count(&recorder, RECORD_CELLS), 1);
    float size = cells->area.w / COLUMNS;
    assert_true(size >= 30 && size == cells->area.h / ROWS);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++) {
            Spot spot = hits_at(&hits, cells->area.x + ((float)column + 0.5F) * size,
                                cells->area.y + ((float)row + 0.5F) * size);
            assert_int_equal(spot.hit->kind, HIT_CELLS);
            assert_int_equal(spot.row, row);
            assert_int_equal(spot.column, column);
            assert_int_equal(spot.hit->example, 1);
            assert_true(head_id_same(spot.hit->id, head));
        }
    Spot spot = hits_at(&hits, cells->area.x - 8, cells->area.y + 2.5F * size);
    assert_int_equal(spot.hit->kind, HIT_ROWS);
    assert_int_equal(spot.row, 2);
    assert_int_equal(spot.column, -1);
    spot = hits_at(&hits, cells->area.x + 3.5F * size, cells->area.y - 8);
    assert_int_equal(spot.hit->kind, HIT_COLUMNS);
    assert_int_equal(spot.column, 3);
    assert_int_equal(spot.row, -1);
    const Record *title = recorder_find(&recorder, "head 0");
    spot = hits_at(&hits, title->area.x + 2, title->area.y + 2);
    assert_string_equal(spot.hit->action, "head cross.0.0");
    assert_int_equal(hits_at(&hits, 102, 340).hit->kind, HIT_MAP);
    assert_null(hits_at(&hits, 99, 340).hit);
    assert_non_null(recorder_find(&recorder, "diagonal"));
    assert_non_null(recorder_find(&recorder, ".75"));
}

static void everything_stays_in_its_area(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    map.lit_row = 2, map.lit_column = 3, map.pinned_row = 4, map.pinned_column = 7;
    const char *const texts[] = {"t0", "A rather long token", "m", "another→one", "→"};
    for (int text = 0; text < 5; text++)
        for (float width = 1; width < 900; width *= 1.7F)
            for (float height = 1; height < 900; height *= 1.7F) {
                for (int index = 0; index < COLUMNS; index++)
                    fixture.tokens[index] = texts[(index * text) % 5];
                start(NULL);
                Rect area = {10, 10, width, height};
                draw_map(&paint, area, &map, full);
                recorder_check_texts(&recorder, area);
                for (int index = 0; index < hits.count; index++)
                    assert_true(rect_inside(hits.hits[index].area, area, 1));
                MapStyle style = full;
                style.cell = map_cell_max(&paint, area, &map, style);
                Rect room = map_room(&paint, area, &map, style);
                assert_true(rect_inside(room, area, 0.01F));
                start(NULL);
                draw_map(&paint, room, &map, style);
                recorder_check_texts(&recorder, area);
                const Record *cells = find_record(RECORD_CELLS);
                if (cells && style.cell > 0)
                    assert_true(fabsf(cells->area.w - style.cell * COLUMNS) < 0.1F);
            }
}

static void labels_are_thinned(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 100, 100}};
    Fixture large;
    fixture_make(&large, shapes);
    ScreenMap map = plain_map();
    map.trace = large.trace, map.id = (HeadId){0};
    map.axes = &large.scene.axes[SITE_ENCODER];
    map.rows = map.columns = 100;
    map.title = map.note = NULL;
    map.lit_row = 51, map.pinned_column = 33;
    draw_map(&paint, (Rect){0, 0, 300, 300}, &map, full);
    recorder_check_overlaps(&recorder);
    recorder_check_texts(&recorder, (Rect){0, 0, 300, 300});
    assert_in_range(recorder_count(&recorder, RECORD_TEXT), 10, 60);
    assert_non_null(recorder_find(&recorder, "t51"));
    assert_non_null(recorder_find(&recorder, "t33"));
    fixture_free(&large);
}

static void long_tokens_leave_room_for_cells(void **state) {
    (void)state;
    for (int index = 0; index < COLUMNS; index++)
        fixture.tokens[index] = "a token of a good many words";
    ScreenMap map = plain_map();
    Rect area = {0, 0, 300, 250};
    draw_map(&paint, area, &map, full);
    const Record *cells = find_record(RECORD_CELLS);
    assert_true(cells->area.w > 0.5F * area.w && cells->area.h > 0.4F * area.h);
    recorder_check_texts(&recorder, area);
}

static void unwritten_cells_are_empty(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    map.rows = ROWS + 3;
    draw_map(&paint, (Rect){0, 0, 400, 400}, &map, full);
    const Record *cells = find_record(RECORD_CELLS);
    assert_int_equal(cells->cells.rows, ROWS);
    const Hit *hit = find_hit(HIT_CELLS);
    assert_int_equal(hit->rows, ROWS + 3);
    assert_true(hit->area.h > cells->area.h + 1);
    assert_non_null(recorder_find(&recorder, "t7"));
}

static void masks_are_hatched(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    draw_map(&paint, (Rect){0, 0, 400, 300}, &map, full);
    const Record *cells = find_record(RECORD_CELLS), *hatch = find_record(RECORD_HATCH);
    assert_int_equal(recorder_count(&recorder, RECORD_HATCH), 1);
    assert_true(fabsf(hatch->area.x - cells->area.x - cells->area.w * 6 / 8) < 0.01F);
    assert_true(fabsf(hatch->area.w - cells->area.w * 2 / 8) < 0.01F);
}

static void differences_are_masked_where_both_are(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    map.minus = other.trace, map.minus_id = head;
    screen.compare.reach = 0.5F;
    draw_map(&paint, (Rect){0, 0, 400, 300}, &map, full);
    const Record *cells = find_record(RECORD_CELLS), *hatch = find_record(RECORD_HATCH);
    assert_true(cells->cells.diverging);
    assert_true(cells->cells.top == 0.5F);
    assert_true(fabsf(hatch->area.w - cells->area.w / 8) < 0.01F);
    assert_non_null(recorder_find(&recorder, ".25"));
    assert_non_null(recorder_find(&recorder, "−.50")); /* masked only in the first map */
}

static void nan_cells_are_crossed(void **state) {
    (void)state;
    const float weights[ROWS * COLUMNS] = {[9] = NAN};
    trace_write(fixture.trace, head, weights, COLUMNS, NULL);
    ScreenMap map = plain_map();
    draw_map(&paint, (Rect){0, 0, 400, 300}, &map, full);
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 2);
    Spot spot = hits_at(&hits, find_record(RECORD_LINE)->area.x, find_record(RECORD_LINE)->area.y);
    assert_int_equal(spot.row, 1);
    assert_int_equal(spot.column, 1);
    write_map(&fixture, 0.75F, 6);
}

static void ablated_heads_are_marked(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    map.struck = true;
    map.note = NULL;
    draw_map(&paint, (Rect){0, 0, 400, 300}, &map, full);
    assert_non_null(recorder_find(&recorder, "out"));
    assert_int_equal(recorder_count(&recorder, RECORD_LINE), 2);
    start(NULL);
    map.note = "out (mean)";
    draw_map(&paint, (Rect){0, 0, 400, 300}, &map, full);
    assert_non_null(recorder_find(&recorder, "out (mean)"));
    assert_null(recorder_find(&recorder, "out"));
}

static void a_part_of_a_zoomed_map(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    MapStyle style = {.labels = true, .zoom = 4, .left = 0.4F, .top = 0.5F, .focus = true};
    draw_map(&paint, (Rect){0, 0, 500, 300}, &map, style);
    const Hit *hit = NULL;
    for (int index = 0; index < hits.count; index++)
        if (hits.hits[index].row_height > 0 && hits.hits[index].column_width > 0)
            hit = &hits.hits[index];
    assert_int_equal(hit->kind, HIT_FOCUS);
    assert_int_equal(hit->first_column, 3); /* 0.4 of 8 is 3.2 */
    assert_int_equal(hit->first_row, 2);
    float whole = hit->column_width * COLUMNS;
    assert_true(fabsf(hit->area.w * 4 - whole) < 0.5F);
    assert_true(fabsf(hit->shift_x - 0.2F * hit->column_width) < 0.5F);
    const Record *cells = find_record(RECORD_CELLS);
    assert_true(rect_inside(cells->clip, hit->area, 0.01F));
    Spot spot = hits_at(&hits, hit->area.x + 1, hit->area.y + 1);
    assert_int_equal(spot.column, 3);
    spot = hits_at(&hits, hit->area.x + hit->area.w - 1, hit->area.y + hit->area.h - 1);
    assert_int_equal(spot.column, 5); /* up to 5.2 */
    assert_int_equal(spot.row, 3);    /* up to 3.75 */
    style.left = 5, style.top = -3, style.zoom = 1e9F;
    start(NULL);
    draw_map(&paint, (Rect){0, 0, 500, 300}, &map, style);
    recorder_check_texts(&recorder, (Rect){0, 0, 500, 300});
}

static void empty_maps_draw(void **state) {
    (void)state;
    ScreenMap map = plain_map();
    map.rows = map.columns = 0;
    draw_map(&paint, (Rect){0, 0, 500, 300}, &map, full);
    assert_int_equal(recorder_count(&recorder, RECORD_CELLS), 0);
    map = plain_map();
    map.trace = NULL, map.axes = NULL, map.title = NULL, map.note = NULL;
    draw_map(&paint, (Rect){0, 0, 500, 300}, &map, full);
    map = plain_map();
    map.id.layer = 7; /* not in the trace */
    draw_map(&paint, (Rect){0, 0, 500, 300}, &map, full);
    assert_int_equal(recorder_count(&recorder, RECORD_CELLS), 0);
    assert_int_equal(recorder.depth, 0);
}

/* 0 differs from weights that round to 0; without `tiny`, neither has a number. */
static void small_weights_differ_from_zero(void **state) {
    (void)state;
    const float weights[ROWS * COLUMNS] = {0.004F, 0, 0.006F, 1};
    trace_write(fixture.trace, head, weights, COLUMNS, NULL);
    ScreenMap map = plain_map();
    MapStyle style = {.labels = true, .numbers = true, .tiny = true};
    draw_map(&paint, (Rect){0, 0, 500, 400}, &map, style);
    const char *const texts[] = {"<.01", "0", ".01", "1"};
    for (int text = 0; text < 4; text++)
        assert_non_null(recorder_find(&recorder, texts[text]));
    start(NULL);
    style.tiny = false;
    draw_map(&paint, (Rect){0, 0, 500, 400}, &map, style);
    for (int text = 0; text < 4; text++)
        assert_true((recorder_find(&recorder, texts[text]) != NULL) == (text >= 2));
    map.minus = fixture.trace, map.minus_id = head, map.trace = other.trace;
    const float less[ROWS * COLUMNS] = {0};
    trace_write(other.trace, head, less, COLUMNS, NULL);
    screen.compare.reach = 1;
    style.tiny = true;
    draw_map(&paint, (Rect){0, 0, 500, 400}, &map, style);
    assert_non_null(recorder_find(&recorder, ">−.01"));
    assert_non_null(recorder_find(&recorder, "−1"));
    write_map(&fixture, 0.75F, 6);
    write_map(&other, 0.5F, 7);
}

/* At any position of a zoomed map. */
static void numbers_are_not_cut(void **state) {
    (void)state;
    write_map(&fixture, 0.75F, COLUMNS);
    ScreenMap map = plain_map();
    MapStyle style = {.numbers = true, .tiny = true, .zoom = 3, .focus = true};
    int numbers = 0;
    for (style.left = 0; style.left < 0.66F; style.left += 0.013F) {
        start(NULL);
        style.top = style.left;
        draw_map(&paint, (Rect){0, 0, 500, 300}, &map, style);
        Rect cells = find_hit(HIT_FOCUS)->area;
        for (int index = 0; index < hits.count; index++)
            if (hits.hits[index].row_height > 0) cells = hits.hits[index].area;
        for (int index = 0; index < recorder.count; index++) {
            const Record *record = &recorder.records[index];
            if (record->kind != RECORD_TEXT) continue;
            assert_true(rect_inside(record->area, cells, 2));
            numbers++;
        }
    }
    assert_true(numbers > 50 * 4);
    write_map(&fixture, 0.75F, 6);
}

/* A smaller font is preferred to `…`. */
static void tokens_are_not_shortened(void **state) {
    (void)state;
    static const char *const words[] = {"w", "w", "w", "w", "w", "w", "w", "wordsen", ""};
    SceneAxes axes = {.rows = words, .columns = words};
    ScreenMap map = plain_map();
    map.axes = &axes;
    for (float height = 130; height < 300; height += 7) {
        start(NULL);
        draw_map(&paint, (Rect){0, 0, 400, height}, &map, (MapStyle){.labels = true, .wide = 1.5F});
        assert_non_null(recorder_find(&recorder, "wordsen"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hits_match_cells, make, end),
        cmocka_unit_test_setup_teardown(everything_stays_in_its_area, make, end),
        cmocka_unit_test_setup_teardown(labels_are_thinned, make, end),
        cmocka_unit_test_setup_teardown(long_tokens_leave_room_for_cells, make, end),
        cmocka_unit_test_setup_teardown(unwritten_cells_are_empty, make, end),
        cmocka_unit_test_setup_teardown(masks_are_hatched, make, end),
        cmocka_unit_test_setup_teardown(differences_are_masked_where_both_are, make, end),
        cmocka_unit_test_setup_teardown(nan_cells_are_crossed, make, end),
        cmocka_unit_test_setup_teardown(ablated_heads_are_marked, make, end),
        cmocka_unit_test_setup_teardown(a_part_of_a_zoomed_map, make, end),
        cmocka_unit_test_setup_teardown(empty_maps_draw, make, end),
        cmocka_unit_test_setup_teardown(small_weights_differ_from_zero, make, end),
        cmocka_unit_test_setup_teardown(numbers_are_not_cut, make, end),
        cmocka_unit_test_setup_teardown(tokens_are_not_shortened, make, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recorder_free(&recorder);
    hits_free(&hits);
    return failed;
}
