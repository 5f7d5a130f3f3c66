/* The program exports no symbol: one of a library's name would take that library's place for all
 * other libraries of the process, and those of a later version as well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helper_program.h"

/* Sanitizers export what they intercept. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

/* Data of the C library that a program which is not all position-independent holds a copy of, and
 * the linker's own marks of where the program's sections end, which it exports where a linked
 * library exports its own. */
static bool is_not_ours(const char *name) {
    static const char *const names[] = {"stdin",    "stdout",      "stderr", "environ", "__environ",
                                        "_environ", "optarg",      "optind", "opterr",  "optopt",
                                        "_end",     "__bss_start", "_edata"};
    size_t length = strcspn(name, "@"); /* then its version */
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (strlen(names[index]) == length && memcmp(name, names[index], length) == 0) return true;
    return false;
}

static void nothing_is_exported(void **state) {
    (void)state;
#if defined(SANITIZED) || !defined(__ELF__)
    skip();
#endif
    char command[4200], line[1024], name[1024];
    snprintf(command, sizeof command, "nm -D --defined-only '%s'", program_path());
    FILE *symbols = popen(command, "r");
    assert_non_null(symbols);
    int bad = 0;
    while (fgets(line, sizeof line, symbols)) {
        assert_int_equal(sscanf(line, "%*s %*s %1023s", name), 1);
        if (is_not_ours(name)) continue;
        print_error("exported: %s\n", name);
        bad++;
    }
    assert_int_equal(pclose(symbols), 0);
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_exported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
