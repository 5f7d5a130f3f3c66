#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_scene.h"
#include "viz/layout/layout.h"

#include <string.h>

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

/* A figure is as wide as asked, unless its panels need more with the smallest cells there are. */
static void check_width(const Scene *scene, const Layout *layout) {
    float widest = 0;
    for (int index = 0; index < layout->panel_count; index++) {
        Rect frame = layout->panels[index].frame;
        widest = frame.x + frame.w > widest ? frame.x + frame.w : widest;
    }
    if (layout->width <= scene->width + 0.01F) {
        assert_true(layout->width >= scene->width - 0.01F);
        return;
    }
    for (int index = 0; index < layout->panel_count; index++)
        assert_true(layout->panels[index].cell_width == 4);
    if (scene->arrangement == ARRANGE_LIST)
        for (int index = 1; index < layout->panel_count; index++)
            assert_true(layout->panels[index].frame.y > layout->panels[index - 1].frame.y);
}

/* Sheets as wide as they come, and with `figures` such of all widths. */
static void check_many(bool figures, unsigned state) {
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
        if (figures) {
            fixture.scene.width = (float)(60 + up_to(&state, 1400)) + 0.3F;
            fixture.scene.exact_tokens = round % 6 != 0;
        }
        Layout *layout = fixture_lay_out(&fixture);
        check_layout(layout);
        if (figures) check_width(&fixture.scene, layout);
        for (int site = 0; site < SITE_COUNT; site++)
            if (layout->sites[site].used && fixture.scene.exact_tokens) {
                assert_true(layout->sites[site].rows.plan.size == FONT_TOKEN);
                assert_true(layout->sites[site].columns.plan.size == FONT_TOKEN);
            }
        layout_free(layout);
        fixture_free(&fixture);
    }
}

static void nothing_overlaps_or_leaves_the_sheet(void **unused) {
    (void)unused;
    check_many(false, 7);
}

static void figures_keep_their_width(void **unused) {
    (void)unused;
    check_many(true, 8);
}

/* Panels of one size: the wider the figure, the fewer rows, and none has a place to spare. */
static void a_list_wraps_to_the_width(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{2, 4, 10, 10}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.scene.arrangement = ARRANGE_LIST;
    fixture.scene.exact_tokens = true;
    for (int columns = 1; columns <= 8; columns++) {
        /* the margins, and each panel: 14 for t9, 6 to its cells, the cells; 28 to the next */
        fixture.scene.width = 4 + (float)columns * (14 + 6 + 140) + (float)(columns - 1) * 28;
        Layout *layout = fixture_lay_out(&fixture);
        int in_first_row = 0;
        for (int index = 0; index < 8; index++)
            in_first_row += layout->panels[index].frame.y == layout->panels[0].frame.y;
        static const int even[9] = {0, 1, 2, 3, 4, 4, 4, 4, 8};
        assert_int_equal(in_first_row, even[columns]);
        bool exact = in_first_row == columns;
        float cell = layout->panels[0].cell_width;
        assert_true(exact ? cell == 14 : cell > 14);
        layout_free(layout);
    }
    /* a pixel too few for two columns: one of larger cells, rather than two of smaller ones */
    fixture.scene.width = 4 + 2 * (14 + 6 + 140) + 28 - 1;
    Layout *narrow = fixture_lay_out(&fixture);
    assert_true(narrow->panels[1].frame.y > narrow->panels[0].frame.y);
    assert_true(narrow->panels[0].cell_width == 28);
    layout_free(narrow);
    fixture.scene.width = 4 + 14 + 6 + 105; /* between cells of 10 and of 11 */
    Layout *layout = fixture_lay_out(&fixture);
    assert_true(layout->panels[0].cell_width == 10);
    assert_true(layout->width == fixture.scene.width);
    layout_free(layout);
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
    Layout *layout = fixture_lay_out(&fixture);
    check_layout(layout);
    layout_free(layout);
    for (int index = 7; index < HUGE_BYTES; index += 8)
        huge[index] = ' ';
    layout = fixture_lay_out(&fixture);
    check_layout(layout);
    layout_free(layout);
    free(huge);
    fixture_free(&fixture);
}

/* Two panels that have a place to spare: their cells grow, and the last one ends where the figure
 * does, but for less than a pixel for each column. */
static void panels_fill_the_width(void **unused) {
    (void)unused;
    TraceShape shapes[SITE_COUNT] = {{1, 2, 10, 10}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.scene.arrangement = ARRANGE_LIST;
    fixture.scene.exact_tokens = true;
    for (float width = 352; width < 630; width += 7) {
        fixture.scene.width = width;
        Layout *layout = fixture_lay_out(&fixture);
        Rect last = layout->panels[1].frame;
        assert_true(last.y == layout->panels[0].frame.y);
        assert_true(layout->width - 2 - last.x - last.w < 1);
        assert_true(layout->panels[0].cell_height == layout->panels[0].cell_width);
        layout_free(layout);
    }
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_or_leaves_the_sheet),
        cmocka_unit_test(figures_keep_their_width),
        cmocka_unit_test(a_list_wraps_to_the_width),
        cmocka_unit_test(huge_texts_end),
        cmocka_unit_test(panels_fill_the_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
