#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_scene.h"
#include "viz/draw/render.h"

#include <math.h>
#include <string.h>

/* A back end that writes down what it is told: drawing must not care what is behind the canvas. */
enum { CALLS_AT_MOST = 4096 };

typedef struct Recorder {
    Canvas canvas; /* first */
    Rect hatches[CALLS_AT_MOST], cells[CALLS_AT_MOST];
    const char *texts[CALLS_AT_MOST];
    int hatch_count, cells_count, text_count, line_count, fill_count, depth;
    float tops[CALLS_AT_MOST];
} Recorder;

static void record_fill(Canvas *canvas, Rect rect, Color color) {
    (void)rect, (void)color;
    ((Recorder *)canvas)->fill_count++;
}

static void record_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    (void)radius;
    record_fill(canvas, rect, color);
}

static void record_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    (void)radius, (void)width;
    record_fill(canvas, rect, color);
}

static void record_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                        Color color) {
    (void)x0, (void)y0, (void)x1, (void)y1, (void)width, (void)color;
    ((Recorder *)canvas)->line_count++;
}

static void record_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    (void)ground, (void)line;
    Recorder *recorder = (Recorder *)canvas;
    recorder->hatches[recorder->hatch_count++] = rect;
}

static void record_cells(Canvas *canvas, const CellMap *map) {
    Recorder *recorder = (Recorder *)canvas;
    recorder->tops[recorder->cells_count] = map->top;
    recorder->cells[recorder->cells_count++] = map->area;
}

static void record_text(Canvas *canvas, float x, float y, const char *text,
                        const TextStyle *style) {
    (void)x, (void)y;
    Recorder *recorder = (Recorder *)canvas;
    assert_true(style->size > 0);
    recorder->texts[recorder->text_count++] = text;
}

static float record_width(Canvas *canvas, const char *text, float size, bool bold) {
    (void)canvas;
    return (float)strlen(text) * size * (bold ? 0.6F : 0.5F);
}

static void record_push(Canvas *canvas, Rect rect) {
    (void)rect;
    ((Recorder *)canvas)->depth++;
}

static void record_pop(Canvas *canvas) {
    ((Recorder *)canvas)->depth--;
}

static const CanvasOperations recording = {
    .fill = record_fill,
    .round_fill = record_round_fill,
    .round_frame = record_round_frame,
    .line = record_line,
    .hatch = record_hatch,
    .cells = record_cells,
    .text = record_text,
    .text_width = record_width,
    .clip_push = record_push,
    .clip_pop = record_pop,
};

static float measure(void *context, const char *text, float size, bool bold) {
    return canvas_text_width(context, text, size, bold);
}

static Recorder recorder;

static Layout *draw(const Scene *scene) {
    recorder = (Recorder){.canvas.operations = &recording};
    Error error;
    TextMeasure measuring = {.width = measure, .context = &recorder.canvas};
    Layout *layout = layout_make(scene, measuring, &error);
    assert_non_null(layout);
    viz_draw(&recorder.canvas, scene, layout);
    assert_true(canvas_ok(&recorder.canvas, &error));
    assert_int_equal(recorder.depth, 0);
    return layout;
}

static int count_text(const char *text) {
    int count = 0;
    for (int index = 0; index < recorder.text_count; index++)
        count += strcmp(recorder.texts[index], text) == 0;
    return count;
}

static void write_all(Fixture *fixture, HeadId id, const int *key_len) {
    enum { CELLS_AT_MOST = 1024 };
    float weights[CELLS_AT_MOST];
    TraceShape shape = trace_shape(fixture->trace, id.site);
    for (int cell = 0; cell < CELLS_AT_MOST; cell++)
        weights[cell] = 0.25F;
    trace_write(fixture->trace, id, weights, shape.keys, key_len);
}

static void everything_is_drawn(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{2, 2, 4, 4}, {2, 2, 3, 3}, {2, 2, 3, 4}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.scene.title = "input → output";
    fixture.scene.footer = "footer";
    fixture.scene.top = 0.5F;
    Layout *layout = draw(&fixture.scene);
    assert_int_equal(recorder.cells_count, 1 + 12); /* the bar and the panels */
    for (int panel = 0; panel < 12; panel++) {
        assert_true(recorder.tops[1 + panel] == 0.5F);
        assert_memory_equal(&recorder.cells[1 + panel], &layout->panels[panel].cells, sizeof(Rect));
        assert_int_equal(count_text(layout->panels[panel].name.text), 1);
    }
    assert_int_equal(count_text("input → output"), 1);
    assert_int_equal(count_text("footer"), 1);
    assert_int_equal(count_text("cross-attention"), 1);
    assert_int_equal(count_text("head 1"), 3);
    assert_int_equal(count_text("layer 1"), 3);
    /* t3 names the last row and column of an encoder map, the last column of a cross map */
    assert_int_equal(count_text("t3"), 4 * 2 + 4);
    assert_int_equal(count_text("0.5"), 1);
    layout_free(layout);
    fixture_free(&fixture);
}

static void masks_are_hatched_in_few_pieces(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 4, 4}, {1, 1, 3, 3}, {0}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    write_all(&fixture, (HeadId){SITE_ENCODER, 0, 0}, (const int[]){3, 3, 3, 3});
    write_all(&fixture, (HeadId){SITE_DECODER, 0, 0}, (const int[]){1, 2, 3});
    Layout *layout = draw(&fixture.scene);
    /* the legend's sample, one block of padding, two rows of the causal triangle */
    assert_int_equal(recorder.hatch_count, 1 + 1 + 2);
    Rect cells = layout->panels[0].cells, hatch = recorder.hatches[1];
    assert_true(hatch.x == cells.x + 3 * layout->panels[0].cell_width);
    assert_true(hatch.y == cells.y);
    assert_true(hatch.x + hatch.w == cells.x + cells.w);
    assert_true(hatch.h == cells.h);
    cells = layout->panels[1].cells;
    hatch = recorder.hatches[2];
    assert_true(hatch.x == cells.x + layout->panels[1].cell_width);
    assert_true(hatch.h == layout->panels[1].cell_height);
    layout_free(layout);
    fixture_free(&fixture);
}

static void crosses_only_where_not_a_number(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 2, 2}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    write_all(&fixture, (HeadId){SITE_ENCODER, 0, 0}, NULL);
    Layout *layout = draw(&fixture.scene);
    assert_int_equal(recorder.line_count, 0);
    assert_int_equal(count_text("not a number"), 0);
    layout_free(layout);
    const float weights[4] = {0, NAN, 1, 0};
    trace_write(fixture.trace, (HeadId){SITE_ENCODER, 0, 0}, weights, 2, NULL);
    layout = draw(&fixture.scene);
    assert_int_equal(recorder.line_count, 2 * 2); /* the cell and the legend's sample */
    assert_int_equal(count_text("not a number"), 1);
    layout_free(layout);
    fixture_free(&fixture);
}

static void maps_without_cells(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 0}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Layout *layout = draw(&fixture.scene);
    assert_true(layout->panels[0].cells.w == 0);
    assert_int_equal(recorder.cells_count, 4);
    layout_free(layout);
    fixture_free(&fixture);
}

static void the_first_error_is_kept(void **state) {
    (void)state;
    Recorder failing = {.canvas.operations = &recording};
    Error error;
    assert_true(canvas_ok(&failing.canvas, &error));
    error_set(&error, "first");
    canvas_fail(&failing.canvas, &error);
    error_set(&error, "second");
    canvas_fail(&failing.canvas, &error);
    assert_false(canvas_ok(&failing.canvas, &error));
    assert_string_equal(error.text, "first");
    assert_false(canvas_ok(&failing.canvas, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_drawn),
        cmocka_unit_test(masks_are_hatched_in_few_pieces),
        cmocka_unit_test(crosses_only_where_not_a_number),
        cmocka_unit_test(maps_without_cells),
        cmocka_unit_test(the_first_error_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
