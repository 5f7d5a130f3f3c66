#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_pixels.h"
#include "tests/viz/helper_text.h"
#include "viz/canvas/pixels.h"
#include "viz/canvas/raster.h"

#include <math.h>

static void clips_nest(void **state) {
    (void)state;
    Error error;
    Raster *raster = raster_make(20, 20, 1, renderer, &error);
    assert_non_null(raster);
    Canvas *canvas = raster_canvas(raster);
    const Surface *surface = raster_surface(raster);
    canvas_fill(canvas, (Rect){0, 0, 20, 20}, color_rgb(0));
    canvas_clip_push(canvas, (Rect){0, 0, 10, 20});
    canvas_clip_push(canvas, (Rect){5, 5, 15, 5});
    canvas_fill(canvas, (Rect){-100, -100, 1000, 1000}, color_rgb(0xffffff));
    canvas_clip_push(canvas, (Rect){15, 15, 2, 2}); /* nothing is left */
    canvas_fill(canvas, (Rect){0, 0, 20, 20}, color_rgb(0xff0000));
    canvas_hatch(canvas, (Rect){0, 0, 20, 20}, color_rgb(0xff0000), color_rgb(0xff0000));
    canvas_line(canvas, -5, -5, 30, 30, 3, color_rgb(0xff0000));
    canvas_text(canvas, 0, 15, "WWW", &(TextStyle){.size = 20, .color = color_rgb(0xff0000)});
    canvas_clip_pop(canvas);
    canvas_clip_pop(canvas);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 20; x++) {
            bool inside = x >= 5 && x < 10 && y >= 5 && y < 10;
            assert_int_equal(surface_pixel(surface, x, y), inside ? 0xffffff : 0);
        }
    canvas_clip_pop(canvas);
    canvas_fill(canvas, (Rect){19, 19, 1, 1}, color_rgb(0x123456));
    assert_int_equal(surface_pixel(surface, 19, 19), 0x123456);
    assert_true(canvas_ok(canvas, &error));
    raster_free(raster);
}

/* Colours mix by their alpha, and by the share of a pixel that a line covers. */
static void alpha_and_edges(void **state) {
    (void)state;
    Error error;
    Raster *raster = raster_make(20, 20, 1, renderer, &error);
    assert_non_null(raster);
    Canvas *canvas = raster_canvas(raster);
    const Surface *surface = raster_surface(raster);
    canvas_fill(canvas, (Rect){0, 0, 20, 20}, color_rgb(0));
    canvas_fill(canvas, (Rect){0, 0, 2, 2}, (Color){255, 255, 255, 51});
    assert_int_equal(surface_pixel(surface, 1, 1), 0x333333);
    canvas_line(canvas, 5, 10, 15, 10, 1, color_rgb(0xffffff));
    /* the line lies half in each of two rows */
    assert_int_equal(surface_pixel(surface, 10, 9), 0x808080);
    assert_int_equal(surface_pixel(surface, 10, 10), 0x808080);
    assert_int_equal(surface_pixel(surface, 10, 8), 0);
    canvas_frame(canvas, (Rect){3, 3, 4, 4}, 1, color_rgb(0x00ff00));
    assert_int_equal(surface_pixel(surface, 3, 3), 0x00ff00);
    assert_int_equal(surface_pixel(surface, 6, 6), 0x00ff00);
    assert_int_equal(surface_pixel(surface, 4, 4), 0);
    raster_free(raster);
}

/* The ink of a text, as the smallest rectangle around it. */
static PixelRect ink_of(const TextStyle *style) {
    Error error;
    Raster *raster = raster_make(120, 120, 1, renderer, &error);
    assert_non_null(raster);
    Canvas *canvas = raster_canvas(raster);
    const Surface *surface = raster_surface(raster);
    canvas_fill(canvas, (Rect){0, 0, 120, 120}, color_rgb(0xffffff));
    canvas_text(canvas, 60, 60, "HEH", style);
    int left = 120, top = 120, right = 0, bottom = 0;
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 120; x++) {
            if (surface_pixel(surface, x, y) == 0xffffff) continue;
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
        }
    raster_free(raster);
    assert_true(left <= right);
    return (PixelRect){left, top, right - left + 1, bottom - top + 1};
}

static void texts_are_aligned(void **state) {
    (void)state;
    TextStyle style = {.size = 20, .color = color_rgb(0)};
    const int bearing = 4; /* an H of 20 pixels begins and ends within so much of its width */
    PixelRect ink = ink_of(&style);
    assert_in_range(ink.x, 60, 60 + bearing);
    assert_int_equal(ink.y + ink.h, 60); /* capitals stand on the baseline */
    style.align = ALIGN_END;
    ink = ink_of(&style);
    assert_in_range(ink.x + ink.w, 60 - bearing, 60);
    style.align = ALIGN_MIDDLE;
    ink = ink_of(&style);
    assert_in_range(2 * ink.x + ink.w, 120 - bearing, 120 + bearing);
    style.align = ALIGN_START;
    style.upward = true;
    PixelRect turned = ink_of(&style);
    assert_int_equal(turned.w, ink.h);
    assert_int_equal(turned.h, ink.w);
    assert_int_equal(turned.x + turned.w, 60);
    assert_in_range(turned.y + turned.h, 60 - bearing, 60);
    style.align = ALIGN_END;
    turned = ink_of(&style);
    assert_in_range(turned.y, 60, 60 + bearing);
}

/* A text upward is the text itself, turned to the left about the point that it is set at. */
static void upward_is_a_quarter_turn(void **state) {
    (void)state;
    Error error;
    Raster *rasters[2];
    for (int upward = 0; upward < 2; upward++) {
        rasters[upward] = raster_make(120, 120, 1, renderer, &error);
        assert_non_null(rasters[upward]);
        TextStyle style = {.size = 20, .upward = upward == 1, .color = color_rgb(0xffffff)};
        canvas_text(raster_canvas(rasters[upward]), 60, 60, "Rg.", &style);
    }
    for (int y = 0; y < 120; y++)
        for (int x = 0; x < 120; x++)
            assert_int_equal(surface_pixel(raster_surface(rasters[0]), x, y),
                             surface_pixel(raster_surface(rasters[1]), y, 119 - x));
    raster_free(rasters[0]);
    raster_free(rasters[1]);
}

/* A raster that another size is given is the same as a new one of that size. */
static void resizing_keeps_the_memory(void **state) {
    (void)state;
    static const float sizes[][2] = {{8000, 6000}, {1, 1}, {0, 0}, {333, 77}, {8000, 6000}};
    Error error;
    Raster *raster = raster_make(10, 10, 1, renderer, &error);
    assert_non_null(raster);
    const void *bytes = NULL;
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++) {
        int width = sizes[index][0] < 1 ? 1 : (int)sizes[index][0];
        int height = sizes[index][1] < 1 ? 1 : (int)sizes[index][1];
        assert_true(raster_resize(raster, sizes[index][0], sizes[index][1], 1, &error));
        const Surface *surface = raster_surface(raster);
        assert_int_equal(surface->width, width);
        assert_int_equal(surface->height, height);
        if (bytes) assert_ptr_equal(surface->bytes, bytes);
        bytes = surface->bytes;
        canvas_fill(raster_canvas(raster), (Rect){-1, -1, 9000, 9000}, color_rgb(0x102030));
        assert_int_equal(surface_pixel(surface, width - 1, height - 1), 0x102030);
        for (int clip = 0; clip < 10; clip++) /* which the next size forgets */
            canvas_clip_push(raster_canvas(raster), (Rect){0, 0, 0, 0});
        assert_true(canvas_ok(raster_canvas(raster), &error));
    }
    error_set(&error, "a failure");
    canvas_fail(raster_canvas(raster), &error);
    assert_false(raster_resize(raster, 40000, 10, 1, &error));
    assert_false(raster_resize(raster, NAN, 10, 1, &error));
    assert_int_equal(raster_surface(raster)->width, 8000);
    assert_false(canvas_ok(raster_canvas(raster), NULL));
    assert_true(raster_resize(raster, 4000, 3000, 2, &error));
    assert_true(canvas_ok(raster_canvas(raster), &error));
    canvas_fill(raster_canvas(raster), (Rect){3999, 2999, 1, 1}, color_rgb(0x99));
    assert_int_equal(surface_pixel(raster_surface(raster), 7999, 5999), 0x99);
    raster_free(raster);
}

/* Refused before memory is asked for: the size, what it would take, and what helps. */
static void a_picture_too_large_is_refused(void **state) {
    (void)state;
    static const struct {
        float width, height, scale;
        const char *says;
    } cases[] = {
        {6000, 5000, 3,
         "the picture would be 18000 x 15000 pixels, too large: it would take 1.6 GB of memory, "
         "and "
         "the largest, of 134 million pixels, takes 0.8; choose a smaller --scale, fewer --heads, "
         "or an SVG"},
        {32768, 1, 1,
         "the picture would be 32768 x 1 pixels, too large: a side has at most 32767; choose a "
         "smaller "
         "--scale, "
         "fewer --heads, or an SVG"},
    };
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        Error error;
        assert_null(raster_make(cases[index].width, cases[index].height, cases[index].scale,
                                renderer, &error));
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_string_equal(error.text, cases[index].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_nest),
        cmocka_unit_test(alpha_and_edges),
        cmocka_unit_test(texts_are_aligned),
        cmocka_unit_test(upward_is_a_quarter_turn),
        cmocka_unit_test(resizing_keeps_the_memory),
        cmocka_unit_test(a_picture_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, text_start, text_stop);
}
