/* docs/check.md names every mistake that the doctor can name, as the program says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/check_report.h"

static char *read_docs(void) {
    FILE *stream = fopen("docs/check.md", "rb");
    if (!stream) fail_msg("docs/check.md: run the tests from the project's folder");
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 17) - 1, stream);
    fclose(stream);
    assert_true(size > 0 && size < (1 << 17) - 1);
    return text;
}

static void test_every_kind(void **state) {
    (void)state;
    char *docs = read_docs(), line[800];
    int rows = 0, kinds = 0;
    for (const DoctorKind *kind; (kind = doctor_kind_at(kinds)); kinds++) {
        snprintf(line, sizeof line, "\n| `%s` | %s | %s | %s |\n", kind->name,
                 doctor_stage_name(kind->stage), kind->title, kind->mend);
        if (!strstr(docs, line)) fail_msg("docs/check.md lacks the line%s", line);
    }
    /* And no others: the table has as many rows. */
    const char *end = strstr(docs, "### In numbers by themselves");
    assert_non_null(end);
    for (const char *at = strstr(docs, "## What it can name");
         (at = strstr(at, "\n| `")) && at < end; at++)
        rows++;
    assert_int_equal(rows, kinds);
    free(docs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
