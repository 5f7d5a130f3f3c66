#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "viz/layout/hits.h"

#include <math.h>

static void the_last_one_lies_above(void **state) {
    (void)state;
    HitList list = {0};
    hits_add(&list, (Hit){.area = {0, 0, 100, 100}, .kind = HIT_PLAIN, .tip = "below"});
    hits_add(&list, (Hit){.area = {10, 10, 20, 20}, .kind = HIT_ACTION, .action = "press"});
    assert_int_equal(hits_at(&list, 15, 15).hit->kind, HIT_ACTION);
    assert_string_equal(hits_tip(&list, 15, 15), "below"); /* the upper one has none */
    assert_int_equal(hits_at(&list, 30, 15).hit->kind, HIT_PLAIN);
    assert_null(hits_at(&list, 100, 15).hit);
    assert_null(hits_tip(&list, 100, 15));
    assert_int_equal(hits_at(&list, 100, 15).row, -1);
    hits_clear(&list);
    assert_null(hits_at(&list, 15, 15).hit);
    hits_free(&list);
}

static void nothing_is_met_where_nothing_is(void **state) {
    (void)state;
    HitList list = {0};
    hits_add(&list, (Hit){.area = {0, 0, 0, 10}, .kind = HIT_PLAIN});
    hits_add(&list, (Hit){.area = {0, 0, -5, 10}, .kind = HIT_PLAIN});
    hits_add(&list, (Hit){.area = {0, 0, NAN, 10}, .kind = HIT_PLAIN});
    assert_int_equal(list.count, 0);
    hits_free(&list);
}

static void cells_of_a_zoomed_map(void **state) {
    (void)state;
    HitList list = {0};
    hits_add(&list, (Hit){.area = {100, 50, 80, 60},
                          .kind = HIT_CELLS,
                          .first_row = 3,
                          .first_column = 5,
                          .row_height = 20,
                          .column_width = 20,
                          .rows = 6,
                          .columns = 20,
                          .shift_x = 15,
                          .shift_y = 0});
    Spot spot = hits_at(&list, 100, 50);
    assert_int_equal(spot.row, 3);
    assert_int_equal(spot.column, 5);
    spot = hits_at(&list, 105, 70);
    assert_int_equal(spot.row, 4);
    assert_int_equal(spot.column, 6); /* 15 of the first one's 20 are cut off */
    spot = hits_at(&list, 179, 109);
    assert_int_equal(spot.row, 5);
    assert_int_equal(spot.column, 9);
    hits_free(&list);
}

static void past_the_last_cell(void **state) {
    (void)state;
    HitList list = {0};
    hits_add(
        &list,
        (Hit){
            .area = {0, 0, 100, 100}, .kind = HIT_ROWS, .row_height = 10, .rows = 4, .columns = 4});
    assert_int_equal(hits_at(&list, 5, 39).row, 3);
    assert_int_equal(hits_at(&list, 5, 41).row, -1);
    assert_int_equal(hits_at(&list, 5, 39).column, -1); /* tokens of rows have no columns */
    hits_free(&list);
}

static void sliders_reach_both_ends(void **state) {
    (void)state;
    HitList list = {0};
    hits_add(&list, (Hit){.area = {10, 0, 120, 10}, .kind = HIT_SLIDER, .shift_x = 10});
    assert_true(hits_at(&list, 10, 5).share_x == 0);
    assert_true(hits_at(&list, 20, 5).share_x == 0);
    assert_true(hits_at(&list, 70, 5).share_x == 0.5F);
    assert_true(hits_at(&list, 125, 5).share_x == 1);
    assert_true(hits_share(&list.hits[0], 1000) == 1);
    hits_free(&list);
}

static void add_tokens(HitList *list, int first, int count, float y) {
    for (int index = 0; index < count; index++)
        hits_add(list, (Hit){.area = {(float)index * 20, y, 18, 20},
                             .kind = HIT_TOKEN,
                             .index = 1,
                             .item = first + index});
}

static void where_a_dragged_handle_stands(void **state) {
    (void)state;
    HitList list = {0};
    assert_int_equal(hits_boundary(&list, 1, 50, 5), 0);
    add_tokens(&list, 0, 5, 0);
    add_tokens(&list, 5, 3, 30);
    assert_int_equal(hits_boundary(&list, 1, -10, 5), 0);
    assert_int_equal(hits_boundary(&list, 1, 8, 5), 0);
    assert_int_equal(hits_boundary(&list, 1, 10, 5), 1);
    assert_int_equal(hits_boundary(&list, 1, 500, 5), 5);
    assert_int_equal(hits_boundary(&list, 1, -10, 40), 5);
    assert_int_equal(hits_boundary(&list, 1, 30, 300), 7); /* below all: the last line */
    assert_int_equal(hits_boundary(&list, 0, 30, 40), 0);  /* of another sequence */
    hits_free(&list);
}

static void tokens_before_the_first_on_show_count(void **state) {
    (void)state;
    HitList list = {0};
    add_tokens(&list, 7, 4, 0);
    assert_int_equal(hits_boundary(&list, 1, -10, 5), 7);
    assert_int_equal(hits_boundary(&list, 1, 30, 5), 9);
    hits_free(&list);
}

static void hits_are_found_by_name(void **state) {
    (void)state;
    HitList list = {0};
    add_tokens(&list, 0, 600, 3);
    Rect area;
    assert_true(hits_find(&list, HIT_TOKEN, 1, 599, &area));
    assert_true(area.x == 599 * 20);
    assert_false(hits_find(&list, HIT_TOKEN, 0, 599, &area));
    assert_false(list.failed);
    hits_free(&list);
}

static void an_enlarged_screen_is_met_where_it_is(void **state) {
    (void)state;
    HitList list = {0};
    Hit cells = {.area = {10, 20, 60, 40},
                 .kind = HIT_CELLS,
                 .row_height = 10,
                 .column_width = 12,
                 .rows = 9,
                 .columns = 9,
                 .first_row = 2,
                 .shift_x = 6,
                 .shift_y = 4};
    hits_add(&list, cells);
    /* on both sides of the first whole cell's edges */
    const float points[2][2] = {{15.5F, 25.5F}, {16.5F, 26.5F}};
    int rows[2], columns[2];
    for (int point = 0; point < 2; point++) {
        Spot spot = hits_at(&list, points[point][0], points[point][1]);
        rows[point] = spot.row, columns[point] = spot.column;
    }
    assert_true(rows[0] == 2 && rows[1] == 3 && columns[0] == 0 && columns[1] == 1);
    hits_scale(&list, 1.5F);
    for (int point = 0; point < 2; point++) {
        Spot spot = hits_at(&list, points[point][0] * 1.5F, points[point][1] * 1.5F);
        assert_true(spot.row == rows[point] && spot.column == columns[point]);
    }
    hits_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_lies_above),
        cmocka_unit_test(nothing_is_met_where_nothing_is),
        cmocka_unit_test(cells_of_a_zoomed_map),
        cmocka_unit_test(past_the_last_cell),
        cmocka_unit_test(sliders_reach_both_ends),
        cmocka_unit_test(where_a_dragged_handle_stands),
        cmocka_unit_test(tokens_before_the_first_on_show_count),
        cmocka_unit_test(hits_are_found_by_name),
        cmocka_unit_test(an_enlarged_screen_is_met_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
