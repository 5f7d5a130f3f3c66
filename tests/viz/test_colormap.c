#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_pixels.h"
#include "viz/canvas/theme.h"

#include <math.h>

/* Published values, as matplotlib gives them for the same shares. */
static void published_anchors(void **state) {
    (void)state;
    static const struct {
        ColorMap map;
        float share;
        uint32_t rgb;
    } anchors[] = {
        {COLORMAP_VIRIDIS, 0, 0x440154},    {COLORMAP_VIRIDIS, 0.25F, 0x3b528b},
        {COLORMAP_VIRIDIS, 0.5F, 0x21918c}, {COLORMAP_VIRIDIS, 0.75F, 0x5ec962},
        {COLORMAP_VIRIDIS, 1, 0xfde725},    {COLORMAP_CIVIDIS, 0, 0x00224e},
        {COLORMAP_CIVIDIS, 0.5F, 0x7d7c78}, {COLORMAP_CIVIDIS, 1, 0xfee838},
        {COLORMAP_MAGMA, 0, 0x000004},      {COLORMAP_MAGMA, 0.5F, 0xb73779},
        {COLORMAP_MAGMA, 1, 0xfcfdbf},      {COLORMAP_GREY, 0, 0x000000},
        {COLORMAP_GREY, 0.5F, 0x808080},    {COLORMAP_GREY, 1, 0xffffff},
    };
    for (size_t index = 0; index < sizeof anchors / sizeof *anchors; index++) {
        Color color = map_color(anchors[index].map, anchors[index].share);
        assert_int_equal(color_hex(color), anchors[index].rgb);
        assert_int_equal(color.a, 255);
    }
}

static void outside_of_the_scale(void **state) {
    (void)state;
    for (int map = 0; map < COLORMAP_COUNT; map++) {
        uint32_t lowest = color_hex(map_color((ColorMap)map, 0));
        uint32_t highest = color_hex(map_color((ColorMap)map, 1));
        assert_int_equal(color_hex(map_color((ColorMap)map, -3)), lowest);
        assert_int_equal(color_hex(map_color((ColorMap)map, NAN)), lowest);
        assert_int_equal(color_hex(map_color((ColorMap)map, 1e30F)), highest);
        assert_int_equal(color_hex(map_color((ColorMap)map, INFINITY)), highest);
        assert_int_equal(color_hex(map_color((ColorMap)map, 0.9999999F)), highest);
    }
}

/* Luminance by Rec. 709 on linear light: what grey print and a monochrome eye see. */
static double luminance(Color color) {
    double parts[3] = {color.r / 255.0, color.g / 255.0, color.b / 255.0};
    for (int part = 0; part < 3; part++)
        parts[part] =
            parts[part] <= 0.04045 ? parts[part] / 12.92 : pow((parts[part] + 0.055) / 1.055, 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

static void lightness_rises(void **state) {
    (void)state;
    for (int map = 0; map < COLORMAP_COUNT; map++)
        for (int entry = 8; entry < 256; entry++) {
            double before = luminance(map_color((ColorMap)map, ((float)entry - 7.5F) / 256));
            double now = luminance(map_color((ColorMap)map, ((float)entry + 0.5F) / 256));
            assert_true(now > before);
        }
}

static void names_are_read_back(void **state) {
    (void)state;
    for (int map = 0; map < COLORMAP_COUNT; map++) {
        ColorMap read;
        assert_true(colormap_parse(colormap_name((ColorMap)map), &read));
        assert_int_equal(read, map);
    }
    ColorMap map = COLORMAP_MAGMA;
    assert_false(colormap_parse("jet", &map));
    assert_false(colormap_parse("", &map));
    assert_int_equal(map, COLORMAP_MAGMA);
    assert_true(colormap_parse("gray", &map));
    assert_int_equal(map, COLORMAP_GREY);
    ThemeName theme;
    assert_true(theme_parse("dark", &theme));
    assert_int_equal(theme, THEME_DARK);
    assert_true(theme_parse("light", &theme));
    assert_int_equal(theme, THEME_LIGHT);
    assert_false(theme_parse("Dark", &theme));
}

static double contrast(Color one, Color other) {
    double a = luminance(one) + 0.05, b = luminance(other) + 0.05;
    return a > b ? a / b : b / a;
}

/* WCAG 2.1 asks for 4.5 for text. */
static void texts_can_be_read(void **state) {
    (void)state;
    for (int name = 0; name < THEME_COUNT; name++) {
        const Theme *theme = theme_get((ThemeName)name);
        assert_true(contrast(theme->text, theme->ground) >= 7);
        assert_true(contrast(theme->muted, theme->ground) >= 4.5);
        assert_true(contrast(theme->alarm, theme->ground) >= 3);
        assert_true(contrast(theme->hatch_line, theme->hatch_ground) >= 1.5);
        const Color grounds[] = {theme->ground, theme->ground_window, theme->surface, theme->raised,
                                 theme->accent_wash};
        const Color inks[] = {theme->text, theme->muted, theme->accent, theme->accent_second,
                              theme->struck};
        for (size_t ground = 0; ground < sizeof grounds / sizeof *grounds; ground++)
            for (size_t ink = 0; ink < sizeof inks / sizeof *inks; ink++)
                assert_true(contrast(inks[ink], grounds[ground]) >= 4.5);
        /* grounds are told apart by the line between them, and by little else */
        assert_true(contrast(theme->divider, theme->surface) >= 1.2);
        assert_true(contrast(theme->divider, theme->ground_window) >= 1.15);
        assert_true(contrast(theme->raised, theme->surface) >= 1.15);
        assert_true(contrast(theme->ground_window, theme->surface) >= 1.05);
    }
}

/* Both sides move away from the middle step by step, equally far in lightness. */
static void differences_have_two_sides(void **state) {
    (void)state;
    for (int name = 0; name < THEME_COUNT; name++) {
        Color middle = theme_get((ThemeName)name)->middle;
        assert_int_equal(color_hex(diverging_color(0, middle)), color_hex(middle));
        assert_int_equal(color_hex(diverging_color(NAN, middle)), color_hex(middle));
        assert_int_equal(color_hex(diverging_color(0.003F, middle)), color_hex(middle));
        for (int side = -1; side <= 1; side += 2) {
            double before = luminance(middle);
            for (int step = 8; step <= 127; step += 7) {
                double now = luminance(diverging_color((float)(side * step) / 127, middle));
                assert_true(name == THEME_LIGHT ? now < before : now > before);
                before = now;
            }
        }
        for (int step = 1; step <= 127; step++) {
            float share = (float)step / 127;
            Color above = diverging_color(share, middle);
            Color below = diverging_color(-share, middle);
            assert_true(contrast(above, below) < 1.25);
            if (step < 13) continue;
            assert_true(above.b > above.r && below.r > below.b);
        }
        /* the ends stand out */
        assert_true(contrast(diverging_color(1, middle), middle) >= 7);
        assert_int_equal(color_hex(diverging_color(1, middle)),
                         color_hex(diverging_color(9, middle)));
        assert_int_equal(color_hex(diverging_color(-1, middle)),
                         color_hex(diverging_color(-INFINITY, middle)));
        assert_int_not_equal(color_hex(diverging_color(1, middle)),
                             color_hex(diverging_color(-1, middle)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_anchors), cmocka_unit_test(outside_of_the_scale),
        cmocka_unit_test(lightness_rises),   cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(texts_can_be_read), cmocka_unit_test(differences_have_two_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
