/* Libraries that the program opens late stand in its file as ELF dlopen notes, for packagers
 * (https://systemd.io/ELF_DLOPEN_METADATA/); a program made by `make LATE=0` links them instead.
 * Read by the tools a packager has, from the program as built and from a stripped one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_program.h"

/* What a shell prints for the command, in which %s stands for `path` (free it). */
static char *shell(const char *format, const char *path) {
    char command[1024];
    snprintf(command, sizeof command, format, path);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 16) - 1, stream);
    text[size] = '\0';
    assert_int_equal(pclose(stream), 0);
    return text;
}

static int count(const char *text, const char *part) {
    int times = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        times++;
    return times;
}

/* The JSON texts of the notes, one a line (free it), as a reader of the specification finds them.
 */
static char *note_texts(const char *path) {
    char command[512];
    snprintf(command, sizeof command,
             "objcopy -O binary --only-section=.note.dlopen '%%s' %s 2>/dev/null",
             in_folder("notes"));
    free(shell(command, path));
    size_t size;
    char *bytes = file_read(in_folder("notes"), &size);
    char *texts = calloc(1, size + 1);
    assert_non_null(texts);
    for (size_t at = 0; at < size;) {
        uint32_t head[3];
        assert_true(size - at >= sizeof head + 4);
        memcpy(head, bytes + at, sizeof head);
        assert_int_equal(head[0], 4);
        assert_int_equal(head[2], 0x407c0c0a);
        assert_string_equal(bytes + at + 12, "FDO");
        assert_true(head[1] <= size - at - 16);
        const char *json = bytes + at + 16;
        assert_int_equal(strlen(json) + 1, head[1]);
        strcat(strcat(texts, json), "\n");
        at += 16 + (head[1] + 3) / 4 * 4;
    }
    free(bytes);
    return texts;
}

/* Each library is linked or noted, and not both; a library's name is `name` up to its version. */
static int assert_known(const char *name, const char *needed, const char *notes) {
    char linked[80], noted[80];
    snprintf(linked, sizeof linked, "[%s", name);
    snprintf(noted, sizeof noted, "\"soname\":[\"%s", name);
    int times = count(notes, noted);
    if (count(needed, linked) + times != 1) fail_msg("%s: %s%s", name, needed, notes);
    return times;
}

static void assert_libraries(const char *path) {
    char *needed = shell("readelf -dW '%s' | grep NEEDED", path);
    /* An older readelf calls a note of an unknown type a failure, and lists it. */
    char *listed = shell("readelf -nW '%s' 2>/dev/null || true", path);
    char *notes = note_texts(path);
    int late = assert_known("libSDL2", needed, notes) + assert_known("libopenblas", needed, notes) +
               assert_known("libzip", needed, notes);
    if (strstr(notes, "libX11")) late++; /* where SDL's windows are X's */
    assert_int_equal(count(notes, "\n"), late);
    assert_int_equal(count(notes, "[{\"feature\":\""), late);
    assert_int_equal(count(notes, "\"description\":\""), late);
    assert_int_equal(count(notes, "\"priority\":\"re"), late ? 3 : 0);
    assert_int_equal(count(listed, "FDO"), late);
    assert_int_equal(count(listed, "0x407c0c0a") + count(listed, "[dlopen]"), late);
    free(needed);
    free(listed);
    free(notes);
}

static void test_the_libraries_are_linked_or_noted(void **state) {
    (void)state;
    assert_libraries(program_path());
}

static void test_a_stripped_program_keeps_its_notes(void **state) {
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "strip -o %s '%%s'", in_folder("stripped"));
    free(shell(command, program_path()));
    assert_libraries(in_folder("stripped"));
}

/* What draws no window does without the window's library; what does says that it is missing. */
static void test_without_sdl_there_are_pictures(void **state) {
    (void)state;
    char *notes = note_texts(program_path());
    char *soname = strstr(notes, "libSDL2");
    if (!soname) {
        free(notes);
        skip();
    }
    soname[strcspn(soname, "\"")] = '\0';
    file_write(in_folder(soname), "no library", 10);
    free(notes);
    const char *model = copy_model();
    unsetenv("DISPLAY");
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("LD_LIBRARY_PATH", in_folder(""), 1);
    Ran picture = RUN("export", model, "--input", "ab", "-o", in_folder("a.png"));
    Ran window = RUN("view", model, "--do", "quit");
    unsetenv("LD_LIBRARY_PATH");
    assert_status(&picture, 0);
    assert_true(file_exists(in_folder("a.png")));
    assert_status(&window, 1);
    assert_int_equal(count_lines(window.err), 1);
    assert_non_null(strstr(window.err, "SDL2"));
    ran_free(&picture);
    ran_free(&window);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_libraries_are_linked_or_noted, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_a_stripped_program_keeps_its_notes, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_without_sdl_there_are_pictures, make_folder,
                                        remove_folder),
    };
#ifdef __linux__
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    (void)tests;
    return 0;
#endif
}
