#include "tests/session/helper_screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/base/utf8.h"

/* NULL is fine where a text may be missing. */
static void check_text(const char *text) {
    uint32_t code;
    int length;
    if (!text) return;
    const char *at = text;
    while ((length = utf8_next(at, &code)) > 0) {
        if (code < 0x20 || (code >= 0x7F && code < 0xA0)) fail_msg("a control in \"%s\"", text);
        at += length;
    }
    if (length < 0) fail_msg("no UTF-8: \"%s\"", text);
}

/* -1 is none; a macro, so that a failure tells its line. */
#define check_place(place, count) assert_in_range((place) + 1, 0, count)

static void check_buttons(const ScreenButton *buttons, int count) {
    for (int i = 0; i < count; i++) {
        assert_non_null(buttons[i].label);
        check_text(buttons[i].label);
        check_text(buttons[i].tip);
        check_text(buttons[i].action);
    }
}

/* The chips of a line stand for its text, one after the other. */
static void check_sequence(const ScreenSequence *sequence) {
    int at = 0;
    assert_non_null(sequence->name);
    check_text(sequence->name);
    check_text(sequence->tip);
    check_text(sequence->len_name);
    check_text(sequence->note);
    for (int i = 0; i < sequence->count; i++) {
        const ScreenToken *token = &sequence->tokens[i];
        assert_non_null(token->text);
        check_text(token->text);
        assert_true(token->text[0]);
        if (token->mark) {
            assert_int_equal(token->begin, 0);
            assert_int_equal(token->end, 0);
        } else {
            assert_int_equal(token->begin, at);
            assert_true(token->end > token->begin);
            at = token->end;
        }
    }
    assert_true(sequence->valid_len >= -1);
    check_place(sequence->marked, sequence->count);
    check_place(sequence->lit, sequence->count);
    check_place(sequence->lit_query, sequence->count);
    check_place(sequence->pinned, sequence->count);
}

static void check_map(const ScreenMap *map) {
    TraceShape shape = trace_shape(map->trace, map->id.site);
    assert_true(map->id.layer < shape.layers && map->id.head < shape.heads);
    assert_true(shape.queries <= map->rows && shape.keys <= map->columns);
    check_text(map->title);
    check_text(map->note);
    check_text(map->action);
    check_place(map->lit_row, map->rows);
    check_place(map->lit_column, map->columns);
    check_place(map->pinned_row, map->rows);
    check_place(map->pinned_column, map->columns);
    for (int row = 0; row < map->rows; row++)
        check_text(map->axes->rows[row]);
    for (int column = 0; column < map->columns; column++)
        check_text(map->axes->columns[column]);
    if (!map->minus) return;
    TraceShape other = trace_shape(map->minus, map->minus_id.site);
    assert_true(map->minus_id.layer < other.layers && map->minus_id.head < other.heads);
    assert_int_equal(other.queries, shape.queries);
    assert_int_equal(other.keys, shape.keys);
}

static void check_compare(const ScreenCompare *compare) {
    check_text(compare->title);
    check_text(compare->caption);
    check_text(compare->refusal);
    check_text(compare->figures);
    check_buttons(compare->modes, compare->mode_count);
    check_map(&compare->a);
    if (compare->b.trace) check_map(&compare->b);
    /* Either there is a difference, or it is said why not. */
    assert_int_equal(compare->difference.trace != NULL, compare->refusal == NULL);
    if (compare->difference.trace) check_map(&compare->difference);
    assert_true(compare->reach > 0 && isfinite(compare->reach));
    for (int row = 0; row < compare->divergence_count; row++) {
        check_text(compare->row_names[row]);
        assert_true(isnan(compare->divergences[row]) ||
                    (compare->divergences[row] >= 0 && compare->divergences[row] <= 1 + 1e-9));
    }
    const ScreenSimilarity *alike = &compare->similarity;
    check_text(alike->title);
    if (alike->count) check_place(alike->first, alike->count);
    if (alike->count) check_place(alike->second, alike->count);
    for (int i = 0; i < alike->count * alike->count; i++)
        assert_true(isnan(alike->values[i]) ||
                    (alike->values[i] >= -1e-6F && alike->values[i] <= 1 + 1e-6F));
    for (int i = 0; i < alike->note_count; i++)
        check_text(alike->notes[i]);
}

static void check_section(const ScreenSection *section) {
    assert_non_null(section->title);
    check_text(section->title);
    for (int i = 0; i < section->line_count; i++)
        check_text(section->lines[i]);
    for (int i = 0; i < section->bar_count; i++) {
        const ScreenBar *bar = &section->bars[i];
        assert_non_null(bar->name);
        check_text(bar->name);
        check_text(bar->value);
        check_text(bar->tip);
        check_text(bar->action);
        assert_true(bar->share <= 1 + 1e-6F); /* a NaN is not */
    }
    check_buttons(section->buttons, section->button_count);
}

static void check_maps(const Screen *screen) {
    check_text(screen->panels.title);
    check_text(screen->panels.caption);
    for (int i = 0; i < screen->panels.count; i++)
        check_map(&screen->panels.maps[i]);
    if (screen->focus.map.trace) check_map(&screen->focus.map);
    check_text(screen->focus.title);
    check_buttons(screen->focus.buttons, screen->focus.button_count);
    if (screen->page == PAGE_COMPARE && screen->compare.a.trace) check_compare(&screen->compare);
}

static void check_train(const ScreenTrain *train) {
    check_text(train->title);
    check_text(train->caption);
    check_text(train->snapshot_text);
    check_place(train->snapshot, train->snapshots);
    check_buttons(train->buttons, train->button_count);
    for (int i = 0; i < train->curve_count; i++)
        assert_true(train->curves[i].count > 0);
}

static void check_lesson(const ScreenLesson *lesson) {
    int on = 0;
    for (int i = 0; i < lesson->menu_count; i++) {
        check_text(lesson->menu[i].title);
        check_text(lesson->menu[i].help);
        assert_non_null(lesson->menu[i].action);
        on += lesson->menu[i].on;
    }
    assert_in_range(on, 0, 1);
    assert_true((lesson->page == NULL) == (lesson->problem != NULL));
    check_text(lesson->problem);
    if (lesson->problem) assert_true(lesson->problem[0] && !strchr(lesson->problem, '\n'));
    assert_true(lesson->scroll >= 0);
}

void helper_check_screen(const Screen *screen) {
    check_text(screen->model);
    check_buttons(screen->tabs, screen->tab_count);
    assert_in_range(screen->sequence_count, 1, LINE_COUNT);
    for (int i = 0; i < screen->sequence_count; i++)
        check_sequence(&screen->sequences[i]);
    check_buttons(screen->controls, screen->control_count);
    check_text(screen->world);
    check_buttons(screen->world_buttons, screen->world_button_count);
    check_maps(screen);
    if (screen->page == PAGE_TRAIN) check_train(&screen->train);
    if (screen->page == PAGE_LESSONS) check_lesson(&screen->lesson);
    for (int i = 0; i < screen->section_count; i++)
        check_section(&screen->sections[i]);
    check_text(screen->status);
    check_text(screen->keys);
    check_text(screen->prompt);
    check_text(screen->notice);
    check_text(screen->tip);
    for (int i = 0; i < screen->help_count; i++) {
        check_text(screen->help[i].keys);
        check_text(screen->help[i].what);
    }
}
