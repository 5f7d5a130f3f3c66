#include "app/window/window_keyboard.h"

#include <math.h>

#include "app/session/verbs.h"
#include "app/window/window_do.h"
#include "app/window/window_lesson.h"
#include "app/window/window_line.h"
#include "app/window/window_pointer.h"
#include "app/window/window_press.h"
#include "app/window/window_session.h"
#include "app/window/window_train.h"

typedef enum Direction { TO_LEFT, TO_RIGHT, TO_UP, TO_DOWN } Direction;

static int modifiers_of(Uint16 held) {
    int modifiers = 0;
    if (held & KMOD_SHIFT) modifiers |= KEY_SHIFT;
    if (held & (KMOD_CTRL | KMOD_GUI)) modifiers |= KEY_CTRL;
    if (held & KMOD_LALT) modifiers |= KEY_ALT; /* the right one writes characters */
    return modifiers;
}

/* --- keys that no action says ----------------------------------------------------------------- */

static int edited_line(const Window *window, bool target) {
    int example = session_state(window->session)->example;
    if (target) return example ? LINE_COMPANION_TARGET : LINE_TARGET;
    return example ? LINE_COMPANION_SOURCE : LINE_SOURCE;
}

/* In order: the list of keys, the large head, the other page, playing. Lines that are edited see
 * the key first. */
static void leave(Window *window) {
    const State *state = session_state(window->session);
    if (window->pointer.button >= 0) {
        window->pointer.button = -1;
        window_hide_tip(window);
        window->dirty = true;
    } else if (state->help) {
        window_do(window, action_word(VERB_HELP, WORD_OFF));
    } else if (window->play_due) {
        window_play(window, false);
    } else if (state->focus_open && state->page == PAGE_EXPLORE) {
        window_do(window, action_word(VERB_FOCUS, WORD_OFF));
    } else if (state->page != PAGE_EXPLORE) {
        window_do(window, action_number(VERB_PAGE, PAGE_EXPLORE));
    } else if (state->cell_row != NONE) {
        window_do(window, action_word(VERB_CELL, WORD_OFF));
    } else if (state->pinned_source != NONE || state->pinned_target != NONE) {
        window_do(window, action_word(VERB_PIN, WORD_OFF));
    } else {
        window_user_acted(window);
    }
}

static int around(int value, int by, int count) {
    return (value + by + count) % count;
}

static void move_other(Window *window, Direction to) {
    const Config *config = &session_model(window->session)->config;
    HeadId id = session_state(window->session)->other_head;
    int layers = state_layers(config, id.site);
    if (to == TO_LEFT || to == TO_RIGHT)
        id.head = around(id.head, to == TO_LEFT ? -1 : 1, config->heads);
    else
        id.layer = around(id.layer, to == TO_UP ? -1 : 1, layers);
    window_do(window, action_head(VERB_AGAINST, id));
}

/* The cell of the selected head that is pointed at moves, from the first one on. */
static void move_cell(Window *window, Direction to) {
    const State *state = session_state(window->session);
    session_refresh(window->session);
    const Pass *pass = session_pass(window->session);
    HeadId id = state->head;
    int example = state->companion && pass->count > 1 ? state->example : 0;
    if (pass->count == 0) return;
    int rows = id.site == SITE_ENCODER ? pass->source_len : pass->steps;
    int columns = id.site == SITE_DECODER ? pass->steps : pass->source_len;
    int row = 0, column = 0;
    if (state->has_hover && head_id_same(state->hover, id) && state->hover_row >= 0 &&
        state->hover_column >= 0) {
        row = around(state->hover_row, to == TO_UP ? -1 : to == TO_DOWN, rows);
        column = around(state->hover_column, to == TO_LEFT ? -1 : to == TO_RIGHT, columns);
    }
    window->pointer.hover.verb = VERB_NONE;
    window_do(window, (Action){.verb = VERB_HOVER,
                               .word = example ? WORD_COMPANION : WORD_NONE,
                               .heads = 1,
                               .head = {id},
                               .numbers = 2,
                               .number = {row, column}});
}

/* Pins both tokens of the cell pointed at; without one, lets go. */
static void pin_cell(Window *window) {
    const State *state = session_state(window->session);
    if (!state->has_hover || state->hover_row < 0 || state->hover_column < 0) {
        window_do(window, action_word(VERB_PIN, WORD_OFF));
        return;
    }
    Site site = state->hover.site;
    int source = site == SITE_ENCODER ? state->hover_row : state->hover_column;
    Action both[] = {{.verb = VERB_PIN,
                      .word = WORD_SOURCE,
                      .numbers = 1,
                      .number = {site == SITE_DECODER ? NONE : source}},
                     {.verb = VERB_PIN,
                      .word = WORD_TARGET,
                      .numbers = 1,
                      .number = {site == SITE_ENCODER ? NONE : state->hover_row}}};
    window_do_all(window, both, 2);
}

/* Whether the keyboard has come to a cell. */
static bool is_at_cell(const Window *window) {
    const State *state = session_state(window->session);
    bool maps = state->page == PAGE_EXPLORE || state->page == PAGE_TRAIN;
    return maps && !window->pointer.hover.verb && state->has_hover && !state->hover_pair &&
           state->hover_row >= 0 && state->hover_column >= 0;
}

/* The weight of the cell pointed at, else of the one that is told beside the maps. */
static void tell_weight(Window *window) {
    const State *state = session_state(window->session);
    bool points = state->has_hover && !state->hover_pair && state->hover_row >= 0 &&
                  state->hover_column >= 0 && state->page != PAGE_COMPARE;
    if (points)
        window_tell_cell(window, state->hover, state->hover_example, state->hover_row,
                         state->hover_column, true);
    else if (state->cell_row != NONE)
        window_tell_cell(window, state->head, state->example, state->cell_row, state->cell_column,
                         true);
    else
        window_do(window, action_text(VERB_LESSON, "explain"));
}

static void pan(Window *window, Direction to) {
    const State *state = session_state(window->session);
    float step = 0.25F / state->zoom, left = state->left, top = state->top;
    if (to == TO_LEFT || to == TO_RIGHT)
        left += to == TO_LEFT ? -step : step;
    else
        top += to == TO_UP ? -step : step;
    window_drag_zoom(window, state->zoom, left, top);
}

static void move_threshold(Window *window, int by) {
    float threshold = session_state(window->session)->threshold;
    float step = by > 0 ? threshold < 0.1F : threshold <= 0.1F;
    window_drag_threshold(window, threshold + (float)by * (step > 0 ? 0.01F : 0.05F));
}

static void other_example(Window *window) {
    const State *state = session_state(window->session);
    if (!state->companion)
        window_do(window, action_word(VERB_COMPANION, WORD_ON));
    else
        window_do(window, action_number(VERB_EXAMPLE, 1 - state->example));
}

/* A cell that the keyboard points at gives way to a press of a button, and that to the action. */
static void press(Window *window, const Key *key) {
    bool enter = key->symbol != SDLK_SPACE;
    if (window->pointer.button < 0 && enter && is_at_cell(window))
        tell_weight(window);
    else if (!window_button_press(window))
        window_do_text(window, key->action);
}

static void do_key(Window *window, const Key *key) {
    switch (key->command) {
    case KEY_ACTION:
        window_do_text(window, key->action);
        break;
    case KEY_EDIT_SOURCE:
        window_line_begin(window, (ScreenLine)edited_line(window, false), LINE_END);
        break;
    case KEY_EDIT_TARGET:
        window_line_begin(window, (ScreenLine)edited_line(window, true), LINE_END);
        break;
    case KEY_PROMPT:
        window_prompt_begin(window);
        break;
    case KEY_LEAVE:
        leave(window);
        break;
    case KEY_OTHER_HEAD:
        move_other(window, (Direction)key->number);
        break;
    case KEY_CELL:
        move_cell(window, (Direction)key->number);
        break;
    case KEY_PAN:
        pan(window, (Direction)key->number);
        break;
    case KEY_PIN:
        pin_cell(window);
        break;
    case KEY_WEIGHT:
        tell_weight(window);
        break;
    case KEY_THRESHOLD:
        move_threshold(window, key->number);
        break;
    case KEY_NEXT_STATE:
        window_step_script(window, key->number);
        break;
    case KEY_NEXT_EXAMPLE:
        other_example(window);
        break;
    case KEY_BUTTON:
        window_button_next(window, key->number);
        break;
    case KEY_PRESS:
        press(window, key);
        break;
    case KEY_TRAIN:
        window_do(window, action_text(VERB_TRAIN, window_is_training(window) ? "stop" : NULL));
        break;
    default:
        break;
    }
}

/* --- all keys --------------------------------------------------------------------------------- */

/* What a held key does again and again: going somewhere, not switching to and fro. */
static bool repeats(const Key *key) {
    if (key->command != KEY_ACTION)
        return key->command != KEY_PRESS && key->command != KEY_TRAIN && key->command != KEY_PIN;
    return verb_at(verb_first(key->action))->flags & VERB_REPEATS;
}

void window_key(Window *window, const SDL_KeyboardEvent *event) {
    int modifiers = modifiers_of(event->keysym.mod);
    SDL_Keycode symbol = event->keysym.sym;
    bool typing = window_is_typing(window);
    window_hide_tip(window);
    window->line.begun_by_key = false;
    if (typing && window_line_key(window, symbol, modifiers)) return;
    const Key *key = keys_find(symbol, (int)event->keysym.scancode, modifiers);
    if (window_lesson_key(window, symbol, modifiers)) return;
    if (key && !window_lesson_takes(window, key)) return;
    if (key && (!event->repeat || repeats(key))) do_key(window, key);
    window->line.begun_by_key = !typing && window_is_typing(window);
}
