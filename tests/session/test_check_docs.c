/* The tables in docs/ name the mistakes of the catalogue. Those of docs/check.md that come from it
 * alone are written by this program: --write, as `make mistake-tables` calls it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/check_report.h"

#define PAGE    "docs/check.md"
#define LESSONS "docs/lessons.md"
#define END     "<!-- its end -->\n"

/* What the doctor can name, a row each. */
static void write_kinds(FILE *stream) {
    const MistakeKind *kind;
    fprintf(stream, "| name | step | what was done | to mend it |\n|---|---|---|---|\n");
    for (int id = 0; (kind = mistake_kind(id)); id++)
        if (kind->mend)
            fprintf(stream, "| `%s` | %s | %s | %s |\n", kind->name, doctor_stage_name(kind->stage),
                    kind->title, kind->mend);
}

/* What it sees in numbers by themselves. */
static void write_signs(FILE *stream) {
    const MistakeKind *kind;
    fprintf(stream, "| name | | |\n|---|---|---|\n");
    for (int id = 0; (kind = mistake_kind(id)); id++)
        if (kind->sign)
            fprintf(stream, "| `%s` | %s | %s |\n", kind->name, kind->is_note ? "note" : "fault",
                    kind->sign);
}

static const struct Table {
    const char *begin;
    void (*write)(FILE *stream);
} tables[] = {
    {"<!-- what the doctor can name: make mistake-tables -->\n", write_kinds},
    {"<!-- signs in numbers by themselves: make mistake-tables -->\n", write_signs},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static char *read_page(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream) fail_msg("%s: run the tests from the project's folder", path);
    char *text = calloc(1, 1 << 17);
    assert_non_null(text);
    size_t size = fread(text, 1, (1 << 17) - 1, stream);
    fclose(stream);
    assert_true(size > 0 && size < (1 << 17) - 1);
    return text;
}

/* The page with each table as the catalogue has it; owned. NULL where a mark is missing. */
static char *current_page(const char *page) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const char *rest = page;
    for (int i = 0; i < TABLES && rest; i++) {
        const char *begin = strstr(rest, tables[i].begin);
        const char *end = begin ? strstr(begin, END) : NULL;
        if (begin) {
            begin += strlen(tables[i].begin);
            fwrite(rest, 1, (size_t)(begin - rest), stream);
            tables[i].write(stream);
        }
        rest = end;
    }
    if (rest) fputs(rest, stream);
    fclose(stream);
    if (!rest) free(text);
    return rest ? text : NULL;
}

static void test_tables(void **state) {
    (void)state;
    char *page = read_page(PAGE), *current = current_page(page);
    assert_non_null(current);
    if (strcmp(page, current) != 0) fail_msg(PAGE " is not current: make mistake-tables");
    free(page);
    free(current);
}

static void assert_row(const char *page, const char *path, const char *name, const char *target) {
    char row[80];
    snprintf(row, sizeof row, "\n| %s | ", name);
    if (!strstr(page, row)) fail_msg("%s lacks a row of %s: make %s", path, name, target);
}

/* Tables of measured figures have a row for each mistake. */
static void test_measured_tables(void **state) {
    (void)state;
    char *check = read_page(PAGE), *lessons = read_page(LESSONS);
    const MistakeKind *kind;
    for (int id = 0; (kind = mistake_kind(id)); id++) {
        bool is_trap = kind->wrong && !kind->is_loud;
        if (kind->mend || is_trap) assert_row(check, PAGE, kind->name, "oracle-table");
        /* The task has no row that sees nothing. */
        if (is_trap && kind->subject != SUBJECT_EMPTY)
            assert_row(lessons, LESSONS, kind->name, "trap-table");
    }
    free(check);
    free(lessons);
}

static int write_page(void) {
    char *page = read_page(PAGE), *current = current_page(page);
    FILE *stream = current ? fopen(PAGE, "wb") : NULL;
    bool done = stream && fputs(current, stream) >= 0;
    if (stream && fclose(stream) != 0) done = false;
    free(page);
    free(current);
    return done ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--write") == 0) return write_page();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_measured_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
