#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_pixels.h"
#include "tests/viz/helper_scene.h"
#include "tests/viz/helper_text.h"
#include "viz/draw/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fixture drawn, with the layout that it was drawn by. */
typedef struct Drawn {
    Layout *layout;
    Raster *raster;
    const Surface *surface;
} Drawn;

static Drawn draw(const Scene *scene) {
    Error error;
    Drawn drawn = {.layout = viz_layout(renderer, scene, &error)};
    assert_non_null(drawn.layout);
    drawn.raster = viz_render(renderer, scene, &error);
    assert_non_null(drawn.raster);
    drawn.surface = raster_surface(drawn.raster);
    return drawn;
}

static void drawn_free(Drawn *drawn) {
    layout_free(drawn->layout);
    raster_free(drawn->raster);
}

/* All pixels of a cell have one colour: that of its value. */
static void check_value(const Drawn *drawn, int panel, int row, int column, uint32_t expected,
                        int scale) {
    Rect cell = layout_cell(drawn->layout, panel, row, column);
    for (int y = 0; y < (int)cell.h * scale; y++)
        for (int x = 0; x < (int)cell.w * scale; x++)
            assert_int_equal(
                surface_pixel(drawn->surface, (int)cell.x * scale + x, (int)cell.y * scale + y),
                expected);
}

/* One pixel in five along each row is of a line, and the lines slant. */
static void check_hatch(const Drawn *drawn, int panel, int row, int column, const Theme *theme,
                        int scale) {
    Rect cell = layout_cell(drawn->layout, panel, row, column);
    for (int y = (int)cell.y * scale; y < (int)(cell.y + cell.h) * scale; y++)
        for (int x = (int)cell.x * scale; x < (int)(cell.x + cell.w) * scale; x++) {
            bool line = (x + y) % (5 * scale) < scale;
            assert_int_equal(surface_pixel(drawn->surface, x, y),
                             color_hex(line ? theme->hatch_line : theme->hatch_ground));
        }
}

static const TraceShape one_head[SITE_COUNT] = {{0}, {1, 1, 2, 2}, {0}};

static void exact_pixels(void **state) {
    (void)state;
    const float weights[4] = {1, 0, 0.25F, 0.75F};
    const int key_len[2] = {1, 2};
    for (int variant = 0; variant < THEME_COUNT * COLORMAP_COUNT * 2; variant++) {
        Fixture fixture;
        fixture_make(&fixture, one_head);
        trace_write(fixture.trace, (HeadId){SITE_DECODER, 0, 0}, weights, 2, key_len);
        int scale = 1 + variant % 2;
        fixture.scene.scale = (float)scale;
        fixture.scene.theme = (ThemeName)(variant / 2 % THEME_COUNT);
        fixture.scene.colormap = (ColorMap)(variant / 2 / THEME_COUNT);
        const Theme *theme = theme_get(fixture.scene.theme);
        ColorMap map = fixture.scene.colormap;
        Drawn drawn = draw(&fixture.scene);
        assert_int_equal(drawn.surface->width, lroundf(drawn.layout->width * (float)scale));
        assert_int_equal(drawn.surface->height, lroundf(drawn.layout->height * (float)scale));
        check_value(&drawn, 0, 0, 0, color_hex(map_color(map, 1)), scale);
        check_hatch(&drawn, 0, 0, 1, theme, scale);
        check_value(&drawn, 0, 1, 0, color_hex(map_color(map, 0.25F)), scale);
        check_value(&drawn, 0, 1, 1, color_hex(map_color(map, 0.75F)), scale);
        Rect cells = drawn.layout->panels[0].cells;
        int left = (int)cells.x * scale, top = (int)cells.y * scale;
        assert_int_equal(surface_pixel(drawn.surface, left - 1, top - 1), color_hex(theme->line));
        assert_int_equal(surface_pixel(drawn.surface, 0, 0), color_hex(theme->ground));
        assert_int_equal(
            surface_pixel(drawn.surface, drawn.surface->width - 1, drawn.surface->height - 1),
            color_hex(theme->ground));
        drawn_free(&drawn);
        fixture_free(&fixture);
    }
}

/* The two ends of the bar are the ends of the map, below its frame of one pixel. */
static void the_bar_spans_the_map(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, one_head);
    fixture.scene.top = 0.4F;
    Drawn drawn = draw(&fixture.scene);
    Rect bar = drawn.layout->bar;
    int y = (int)(bar.y + bar.h / 2), left = (int)bar.x + 1, right = (int)(bar.x + bar.w) - 2;
    for (int x = left; x < right; x++) {
        float share = ((float)x - bar.x) / (bar.w - 1);
        assert_int_equal(surface_pixel(drawn.surface, x, y),
                         color_hex(map_color(COLORMAP_VIRIDIS, share)));
    }
    drawn_free(&drawn);
    fixture_free(&fixture);
}

/* One panel's largest weight is 1, the other's 0.5; a weight of 0.5 looks alike in both. */
static void one_scale_for_all_panels(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{1, 2, 2, 2}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    const float sharp[4] = {0.5F, 0.5F, 0, 1}, flat[4] = {0.5F, 0.5F, 0.5F, 0.5F};
    trace_write(fixture.trace, (HeadId){SITE_ENCODER, 0, 0}, sharp, 2, NULL);
    trace_write(fixture.trace, (HeadId){SITE_ENCODER, 0, 1}, flat, 2, NULL);
    fixture.scene.top = 1;
    Drawn drawn = draw(&fixture.scene);
    uint32_t half = color_hex(map_color(COLORMAP_VIRIDIS, 0.5F));
    check_value(&drawn, 0, 0, 0, half, 1);
    check_value(&drawn, 1, 0, 0, half, 1);
    check_value(&drawn, 1, 1, 1, half, 1);
    check_value(&drawn, 0, 1, 1, color_hex(map_color(COLORMAP_VIRIDIS, 1)), 1);
    drawn_free(&drawn);
    fixture_free(&fixture);
}

/* A cell that is not a number is no colour of the map: ground at its edge, red in its middle. */
static void not_a_number_is_crossed_out(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, one_head);
    const float weights[4] = {NAN, 1, INFINITY, 0};
    trace_write(fixture.trace, (HeadId){SITE_DECODER, 0, 0}, weights, 2, NULL);
    Drawn drawn = draw(&fixture.scene);
    const Theme *theme = theme_get(THEME_LIGHT);
    for (int row = 0; row < 2; row++) {
        Rect cell = layout_cell(drawn.layout, 0, row, 0);
        int middle = (int)(cell.h / 2);
        assert_int_equal(surface_pixel(drawn.surface, (int)cell.x + middle, (int)cell.y + middle),
                         color_hex(theme->alarm));
        assert_int_equal(surface_pixel(drawn.surface, (int)cell.x + middle, (int)cell.y),
                         color_hex(theme->ground));
        assert_int_equal(surface_pixel(drawn.surface, (int)cell.x, (int)cell.y),
                         color_hex(theme->ground));
    }
    drawn_free(&drawn);
    fixture_free(&fixture);
}

/* A query that sees nothing is hatched all along; so is a map that was never written. */
static void empty_rows_are_masked(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, one_head);
    Drawn drawn = draw(&fixture.scene);
    for (int cell = 0; cell < 4; cell++)
        check_hatch(&drawn, 0, cell / 2, cell % 2, theme_get(THEME_LIGHT), 1);
    drawn_free(&drawn);
    fixture_free(&fixture);
}

static unsigned char *render_png(const Scene *scene, size_t *size) {
    unsigned char *bytes = NULL;
    Error error;
    const PictureText texts[] = {{"headscope:command", "headscope export ä"}};
    assert_true(viz_render_png(renderer, scene, texts, 1, &bytes, size, &error));
    return bytes;
}

static void same_scene_same_bytes(void **state) {
    (void)state;
    TraceShape shapes[SITE_COUNT] = {{2, 2, 5, 5}, {2, 2, 3, 3}, {2, 2, 3, 5}};
    Fixture fixture;
    fixture_make(&fixture, shapes);
    fixture.tokens[1] = "日";
    fixture.tokens[2] = "س";
    fixture.scene.title = "a → b";
    size_t size, again;
    unsigned char *first = render_png(&fixture.scene, &size);
    /* with fonts and caches of their own, and after other pictures */
    text_free(renderer);
    Error error;
    renderer = text_make(&error);
    assert_non_null(renderer);
    fixture.scene.theme = THEME_DARK;
    unsigned char *other = render_png(&fixture.scene, &again);
    assert_true(size != again || memcmp(first, other, size) != 0);
    free(other);
    fixture.scene.theme = THEME_LIGHT;
    unsigned char *second = render_png(&fixture.scene, &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    PictureTexts read;
    assert_true(picture_texts_read(first, size, &read, &error));
    assert_string_equal(picture_texts_find(&read, "headscope:command"), "headscope export ä");
    picture_texts_free(&read);
    free(first);
    free(second);
    fixture_free(&fixture);
}

static void what_cannot_be_drawn_is_an_error(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, one_head);
    Error error;
    fixture.scene.scale = 1000;
    assert_null(viz_render(renderer, &fixture.scene, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "1000"));
    fixture_free(&fixture);
    fixture_make(&fixture, (TraceShape[SITE_COUNT]){{6, 8, 100, 100}});
    fixture.scene.scale = 8;
    assert_null(viz_render(renderer, &fixture.scene, &error));
    assert_non_null(strstr(error.text, "pixels"));
    fixture.scene.scale = 1;
    fixture.scene.panels = &(ScenePanel){.id = {SITE_CROSS, 0, 0}};
    unsigned char *bytes = NULL;
    size_t size;
    assert_false(viz_render_png(renderer, &fixture.scene, NULL, 0, &bytes, &size, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_null(bytes);
    fixture_free(&fixture);
}

/* Odd scales keep everything in its place: a cell's middle has its colour. */
static void fractional_scales(void **state) {
    (void)state;
    const float weights[4] = {1, 0, 0.25F, 0.75F}, scales[] = {0.5F, 1.25F, 1.5F, 3.7F};
    for (int index = 0; index < 4; index++) {
        Fixture fixture;
        fixture_make(&fixture, one_head);
        trace_write(fixture.trace, (HeadId){SITE_DECODER, 0, 0}, weights, 2, NULL);
        fixture.scene.scale = scales[index];
        Drawn drawn = draw(&fixture.scene);
        for (int at = 0; at < 4; at++) {
            Rect cell = layout_cell(drawn.layout, 0, at / 2, at % 2);
            int x = (int)((cell.x + cell.w / 2) * scales[index]);
            int y = (int)((cell.y + cell.h / 2) * scales[index]);
            assert_int_equal(surface_pixel(drawn.surface, x, y),
                             color_hex(map_color(COLORMAP_VIRIDIS, weights[at])));
        }
        drawn_free(&drawn);
        fixture_free(&fixture);
    }
}

/* A text of a megabyte is shortened before any of it is rendered. */
static void huge_texts_are_drawn(void **state) {
    (void)state;
    enum { HUGE_BYTES = 1 << 20 };
    char *huge = malloc(HUGE_BYTES + 1);
    assert_non_null(huge);
    memset(huge, 'x', HUGE_BYTES);
    huge[HUGE_BYTES] = '\0';
    Fixture fixture;
    fixture_make(&fixture, one_head);
    fixture.tokens[0] = fixture.scene.title = huge;
    Drawn drawn = draw(&fixture.scene);
    assert_true(drawn.surface->width < 1000);
    drawn_free(&drawn);
    fixture_free(&fixture);
    free(huge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_pixels),
        cmocka_unit_test(the_bar_spans_the_map),
        cmocka_unit_test(one_scale_for_all_panels),
        cmocka_unit_test(not_a_number_is_crossed_out),
        cmocka_unit_test(empty_rows_are_masked),
        cmocka_unit_test(same_scene_same_bytes),
        cmocka_unit_test(what_cannot_be_drawn_is_an_error),
        cmocka_unit_test(fractional_scales),
        cmocka_unit_test(huge_texts_are_drawn),
    };
    return cmocka_run_group_tests(tests, text_start, text_stop);
}
