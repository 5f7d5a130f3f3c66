#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/fixture.h"
#include "viz/layout.h"
#include "viz/script.h"

#include <math.h>
#include <string.h>

/* Stands in for fonts: each character is as wide as its kind, in sizes of the font. */
static float measure(void *context, const char *text, float size, bool bold) {
    (void)context;
    float width = 0;
    for (uint32_t code_point; (code_point = script_next(&text)) != 0;)
        width += code_point == 'm' || code_point == 0x2192 ? 0.95F
                 : code_point == 'i'                       ? 0.3F
                                                           : 0.6F;
    return width * size * (bold ? 1.1F : 1);
}

static const TextMeasure measuring = {.width = measure};

static Layout *lay_out(const Fixture *fixture) {
    Error error;
    assert_true(scene_check(&fixture->scene, &error));
    Layout *layout = layout_make(&fixture->scene, measuring, &error);
    assert_non_null(layout);
    return layout;
}

static bool apart(Rect one, Rect other) {
    const float slack = 0.01F; /* sums of floats */
    return one.x + one.w <= other.x + slack || other.x + other.w <= one.x + slack ||
           one.y + one.h <= other.y + slack || other.y + other.h <= one.y + slack;
}

static bool within(Rect inner, Rect outer) {
    const float slack = 0.01F;
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
           inner.x + inner.w <= outer.x + outer.w + slack &&
           inner.y + inner.h <= outer.y + outer.h + slack;
}

/* Everything that is drawn, in rectangles; none may touch another. */
typedef struct Boxes {
    Rect items[60000];
    int count;
} Boxes;

static void add(Boxes *boxes, Rect rect) {
    assert_true(boxes->count < 60000);
    boxes->items[boxes->count++] = rect;
}

static void add_text(Boxes *boxes, const LayoutText *text) {
    assert_non_null(text->text);
    add(boxes, layout_text_box(text));
}

static void add_header(Boxes *boxes, const Layout *layout) {
    for (int index = 0; index < layout->text_count; index++)
        add_text(boxes, &layout->texts[index]);
    add(boxes, layout->bar);
    add_text(boxes, &layout->bar_caption);
    for (int index = 0; index < layout->tick_count; index++)
        add_text(boxes, &layout->ticks[index].text);
    for (int index = 0; index < layout->legend_count; index++) {
        add(boxes, layout->legends[index].swatch);
        add_text(boxes, &layout->legends[index].text);
    }
}

static void add_panel(Boxes *boxes, const Layout *layout, int index) {
    const LayoutPanel *panel = &layout->panels[index];
    const LayoutSite *site = &layout->sites[panel->id.site];
    int before = boxes->count;
    LayoutText label;
    add_text(boxes, &panel->name);
    add(boxes, panel->cells);
    for (int row = 0; row < site->rows.count; row++)
        if (layout_row_label(layout, index, row, &label)) add_text(boxes, &label);
    for (int column = 0; column < site->columns.count; column++)
        if (layout_column_label(layout, index, column, &label)) add_text(boxes, &label);
    for (int box = before; box < boxes->count; box++)
        assert_true(within(boxes->items[box], panel->frame));
}

static int by_top(const void *left, const void *right) {
    const Rect *one = left, *other = right;
    return (one->y > other->y) - (one->y < other->y);
}

static void check_apart(Boxes *boxes) {
    qsort(boxes->items, (size_t)boxes->count, sizeof *boxes->items, by_top);
    for (int one = 0; one < boxes->count; one++)
        for (int other = one + 1; other < boxes->count; other++) {
            Rect a = boxes->items[one], b = boxes->items[other];
            if (b.y > a.y + a.h) break;
            if (!apart(a, b))
                fail_msg("(%g,%g %gx%g) and (%g,%g %gx%g) overlap", (double)a.x, (double)a.y,
                         (double)a.w, (double)a.h, (double)b.x, (double)b.y, (double)b.w,
                         (double)b.h);
        }
}

static void check_layout(const Layout *layout) {
    Boxes *boxes = calloc(1, sizeof *boxes);
    assert_non_null(boxes);
    Rect sheet = {0, 0, layout->width, layout->height};
    add_header(boxes, layout);
    for (int index = 0; index < layout->panel_count; index++) {
        add_panel(boxes, layout, index);
        assert_true(within(layout->panels[index].frame, sheet));
        for (int other = 0; other < index; other++)
            assert_true(apart(layout->panels[index].frame, layout->panels[other].frame));
    }
    for (int index = 0; index < boxes->count; index++)
        assert_true(within(boxes->items[index], sheet));
    check_apart(boxes);
    free(boxes);
}

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

static int up_to(unsigned *state, int limit) {
    return (int)(next_random(state) % (unsigned)limit);
}

static void random_tokens(Fixture *fixture, unsigned *state) {
    static const char *const words[] = {"a",
                                        "m",
                                        "i",
                                        " ",
                                        "<s>",
                                        "</s>",
                                        "m→</s>",
                                        "the",
                                        "Donaudampfschifffahrt→internationalization",
                                        "é",
                                        "日",
                                        "New York",
                                        "Donaudampfschifffahrtsgesellschaft"};
    int kinds = 1 + up_to(state, 13);
    for (int index = 0; index < FIXTURE_TOKENS; index++)
        fixture->tokens[index] = words[up_to(state, kinds)];
}

static void nothing_overlaps_or_leaves_the_sheet(void **unused) {
    (void)unused;
    unsigned state = 7;
    for (int round = 0; round < 150; round++) {
        TraceShape shapes[SITE_COUNT];
        int layers = 1 + up_to(&state, 3), heads = 1 + up_to(&state, 5);
        int longest = round % 10 == 0 ? FIXTURE_TOKENS : 24;
        int source = 1 + up_to(&state, longest), target = 1 + up_to(&state, longest);
        shapes[SITE_ENCODER] = (TraceShape){layers, heads, source, source};
        shapes[SITE_DECODER] =
            (TraceShape){1 + up_to(&state, 3), 1 + up_to(&state, 6), target, target};
        shapes[SITE_CROSS] = (TraceShape){layers, heads, target, source};
        Fixture fixture;
        fixture_make(&fixture, shapes);
        random_tokens(&fixture, &state);
        fixture.scene.arrangement = round % 2 ? ARRANGE_LIST : ARRANGE_SITES;
        fixture.scene.title = round % 3 ? "3 May 2021 → 2021-05-03" : NULL;
        if (round % 7 == 0)
            fixture.scene.title = "a longer title that has to be wrapped into more "
                                  "than one line where the sheet is narrow → b";
        fixture.scene.footer = round % 4 ? "dates.safetensors · 3f2a91c0" : NULL;
        fixture.scene.top = round % 5 ? 1 : 0.8371F;
        if (fixture.scene.arrangement == ARRANGE_LIST)
            fixture.scene.panel_count = 1 + up_to(&state, fixture.scene.panel_count);
        Layout *layout = lay_out(&fixture);
        check_layout(layout);
        layout_free(layout);
        fixture_free(&fixture);
    }
}

static void hit_is_the_inverse_of_the_cells(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{2, 3, 7, 7}, {1, 3, 100, 100}, {2, 3, 5, 60}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Layout *layout = lay_out(&fixture);
    for (int panel = 0; panel < layout->panel_count; panel++) {
        TraceShape shape = shapes[layout->panels[panel].id.site];
        for (int row = 0; row < shape.queries; row++)
            for (int column = 0; column < shape.keys; column++) {
                Rect cell = layout_cell(layout, panel, row, column);
                float xs[] = {cell.x, cell.x + cell.w / 2, cell.x + cell.w - 0.01F};
                float ys[] = {cell.y, cell.y + cell.h / 2, cell.y + cell.h - 0.01F};
                for (int corner = 0; corner < 3; corner++) {
                    LayoutHit hit = layout_hit(layout, xs[corner], ys[2 - corner]);
                    assert_int_equal(hit.panel, panel);
                    assert_int_equal(hit.row, row);
                    assert_int_equal(hit.column, column);
                }
            }
    }
    layout_free(layout);
    fixture_free(&fixture);
}

static void hit_beside_the_cells(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 4, 4}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Layout *layout = lay_out(&fixture);
    Rect cells = layout->panels[0].cells;
    LayoutText label;
    assert_true(layout_row_label(layout, 0, 2, &label));
    Rect box = layout_text_box(&label);
    LayoutHit hit = layout_hit(layout, box.x + 1, box.y + box.h / 2);
    assert_int_equal(hit.panel, 0);
    assert_int_equal(hit.row, 2);
    assert_int_equal(hit.column, -1);
    assert_true(layout_column_label(layout, 0, 3, &label));
    box = layout_text_box(&label);
    hit = layout_hit(layout, box.x + box.w / 2, box.y + 1);
    assert_int_equal(hit.panel, 0);
    assert_int_equal(hit.row, -1);
    assert_int_equal(hit.column, 3);
    box = layout_text_box(&layout->panels[0].name);
    hit = layout_hit(layout, box.x + 1, box.y + 1);
    assert_int_equal(hit.panel, 0);
    assert_int_equal(hit.column, -1);
    hit = layout_hit(layout, cells.x + cells.w + 1000, cells.y);
    assert_int_equal(hit.panel, -1);
    assert_int_equal(layout_hit(layout, -1, -1).panel, -1);
    layout_free(layout);
    fixture_free(&fixture);
}

static void sections_are_tables_of_layers_and_heads(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{2, 4, 9, 9}, {2, 4, 3, 3}, {2, 4, 3, 9}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Layout *layout = lay_out(&fixture);
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
        Layout *layout = lay_out(&fixture);
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
    Layout *layout = lay_out(&fixture);
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
    Layout *layout = lay_out(&fixture);
    assert_int_equal(layout->legend_count, 2);
    assert_int_equal(layout->legends[1].state, CELL_NAN);
    layout_free(layout);
    fixture.scene.panel_count = 1; /* the head that has none */
    layout = lay_out(&fixture);
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
        Layout *layout = lay_out(&fixture);
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
    Layout *layout = lay_out(&fixture);
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
        Layout *layout = lay_out(&fixture);
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
    Layout *layout = lay_out(&fixture);
    const LayoutLabel *labels = layout->sites[SITE_ENCODER].columns.labels;
    assert_false(labels[0].upward);
    assert_true(labels[1].upward);
    assert_true(labels[2].upward);
    assert_false(labels[3].upward);
    layout_free(layout);
    fixture.scene.axes[SITE_ENCODER].columns = alike;
    layout = lay_out(&fixture);
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
        Layout *layout = lay_out(&fixture);
        int in_first_row = 0;
        for (int panel = 0; panel < count; panel++)
            in_first_row += layout->panels[panel].cells.y == layout->panels[0].cells.y;
        assert_int_equal(in_first_row, columns_for[count]);
        layout_free(layout);
    }
    fixture_free(&fixture);
}

static void huge_texts_end(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 1, 1}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    enum { HUGE_BYTES = 1 << 20 };
    char *huge = malloc(HUGE_BYTES + 1);
    assert_non_null(huge);
    memset(huge, 'x', HUGE_BYTES);
    huge[HUGE_BYTES] = '\0';
    fixture.tokens[0] = huge;
    fixture.scene.title = fixture.scene.footer = huge;
    Layout *layout = lay_out(&fixture);
    check_layout(layout);
    layout_free(layout);
    for (int index = 7; index < HUGE_BYTES; index += 8)
        huge[index] = ' ';
    layout = lay_out(&fixture);
    check_layout(layout);
    layout_free(layout);
    free(huge);
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_or_leaves_the_sheet),
        cmocka_unit_test(hit_is_the_inverse_of_the_cells),
        cmocka_unit_test(hit_beside_the_cells),
        cmocka_unit_test(sections_are_tables_of_layers_and_heads),
        cmocka_unit_test(the_sheet_says_what_its_axes_are),
        cmocka_unit_test(not_a_number_gets_a_legend),
        cmocka_unit_test(ticks_cover_the_scale),
        cmocka_unit_test(labels_show_spaces_and_are_shortened),
        cmocka_unit_test(cells_shrink_and_labels_thin_out),
        cmocka_unit_test(short_tokens_stand_upright),
        cmocka_unit_test(few_panels_stand_side_by_side),
        cmocka_unit_test(huge_texts_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
