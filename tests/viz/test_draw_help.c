#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_recorder.h"

enum { KEYS = 50, NAME_BYTES = 40 };

static Recorder recorder;
static HitList hits;
static Screen screen;
static Paint paint;
static ScreenKey keys[KEYS];
static char names[KEYS][NAME_BYTES], whats[KEYS][NAME_BYTES];

/* Every 6th entry is a heading. */
static int start(void **state) {
    (void)state;
    for (int key = 0; key < KEYS; key++) {
        bool heading = key % 6 == 0;
        snprintf(names[key], NAME_BYTES, heading ? "heading %d" : "Ctrl+Shift+%d", key);
        snprintf(whats[key], NAME_BYTES, "what is done by the key %d", key);
        keys[key] = (ScreenKey){names[key], heading ? NULL : whats[key]};
    }
    screen = (Screen){.help = keys, .help_count = KEYS};
    paint = (Paint){&recorder.canvas, theme_get(THEME_LIGHT), &screen, &hits, 1000, 700};
    return 0;
}

static int end(void **state) {
    (void)state;
    recorder_free(&recorder);
    return 0;
}

static void redraw(float width, float height) {
    recorder_start(&recorder);
    hits_clear(&hits);
    draw_help(&paint, (Rect){0, 0, width, height});
    assert_int_equal(recorder.depth, 0);
}

static void all_keys_can_be_read(void **state) {
    (void)state;
    const float sizes[][2] = {{900, 600}, {1440, 900}, {2560, 1440}, {700, 1000}};
    for (int size = 0; size < 4; size++) {
        redraw(sizes[size][0], sizes[size][1]);
        for (int key = 0; key < KEYS; key++) {
            const Record *name = recorder_find(&recorder, names[key]);
            assert_non_null(name);
            if (!keys[key].what) continue;
            const Record *what = recorder_find(&recorder, whats[key]);
            assert_non_null(what);
            assert_true(what->area.x > name->area.x + name->area.w);
            assert_true(fabsf(what->area.y - name->area.y) < 0.1F);
        }
        recorder_check_overlaps(&recorder);
        recorder_check_texts(&recorder, (Rect){0, 0, sizes[size][0], sizes[size][1]});
    }
}

/* No column ends with a heading. */
static void headings_precede_their_keys(void **state) {
    (void)state;
    for (float height = 400; height < 1200; height += 37) {
        redraw(1200, height);
        for (int key = 0; key + 1 < KEYS; key += 6) {
            const Record *heading = recorder_find(&recorder, names[key]);
            const Record *next = recorder_find(&recorder, names[key + 1]);
            if (!heading) continue;
            assert_non_null(next);
            assert_true(next->area.x == heading->area.x && next->area.y > heading->area.y);
        }
    }
}

static void help_covers_other_hits(void **state) {
    (void)state;
    redraw(900, 600);
    for (int corner = 0; corner < 4; corner++) {
        Spot spot = hits_at(&hits, corner % 2 ? 899 : 0, corner / 2 ? 599 : 0);
        assert_int_equal(spot.hit->kind, HIT_PLAIN);
    }
}

static void everything_stays_in_the_window(void **state) {
    (void)state;
    const float sizes[] = {0, 1, 20, 60, 90, 150, 300, 480, 800};
    for (int wide = 0; wide < 9; wide++)
        for (int high = 0; high < 9; high++) {
            redraw(sizes[wide], sizes[high]);
            Rect window = {0, 0, sizes[wide], sizes[high]};
            recorder_check_inside(&recorder, window);
            recorder_check_texts(&recorder, window);
            recorder_check_overlaps(&recorder);
        }
    screen.help = NULL;
    redraw(900, 600);
    assert_int_equal(recorder.count, 0);
}

/* 1280 x 800 at twice the size. */
static void a_small_window_shows_all_keys(void **state) {
    (void)state;
    redraw(640, 400);
    for (int key = 0; key < KEYS; key++) {
        assert_non_null(recorder_find(&recorder, names[key]));
        if (keys[key].what) assert_non_null(recorder_find(&recorder, whats[key]));
    }
    recorder_check_overlaps(&recorder);
    recorder_check_inside(&recorder, (Rect){0, 0, 640, 400});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_keys_can_be_read, start, end),
        cmocka_unit_test_setup_teardown(headings_precede_their_keys, start, end),
        cmocka_unit_test_setup_teardown(help_covers_other_hits, start, end),
        cmocka_unit_test_setup_teardown(everything_stays_in_the_window, start, end),
        cmocka_unit_test_setup_teardown(a_small_window_shows_all_keys, start, end),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    hits_free(&hits);
    return failed;
}
