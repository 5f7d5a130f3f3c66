#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_scene.h"
#include "viz/layout/layout.h"

#include <math.h>
#include <string.h>

static void sections_are_tables_of_layers_and_heads(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{2, 4, 9, 9}, {2, 4, 3, 3}, {2, 4, 3, 9}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Layout *layout = fixture_lay_out(&fixture);
    for (int one = 0; one < layout->panel_count; one++)
        for (int other = 0; other < layout->panel_count; other++) {
            const LayoutPanel *a = &layout->panels[one], *b = &layout->panels[other];
            /* a head keeps its column through all sites */
            assert_true((a->id.head == b->id.head) == (a->cells.x == b->cells.x));
            bool same_row = a->id.site == b->id.site && a->id.layer == b->id.layer;
            assert_true(same_row == (a->cells.y == b->cells.y));
            if (a->id.site < b->id.site) assert_true(a->cells.y < b->cells.y);
        }
    layout_free(layout);
    fixture_free(&fixture);
}

static const char *find_text(const Layout *layout, const char *part) {
    for (int index = 0; index < layout->text_count; index++)
        if (strstr(layout->texts[index].text, part)) return layout->texts[index].text;
    return NULL;
}

static void the_sheet_says_what_its_axes_are(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 2, 9, 9}, {1, 2, 3, 3}, {1, 2, 3, 9}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.scene.axes[SITE_DECODER].row_caption = "queries, decoder (reads → writes)";
    for (int arrangement = 0; arrangement < 2; arrangement++) {
        fixture.scene.arrangement = (Arrangement)arrangement;
        Layout *layout = fixture_lay_out(&fixture);
        assert_non_null(find_text(layout, "encoder self-attention"));
        assert_non_null(find_text(layout, "decoder self-attention"));
        assert_non_null(find_text(layout, "cross-attention"));
        assert_non_null(find_text(layout, "rows: queries, encoder tokens"));
        assert_non_null(find_text(layout, "rows: queries, decoder (reads → writes)"));
        assert_non_null(find_text(layout, "columns: keys, decoder tokens"));
        assert_string_equal(layout->bar_caption.text, "weight, same scale for all panels");
        assert_int_equal(layout->legend_count, 1);
        assert_int_equal(layout->legends[0].state, CELL_MASKED);
        assert_string_equal(layout->panels[0].name.text, "encoder.0.0");
        layout_free(layout);
    }
    fixture.scene.panels = (const ScenePanel[]){{{SITE_CROSS, 0, 1}, "(a) cross.0.1"}};
    fixture.scene.panel_count = 1;
    Layout *layout = fixture_lay_out(&fixture);
    assert_string_equal(layout->panels[0].name.text, "(a) cross.0.1");
    assert_null(find_text(layout, "encoder self-attention"));
    layout_free(layout);
    fixture_free(&fixture);
}

static void not_a_number_gets_a_legend(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 2, 2, 2}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    const float weights[4] = {0.5F, 0.5F, NAN, 1};
    trace_write(fixture.trace, (HeadId){SITE_ENCODER, 0, 1}, weights, 2, NULL);
    Layout *layout = fixture_lay_out(&fixture);
    assert_int_equal(layout->legend_count, 2);
    assert_int_equal(layout->legends[1].state, CELL_NAN);
    layout_free(layout);
    fixture.scene.panel_count = 1; /* the head that has none */
    layout = fixture_lay_out(&fixture);
    assert_int_equal(layout->legend_count, 1);
    layout_free(layout);
    fixture_free(&fixture);
}

static void ticks_cover_the_scale(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 2, 2}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    const float tops[] = {0, 1, 0.8371F, 0.05F, 0.25F, 0.999F, 3e-4F, 17, 1e-30F};
    for (size_t index = 0; index < sizeof tops / sizeof *tops; index++) {
        fixture.scene.top = tops[index];
        Layout *layout = fixture_lay_out(&fixture);
        double last = -1;
        assert_true(layout->tick_count >= 2);
        for (int tick = 1; tick <= layout->tick_count; tick++) {
            /* the first in the list is the top itself */
            const LayoutTick *shown = &layout->ticks[tick % layout->tick_count];
            double value = strtod(shown->text.text, NULL);
            double share = value / (double)scene_top(&fixture.scene);
            assert_true(value > last);
            /* labels have three digits, places are whole pixels */
            assert_true(fabs((double)(shown->x - layout->bar.x) - share * (double)layout->bar.w) <
                        1.5);
            last = value;
        }
        assert_true(fabs(last / (double)scene_top(&fixture.scene) - 1) < 0.005);
        layout_free(layout);
    }
    fixture_free(&fixture);
}

static void labels_show_spaces_and_are_shortened(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 6, 6}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.tokens[0] = " ";
    fixture.tokens[1] = "New York";
    fixture.tokens[2] = "a very very long token that no axis has room for";
    fixture.tokens[3] = "internationalization→x";
    fixture.tokens[4] = "internationalization→internationalization";
    fixture.tokens[5] = "";
    Layout *layout = fixture_lay_out(&fixture);
    const LayoutLabel *rows = layout->sites[SITE_ENCODER].rows.labels;
    assert_string_equal(rows[0].text, "␣");
    assert_string_equal(rows[1].text, "New␣York");
    assert_non_null(strstr(rows[2].text, "a␣very"));
    assert_string_equal(rows[2].text + strlen(rows[2].text) - strlen("…"), "…");
    assert_non_null(strstr(rows[3].text, "…→x"));
    assert_non_null(strstr(rows[4].text, "…→int"));
    assert_string_equal(rows[4].text + strlen(rows[4].text) - strlen("…"), "…");
    assert_string_equal(rows[5].text, "");
    for (int row = 0; row < 6; row++)
        assert_true(rows[row].width <= 128);
    layout_free(layout);
    fixture_free(&fixture);
}

static void cells_shrink_and_labels_thin_out(void **unused) {
    (void)unused;
    const int counts[] = {1, 40, 41, 60, 90, 128};
    float last = 100;
    for (int index = 0; index < 6; index++) {
        TraceShape shapes[SITE_COUNT] = {
            {1, 1, counts[index], counts[index]}, {0}, {1, 1, 5, counts[index]}};
        Fixture fixture;
        fixture_make(&fixture, shapes);
        Layout *layout = fixture_lay_out(&fixture);
        const LayoutPanel *panel = &layout->panels[0];
        assert_true(panel->cell_width == panel->cell_height);
        assert_true(panel->cell_width >= 4 && panel->cell_width <= last);
        last = panel->cell_width;
        if (counts[index] <= 40) assert_true(panel->cell_width == 14);
        if (counts[index] <= 60)
            for (int row = 0; row < counts[index]; row++)
                assert_non_null(layout->sites[SITE_ENCODER].rows.labels[row].text);
        /* few rows keep their labels however many columns there are */
        for (int row = 0; row < 5; row++)
            assert_non_null(layout->sites[SITE_CROSS].rows.labels[row].text);
        assert_non_null(layout->sites[SITE_CROSS].columns.labels[0].text);
        layout_free(layout);
        fixture_free(&fixture);
    }
    assert_true(last < 8);
}

static void short_tokens_stand_upright(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 4, 4}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    const char *const mixed[] = {"a", "it", "<s>", "m"}, *const alike[] = {"a", "it", "b", "m"};
    fixture.scene.axes[SITE_ENCODER].columns = mixed;
    Layout *layout = fixture_lay_out(&fixture);
    const LayoutLabel *labels = layout->sites[SITE_ENCODER].columns.labels;
    assert_false(labels[0].upward);
    assert_true(labels[1].upward);
    assert_true(labels[2].upward);
    assert_false(labels[3].upward);
    layout_free(layout);
    fixture.scene.axes[SITE_ENCODER].columns = alike;
    layout = fixture_lay_out(&fixture);
    for (int index = 0; index < 4; index++)
        assert_false(layout->sites[SITE_ENCODER].columns.labels[index].upward);
    layout_free(layout);
    fixture_free(&fixture);
}

static void few_panels_stand_side_by_side(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{2, 6, 12, 12}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.scene.arrangement = ARRANGE_LIST;
    static const int columns_for[] = {0, 1, 2, 3, 2};
    for (int count = 1; count <= 4; count++) {
        fixture.scene.panel_count = count;
        Layout *layout = fixture_lay_out(&fixture);
        int in_first_row = 0;
        for (int panel = 0; panel < count; panel++)
            in_first_row += layout->panels[panel].cells.y == layout->panels[0].cells.y;
        assert_int_equal(in_first_row, columns_for[count]);
        layout_free(layout);
    }
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_are_tables_of_layers_and_heads),
        cmocka_unit_test(the_sheet_says_what_its_axes_are),
        cmocka_unit_test(not_a_number_gets_a_legend),
        cmocka_unit_test(ticks_cover_the_scale),
        cmocka_unit_test(labels_show_spaces_and_are_shortened),
        cmocka_unit_test(cells_shrink_and_labels_thin_out),
        cmocka_unit_test(short_tokens_stand_upright),
        cmocka_unit_test(few_panels_stand_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
