/* The command export: which files it writes and what they begin with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "tests/app/helper_program.h"

static const char input[] = "4a";

#define EXPORT(...)      RUN("export", copy_model(), "--input", input, __VA_ARGS__)
#define MUST_EXPORT(...) MUST_RUN("export", copy_model(), "--input", input, __VA_ARGS__)

static uint32_t big_endian(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Walks the chunks of a PNG; true if one of text has this key and holds `value`. */
static bool picture_says(const char *path, const char *key, const char *value) {
    size_t size;
    char *bytes = file_read(path, &size);
    assert_true(size > 8);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    bool found = false, ended = false;
    for (size_t at = 8; !ended;) {
        assert_true(at + 12 <= size);
        const char *chunk = bytes + at;
        size_t length = big_endian((const unsigned char *)chunk);
        assert_true(length <= size - at - 12);
        bool text = memcmp(chunk + 4, "tEXt", 4) == 0 || memcmp(chunk + 4, "iTXt", 4) == 0;
        size_t key_length = strlen(key) + 1;
        if (text && length > key_length && memcmp(chunk + 8, key, key_length) == 0)
            for (size_t i = key_length; i + strlen(value) <= length; i++)
                found = found || memcmp(chunk + 8 + i, value, strlen(value)) == 0;
        ended = memcmp(chunk + 4, "IEND", 4) == 0;
        at += length + 12;
        if (ended) assert_int_equal(at, size);
    }
    free(bytes);
    return found;
}

static void assert_is_picture(const char *path) {
    assert_true(picture_says(path, "headscope:command", "headscope export"));
    assert_true(picture_says(path, "headscope:command", input));
    assert_true(picture_says(path, "Software", "headscope"));
}

static void test_a_folder_gets_a_picture_a_site(void **state) {
    (void)state;
    MUST_EXPORT("-o", in_folder("out"));
    assert_int_equal(count_files(in_folder("out"), ""), 3);
    assert_is_picture(in_folder("out/encoder.png"));
    assert_is_picture(in_folder("out/decoder.png"));
    assert_is_picture(in_folder("out/cross.png"));

    MUST_EXPORT("-o", in_folder("site"), "--site", "cross", "--theme", "dark");
    assert_int_equal(count_files(in_folder("site"), ""), 1);
    assert_is_picture(in_folder("site/cross.png"));
}

static void test_each_gets_a_picture_a_head(void **state) {
    (void)state;
    MUST_EXPORT("-o", in_folder("each"), "--each", "--layer", "0");
    const char *folder = in_folder("each");
    int heads = count_files(folder, ".png") - 3;
    assert_int_equal(count_files(folder, ""), heads + 3);
    assert_true(heads > 0 && heads % 3 == 0);
    static const char *const sites[] = {"encoder", "decoder", "cross"};
    for (int site = 0; site < 3; site++)
        for (int head = 0; head < heads / 3; head++) {
            char name[64];
            snprintf(name, sizeof name, "each/%s.0.%d.png", sites[site], head);
            assert_is_picture(in_folder(name));
        }
}

static void test_one_sheet(void **state) {
    (void)state;
    int files = count_files(test_folder, "");
    MUST_EXPORT("-o", in_folder("sheet.png"), "--scale", "0.5", "--colormap", "grey");
    assert_is_picture(in_folder("sheet.png"));
    assert_int_equal(count_files(test_folder, ""), files + 1);
}

static void test_listed_heads_make_one_picture(void **state) {
    (void)state;
    MUST_EXPORT("-o", in_folder("list"), "--heads", "cross.0.1,encoder.0.0");
    assert_int_equal(count_files(in_folder("list"), ""), 1);
    assert_is_picture(in_folder("list/heads.png"));
    assert_true(
        picture_says(in_folder("list/heads.png"), "headscope:command", "cross.0.1,encoder"));
}

static void test_the_same_command_gives_the_same_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"again.png", "again.csv", "again.json", "again.npz",
                                        "again.safetensors"};
    for (int i = 0; i < (small_work() ? 2 : 5); i++) {
        const char *option = i == 0 ? "-o" : "--data";
        MUST_EXPORT(option, in_folder(names[i]));
        assert_int_equal(rename(in_folder(names[i]), in_folder("earlier")), 0);
        MUST_EXPORT(option, in_folder(names[i]));
        assert_same_files(in_folder("earlier"), in_folder(names[i]));
    }
}

static void assert_begins(const char *path, const void *bytes, size_t length) {
    size_t size;
    char *file = file_read(path, &size);
    assert_true(size > length);
    assert_memory_equal(file, bytes, length);
    free(file);
}

static void test_data_by_the_ending(void **state) {
    (void)state;
    MUST_EXPORT("--data", in_folder("a.csv"));
    assert_begins(in_folder("a.csv"), "site,layer,head,query,key,", 26);

    MUST_EXPORT("--data", in_folder("a.json"));
    char *text = file_read(in_folder("a.json"), NULL);
    cJSON *object = cJSON_Parse(text);
    assert_true(cJSON_IsObject(object));
    cJSON_Delete(object);
    free(text);

    MUST_EXPORT("--data", in_folder("a.npz"));
    assert_begins(in_folder("a.npz"), "PK\3\4", 4);

    MUST_EXPORT("--data", in_folder("a.safetensors"));
    char *file = file_read(in_folder("a.safetensors"), NULL);
    size_t header = 0;
    for (int i = 7; i >= 0; i--)
        header = header << 8 | (unsigned char)file[i];
    object = cJSON_ParseWithLength(file + 8, header);
    assert_true(cJSON_IsObject(object));
    cJSON_Delete(object);
    free(file);
}

/* The weights that one query gives to its keys sum to 1. */
static void test_rows_of_the_csv_sum_to_one(void **state) {
    (void)state;
    MUST_EXPORT("--data", in_folder("sum.csv"), "--heads", "encoder.0.1");
    char *text = file_read(in_folder("sum.csv"), NULL);
    double sums[16] = {0};
    int queries = 0;
    for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        int query, key;
        double weight;
        assert_int_equal(
            sscanf(line, "encoder,0,1,%d,%d,%*[^,],%*[^,],%*[^,],%lf", &query, &key, &weight), 3);
        assert_true(query >= 0 && query < 16);
        sums[query] += weight;
        queries = query + 1 > queries ? query + 1 : queries;
    }
    assert_true(queries >= 2);
    /* A few floats, each right to 6e-8 of itself. */
    for (int i = 0; i < queries; i++)
        assert_true(sums[i] > 1 - 1e-6 && sums[i] < 1 + 1e-6);
    free(text);
}

static void test_picture_and_data_in_one_call(void **state) {
    (void)state;
    MUST_EXPORT("-o", in_folder("both.png"), "--data", in_folder("both.csv"));
    assert_true(file_exists(in_folder("both.png")));
    assert_true(file_exists(in_folder("both.csv")));
}

static void assert_is_svg(const char *path, const char *width) {
    size_t size;
    char *svg = file_read(path, &size);
    assert_true(size > 100);
    assert_memory_equal(svg, "<?xml ", 6);
    assert_string_equal(svg + size - 7, "</svg>\n");
    assert_non_null(strstr(svg, width));
    assert_non_null(strstr(svg, "\"headscope:command\">headscope export"));
    assert_non_null(strstr(svg, "\"headscope:model\">"));
    assert_non_null(strstr(svg, ">&lt;s&gt;"));
    free(svg);
}

static void test_figures_for_papers(void **state) {
    (void)state;
    MUST_EXPORT("-o", in_folder("figure.svg"), "--heads", "cross.0.1,encoder.0.0", "--width", "8cm",
                "--font-size", "8pt");
    assert_is_svg(in_folder("figure.svg"), " width=\"8cm\" ");
    /* 8 cm of 72/2.54 points each, and 11 logical pixels for 8 points */
    assert_is_svg(in_folder("figure.svg"), " viewBox=\"0 0 311.811 ");
    MUST_EXPORT("-o", in_folder("sheet.svg"));
    assert_is_svg(in_folder("sheet.svg"), " width=\"");
    MUST_EXPORT("-o", in_folder("wide.svg"), "--width", "17.5cm");
    assert_is_svg(in_folder("wide.svg"), " width=\"17.5cm\" ");
    MUST_EXPORT("-o", in_folder("font.svg"), "--font-size", "11px");
    assert_is_svg(in_folder("font.svg"), "px\" height=\"");
    MUST_EXPORT("-o", in_folder("figures"), "--format", "svg", "--each", "--site", "cross");
    assert_is_svg(in_folder("figures/cross.svg"), " width=\"");
    assert_is_svg(in_folder("figures/cross.0.1.svg"), " width=\"");
    assert_int_equal(count_files(in_folder("figures"), ".png"), 0);
    assert_int_equal(rename(in_folder("wide.svg"), in_folder("earlier")), 0);
    MUST_EXPORT("-o", in_folder("wide.svg"), "--width", "17.5cm");
    assert_same_files(in_folder("earlier"), in_folder("wide.svg"));
}

/* A figure for a paper, as the README has it, with the shipped model. */
static void test_a_figure_for_a_paper(void **state) {
    (void)state;
    if (small_work() || !file_exists("assets/dates.safetensors")) skip();
    MUST_RUN("export", "assets/dates.safetensors", "--input", "3 May 2021", "--heads",
             "cross.1.2,cross.0.3", "-o", in_folder("readme.svg"), "--width", "8cm", "--font-size",
             "8pt");
    assert_is_svg(in_folder("readme.svg"), " width=\"8cm\" ");
}

static void assert_refused(const char *const *words, const char *why) {
    const char *call[MOST_WORDS] = {"export", copy_model(), "--input", input};
    int count = 4;
    while (words[count - 4]) {
        call[count] = words[count - 4];
        count++;
    }
    int files = count_files(test_folder, "");
    Ran ran = program_run(call, NULL);
    assert_status(&ran, 2);
    assert_int_equal(count_lines(ran.err), 1);
    if (!strstr(ran.err, why)) fail_msg("%s is not in %s", why, ran.err);
    assert_int_equal(count_files(test_folder, ""), files);
    ran_free(&ran);
}

#define REFUSED(why, ...) assert_refused((const char *const[]){__VA_ARGS__, NULL}, why)

static void test_figures_that_cannot_be(void **state) {
    (void)state;
    const char *svg = in_folder("no.svg");
    REFUSED("need a width of", "-o", svg, "--width", "1cm", "--font-size", "10pt");
    REFUSED("--width 8", "-o", svg, "--width", "8");
    REFUSED("--width cm", "-o", svg, "--width", "cm");
    REFUSED("--width 8 cm", "-o", svg, "--width", "8 cm");
    REFUSED("--width -8cm", "-o", svg, "--width", "-8cm");
    REFUSED("--width nancm", "-o", svg, "--width", "nancm");
    REFUSED("--width 1e9cm", "-o", svg, "--width", "1e9cm");
    REFUSED("--font-size 8em", "-o", svg, "--font-size", "8em");
    REFUSED("--font-size 0pt", "-o", svg, "--font-size", "0pt");
    REFUSED("--width is for SVG", "-o", in_folder("no.png"), "--width", "8cm");
    REFUSED("--font-size is for SVG", "-o", in_folder("no"), "--font-size", "8pt");
    REFUSED("--width is for SVG", "--data", in_folder("no.csv"), "--width", "8cm");
    REFUSED("--scale is for PNG", "-o", svg, "--scale", "2");
    REFUSED("--format gif", "-o", in_folder("no"), "--format", "gif");
    REFUSED("--format png", "-o", svg, "--format", "png");
    REFUSED("--each", "-o", svg, "--each");
}

static void test_nothing_is_left_of_a_failed_export(void **state) {
    (void)state;
    copy_model();
    int files = count_files(test_folder, "");
    Ran ran = EXPORT("-o", in_folder("no/such/folder/a.png"));
    assert_status(&ran, 1);
    ran_free(&ran);
    ran = EXPORT("-o", in_folder("fails"), "--heads", "cross.0.0,cross.9.9");
    assert_status(&ran, 2);
    ran_free(&ran);
    ran = EXPORT("-o", in_folder("fails"), "--data", in_folder("no/such/folder/a.csv"));
    assert_status(&ran, 1);
    ran_free(&ran);
    /* The model that is read is not written over. */
    size_t size;
    char *model = file_read(copy_model(), &size);
    file_write(in_folder("own.safetensors"), model, size);
    free(model);
    ran = RUN("export", in_folder("own.safetensors"), "--input", input, "--data",
              in_folder("own.safetensors"));
    unlink(in_folder("own.safetensors"));
    assert_status(&ran, 2);
    assert_non_null(strstr(ran.err, "is the file that is read"));
    ran_free(&ran);
    assert_int_equal(count_files(test_folder, ""), files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_folder_gets_a_picture_a_site),
        cmocka_unit_test(test_each_gets_a_picture_a_head),
        cmocka_unit_test(test_one_sheet),
        cmocka_unit_test(test_listed_heads_make_one_picture),
        cmocka_unit_test(test_the_same_command_gives_the_same_bytes),
        cmocka_unit_test(test_data_by_the_ending),
        cmocka_unit_test(test_rows_of_the_csv_sum_to_one),
        cmocka_unit_test(test_picture_and_data_in_one_call),
        cmocka_unit_test(test_figures_for_papers),
        cmocka_unit_test(test_a_figure_for_a_paper),
        cmocka_unit_test(test_figures_that_cannot_be),
        cmocka_unit_test(test_nothing_is_left_of_a_failed_export),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
