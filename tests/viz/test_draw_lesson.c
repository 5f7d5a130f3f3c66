/* A lesson's page, drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/viz/helper_lesson.h"
#include "tests/viz/helper_recorder.h"
#include "viz/draw/draw_lesson.h"
#include "viz/draw/lesson_picture.h"
#include "viz/scene/lesson.h"

typedef struct Desk {
    Recorder recorder;
    Screen screen;
    HitList hits;
    Paint paint;
} Desk;

static Desk desk;

static int make(void **state) {
    (void)state;
    desk = (Desk){.screen = {.theme = THEME_DARK, .top = 1}};
    recorder_start(&desk.recorder);
    desk.paint = (Paint){.canvas = &desk.recorder.canvas,
                         .theme = theme_get(THEME_DARK),
                         .screen = &desk.screen,
                         .hits = &desk.hits,
                         .width = 4000,
                         .height = 4000};
    return 0;
}

static int end(void **state) {
    (void)state;
    recorder_free(&desk.recorder);
    hits_free(&desk.hits);
    return 0;
}

static const Rect everything = {-1e5F, -1e5F, 2e5F, 2e5F};

/* The lowest point of what was drawn. */
static float bottom_drawn(void) {
    float bottom = 0;
    for (int index = 0; index < desk.recorder.count; index++) {
        const Record *record = &desk.recorder.records[index];
        bottom = fmaxf(bottom, record->area.y + record->area.h);
    }
    return bottom;
}

static const Hit *find_hit(const char *action) {
    for (int index = 0; index < desk.hits.count; index++)
        if (desk.hits.hits[index].action && strcmp(desk.hits.hits[index].action, action) == 0)
            return &desk.hits.hits[index];
    return NULL;
}

/* At any width: everything stays inside, no texts overlap, and the height is that of lesson_height.
 */
static void the_page_has_the_measured_size(void **state) {
    (void)state;
    for (float width = LESSON_WIDTH_MIN; width < 2100; width += 87) {
        recorder_start(&desk.recorder);
        float height = lesson_height(&desk.paint, &lesson_page, width);
        assert_int_equal(desk.recorder.count, 0);
        float drawn = lesson_draw(&desk.paint, &lesson_page, 10, 20, width, everything);
        assert_float_equal(drawn, height, 0.01);
        assert_int_equal(desk.recorder.depth, 0);
        assert_true(canvas_ok(&desk.recorder.canvas, NULL));
        Rect page = {10, 20, width, height};
        recorder_check_texts(&desk.recorder, page);
        recorder_check_inside(&desk.recorder, page);
        recorder_check_overlaps(&desk.recorder);
        assert_true(bottom_drawn() <= 20 + height + 0.5F);
        assert_true(bottom_drawn() > 20 + height - 40); /* no space is wasted */
    }
}

/* A page of one block is as high as what is drawn. */
static void blocks_have_the_measured_height(void **state) {
    (void)state;
    for (int index = 0; index < lesson_page.count; index++) {
        LessonPage page = {.blocks = &lesson_blocks[index], .count = 1};
        recorder_start(&desk.recorder);
        float height = lesson_draw(&desk.paint, &page, 0, 0, 700, everything);
        assert_true(bottom_drawn() <= height + 0.01F);
        if (desk.recorder.count > 0) assert_true(bottom_drawn() > height - 12);
    }
}

static void buttons_have_hits(void **state) {
    (void)state;
    lesson_draw(&desk.paint, &lesson_page, 0, 0, 900, everything);
    static const char *const actions[] = {"lesson row", "lesson map", "lesson one", "lesson two"};
    for (size_t index = 0; index < sizeof actions / sizeof actions[0]; index++) {
        const Hit *hit = find_hit(actions[index]);
        assert_non_null(hit);
        assert_int_equal(hit->kind, HIT_ACTION);
        Spot spot = hits_at(&desk.hits, hit->area.x + 3, hit->area.y + 3);
        assert_string_equal(spot.hit->action, actions[index]);
    }
    assert_null(find_hit("lesson other"));
}

/* While scrolling, parts outside the visible area are not drawn and have no hits; earlier hits
 * stay. */
static void only_visible_parts_are_drawn(void **state) {
    (void)state;
    float height = lesson_height(&desk.paint, &lesson_page, 800);
    int buttons = 0;
    for (float scroll = 0; scroll < height + 300; scroll += 93) {
        recorder_start(&desk.recorder);
        hits_clear(&desk.hits);
        hits_add(&desk.hits, (Hit){.area = {0, 0, 800, 40}, .kind = HIT_ACTION, .action = "bar"});
        Rect seen = {0, 40, 820, 300};
        lesson_draw(&desk.paint, &lesson_page, 10, 40 - scroll, 800, seen);
        recorder_check_inside(&desk.recorder, seen);
        assert_string_equal(desk.hits.hits[0].action, "bar");
        assert_float_equal(desk.hits.hits[0].area.h, 40, 0);
        for (int index = 1; index < desk.hits.count; index++)
            assert_true(rect_inside(desk.hits.hits[index].area, seen, 0.01F));
        buttons += find_hit("lesson one") != NULL;
    }
    assert_true(buttons > 1);
    recorder_start(&desk.recorder);
    lesson_draw(&desk.paint, &lesson_page, 10, -2 * height, 800, (Rect){0, 40, 820, 300});
    assert_int_equal(desk.recorder.count, 0);
}

/* Masked cells are hatched, NaN cells are crossed out, and both have no number. */
static void maps_show_their_cell_states(void **state) {
    (void)state;
    LessonBlock block = {.kind = LESSON_MAPS, .maps = {lesson_map_list, 1, 0}};
    LessonPage page = {.blocks = &block, .count = 1};
    lesson_draw(&desk.paint, &page, 0, 0, 700, everything);
    assert_int_equal(recorder_count(&desk.recorder, RECORD_HATCH), 1);
    assert_int_equal(recorder_count(&desk.recorder, RECORD_LINE), 2);
    assert_non_null(recorder_find(&desk.recorder, ".25"));
    assert_non_null(recorder_find(&desk.recorder, "1"));
    assert_null(recorder_find(&desk.recorder, ".50"));   /* missing */
    assert_non_null(recorder_find(&desk.recorder, "2")); /* a column without a name */
}

/* The colour of a place in a tensor. */
static Color fill_at(float x, float y) {
    Color color = {0};
    for (int index = 0; index < desk.recorder.count; index++) {
        const Record *record = &desk.recorder.records[index];
        if (record->kind == RECORD_FILL && record->color.a == 255 &&
            rect_contains(record->area, x, y))
            color = record->color;
    }
    return color;
}

static bool same_color(Color one, Color other) {
    return one.r == other.r && one.g == other.g && one.b == other.b;
}

static void cells_show_their_origin(void **state) {
    (void)state;
    LessonOrigin cells[] = {{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}, {1, 0, 0, 0}};
    LessonTensor tensor = {.rows = 1, .columns = 4, .cells = cells};
    LessonBlock block = {.kind = LESSON_TENSORS, .tensors = {&tensor, 1, 2, 2, 2}};
    LessonPage page = {.blocks = &block, .count = 1};
    float height = lesson_draw(&desk.paint, &page, 0, 0, 700, everything);
    float y = height - 10 - 20, wide = 42; /* the upper edge of the only row, in its card */
    Color expected[] = {lesson_color(0, 0, 2), lesson_color(0, 1, 2), lesson_color(1, 0, 2),
                        lesson_color(0, 0, 2)};
    for (int column = 0; column < 4; column++)
        assert_true(same_color(fill_at(12 + wide * (float)column, y), expected[column]));
    assert_non_null(recorder_find(&desk.recorder, "b0 t1"));
    assert_non_null(recorder_find(&desk.recorder, "b1 t0"));
    assert_non_null(recorder_find(&desk.recorder, "head 0")); /* the legend */
}

/* Heads differ in colour, steps in brightness, and no index exceeds the tables. */
static void colors_of_heads_and_steps(void **state) {
    (void)state;
    for (int steps = 1; steps < 9; steps += 7)
        for (int head = 0; head < LESSON_HEADS; head++)
            for (int other = 0; other < head; other++) {
                Color one = lesson_color(head, steps / 2, steps);
                Color two = lesson_color(other, steps / 2, steps);
                int apart = abs(one.r - two.r) + abs(one.g - two.g) + abs(one.b - two.b);
                if (apart < 24) fail_msg("heads %d and %d look alike: %d", head, other, apart);
            }
    for (int head = 0; head < LESSON_HEADS; head++)
        for (int step = 1; step < 6; step++) {
            Color before = lesson_color(head, step - 1, 6), now = lesson_color(head, step, 6);
            assert_true(now.r + now.g + now.b < before.r + before.g + before.b);
        }
    assert_true(same_color(lesson_color(16, 1, 3), lesson_color(0, 1, 3)));
    assert_true(same_color(lesson_color(-1, -1, 0), lesson_color(0, 0, 1)));
    assert_true(same_color(lesson_color(2, 9, 3), lesson_color(2, 2, 3)));
}

/* PNG and SVG have the page's height, are reproducible, and have no buttons. */
static void pictures(void **state) {
    (void)state;
    Error error = {0};
    TextRenderer *text = text_make(&error);
    assert_non_null(text);
    PictureText texts[] = {{"headscope:command", "headscope test"}};
    for (int theme = 0; theme < THEME_COUNT; theme++) {
        LessonPicture picture = {.width = 700,
                                 .scale = 1,
                                 .theme = (ThemeName)theme,
                                 .footer = "foot",
                                 .texts = texts,
                                 .text_count = 1};
        unsigned char *bytes = NULL, *again = NULL;
        size_t size = 0, size_again = 0;
        assert_true(lesson_picture_png(text, &lesson_page, &picture, &bytes, &size, &error));
        assert_true(lesson_picture_png(text, &lesson_page, &picture, &again, &size_again, &error));
        assert_int_equal(size, size_again);
        assert_memory_equal(bytes, again, size);
        int width = bytes[18] << 8 | bytes[19], height = bytes[22] << 8 | bytes[23];
        assert_int_equal(width, 700);
        free(bytes);
        free(again);
        char *svg = NULL, tag[64];
        FILE *stream = open_memstream(&svg, &size);
        assert_true(lesson_picture_svg(text, &lesson_page, &picture, stream, &error));
        fclose(stream);
        assert_non_null(strstr(svg, "What is wrong."));
        assert_non_null(strstr(svg, "foot"));
        assert_null(strstr(svg, ">two<"));
        int apart = 100; /* texts are measured at another scale: lines may wrap differently */
        for (int high = height - 60; high <= height + 60; high++) {
            snprintf(tag, sizeof tag, "height=\"%dpx\"", high);
            if (strstr(svg, tag)) apart = abs(high - height);
        }
        assert_in_range(apart, 0, 60);
        free(svg);
    }
    LessonPicture huge = {.width = 4000, .scale = 8, .theme = THEME_LIGHT};
    LessonBlock blocks[400];
    for (int index = 0; index < 400; index++)
        blocks[index] = lesson_blocks[3];
    LessonPage page = {.blocks = blocks, .count = 400};
    unsigned char *bytes = NULL;
    size_t size = 0;
    assert_false(lesson_picture_png(text, &page, &huge, &bytes, &size, &error));
    assert_null(bytes);
    assert_true(error.text[0]);
    text_free(text);
}

/* --- in the window ---------------------------------------------------------------------------- */

static const ScreenLessonEntry menu[] = {
    {"Where every number goes", "follows every number through the split", "lesson a", false},
    {"Shapes", "the shapes of a call, step by step", "lesson b", true},
    {"Quiz", "asks", "lesson c", false}};
static const ScreenButton tabs[] = {{.label = "Explore", .action = "page explore"},
                                    {.label = "Lessons", .action = "lesson", .on = true}};

static const Hit *page_hit(void) {
    for (int index = 0; index < desk.hits.count; index++)
        if (desk.hits.hits[index].kind == HIT_LESSON) return &desk.hits.hits[index];
    return NULL;
}

static const Hit *draw_window(Screen screen, float width, float height) {
    recorder_start(&desk.recorder);
    screen.page = PAGE_LESSONS;
    screen.tabs = tabs;
    screen.tab_count = 2;
    screen.status = "headscope shapes";
    screen.lesson.menu = menu;
    screen.lesson.menu_count = 3;
    draw_screen(&desk.recorder.canvas, &screen, width, height, &desk.hits);
    recorder_check_inside(&desk.recorder, (Rect){0, 0, width, height});
    assert_int_equal(desk.recorder.depth, 0);
    return page_hit();
}

/* At any size of the window: the page scrolls from its start to its end, and everything stays in
 * the window. */
static void the_window_scrolls(void **state) {
    (void)state;
    Screen screen = {.lesson.page = &lesson_page};
    for (int presentation = 0; presentation < 2; presentation++)
        for (float width = 240; width < 2000; width += 220)
            for (float height = 160; height < 1200; height += 260) {
                screen.presentation = presentation;
                screen.lesson.scroll = 0;
                const Hit *hit = draw_window(screen, width, height);
                if (!hit) continue;
                assert_int_equal(hit->item, 0);
                int most = hit->rows - hit->columns;
                screen.lesson.scroll = 1e6F;
                hit = draw_window(screen, width, height);
                assert_in_range(hit->item, most < 0 ? 0 : most - 1, most < 0 ? 0 : most + 1);
            }
}

static void the_menu_and_the_page(void **state) {
    (void)state;
    Screen screen = {.lesson.page = &lesson_page};
    static const float widths[] = {700, 1280};
    for (int index = 0; index < 2; index++) {
        const Hit *page = draw_window(screen, widths[index], 800);
        assert_non_null(page);
        for (int entry = 0; entry < 3; entry++) {
            const Hit *hit = find_hit(menu[entry].action);
            assert_non_null(hit);
            bool above = hit->area.y + hit->area.h <= page->area.y + 0.01F;
            bool beside = hit->area.x + hit->area.w <= page->area.x;
            assert_true(index == 0 ? above : beside);
        }
        assert_non_null(recorder_find(&desk.recorder, "A page"));
    }
    screen.presentation = true; /* the menu is hidden */
    draw_window(screen, 1280, 800);
    assert_null(find_hit("lesson a"));
}

static void unknown_words_have_one_line(void **state) {
    (void)state;
    Screen screen = {.lesson.problem = "--x: no such option"};
    assert_null(draw_window(screen, 1280, 800));
    assert_non_null(recorder_find(&desk.recorder, "--x: no such option"));
    assert_non_null(find_hit("lesson a"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_page_has_the_measured_size, make, end),
        cmocka_unit_test_setup_teardown(blocks_have_the_measured_height, make, end),
        cmocka_unit_test_setup_teardown(buttons_have_hits, make, end),
        cmocka_unit_test_setup_teardown(only_visible_parts_are_drawn, make, end),
        cmocka_unit_test_setup_teardown(maps_show_their_cell_states, make, end),
        cmocka_unit_test_setup_teardown(cells_show_their_origin, make, end),
        cmocka_unit_test_setup_teardown(the_window_scrolls, make, end),
        cmocka_unit_test_setup_teardown(the_menu_and_the_page, make, end),
        cmocka_unit_test_setup_teardown(unknown_words_have_one_line, make, end),
        cmocka_unit_test(colors_of_heads_and_steps),
        cmocka_unit_test(pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
