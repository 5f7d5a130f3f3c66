/* Actions that change the view: page, large head, pins, colours, lessons. */
#include <math.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/session/session_inside.h"
#include "app/session/verbs.h"
#include "model/base/minmax.h"

/* Switches that nothing else depends on. */
bool apply_flag(Session *session, const Action *action, Error *error) {
    (void)error;
    State *state = &session->state;
    verb_switch(action, action->verb == VERB_FOCUS     ? &state->focus_open
                        : action->verb == VERB_LINES   ? &state->lines
                        : action->verb == VERB_PRESENT ? &state->presentation
                                                       : &state->help);
    return true;
}

/* The place in a list of names: by name, or the next or previous one; without a word, the next. */
static int place_of(const Action *action, int count, int now) {
    if (action->numbers) return (int)action->number[0];
    verb_turn(action->word ? action->word : WORD_NEXT, count, &now);
    return now;
}

bool apply_page(Session *session, const Action *action, Error *error) {
    (void)error;
    ScreenPage *page = &session->state.page;
    *page = (ScreenPage)place_of(action, PAGE_COUNT, (int)*page);
    return true;
}

bool apply_theme(Session *session, const Action *action, Error *error) {
    (void)error;
    ThemeName *theme = &session->state.theme;
    *theme = (ThemeName)place_of(action, THEME_COUNT, (int)*theme);
    return true;
}

bool apply_colormap(Session *session, const Action *action, Error *error) {
    (void)error;
    ColorMap *map = &session->state.colormap;
    *map = (ColorMap)place_of(action, COLORMAP_COUNT, (int)*map);
    return true;
}

bool apply_threshold(Session *session, const Action *action, Error *error) {
    (void)error;
    session->state.threshold = (float)action->number[0];
    return true;
}

bool apply_zoom(Session *session, const Action *action, Error *error) {
    (void)error;
    State *state = &session->state;
    float zoom = (float)action->number[0], left = state->left, top = state->top;
    if (action->word) {
        float factor = action->word == WORD_IN ? 1.25F : 0.8F;
        float middle_x = left + 0.5F / state->zoom, middle_y = top + 0.5F / state->zoom;
        zoom = float_clamp(state->zoom * factor, 1, SCREEN_ZOOM);
        left = middle_x - 0.5F / zoom;
        top = middle_y - 0.5F / zoom;
    }
    if (action->numbers > 1) left = (float)action->number[1];
    if (action->numbers > 2) top = (float)action->number[2];
    state->zoom = zoom;
    state->left = float_clamp(left, 0, 1 - 1 / zoom);
    state->top = float_clamp(top, 0, 1 - 1 / zoom);
    return true;
}

bool apply_pin(Session *session, const Action *action, Error *error) {
    (void)error;
    State *state = &session->state;
    int token = action->numbers ? (int)action->number[0] : NONE;
    if (action->word != WORD_TARGET) state->pinned_source = token;
    if (action->word != WORD_SOURCE) state->pinned_target = token;
    return true;
}

bool apply_cell(Session *session, const Action *action, Error *error) {
    (void)error;
    bool off = action->numbers == 0;
    session->state.cell_row = off ? NONE : (int)action->number[0];
    session->state.cell_column = off ? NONE : (int)action->number[1];
    return true;
}

bool apply_hover(Session *session, const Action *action, Error *error) {
    (void)error;
    State *state = &session->state;
    state->has_hover = action->heads > 0;
    state->hover_pair = action->heads > 1;
    if (!state->has_hover) return true;
    state->hover = action->head[0];
    if (state->hover_pair) state->hover_with = action->head[1];
    state->hover_row = action->numbers ? (int)action->number[0] : NONE;
    state->hover_column = action->numbers ? (int)action->number[1] : NONE;
    state->hover_example = action->word == WORD_COMPANION && state->companion;
    return true;
}

bool apply_scale(Session *session, const Action *action, Error *error) {
    (void)error;
    bool *largest = &session->state.scale_largest;
    *largest = action->word ? action->word == WORD_LARGEST : !*largest;
    return true;
}

bool apply_text_scale(Session *session, const Action *action, Error *error) {
    (void)error;
    float *scale = &session->state.text_scale;
    float by = action->word == WORD_LARGER ? 1.1F : 1 / 1.1F;
    *scale = action->numbers
                 ? (float)action->number[0]
                 : float_clamp(roundf(*scale * by * 100) / 100, TEXT_SCALE_MIN, TEXT_SCALE_MAX);
    return true;
}

/* --- lessons ---------------------------------------------------------------------------------- */

bool apply_lesson(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const char *words = action->text;
    if (action->word == WORD_NEXT || action->word == WORD_PREVIOUS) {
        const Lesson *now = session_lesson_of(state->lesson);
        int count, place = 0;
        for (count = 0; lesson_at(count); count++)
            if (lesson_at(count) == now) place = count;
        verb_turn(action->word, count, &place);
        words = lesson_at(place)->name;
    }
    bool leaves = action->word == WORD_TOGGLE && state->page == PAGE_LESSONS;
    if (words && words[0] && !session_lesson_of(words))
        return error_usage(error,
                           "lesson %.40s: there is no such lesson; F2 shows them all, headscope "
                           "--help lists them",
                           words);
    state->page = leaves ? PAGE_EXPLORE : PAGE_LESSONS;
    if (!words || !words[0]) return true;
    state->lesson_scroll = 0;
    return state_set_text(&state->lesson, words) || error_set(error, "out of memory");
}

bool apply_scroll(Session *session, const Action *action, Error *error) {
    (void)error;
    session->state.lesson_scroll = (int)action->number[0];
    return true;
}
