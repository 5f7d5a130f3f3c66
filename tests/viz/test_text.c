#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/base/utf8.h"
#include "tests/viz/helper_text.h"
#include "viz/text/fonts.h"
#include "viz/text/script.h"
#include "viz/text/text.h"
#include "viz/text/text_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const TextImage *image_of(const char *text, int pixels, bool bold) {
    Error error;
    const TextImage *image = text_image(renderer, text, pixels, bold, &error);
    assert_non_null(image);
    return image;
}

static int width_of(const char *text) {
    return image_of(text, 20, false)->width;
}

/* How much ink stands in the columns from `from` up to `to` shares of the width. */
static long ink(const TextImage *image, double from, double to) {
    long sum = 0;
    for (int y = 0; y < image->height; y++)
        for (int x = (int)(from * image->width); x < (int)(to * image->width); x++)
            sum += image->coverage[y * image->width + x];
    return sum;
}

static void utf8_is_read_strictly(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t expected[4];
    } cases[] = {
        {"", {0}},
        {"aé", {'a', 0xE9}},
        {"→日", {0x2192, 0x65E5}},
        {"\xF0\x9F\x98\x80", {0x1F600}},
        {"\xEF\xBF\xBD", {0xFFFD}},
        {"\xC3", {0xFFFD}},
        {"\xEF\x41", {0xFFFD, 'A'}},
        {"\xE2\x86", {0xFFFD, 0xFFFD}},
        {"\x80z", {0xFFFD, 'z'}},
        {"\xC1\x81", {0xFFFD, 0xFFFD}},             /* overlong */
        {"\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}}, /* surrogate */
        {"\xF5", {0xFFFD}},
    };
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        const char *cursor = cases[index].text;
        int at = 0;
        uint32_t code_point;
        do {
            code_point = utf8_read(&cursor);
            assert_int_equal(code_point, cases[index].expected[at++]);
        } while (code_point);
        assert_ptr_equal(cursor, cases[index].text + strlen(cases[index].text));
    }
}

/* The runs of a text from left to right; those that begin with `<` run from right to left. */
static void check_runs(const char *text, const char *const *expected) {
    Error error;
    Fonts *fonts = fonts_make(&error);
    assert_non_null(fonts);
    TextRuns runs;
    assert_true(text_runs_make(&runs, text, fonts, false));
    for (int index = 0; index < runs.count; index++) {
        const char *wanted = expected[index];
        if (!wanted) fail_msg("more runs than expected of %s", text);
        const FontText *run = &runs.items[index].text;
        assert_int_equal(run->backwards, wanted[0] == '<');
        wanted += wanted[0] == '<';
        assert_int_equal(run->length, strlen(wanted));
        assert_memory_equal(run->start, wanted, run->length);
    }
    assert_null(expected[runs.count]);
    text_runs_free(&runs);
    fonts_free(fonts);
}

#define RUNS(text, ...) check_runs(text, (const char *const[]){__VA_ARGS__, NULL})
#define NO_FONT         "\xF3\xB0\x80\x80" /* U+F0000, for private use: no font has it */

static void scripts_make_runs(void **state) {
    (void)state;
    check_runs("", (const char *const[]){NULL});
    RUNS("m→o", "m→o");
    RUNS("3 α Б é", "3 α Б é");
    /* the arrow keeps the two sides of it in their places */
    RUNS("آ→ت", "<آ", "→", "<ت");
    /* two words are one run, so that the first stands on the right */
    RUNS("مايو سلام → x", "<مايو سلام", " → x");
    RUNS("a\tb", "a", "\t", "b");
    RUNS("abc שלום 12!", "abc ", "12", "<שלום ", "!");
    RUNS("כתاب", "<اب", "<כת"); /* two scripts of one direction */
    RUNS("كتابAPIكتاب", "<كتاب", "API", "<كتاب");
    RUNS("(שלום)", "<(שלום)");
    /* marks belong to the letter before them */
    RUNS("e\u0301", "e\u0301");
    RUNS("\u05E9\u05C1\u05B8\u05DC", "<\u05E9\u05C1\u05B8\u05DC");
    RUNS("\u0633\u064E\u0644a\u0301", "a\u0301", "<\u0633\u064E\u0644");
    /* a box in its place among letters that run from right to left */
    RUNS("س" NO_FONT "ل", "<ل", NO_FONT, "<س");
    RUNS(NO_FONT NO_FONT "\u0301", NO_FONT, NO_FONT "\u0301");
}

/* What the main font lacks another one draws, in its place. */
static void other_fonts_keep_the_order(void **state) {
    (void)state;
    Error error;
    Fonts *fonts = fonts_make(&error);
    assert_non_null(fonts);
    Face han = fonts_face_for(fonts, 0x65E5, false);
    fonts_free(fonts);
    if (han == FACE_NONE || han == 0) skip();
    RUNS("a日b", "a", "日", "b");
    RUNS("日 本", "日 本");
    RUNS("של日ום", "<ום", "日", "<של");
}

/* In a run from right to left a bracket opens to the left: the first columns of ink are those of
 * "(", whose middle stands out, though ")" is the last character. */
static void brackets_are_mirrored(void **state) {
    (void)state;
    static const char *const texts[] = {"(abc)", "(אבג)"};
    for (int index = 0; index < 2; index++) {
        const TextImage *image = image_of(texts[index], 60, false);
        int first = 0, last = -1, column = -1;
        for (int x = 0; x < image->width && column < 0; x++)
            for (int y = 0; y < image->height; y++)
                if (image->coverage[y * image->width + x] > 128) {
                    if (column < 0) first = y;
                    column = x;
                    last = y;
                }
        assert_true(column >= 0);
        int middle = (first + last) / 2, height = image->ascent * 3 / 5;
        assert_true(last - first < height); /* not the two ends of ")" */
        assert_true(image->coverage[middle * image->width + column] > 128);
    }
}

static void vowel_signs_take_no_room(void **state) {
    (void)state;
    int bare = width_of("שלום"), pointed = width_of("שָׁלוֹם");
    assert_in_range(pointed, bare - 2, bare + 2);
}

static void right_to_left_starts_on_the_right(void **state) {
    (void)state;
    /* a wide letter and a narrow one: ink lies where the wide one is */
    const TextImage *image = image_of("שי", 40, false);
    assert_true(ink(image, 0.5, 1) > ink(image, 0, 0.4));
    image = image_of("יש", 40, false);
    assert_true(ink(image, 0, 0.5) > ink(image, 0.6, 1));
}

static void sizes_and_weights(void **state) {
    (void)state;
    assert_int_equal(width_of(""), 0);
    assert_true(width_of("mm") > width_of("m"));
    assert_true(width_of("m") > width_of("i"));
    int regular = width_of("encoder");
    assert_true(image_of("encoder", 20, true)->width > regular);
    int wide = image_of("encoder", 40, false)->width;
    /* hinting leaves widths alone: they grow with the size, to the pixel that edges are rounded to
     */
    assert_in_range(wide, 2 * regular - 3, 2 * regular + 3);
    const TextImage *image = image_of("Hg", 20, false);
    assert_true(image->ascent > 10 && image->ascent < image->height);
    assert_true(ink(image, 0, 1) > 0);
}

static void the_same_text_is_rendered_once(void **state) {
    (void)state;
    const TextImage *first = image_of("</s>", 11, false);
    const unsigned char *coverage = first->coverage;
    assert_ptr_equal(image_of("</s>", 11, false)->coverage, coverage);
    assert_ptr_not_equal(image_of("</s>", 11, true)->coverage, coverage);
    assert_ptr_not_equal(image_of("</s>", 12, false)->coverage, coverage);
}

/* Each size and weight has a picture of its own, also when it comes from the cache. */
static void sizes_are_kept_apart(void **state) {
    (void)state;
    for (int pass = 0; pass < 2; pass++)
        for (int pixels = 10; pixels < 80; pixels++) {
            int regular = image_of("encoder.0.1", pixels, false)->width;
            int height = image_of("encoder.0.1", pixels, false)->height;
            assert_in_range(height, pixels, pixels * 3 / 2);
            assert_true(image_of("encoder.0.1", pixels, true)->width > regular);
        }
}

/* More pictures than the cache may hold: it drops and begins anew, with the same pictures. */
static void the_cache_is_bounded(void **state) {
    (void)state;
    char text[64];
    int width = image_of("number 7", 90, false)->width;
    for (int index = 0; index < 400; index++) {
        snprintf(text, sizeof text, "number %d", index);
        image_of(text, 90, false);
    }
    assert_int_equal(image_of("number 7", 90, false)->width, width);
}

/* Letters of a script that joins are shaped by their neighbours: the word is narrower than its
 * letters apart, whether its own font has it or another. */
static void arabic_is_joined(void **state) {
    (void)state;
    if (width_of("س") == width_of("\xF3\xB0\x80\x80")) skip(); /* no font has it: a box */
    assert_true(width_of("سلام") < width_of("س") + width_of("ل") + width_of("ا") + width_of("م"));
}

/* U+F0000 is for private use: no font of a test machine has it. */
static void a_box_stands_for_what_no_font_has(void **state) {
    (void)state;
    const char *missing = "\xF3\xB0\x80\x80";
    int width = width_of(missing);
    assert_true(width > width_of("F0000") / 2); /* the code point stands in it, in small */
    const TextImage *image = image_of(missing, 20, false);
    int middle = image->height / 2;
    int dark = 0; /* the frame's left and right edges at least */
    for (int x = 0; x < image->width; x++)
        dark += image->coverage[middle * image->width + x] == 255;
    assert_true(dark >= 2);
    for (int x = 1; x < image->width - 1; x++)
        assert_int_equal(image->coverage[x], 255); /* its upper edge */
    assert_int_equal(width_of("\xF3\xB0\x80\x80\xF3\xB0\x80\x80"), 2 * width);
    assert_true(width_of("a\nb") > width_of("ab"));
}

static void bad_bytes_are_shown(void **state) {
    (void)state;
    assert_true(width_of("a\xFF") > width_of("a"));
    assert_true(width_of("\xE2\x86") > 0);
}

/* A renderer made while a variable has a value; NULL for none. */
static TextRenderer *renderer_with(const char *variable, const char *value) {
    Error error;
    const char *was = getenv(variable);
    char *before = was ? strdup(was) : NULL;
    setenv(variable, value, 1);
    TextRenderer *made = text_make(&error);
    if (before)
        setenv(variable, before, 1);
    else
        unsetenv(variable);
    free(before);
    return made;
}

/* Whether fontconfig is asked for the main fonts or they are where they are looked for first. */
static void fonts_are_the_same_however_found(void **state) {
    (void)state;
    if (access("/etc/fonts/fonts.conf", R_OK) != 0 || getenv("FONTCONFIG_FILE")) skip();
    TextRenderer *asked = renderer_with("FONTCONFIG_PATH", "/etc/fonts");
    assert_non_null(asked);
    for (int bold = 0; bold < 2; bold++) {
        Error error;
        const TextImage *one = image_of("Heads: fi → 日", 17, bold);
        const TextImage *other = text_image(asked, "Heads: fi → 日", 17, bold, &error);
        assert_non_null(other);
        assert_int_equal(one->width, other->width);
        assert_int_equal(one->height, other->height);
        assert_int_equal(one->ascent, other->ascent);
        assert_memory_equal(one->coverage, other->coverage,
                            (size_t)one->width * (size_t)one->height);
    }
    text_free(asked);
}

/* Accents above a capital stand higher than the font says it is. */
static void tall_letters_stand_on_the_line(void **state) {
    (void)state;
    TextImage plain = *image_of("A", 20, false);
    const TextImage *tall = image_of("A\u030A\u030A\u030A\u030A", 20, false);
    if (tall->height <= plain.height) skip(); /* this font sets one accent upon the other */
    /* the letter's lowest row of ink is the last one above the baseline */
    int row = tall->ascent - 1;
    long ink_there = 0, ink_below = 0;
    for (int x = 0; x < tall->width; x++) {
        ink_there += tall->coverage[row * tall->width + x];
        ink_below += tall->coverage[(row + 1) * tall->width + x];
    }
    assert_true(ink_there > 0);
    assert_int_equal(ink_below, 0);
}

/* The environment says where the fonts are; each renderer reads it anew. */
static void no_font_is_an_error(void **state) {
    (void)state;
    char folder[] = "/tmp/headscope-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/fonts.conf", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig/>\n", file);
    assert_int_equal(fclose(file), 0);
    const char *variable = getenv("FONTCONFIG_FILE");
    char *before = variable ? strdup(variable) : NULL;
    setenv("FONTCONFIG_FILE", path, 1);
    Error error = {0};
    TextRenderer *none = text_make(&error);
    if (before)
        setenv("FONTCONFIG_FILE", before, 1);
    else
        unsetenv("FONTCONFIG_FILE");
    free(before);
    remove(path);
    rmdir(folder);
    assert_null(none);
    assert_int_equal(error.kind, ERROR_FAILED);
    assert_non_null(strstr(error.text, "fonts-dejavu-core"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_read_strictly),
        cmocka_unit_test(scripts_make_runs),
        cmocka_unit_test(other_fonts_keep_the_order),
        cmocka_unit_test(brackets_are_mirrored),
        cmocka_unit_test(vowel_signs_take_no_room),
        cmocka_unit_test(right_to_left_starts_on_the_right),
        cmocka_unit_test(sizes_and_weights),
        cmocka_unit_test(the_same_text_is_rendered_once),
        cmocka_unit_test(sizes_are_kept_apart),
        cmocka_unit_test(the_cache_is_bounded),
        cmocka_unit_test(arabic_is_joined),
        cmocka_unit_test(a_box_stands_for_what_no_font_has),
        cmocka_unit_test(bad_bytes_are_shown),
        cmocka_unit_test(no_font_is_an_error),
        cmocka_unit_test(fonts_are_the_same_however_found),
        cmocka_unit_test(tall_letters_stand_on_the_line),
    };
    return cmocka_run_group_tests(tests, text_start, text_stop);
}
