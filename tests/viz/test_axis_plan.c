/* The plan of an axis: font size, which labels are shown, which are turned, what room they take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "viz/layout/axis_plan.h"

static AxisRequest request_for(float pitch, bool columns) {
    return (AxisRequest){.columns = columns,
                         .pitch = pitch,
                         .line = 1,
                         .size_max = 12,
                         .size_min = 8,
                         .size_thinned = 10,
                         .limit = 100,
                         .gap = 6,
                         .upright_room = 0.75F,
                         .reach = 0.5F};
}

static void assert_size(AxisRequest request, float size, int step) {
    AxisPlan plan = axis_plan(&request);
    assert_true(plan.size == size);
    assert_int_equal(plan.step, step);
}

/* Every cell has its label, in a smaller font where it must; then some have, in a larger one. */
static void sizes_shrink_and_labels_thin_out(void **state) {
    (void)state;
    assert_size(request_for(20, false), 12, 1);
    assert_size(request_for(12, false), 12, 1);
    assert_size(request_for(11.5F, false), 11, 1);
    assert_size(request_for(8, false), 8, 1);
    assert_size(request_for(7, false), 10, 2);
    assert_size(request_for(5, false), 10, 2);
    assert_size(request_for(4, false), 10, 3);
    assert_size(request_for(0.5F, false), 10, 20);
    for (float pitch = 0; pitch < 30; pitch += 0.37F) {
        AxisRequest request = request_for(pitch, true);
        AxisPlan plan = axis_plan(&request);
        assert_true(plan.step >= 1);
        if (pitch > 0) assert_true(plan.pitch * (float)plan.step >= plan.size * 0.999F);
    }
}

/* A font of one size, as the maps of lessons have it. */
static void one_size_is_kept(void **state) {
    (void)state;
    for (int pitch = 1; pitch < 40; pitch++) {
        AxisRequest request = request_for((float)pitch, false);
        request.size_max = request.size_min = request.size_thinned = 11;
        request.line = 13.0F / 11;
        assert_size(request, 11, (13 + pitch - 1) / pitch);
    }
}

/* A font that keeps the widest label whole is preferred, but none below the smallest. */
static void long_labels_have_a_smaller_font(void **state) {
    (void)state;
    AxisRequest request = request_for(20, false);
    request.widest_unit = 10;
    assert_size(request, 10, 1);
    request.widest_unit = 8;
    assert_size(request, 12, 1);
    request.widest_unit = 13;
    assert_size(request, 12, 1); /* cut in any case */
    request.columns = true;
    request.widest_unit = 1.5F;
    request.limit = 15;
    assert_size(request, 12, 1); /* upright, where the limit is not for */
}

static void columns_are_turned_where_they_must(void **state) {
    (void)state;
    AxisRequest request = request_for(20, true);
    AxisPlan plan = axis_plan(&request);
    axis_plan_room(&plan, &request, 20);
    assert_false(plan.turned);
    assert_true(plan.room == 9 + 6); /* the height of a line, and the gap */
    assert_true(plan.overhang == 0);
    assert_false(axis_turns(&plan, "ab", 20));
    axis_plan_room(&plan, &request, 40.5F);
    assert_true(plan.turned);
    assert_true(plan.room == 41 + 6);
    assert_true(axis_turns(&plan, "ab", 13));
    assert_false(axis_turns(&plan, "a", 13));
    assert_false(axis_turns(&plan, "e\u0301", 13));
    assert_true(axis_turns(&plan, "a", 21));
    axis_plan_room(&plan, &request, 400);
    assert_true(plan.room == 100 + 6);
    request.upright_max = 10;
    axis_plan_room(&plan, &request, 11);
    assert_true(plan.turned);
    request.columns = false;
    axis_plan_room(&plan, &request, 400);
    assert_false(plan.turned);
}

/* Labels that are wider than their cells reach past the last one. */
static void labels_overhang_the_last_cell(void **state) {
    (void)state;
    AxisRequest request = request_for(5, true);
    AxisPlan plan = axis_plan(&request);
    axis_plan_room(&plan, &request, 10); /* upright, over two cells */
    assert_false(plan.turned);
    assert_true(plan.overhang == 3);
    request.columns = false;
    axis_plan_room(&plan, &request, 50); /* half of a line of 10 */
    assert_true(plan.overhang == 3);
    request.reach = 0;
    axis_plan_room(&plan, &request, 50);
    assert_true(plan.overhang == 0);
}

/* The more important ones first; none touches one before, and none that is shown touches them. */
static void marked_labels_come_first(void **state) {
    (void)state;
    const int wanted[] = {7, 9, 20};
    AxisMarks marks = axis_marks(4, wanted, 3, 100);
    assert_int_equal(marks.count, 2);
    assert_int_equal(marks.at[0], 7);
    assert_int_equal(marks.at[1], 20);
    static const int shown[] = {0, 7, 12, 16, 20, 24};
    for (int index = 0, next = 0; index <= 24; index++) {
        bool expected = index == shown[next];
        assert_int_equal(axis_shows(4, &marks, index), expected);
        next += expected;
    }
    marks = axis_marks(4, (int[]){-1, 100, 99}, 3, 100);
    assert_int_equal(marks.count, 1);
    assert_int_equal(marks.at[0], 99);
    marks = axis_marks(1, (int[]){3, 3, 4}, 3, 100);
    assert_int_equal(marks.count, 2);
    for (int index = 0; index < 100; index++)
        assert_true(axis_shows(1, &marks, index));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_shrink_and_labels_thin_out),
        cmocka_unit_test(one_size_is_kept),
        cmocka_unit_test(long_labels_have_a_smaller_font),
        cmocka_unit_test(columns_are_turned_where_they_must),
        cmocka_unit_test(labels_overhang_the_last_cell),
        cmocka_unit_test(marked_labels_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
