/* Bytes of a file through a window: the same as in the file, wherever and in whatever order they
 * are asked for; and a file that became shorter ends nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/arrays/array_window.h"
#include "tests/data/helper_files.h"

enum { HEADER = 128, COUNT = 5 << 20 };

static unsigned char byte_at(size_t at) {
    return (unsigned char)((at * 2654435761U) >> 13 & 255);
}

/* An npy of bytes. */
static const char *write_file(void) {
    unsigned char *bytes = malloc(HEADER + COUNT);
    assert_non_null(bytes);
    memset(bytes, ' ', HEADER);
    memcpy(bytes, "\x93NUMPY\x01\0\x76\0", 10);
    int length = snprintf((char *)bytes + 10, HEADER - 10,
                          "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }", COUNT);
    bytes[10 + length] = ' ';
    bytes[HEADER - 1] = '\n';
    for (size_t at = 0; at < COUNT; at++)
        bytes[HEADER + at] = byte_at(at);
    const char *path = in_folder("bytes.npy");
    write_bytes(path, bytes, HEADER + COUNT);
    free(bytes);
    return path;
}

static Arrays open_file(void) {
    Arrays views;
    Error error = {0};
    if (!arrays_map(&views, write_file(), &error)) fail_msg("%s", error.text);
    assert_int_equal(views.count, 1);
    return views;
}

static void assert_bytes(ArrayWindow *window, size_t at, size_t size) {
    const unsigned char *bytes = array_window_at(window, window->file->arrays[0].bytes + at, size);
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != byte_at(at + i)) fail_msg("byte %zu of %zu at %zu", i, size, at);
}

static void test_in_order(void **state) {
    (void)state;
    Arrays views = open_file();
    ArrayWindow window = {.file = &views};
    for (size_t at = 0, row = 2048; at + row <= COUNT; at += row)
        assert_bytes(&window, at, row);
    assert_non_null(window.bytes); /* they were read, not looked at in the mapping */
    for (size_t at = 0, row = 777; at + row <= COUNT; at += 3 * row)
        assert_bytes(&window, at, row);
    array_window_free(&window);
    arrays_close(&views);
}

static void test_in_no_order(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 4, 4095, 4096, 4097, 1 << 18, (1 << 18) + 1, 1 << 22};
    Arrays views = open_file();
    ArrayWindow window = {.file = &views};
    unsigned number = 7;
    for (int i = 0; i < 200; i++) {
        number = number * 1664525 + 1013904223;
        size_t size = sizes[i % 8];
        assert_bytes(&window, (number >> 4) % (COUNT - size + 1), size);
    }
    for (size_t size = 1; size <= 1 << 22; size *= 4) {
        assert_bytes(&window, 0, size);
        assert_bytes(&window, COUNT - size, size);
    }
    array_window_free(&window);
    arrays_close(&views);
}

/* A single byte that is looked at does not cost a block. */
static void test_how_much_is_read(void **state) {
    (void)state;
    Arrays views = open_file();
    ArrayWindow window = {.file = &views};
    assert_bytes(&window, 3 << 20, 1);
    assert_true(window.past - window.first <= 4096);
    assert_bytes(&window, 1 << 20, 1);
    assert_true(window.past - window.first <= 4096);
    assert_bytes(&window, (1 << 20) + 5000, 1); /* going on from there */
    assert_true(window.past - window.first >= 1 << 18);
    array_window_free(&window);
    /* so many that they are better looked at where they lie */
    const unsigned char *first = views.arrays[0].bytes;
    assert_ptr_equal(array_window_at(&window, first, ARRAY_WINDOW_MAX + 1), first);
    arrays_close(&views);
}

static void test_what_is_no_file(void **state) {
    (void)state;
    static const unsigned char bytes[4] = {1, 2, 3, 4};
    Arrays memory = {.bytes = (unsigned char *)(uintptr_t)bytes, .size = sizeof bytes};
    ArrayWindow window = {.file = &memory};
    assert_ptr_equal(array_window_at(&window, bytes + 1, 2), bytes + 1);
    Arrays views = open_file();
    window.file = &views;
    assert_ptr_equal(array_window_at(&window, bytes + 1, 2), bytes + 1); /* unpacked */
    arrays_close(&views);
}

static void test_a_file_that_became_shorter(void **state) {
    (void)state;
    Arrays views = open_file();
    ArrayWindow window = {.file = &views};
    assert_int_equal(truncate(in_folder("bytes.npy"), HEADER + 10000), 0);
    const unsigned char *bytes = array_window_at(&window, views.arrays[0].bytes + 9990, 30000);
    for (size_t i = 0; i < 30000; i++)
        assert_int_equal(bytes[i], i < 10 ? byte_at(9990 + i) : 0xFF);
    assert_int_equal(*array_window_at(&window, views.arrays[0].bytes + COUNT - 1, 1), 0xFF);
    array_window_free(&window);
    arrays_close(&views);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_in_order, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_in_no_order, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_how_much_is_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_what_is_no_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_a_file_that_became_shorter, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
