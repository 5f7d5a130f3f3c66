#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_screen.h"

static Stage stage;

static int make(void **state) {
    (void)state;
    stage_make(&stage, (StageSize){2, 4, 11, 9});
    return 0;
}

static int end(void **state) {
    (void)state;
    stage_free(&stage);
    return 0;
}

static void check(float width, float height) {
    Rect window = {0, 0, width, height};
    stage_draw(&stage, width, height);
    recorder_check_texts(&stage.recorder, window);
    for (int index = 0; index < stage.hits.count; index++)
        assert_true(rect_inside(stage.hits.hits[index].area, window, 4));
}

static const float sizes[][2] = {{1, 1},      {1, 900},    {900, 1},    {40, 40},
                                 {300, 200},  {500, 1200}, {719, 500},  {900, 600},
                                 {1149, 700}, {1280, 800}, {1440, 900}, {3840, 2160}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void texts_stay_in_the_window_without_overlap(void **state) {
    (void)state;
    for (int size = 0; size < SIZES; size++)
        for (int world = 0; world < 2; world++) {
            stage.screen.world = world ? "cross.0.2 is out (zero)" : NULL;
            stage.screen.world_buttons = stage_world;
            stage.screen.world_button_count = 2;
            stage.screen.notice = world ? "press a to knock the selected head out" : NULL;
            check(sizes[size][0], sizes[size][1]);
            recorder_check_overlaps(&stage.recorder);
        }
}

static void all_pages_draw_at_all_sizes(void **state) {
    (void)state;
    for (int page = 0; page < PAGE_COUNT; page++)
        for (int open = 0; open < 2; open++)
            for (int size = 0; size < SIZES; size++) {
                stage.screen.page = (ScreenPage)page;
                stage.screen.focus.open = open;
                check(sizes[size][0], sizes[size][1]);
            }
}

static void an_empty_screen_draws(void **state) {
    (void)state;
    stage.screen = (Screen){0};
    check(900, 600);
    draw_screen(&stage.recorder.canvas, &stage.screen, 0, -5, &stage.hits);
    assert_int_equal(stage.hits.count, 0);
}

/* True if the side columns are drawn. */
static bool has_side(void) {
    return recorder_find(&stage.recorder, "step 4: next token") != NULL;
}

static bool has_overview(void) {
    return stage_count(&stage, HIT_THUMBNAIL) > 0;
}

static void columns_fold_away(void **state) {
    (void)state;
    stage_draw(&stage, 1150, 800);
    assert_true(has_side() && has_overview());
    stage_draw(&stage, 1149, 800);
    assert_true(!has_side() && has_overview());
    stage_draw(&stage, 719, 800);
    assert_true(!has_side() && !has_overview());
    stage.screen.presentation = true;
    stage_draw(&stage, 1920, 1080);
    assert_true(!has_side() && !has_overview());
}

static float panel_cell(void) {
    return stage_find(&stage, HIT_CELLS, (HeadId){SITE_CROSS, 0, 0})->row_height;
}

static void presenting_enlarges_the_panels(void **state) {
    (void)state;
    stage_draw(&stage, 1280, 720);
    float before = panel_cell();
    stage.screen.presentation = true;
    stage_draw(&stage, 1280, 720);
    assert_true(panel_cell() > 1.15F * before);
}

static void there_is_one_scale(void **state) {
    (void)state;
    stage_draw(&stage, 1440, 900);
    assert_non_null(recorder_find(&stage.recorder, "weight, same for all"));
    assert_null(recorder_find(&stage.recorder, "weight"));
    stage.screen.presentation = true;
    stage_draw(&stage, 1440, 900);
    assert_non_null(recorder_find(&stage.recorder, "weight"));
}

static void panels_share_one_size_of_cells(void **state) {
    (void)state;
    for (int heads = 1; heads <= STAGE_PANELS; heads++) {
        stage_free(&stage);
        stage_make(&stage, (StageSize){1, heads, 7, 12});
        stage_draw(&stage, 1440, 900);
        const Hit *first = stage_find(&stage, HIT_CELLS, (HeadId){SITE_CROSS, 0, 0});
        for (int head = 0; head < heads; head++) {
            HeadId id = {SITE_CROSS, 0, head};
            const Hit *hit = stage_find(&stage, HIT_CELLS, id);
            assert_non_null(hit);
            assert_true(hit->row_height == first->row_height);
            assert_true(hit->column_width == first->column_width);
            Spot spot = hits_at(&stage.hits, hit->area.x + 3.5F * hit->column_width,
                                hit->area.y + 5.5F * hit->row_height);
            assert_true(spot.hit->kind == HIT_CELLS && head_id_same(spot.hit->id, id));
            assert_int_equal(spot.row, 5);
            assert_int_equal(spot.column, 3);
        }
    }
}

static void panels_share_one_size_with_different_tokens(void **state) {
    (void)state;
    static const char *const words[] = {"several",   "words",  "which", "lengthy",
                                        "than",      "others", "are",   "here",
                                        "and there", "too",    ""};
    SceneAxes axes = {.rows = words, .columns = words};
    stage.maps[0].axes = &axes;
    stage_draw(&stage, 900, 600);
    const Hit *one = stage_find(&stage, HIT_CELLS, (HeadId){SITE_CROSS, 0, 0});
    const Hit *other = stage_find(&stage, HIT_CELLS, (HeadId){SITE_CROSS, 0, 3});
    assert_true(one->row_height == other->row_height);
    assert_true(one->column_width == other->column_width);
    assert_non_null(recorder_find(&stage.recorder, "lengthy")); /* the smaller of the cells */
    recorder_check_overlaps(&stage.recorder);
}

static void a_thumbnail_for_each_head(void **state) {
    (void)state;
    static const StageSize models[] = {{1, 1, 4, 4},   {2, 4, 11, 9},  {6, 8, 20, 20},
                                       {12, 16, 5, 5}, {24, 16, 5, 5}, {24, 1, 3, 3}};
    for (int model = 0; model < 6; model++) {
        stage_free(&stage);
        stage_make(&stage, models[model]);
        stage_draw(&stage, 1280, 800);
        int all = SITE_COUNT * models[model].layers * models[model].heads;
        assert_int_equal(stage_count(&stage, HIT_THUMBNAIL), all);
        HeadId last = {SITE_CROSS, models[model].layers - 1, models[model].heads - 1};
        Rect area = stage_find(&stage, HIT_THUMBNAIL, last)->area;
        assert_true(area.w >= 4 && area.w <= 90);
        Spot spot = hits_at(&stage.hits, area.x + area.w / 2, area.y + area.h / 2);
        assert_true(head_id_same(spot.hit->id, last));
        recorder_check_texts(&stage.recorder, (Rect){0, 0, 1280, 800});
        recorder_check_overlaps(&stage.recorder);
    }
}

static int lines_in(Rect area) {
    int count = 0;
    for (int index = 0; index < stage.recorder.count; index++) {
        const Record *record = &stage.recorder.records[index];
        count += record->kind == RECORD_LINE && rect_inside(record->area, area, 0);
    }
    return count;
}

static void ablated_thumbnails_are_crossed(void **state) {
    (void)state;
    stage.struck[1 * 4 + 3] = true;
    stage_draw(&stage, 1280, 800);
    HeadId out = {SITE_ENCODER, 1, 3}, in = {SITE_ENCODER, 1, 2};
    assert_int_equal(lines_in(stage_find(&stage, HIT_THUMBNAIL, out)->area), 2);
    assert_int_equal(lines_in(stage_find(&stage, HIT_THUMBNAIL, in)->area), 0);
}

static void partly_written_maps(void **state) {
    (void)state;
    stage_draw(&stage, 1280, 800);
    HeadId id = {SITE_DECODER, 0, 0};
    stage.screen.overview.rows[SITE_DECODER] = 18;
    stage_draw(&stage, 1280, 800);
    Rect area = stage_find(&stage, HIT_THUMBNAIL, id)->area;
    for (int index = 0; index < stage.recorder.count; index++) {
        const Record *record = &stage.recorder.records[index];
        if (record->kind != RECORD_CELLS || !rect_inside(record->area, area, 0)) continue;
        assert_true(fabsf(record->area.h - record->area.w / 2) < 0.5F);
        return;
    }
    fail();
}

static void sections_need_their_first_line(void **state) {
    (void)state;
    for (float height = 200; height < 1000; height += 13) {
        stage_draw(&stage, 1200, height);
        recorder_check_overlaps(&stage.recorder);
        /* No title is drawn without its first line. */
        bool title = recorder_find(&stage.recorder, "most alike") != NULL;
        int lines = 0;
        for (int index = 0; index < stage.recorder.count; index++)
            lines += strncmp(stage.recorder.records[index].text, "reads the letter", 16) == 0;
        assert_true(!title || lines == 3);
    }
}

static void bars_can_be_pressed(void **state) {
    (void)state;
    stage_draw(&stage, 1440, 900);
    for (int index = 0; index < stage.hits.count; index++) {
        const Hit *hit = &stage.hits.hits[index];
        if (hit->action && strcmp(hit->action, "select cross.1.0") == 0) return;
    }
    fail();
}

static void the_status_comes_before_the_keys(void **state) {
    (void)state;
    stage_draw(&stage, 500, 400);
    assert_non_null(recorder_find(&stage.recorder, stage.screen.status));
    assert_null(recorder_find(&stage.recorder, stage.screen.keys));
    stage_draw(&stage, 1440, 900);
    assert_non_null(recorder_find(&stage.recorder, stage.screen.keys));
}

static void the_caret_of_a_prompt_is_visible(void **state) {
    (void)state;
    char text[400];
    memset(text, 'm', sizeof text);
    text[sizeof text - 1] = '\0';
    stage.screen.prompt = text;
    for (int caret = 0; caret < 400; caret += 19) {
        stage.screen.prompt_caret = caret;
        stage_draw(&stage, 600, 400);
        bool found = false;
        for (int index = 0; index < stage.recorder.count; index++) {
            const Record *record = &stage.recorder.records[index];
            found = found || (record->kind == RECORD_FILL && record->area.w == 2 &&
                              rect_inside(record->area, (Rect){0, 370, 600, 30}, 0));
        }
        assert_true(found);
    }
}

static void tips_stay_in_the_window(void **state) {
    (void)state;
    stage.screen.tip = "a tip that is rather long and wants to be wrapped, because it explains "
                       "what a control does, with its key";
    for (float x = -50; x < 950; x += 49)
        for (float y = -50; y < 650; y += 49) {
            stage.screen.pointer_x = x, stage.screen.pointer_y = y;
            recorder_start(&stage.recorder);
            Paint paint = {&stage.recorder.canvas,
                           theme_get(THEME_DARK),
                           &stage.screen,
                           &stage.hits,
                           900,
                           600};
            draw_tip(&paint, (Rect){0, 0, 900, 600});
            assert_true(stage.recorder.count > 3);
            for (int index = 0; index < stage.recorder.count; index++)
                assert_true(
                    rect_inside(stage.recorder.records[index].area, (Rect){0, 0, 900, 600}, 0.5F));
        }
}

/* The smallest text drawn. */
static float smallest_text(void) {
    float least = INFINITY;
    for (int index = 0; index < stage.recorder.count; index++)
        if (stage.recorder.records[index].kind == RECORD_TEXT)
            least = fminf(least, stage.recorder.records[index].style.size);
    return least;
}

/* At any resolution of a projector, texts take the same share of the height, and hits match what is
 * drawn. */
static void a_presentation_has_large_texts(void **state) {
    (void)state;
    const float pictures[][2] = {{1280, 800}, {1920, 1080}, {2560, 1440}};
    stage.screen.presentation = true;
    for (int picture = 0; picture < 3; picture++) {
        float width = pictures[picture][0], height = pictures[picture][1];
        check(width, height);
        recorder_check_overlaps(&stage.recorder);
        assert_true(smallest_text() >= 0.014F * height);
        const Record *title = recorder_find(&stage.recorder, "head 0");
        Spot spot = hits_at(&stage.hits, title->area.x + 2, title->area.y + 2);
        assert_true(spot.hit->kind == HIT_ACTION && strcmp(spot.hit->action, "select") == 0);
    }
    /* a larger text scale still enlarges them */
    stage_draw(&stage, 1920, 1080);
    float before = smallest_text();
    stage.screen.text_scale = 1.25F;
    stage_draw(&stage, 1920 / 1.25F, 1080 / 1.25F);
    assert_true(smallest_text() * 1.25F >= before);
}

static void check_area(int record, Rect expected) {
    Rect area = stage.recorder.records[record].area;
    assert_true(area.x == expected.x && area.y == expected.y);
    assert_true(area.w == expected.w && area.h == expected.h);
}

/* The zoom of a canvas enlarges all primitives, sizes and widths. */
static void a_zoomed_canvas_enlarges_everything(void **state) {
    (void)state;
    recorder_start(&stage.recorder);
    Canvas *canvas = &stage.recorder.canvas;
    const Rect area = {1, 2, 30, 40}, doubled = {2, 4, 60, 80};
    const Color color = {0, 0, 0, 255};
    float width = canvas_text_width(canvas, "text", 12, false);
    canvas->zoom = 2;
    assert_true(canvas_text_width(canvas, "text", 12, false) == width);
    canvas_clip_push(canvas, area);
    canvas_fill(canvas, area, color);
    canvas_round_fill(canvas, area, 3, color);
    canvas_round_frame(canvas, area, 3, 1, color);
    canvas_hatch(canvas, area, color, color);
    float value = 1;
    canvas_cells(canvas, &(CellMap){.area = area, .rows = 1, .columns = 1, .values = &value});
    for (int record = 0; record < 5; record++)
        check_area(record, doubled);
    Rect clip = stage.recorder.records[0].clip;
    assert_true(clip.w <= doubled.w && clip.h <= doubled.h);
    canvas_clip_pop(canvas);
    canvas_text(canvas, 5, 6, "text", &(TextStyle){.size = 12, .color = color});
    assert_true(stage.recorder.records[5].style.size == 24);
    assert_true(stage.recorder.records[5].area.x == 10);
    canvas->zoom = 1;
    canvas_fill(canvas, area, color);
    check_area(6, area);
}

/* Large windows have large thumbnails, and numbers in the cells of panels. */
static void a_large_window_has_large_cells(void **state) {
    (void)state;
    stage_free(&stage);
    stage_make(&stage, (StageSize){2, 4, 8, 8});
    float weights[64];
    int seen[8] = {8, 8, 8, 8, 8, 8, 8, 8};
    for (int cell = 0; cell < 64; cell++)
        weights[cell] = 0.125F;
    trace_write(stage.fixture.trace, (HeadId){SITE_CROSS, 0, 0}, weights, 8, seen);
    stage_draw(&stage, 1280, 800);
    float small = stage_find(&stage, HIT_THUMBNAIL, (HeadId){SITE_CROSS, 0, 0})->area.w;
    stage_draw(&stage, 2560, 1440);
    float large = stage_find(&stage, HIT_THUMBNAIL, (HeadId){SITE_CROSS, 0, 0})->area.w;
    assert_true(large > 1.6F * small);
    assert_non_null(recorder_find(&stage.recorder, ".12"));
}

/* A bar whose value is shown as 0 has no length. */
static void zero_values_have_no_bar(void **state) {
    (void)state;
    ScreenBar bars[] = {{.name = "one", .value = "0.001", .share = 0.001F},
                        {.name = "other", .value = "0.000", .share = 0.0004F}};
    ScreenSection section = {.title = "step 1", .bars = bars, .bar_count = 2};
    stage.screen.sections = &section;
    stage.screen.section_count = 1;
    stage_draw(&stage, 1280, 800);
    for (int bar = 0; bar < 2; bar++) {
        float y = recorder_find(&stage.recorder, bars[bar].value)->area.y;
        int filled = 0;
        for (int index = 0; index < stage.recorder.count; index++) {
            const Record *record = &stage.recorder.records[index];
            filled += record->kind == RECORD_ROUND && record->area.h == 6 &&
                      fabsf(record->area.y - y) < 12 &&
                      record->color.g == theme_get(THEME_DARK)->accent.g;
        }
        assert_int_equal(filled, bar == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_stay_in_the_window_without_overlap, make, end),
        cmocka_unit_test_setup_teardown(all_pages_draw_at_all_sizes, make, end),
        cmocka_unit_test_setup_teardown(an_empty_screen_draws, make, end),
        cmocka_unit_test_setup_teardown(columns_fold_away, make, end),
        cmocka_unit_test_setup_teardown(presenting_enlarges_the_panels, make, end),
        cmocka_unit_test_setup_teardown(there_is_one_scale, make, end),
        cmocka_unit_test_setup_teardown(panels_share_one_size_of_cells, make, end),
        cmocka_unit_test_setup_teardown(panels_share_one_size_with_different_tokens, make, end),
        cmocka_unit_test_setup_teardown(a_thumbnail_for_each_head, make, end),
        cmocka_unit_test_setup_teardown(ablated_thumbnails_are_crossed, make, end),
        cmocka_unit_test_setup_teardown(partly_written_maps, make, end),
        cmocka_unit_test_setup_teardown(sections_need_their_first_line, make, end),
        cmocka_unit_test_setup_teardown(bars_can_be_pressed, make, end),
        cmocka_unit_test_setup_teardown(the_status_comes_before_the_keys, make, end),
        cmocka_unit_test_setup_teardown(the_caret_of_a_prompt_is_visible, make, end),
        cmocka_unit_test_setup_teardown(tips_stay_in_the_window, make, end),
        cmocka_unit_test_setup_teardown(a_presentation_has_large_texts, make, end),
        cmocka_unit_test_setup_teardown(a_zoomed_canvas_enlarges_everything, make, end),
        cmocka_unit_test_setup_teardown(a_large_window_has_large_cells, make, end),
        cmocka_unit_test_setup_teardown(zero_values_have_no_bar, make, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recorder_free(&stage.recorder);
    hits_free(&stage.hits);
    return failed;
}
