#include "tests/session/helper_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { WORDS_MOST = 40 };

static bool run(LessonMaker *maker, const Lesson *lesson, const char *words, Error *error) {
    char copy[8192];
    char *argv[WORDS_MOST];
    int argc = 0;
    assert_true(strlen(words) < sizeof copy);
    strcpy(copy, words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < WORDS_MOST);
        argv[argc++] = word;
    }
    Command command = {lesson->name, lesson->arguments, lesson->help, NULL};
    LessonCall call = {.command = &command, .argc = argc, .argv = argv};
    LessonResult result = {0};
    bool done = lesson->make(maker, &call, &result, error);
    assert_false(done && (result.only_help || result.found_fault));
    return done;
}

Page page_make(const Lesson *lesson, const char *words) {
    Error error = {0};
    Page page = {.maker = lesson_maker()};
    assert_non_null(page.maker);
    if (!run(page.maker, lesson, words, &error)) fail_msg("%s: %s", words, error.text);
    page.page = lesson_finish(page.maker, &error);
    assert_non_null(page.page);
    return page;
}

void page_refused(const Lesson *lesson, const char *words, char *text) {
    Error error = {0};
    LessonMaker *maker = lesson_maker();
    assert_non_null(maker);
    if (run(maker, lesson, words, &error)) fail_msg("%s: not refused", words);
    lesson_free(maker);
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_null(strchr(error.text, '\n'));
    strcpy(text, error.text);
}

const LessonTable *page_table(const LessonPage *page, int column, const char *name, int index) {
    for (int i = 0; i < page->count; i++) {
        const LessonBlock *block = &page->blocks[i];
        if (block->kind != LESSON_TABLE || block->table.column_count <= column) continue;
        if (strcmp(block->table.columns[column].name, name) == 0 && index-- == 0)
            return &block->table;
    }
    return NULL;
}

const LessonTensors *page_tensors(const LessonPage *page, int index) {
    for (int i = 0; i < page->count; i++)
        if (page->blocks[i].kind == LESSON_TENSORS && index-- == 0) return &page->blocks[i].tensors;
    return NULL;
}

static bool holds(const char *text, const char *part) {
    return text && strstr(text, part);
}

static bool table_says(const LessonTable *table, const char *text) {
    for (int row = 0; row < table->row_count; row++)
        for (int column = 0; column < table->column_count; column++)
            if (holds(table->rows[row].cells[column], text)) return true;
    return false;
}

bool page_says(const LessonPage *page, const char *text) {
    for (int i = 0; i < page->count; i++) {
        const LessonBlock *block = &page->blocks[i];
        if (holds(block->text, text)) return true;
        if (block->kind == LESSON_TABLE && table_says(&block->table, text)) return true;
        for (int t = 0; block->kind == LESSON_TENSORS && t < block->tensors.count; t++)
            if (holds(block->tensors.tensors[t].title, text) ||
                holds(block->tensors.tensors[t].note, text))
                return true;
    }
    return false;
}

void page_press_all(const Lesson *lesson, const LessonPage *page) {
    char start[80];
    snprintf(start, sizeof start, "lesson %s ", lesson->name);
    for (int i = 0; i < page->count; i++)
        for (int b = 0; page->blocks[i].kind == LESSON_BUTTONS && b < page->blocks[i].buttons.count;
             b++) {
            const char *action = page->blocks[i].buttons.buttons[b].action;
            assert_memory_equal(action, start, strlen(start));
            lesson_free(page_make(lesson, action + strlen(start)).maker);
        }
}

int page_between(Rng *rng, int least, int most) {
    return least + (int)rng_below(rng, (uint32_t)(most - least + 1));
}
