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

static int start(void **state) {
    (void)state;
    recorder_start(&recorder);
    hits_clear(&hits);
    screen = (Screen){0};
    paint = (Paint){&recorder.canvas, theme_get(THEME_DARK), &screen, &hits, 1000, 700};
    return 0;
}

static void strips_never_exceed_their_area(void **state) {
    (void)state;
    Rect area = {10, 20, 100, 50};
    Rect top = paint_cut_top(&area, 30), bottom = paint_cut_bottom(&area, 30);
    assert_true(top.y == 20 && top.h == 30);
    assert_true(bottom.y == 50 && bottom.h == 20);
    assert_true(area.h == 0);
    Rect left = paint_cut_left(&area, -5), right = paint_cut_right(&area, 500);
    assert_true(left.w == 0 && right.x == 10 && right.w == 100 && area.w == 0);
    assert_true(paint_is_empty(area));
    assert_true(paint_is_empty((Rect){0, 0, NAN, 5}));
    assert_true(paint_inset((Rect){0, 0, 10, 30}, 8).w == 0);
}

static void texts_stay_within_their_area(void **state) {
    (void)state;
    const char *text = "a text that does not fit into so little";
    for (float width = 0; width < 400; width += 3.7F)
        for (int align = ALIGN_START; align <= ALIGN_END; align++) {
            start(NULL);
            Rect area = {30, 40, width, 20};
            float used = paint_text(&paint, area, text, (PaintText){.align = (TextAlign)align});
            assert_true(used <= width);
            recorder_check_texts(&recorder, area);
            bool whole = recorder_find(&recorder, text) != NULL;
            assert_true(whole == (hits_tip(&hits, 31, 41) == NULL) || width == 0);
        }
}

static void low_areas_have_no_half_texts(void **state) {
    (void)state;
    assert_true(paint_text(&paint, (Rect){0, 0, 100, 8}, "text", (PaintText){0}) == 0);
    assert_true(paint_text(&paint, (Rect){0, 0, 100, -8}, "text", (PaintText){0}) == 0);
    assert_true(paint_text(&paint, (Rect){0, 0, 100, 20}, NULL, (PaintText){0}) == 0);
    assert_int_equal(recorder.count, 0);
    paint_text(&paint, (Rect){0, 0, 20, 20}, "passing text", (PaintText){.passing = true});
    assert_int_equal(hits.count, 0);
}

static void paragraphs_are_wrapped(void **state) {
    (void)state;
    const char *text = "one two three four five six seven eight nine ten";
    Rect area = {0, 0, 90, 200};
    float height = paint_paragraph(&paint, area, text, 20, (PaintText){0});
    assert_true(height == paint_paragraph_height(&paint, 90, text, 20, (PaintText){0}));
    assert_true(recorder.count > 2);
    recorder_check_texts(&recorder, (Rect){0, 0, 90, height});
    recorder_check_overlaps(&recorder);
    assert_int_equal(hits.count, 0);
    start(NULL);
    paint_paragraph(&paint, area, text, 2, (PaintText){0});
    assert_int_equal(recorder.count, 2);
    assert_non_null(strstr(recorder.records[1].text, "…"));
    assert_string_equal(hits_tip(&hits, 5, 5), text);
    start(NULL);
    paint_paragraph(&paint, (Rect){0, 0, 90, 40}, text, 9, (PaintText){0});
    recorder_check_texts(&recorder, (Rect){0, 0, 90, 40});
    assert_non_null(strstr(recorder.records[recorder.count - 1].text, "…"));
}

static void one_overlong_word(void **state) {
    (void)state;
    char text[5000];
    memset(text, 'w', sizeof text);
    text[sizeof text - 1] = '\0';
    Rect area = {0, 0, 90, 60};
    paint_paragraph(&paint, area, text, 9, (PaintText){0});
    recorder_check_texts(&recorder, area);
}

static void buttons_that_fit(void **state) {
    (void)state;
    const ScreenButton buttons[] = {{"first", "the first", "one", false, NULL},
                                    {"second", NULL, NULL, false, NULL},
                                    {"third", NULL, "three", true, NULL}};
    for (float width = 0; width < 300; width += 7) {
        start(NULL);
        Rect area = {50, 10, width, 40};
        Rect rest = paint_buttons_right(&paint, area, buttons, 3);
        assert_true(rest.w >= 0 && rest.x == area.x);
        recorder_check_texts(&recorder, area);
        for (int index = 0; index < hits.count; index++) {
            assert_true(rect_inside(hits.hits[index].area, area, 0.01F));
            assert_true(hits.hits[index].area.x >= rest.x + rest.w);
        }
    }
    assert_int_equal(hits.count, 3);
    assert_string_equal(hits.hits[0].action, "one"); /* in order, from the left */
    assert_true(hits.hits[0].area.x < hits.hits[1].area.x);
    assert_int_equal(hits.hits[1].kind, HIT_PLAIN); /* no action */
    assert_string_equal(hits_tip(&hits, hits.hits[0].area.x + 3, 30), "the first");
}

static void a_slider_is_pressed_where_its_knob_is(void **state) {
    (void)state;
    Rect area = {20, 10, 200, 24};
    for (float share = 0; share <= 1; share += 0.125F) {
        start(NULL);
        paint_slider(&paint, area, share, SLIDER_SNAPSHOT, "which snapshot");
        Rect knob = recorder.records[recorder.count - 1].area;
        Spot spot = hits_at(&hits, knob.x + knob.w / 2, knob.y + knob.h / 2);
        assert_int_equal(spot.hit->kind, HIT_SLIDER);
        assert_int_equal(spot.hit->item, SLIDER_SNAPSHOT);
        assert_true(fabsf(spot.share_x - share) < 1e-5F);
        for (int index = 0; index < recorder.count; index++)
            assert_true(rect_inside(recorder.records[index].area, area, 0.01F));
    }
}

static void bars_show_their_share(void **state) {
    (void)state;
    Rect area = {0, 0, 100, 20};
    paint_bar(&paint, area, 0.25F, color_rgb(1));
    assert_true(recorder.records[1].area.w == 25);
    start(NULL);
    paint_bar(&paint, area, -1, color_rgb(1));
    paint_bar(&paint, area, NAN, color_rgb(1));
    assert_int_equal(recorder.count, 2); /* the troughs */
    paint_bar(&paint, area, 7, color_rgb(1));
    assert_true(recorder.records[3].area.w == 100);
}

static void empty_areas_are_drawn_as_nothing(void **state) {
    (void)state;
    const ScreenButton button = {"press", NULL, "press", false, NULL};
    const Rect areas[] = {{0}, {5, 5, -3, 10}, {5, 5, 10, -3}, {5, 5, 0, 10}};
    for (int index = 0; index < 4; index++) {
        paint_card(&paint, areas[index], (Color){0});
        paint_button(&paint, areas[index], &button);
        paint_buttons_right(&paint, areas[index], &button, 1);
        paint_bar(&paint, areas[index], 1, color_rgb(1));
        paint_slider(&paint, areas[index], 1, SLIDER_THRESHOLD, NULL);
        paint_paragraph(&paint, areas[index], "text", 3, (PaintText){0});
        draw_scale(&paint, areas[index], 1, false, "weight");
    }
    assert_int_equal(recorder.count, 0);
    assert_int_equal(hits.count, 0);
}

static void scales_name_their_ends(void **state) {
    (void)state;
    draw_scale(&paint, (Rect){0, 0, 200, 30}, 0.5F, false, "weight");
    assert_non_null(recorder_find(&recorder, "0"));
    assert_non_null(recorder_find(&recorder, "0.5"));
    assert_non_null(recorder_find(&recorder, "weight"));
    start(NULL);
    draw_scale(&paint, (Rect){0, 0, 300, 18}, 0.67F, true, "A − B");
    assert_non_null(recorder_find(&recorder, "−0.67"));
    assert_non_null(recorder_find(&recorder, "+0.67"));
    assert_true(recorder_count(&recorder, RECORD_CELLS) == 1);
    for (float width = 1; width < 300; width += 5)
        for (float height = 1; height < 50; height += 6) {
            start(NULL);
            Rect area = {0, 0, width, height};
            draw_scale(&paint, area, 1, true, "a long caption for a scale");
            recorder_check_texts(&recorder, area);
            recorder_check_overlaps(&recorder);
        }
}

static void bars_of_next_to_nothing(void **state) {
    (void)state;
    Rect area = {0, 0, 100, 20};
    paint_bar(&paint, area, 0.001F, color_rgb(1));
    paint_bar(&paint, area, 0.04F, color_rgb(1));
    assert_int_equal(recorder.count, 4);
    float least = recorder.records[1].area.w, more = recorder.records[3].area.w;
    assert_true(least >= 1 && least <= 2 && more > least);
}

/* Whatever is beside a button stays where it is while it counts, or says the opposite. */
static void buttons_keep_their_width(void **state) {
    (void)state;
    const ScreenButton nine = {.label = "step 9 of 11"}, ten = {.label = "step 10 of 11"};
    assert_true(paint_button_width(&paint, &nine) == paint_button_width(&paint, &ten));
    const ScreenButton plain = {.label = "play"}, both = {.label = "play", .other = "pause"};
    const ScreenButton other = {.label = "pause", .other = "play"};
    assert_true(paint_button_width(&paint, &both) > paint_button_width(&paint, &plain));
    assert_true(paint_button_width(&paint, &both) == paint_button_width(&paint, &other));
    char label[400];
    memset(label, '7', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    const ScreenButton lengthy = {.label = label};
    assert_true(paint_button_width(&paint, &lengthy) > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(strips_never_exceed_their_area, start),
        cmocka_unit_test_setup(texts_stay_within_their_area, start),
        cmocka_unit_test_setup(low_areas_have_no_half_texts, start),
        cmocka_unit_test_setup(paragraphs_are_wrapped, start),
        cmocka_unit_test_setup(one_overlong_word, start),
        cmocka_unit_test_setup(buttons_that_fit, start),
        cmocka_unit_test_setup(a_slider_is_pressed_where_its_knob_is, start),
        cmocka_unit_test_setup(bars_show_their_share, start),
        cmocka_unit_test_setup(empty_areas_are_drawn_as_nothing, start),
        cmocka_unit_test_setup(scales_name_their_ends, start),
        cmocka_unit_test_setup(bars_of_next_to_nothing, start),
        cmocka_unit_test_setup(buttons_keep_their_width, start),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recorder_free(&recorder);
    hits_free(&hits);
    return failed;
}
