#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_scene.h"
#include "tests/viz/helper_text.h"
#include "viz/canvas/svg_text.h"
#include "viz/draw/render.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An SVG in memory while it is drawn. */
typedef struct Drawing {
    char *bytes;
    size_t size;
    FILE *stream;
    Svg *svg;
    Canvas *canvas;
} Drawing;

static void begin(Drawing *drawing, const SvgPage *page) {
    *drawing = (Drawing){0};
    Error error;
    drawing->stream = open_memstream(&drawing->bytes, &drawing->size);
    assert_non_null(drawing->stream);
    drawing->svg = svg_make(drawing->stream, page, renderer, &error);
    assert_non_null(drawing->svg);
    drawing->canvas = svg_canvas(drawing->svg);
}

static void end(Drawing *drawing) {
    Error error;
    assert_true(svg_end(drawing->svg, &error));
    assert_int_equal(fclose(drawing->stream), 0);
    svg_free(drawing->svg);
}

/* Each tag is closed in its order, each text is free of bare signs, and no control is in it. */
static void assert_well_formed(const char *svg) {
    enum { DEEPEST = 32, NAME = 32 };
    char open[DEEPEST][NAME];
    int depth = 0, tags = 0;
    assert_memory_equal(svg, "<?xml ", 6);
    const char *at = strstr(svg, "?>") + 2;
    for (; *at; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at == '&') {
            bool known = !strncmp(at, "&amp;", 5) || !strncmp(at, "&lt;", 4) ||
                         !strncmp(at, "&gt;", 4) || !strncmp(at, "&quot;", 6);
            assert_true(known);
        }
        assert_true(*at != '>');
        if (*at != '<') continue;
        const char *close = strchr(at, '>');
        assert_non_null(close);
        size_t length = strcspn(at + 1, " />\n");
        assert_true(length < NAME);
        if (at[1] == '/') {
            length = strcspn(at + 2, ">");
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strlen(open[depth]), length);
            assert_memory_equal(open[depth], at + 2, length);
        } else if (close[-1] != '/') {
            assert_true(depth < DEEPEST);
            snprintf(open[depth++], NAME, "%.*s", (int)length, at + 1);
        }
        if (depth == 0) assert_string_equal(close + 1, "\n"); /* one root, then the end */
        int quotes = 0;
        for (; at < close; at++)
            quotes += *at == '"';
        assert_int_equal(quotes % 2, 0);
        tags++;
    }
    assert_int_equal(depth, 0);
    assert_true(tags > 1);
}

/* --- the scene's rectangles and texts --------------------------------------------------------- */

/* What a canvas was told, in order; a map is told cell by cell. */
typedef struct Item {
    Rect rect; /* for a text: x, y, size */
    Color color;
    bool cell, hatch;
    const char *text;
} Item;

enum { ITEMS_AT_MOST = 8192 };

typedef struct Recorder {
    Canvas canvas; /* first */
    Item rects[ITEMS_AT_MOST], texts[ITEMS_AT_MOST];
    int rect_count, text_count;
} Recorder;

static Recorder recorder;

static void record(Item item) {
    assert_true(recorder.rect_count < ITEMS_AT_MOST);
    recorder.rects[recorder.rect_count++] = item;
}

static void record_fill(Canvas *canvas, Rect rect, Color color) {
    (void)canvas;
    record((Item){.rect = rect, .color = color});
}

static void record_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    (void)canvas, (void)ground, (void)line;
    record((Item){.rect = rect, .hatch = true});
}

static void record_cells(Canvas *canvas, const CellMap *map) {
    (void)canvas;
    float width = map->area.w / (float)map->columns, height = map->area.h / (float)map->rows;
    for (int cell = 0; cell < map->rows * map->columns; cell++) {
        if (isnan(map->values[cell])) continue;
        int row = cell / map->columns, column = cell % map->columns;
        record((Item){.rect = {map->area.x + (float)column * width,
                               map->area.y + (float)row * height, width, height},
                      .color = canvas_cell_color(map, canvas_cell_entry(map, map->values[cell])),
                      .cell = true});
    }
}

static void record_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                        Color color) {
    (void)canvas, (void)x0, (void)y0, (void)x1, (void)y1, (void)width, (void)color;
}

static void record_text(Canvas *canvas, float x, float y, const char *string,
                        const TextStyle *style) {
    (void)canvas;
    assert_true(recorder.text_count < ITEMS_AT_MOST);
    recorder.texts[recorder.text_count++] =
        (Item){.rect = {x, y, style->size, 0}, .color = style->color, .text = string};
}

static const CanvasOperations recording = {
    .fill = record_fill,
    .line = record_line,
    .hatch = record_hatch,
    .cells = record_cells,
    .text = record_text,
};

static double attribute(const char *tag, const char *name) {
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(tag, key), *close = strchr(tag, '>');
    assert_true(at && at < close);
    return strtod(at + strlen(key), NULL);
}

static bool near(double one, double other) {
    return fabs(one - other) <= 0.002; /* numbers are written to 0.001 */
}

static void assert_color(const char *tag, Color color) {
    char fill[32];
    snprintf(fill, sizeof fill, " fill=\"#%02x%02x%02x\"", color.r, color.g, color.b);
    const char *at = strstr(tag, fill), *close = strchr(tag, '>');
    assert_true(at && at < close);
    at = strstr(tag, "fill-opacity");
    assert_true((at && at < close) == (color.a < 255));
    if (color.a < 255) assert_true(near(attribute(tag, "fill-opacity"), color.a / 255.0));
}

/* A rectangle of the SVG is one of those told, or a run of cells of one colour, which it takes. */
static int assert_rect(const char *tag, int next) {
    assert_true(next < recorder.rect_count);
    const Item *item = &recorder.rects[next];
    double width = attribute(tag, "width");
    assert_true(near(attribute(tag, "x"), item->rect.x));
    assert_true(near(attribute(tag, "y"), item->rect.y));
    assert_true(near(attribute(tag, "height"), item->rect.h));
    if (item->hatch) assert_memory_equal(strstr(tag, " fill=") + 7, "url(#hatch", 10);
    double covered = 0;
    do {
        item = &recorder.rects[next++];
        assert_true(near(attribute(tag, "y"), item->rect.y));
        assert_true(near(attribute(tag, "x") + covered, item->rect.x));
        if (!item->hatch) assert_color(tag, item->color);
        covered += item->rect.w;
    } while (item->cell && covered < width - 0.01);
    assert_true(fabs(covered - width) < 0.01);
    return next;
}

static void the_scene_is_in_it(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 2, 5, 5}, {2, 1, 4, 4}, {1, 1, 4, 5}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    unsigned random = 3;
    for (int panel = 0; panel < fixture.scene.panel_count; panel++) {
        HeadId id = fixture.panels[panel].id;
        int keys = trace_shape(fixture.trace, id.site).keys;
        float weights[25];
        for (int cell = 0; cell < 25; cell++) {
            random = random * 1664525U + 1013904223U;
            weights[cell] = (random >> 20) % 3 ? 0.1F : (float)(random >> 8 & 0xFF) / 255;
        }
        trace_write(fixture.trace, id, weights, keys,
                    id.site == SITE_DECODER ? (const int[]){1, 2, 3, 4} : NULL);
    }
    fixture.tokens[2] = "<&>";
    fixture.scene.title = "3 May → <b>";
    fixture.scene.scale = SVG_SCALE;
    Error error;
    Layout *layout = viz_layout(renderer, &fixture.scene, &error);
    assert_non_null(layout);
    recorder = (Recorder){.canvas.operations = &recording};
    viz_draw(&recorder.canvas, &fixture.scene, layout);
    char *bytes;
    size_t size;
    FILE *stream = open_memstream(&bytes, &size);
    assert_non_null(stream);
    SvgPage page = {.title = "all"};
    assert_true(viz_render_svg(renderer, &fixture.scene, layout, &page, stream, &error));
    assert_int_equal(fclose(stream), 0);
    assert_well_formed(bytes);

    int rects = 0, texts = 0;
    for (const char *at = bytes; (at = strchr(at, '<')) != NULL; at++) {
        if (strncmp(at, "<pattern", 8) == 0) at = strstr(at, "</pattern>");
        if (strncmp(at, "<rect", 5) == 0) rects = assert_rect(at, rects);
        if (strncmp(at, "<text", 5) != 0) continue;
        const Item *item = &recorder.texts[texts++];
        char *expected;
        size_t length;
        FILE *escaped = open_memstream(&expected, &length);
        svg_put_text(escaped, item->text);
        fclose(escaped);
        assert_memory_equal(strchr(at, '>') + 1, expected, length);
        assert_memory_equal(strchr(at, '>') + 1 + length, "</text>", 7);
        free(expected);
        assert_true(near(attribute(at, "font-size"), item->rect.w));
        assert_color(at, item->color);
        if (strncmp(at, "<text transform", 15) == 0) continue;
        assert_true(near(attribute(at, "x"), item->rect.x));
        assert_true(near(attribute(at, "y"), item->rect.y));
    }
    assert_int_equal(rects, recorder.rect_count);
    assert_int_equal(texts, recorder.text_count);
    assert_non_null(strstr(bytes, ">&lt;&amp;&gt;</text>"));
    free(bytes);
    layout_free(layout);
    fixture_free(&fixture);
}

/* --- its parts -------------------------------------------------------------------------------- */

static const char *text_of(const char *string) {
    static char written[256];
    memset(written, 0, sizeof written);
    FILE *stream = fmemopen(written, sizeof written, "w");
    svg_put_text(stream, string);
    fclose(stream);
    return written;
}

static void texts_are_escaped(void **state) {
    (void)state;
    assert_string_equal(text_of("a&b <c> \"d\" 'e'"), "a&amp;b &lt;c&gt; &quot;d&quot; 'e'");
    assert_string_equal(text_of("\x01"
                                "a\tb\x7F\xC2\x85"),
                        "ab");
    assert_string_equal(text_of("é日\xF0\x9F\x98\x80"), "é日\xF0\x9F\x98\x80");
    assert_string_equal(text_of("\xFF\xC3"), "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_string_equal(text_of("\xE2\x80\xAE"
                                "a"), /* right-to-left override */
                        "a");
    assert_string_equal(text_of("\xEF\xBF\xBF"), ""); /* U+FFFF is no character of XML */
    assert_string_equal(text_of(""), "");
}

#define ISOLATE "\xE2\x81\xA8"
#define POP     "\xE2\x81\xA9"

/* A viewer that follows Unicode orders them as a raster does. */
static void right_to_left_parts_are_isolated(void **state) {
    (void)state;
    assert_string_equal(text_of("م→و"), ISOLATE "م" POP "→" ISOLATE "و" POP);
    assert_string_equal(text_of("مع سلام"), ISOLATE "مع سلام" POP);
    assert_string_equal(text_of("مع 3"), ISOLATE "مع 3" POP);
    assert_string_equal(text_of("א\xD6\xB7 → a"), ISOLATE "א\xD6\xB7" POP " → a");
    assert_string_equal(text_of("a → ב → c"), "a → " ISOLATE "ב" POP " → c");
    assert_string_equal(text_of("a→b"), "a→b");
}

static const char *number_of(double number) {
    static char written[64];
    memset(written, 0, sizeof written);
    FILE *stream = fmemopen(written, sizeof written, "w");
    svg_put_number(stream, number);
    fclose(stream);
    return written;
}

static void numbers_are_short(void **state) {
    (void)state;
    /* where the machine has it, a locale that writes 1,5 */
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    assert_string_equal(number_of(0), "0");
    assert_string_equal(number_of(-0.0004), "0");
    assert_string_equal(number_of(1.5), "1.5");
    assert_string_equal(number_of(-2.25), "-2.25");
    assert_string_equal(number_of(0.0449), "0.045");
    assert_string_equal(number_of(-0.5), "-0.5");
    assert_string_equal(number_of(12.9996), "13");
    assert_string_equal(number_of(1e6), "1000000");
    setlocale(LC_NUMERIC, "C");
}

static void shapes_lines_and_clips(void **state) {
    (void)state;
    Drawing drawing;
    begin(&drawing, &(SvgPage){.width = 100, .height = 50, .printed_width = 8, .unit = "cm"});
    Color blue = color_rgb(0x0000ff), red = {255, 0, 0, 51};
    canvas_round_fill(drawing.canvas, (Rect){1, 2, 30, 10}, 99, blue);
    canvas_round_frame(drawing.canvas, (Rect){1, 2, 30, 10}, 4, 2, red);
    canvas_round_frame(drawing.canvas, (Rect){1, 2, 30, 10}, 4, 5, red);
    canvas_clip_push(drawing.canvas, (Rect){0, 0, 10, 10});
    canvas_clip_push(drawing.canvas, (Rect){5, 5, 10, -1});
    canvas_line(drawing.canvas, 0, 1, 2.5F, 3, 1.5F, red);
    canvas_clip_pop(drawing.canvas);
    canvas_clip_pop(drawing.canvas);
    canvas_clip_pop(drawing.canvas); /* one too many */
    canvas_hatch(drawing.canvas, (Rect){0, 0, 9, 9}, blue, red);
    canvas_hatch(drawing.canvas, (Rect){0, 9, 9, 9}, blue, red);
    canvas_hatch(drawing.canvas, (Rect){0, 18, 9, 9}, red, blue);
    canvas_text(drawing.canvas, 7, 8, "up", &(TextStyle){.size = 9, .upward = true, .bold = true});
    canvas_text(drawing.canvas, 7, 8, "end", &(TextStyle){.size = 9, .align = ALIGN_END});
    canvas_clip_push(drawing.canvas, (Rect){0, 0, 1, 1}); /* never taken away */
    end(&drawing);
    assert_well_formed(drawing.bytes);
    static const char *const parts[] = {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8cm\" height=\"4cm\" "
        "viewBox=\"0 0 100 50\"",
        "<rect x=\"1\" y=\"2\" width=\"30\" height=\"10\" rx=\"5\" fill=\"#0000ff\"/>",
        "<rect x=\"2\" y=\"3\" width=\"28\" height=\"8\" rx=\"3\" fill=\"none\" "
        "stroke=\"#ff0000\" stroke-opacity=\"0.2\" stroke-width=\"2\"/>",
        "<rect x=\"1\" y=\"2\" width=\"30\" height=\"10\" rx=\"4\" fill=\"#ff0000\" "
        "fill-opacity=\"0.2\"/>",
        "<clipPath id=\"clip1\"><rect x=\"0\" y=\"0\" width=\"10\" height=\"10\"/></clipPath>\n"
        "<g clip-path=\"url(#clip1)\">\n"
        "<clipPath id=\"clip2\"><rect x=\"5\" y=\"5\" width=\"10\" height=\"0\"/></clipPath>\n"
        "<g clip-path=\"url(#clip2)\">\n"
        "<line x1=\"0\" y1=\"1\" x2=\"2.5\" y2=\"3\" stroke=\"#ff0000\" stroke-opacity=\"0.2\" "
        "stroke-width=\"1.5\" stroke-linecap=\"round\"/>\n</g>\n</g>\n<pattern id=\"hatch1\"",
        "height=\"9\" fill=\"url(#hatch1)\"/>\n<rect x=\"0\" y=\"9\"",
        "height=\"9\" fill=\"url(#hatch1)\"/>\n<pattern id=\"hatch2\"",
        "<text transform=\"translate(7 8) rotate(-90)\" font-size=\"9\" font-weight=\"bold\"",
        "<text x=\"7\" y=\"8\" font-size=\"9\" text-anchor=\"end\"",
    };
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        if (!strstr(drawing.bytes, parts[part]))
            fail_msg("%s is not in\n%s", parts[part], drawing.bytes);
    free(drawing.bytes);
}

/* A text is as wide as the raster draws it in large. */
static void texts_are_measured(void **state) {
    (void)state;
    Drawing drawing;
    begin(&drawing, &(SvgPage){.width = 10, .height = 10});
    Error error = {0};
    float large = raster_text_width(renderer, 8, "Hamburgefonts", 11, false, &error);
    float measured = canvas_text_width(drawing.canvas, "Hamburgefonts", 11, false);
    assert_true(fabsf(measured / large - 1) < 0.02F);
    assert_true(canvas_text_width(drawing.canvas, "Hamburgefonts", 11, true) > measured);
    end(&drawing);
    free(drawing.bytes);
}

static void it_says_how_it_was_made(void **state) {
    (void)state;
    const PictureText texts[] = {{"headscope:command", "export --input \"a & b\""},
                                 {"headscope:model", "3f2a"}};
    Drawing drawing;
    begin(&drawing,
          &(SvgPage){.width = 10, .height = 20, .title = "a → b", .texts = texts, .text_count = 2});
    end(&drawing);
    assert_well_formed(drawing.bytes);
    assert_non_null(strstr(drawing.bytes, " width=\"10px\" height=\"20px\""));
    assert_non_null(strstr(drawing.bytes, "<title>a → b</title>"));
    assert_non_null(strstr(drawing.bytes, "key=\"headscope:command\">export --input &quot;a &amp; "
                                          "b&quot;</headscope:text>"));
    assert_non_null(strstr(drawing.bytes, "key=\"headscope:model\">3f2a</headscope:text>"));
    free(drawing.bytes);
}

static void failures_are_told(void **state) {
    (void)state;
    Error error;
    FILE *stream = fopen("/dev/null", "r"); /* cannot be written */
    assert_non_null(stream);
    Svg *svg = svg_make(stream, &(SvgPage){.width = 1, .height = 1}, renderer, &error);
    assert_non_null(svg);
    canvas_fill(svg_canvas(svg), (Rect){0, 0, 1, 1}, color_rgb(0));
    assert_false(svg_end(svg, &error));
    assert_non_null(strstr(error.text, "cannot be written"));
    svg_free(svg);
    fclose(stream);

    Drawing drawing;
    begin(&drawing, &(SvgPage){.width = 1, .height = 1});
    error_set(&error, "a font is missing");
    canvas_fail(drawing.canvas, &error);
    error = (Error){0};
    assert_false(svg_end(drawing.svg, &error));
    assert_string_equal(error.text, "a font is missing");
    svg_free(drawing.svg);
    svg_free(NULL);
    fclose(drawing.stream);
    free(drawing.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_is_in_it),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(right_to_left_parts_are_isolated),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(shapes_lines_and_clips),
        cmocka_unit_test(texts_are_measured),
        cmocka_unit_test(it_says_how_it_was_made),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, text_start, text_stop);
}
