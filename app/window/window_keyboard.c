#include "app/window/window_keyboard.h"

#include <math.h>

#include "app/pass/pass_story.h"
#include "app/session/verbs.h"
#include "app/window/window_do.h"
#include "app/window/window_line.h"
#include "app/window/window_pointer.h"
#include "app/window/window_press.h"
#include "app/window/window_session.h"
#include "app/window/window_train.h"

#define PAGE_SHARE 0.9F /* of the visible height, scrolled by PageDown */

typedef enum Direction { TO_LEFT, TO_RIGHT, TO_UP, TO_DOWN } Direction;

static int modifiers_of(Uint16 held) {
    int modifiers = 0;
    if (held & KMOD_SHIFT) modifiers |= KEY_SHIFT;
    if (held & (KMOD_CTRL | KMOD_GUI)) modifiers |= KEY_CTRL;
    if (held & KMOD_LALT) modifiers |= KEY_ALT; /* the right one (AltGr) types characters */
    return modifiers;
}

/* --- buttons ---------------------------------------------------------------------------------- */

/* Button number `wanted` among those drawn, NULL if there is none; *count: how many there are. */
static const Hit *button_at(const Window *window, int wanted, int *count) {
    const HitList *hits = &window->frame.hits;
    const Hit *found = NULL;
    *count = 0;
    for (int i = 0; i < hits->count; i++) {
        if (hits->hits[i].kind != HIT_ACTION || !hits->hits[i].action) continue;
        if (*count == wanted) found = &hits->hits[i];
        ++*count;
    }
    return found;
}

/* Moves the keyboard's focus by that many buttons. */
static void focus_button(Window *window, int by) {
    WindowPointer *pointer = &window->pointer;
    int count;
    button_at(window, -1, &count);
    if (count == 0) return;
    int from = pointer->button < 0 && by < 0 ? 0 : pointer->button;
    pointer->button = (from + by + count) % count;
    const Hit *hit = button_at(window, pointer->button, &count);
    pointer->x = hit->area.x + hit->area.w / 2;
    pointer->y = hit->area.y + hit->area.h / 2;
    window_hide_tip(window);
    window_pointer_rested(window);
    window->dirty = true;
}

/* Presses the focused button; false if there is none. */
static bool press_button(Window *window) {
    int count;
    const Hit *hit = button_at(window, window->pointer.button, &count);
    if (!hit) return false;
    window_hide_tip(window);
    window_do_text(window, hit->action);
    return true;
}

bool window_focused_button(const Window *window, Rect *area) {
    int count;
    const Hit *hit = button_at(window, window->pointer.button, &count);
    if (hit) *area = hit->area;
    return hit != NULL;
}

/* --- keys without an action of their own ------------------------------------------------------ */

static int edited_line(const Window *window, bool target) {
    int example = session_state(window->session)->example;
    if (target) return example ? LINE_COMPANION_TARGET : LINE_TARGET;
    return example ? LINE_COMPANION_SOURCE : LINE_SOURCE;
}

/* Escape leaves the innermost thing that is open. An edited line gets the key first. */
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

/* Moves the pointed-at cell of the selected head; without one, points at the first. */
static void move_cell(Window *window, Direction to) {
    const State *state = session_state(window->session);
    session_refresh(window->session);
    const Pass *pass = session_pass(window->session);
    HeadId id = state->head;
    int example = session_example(window->session);
    if (pass->count == 0) return;
    int rows, columns;
    pass_story_size(pass, id.site, &rows, &columns);
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

/* Pins both tokens of the pointed-at cell; without one, unpins. */
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

/* Whether the keyboard, not the pointer, points at a cell. */
static bool is_at_cell(const Window *window) {
    const State *state = session_state(window->session);
    bool maps = state->page == PAGE_EXPLORE || state->page == PAGE_TRAIN;
    return maps && !window->pointer.hover.verb && state->has_hover && !state->hover_pair &&
           state->hover_row >= 0 && state->hover_column >= 0;
}

/* Explains the weight of the pointed-at cell, else of the one explained beside the maps. */
static void explain_weight(Window *window) {
    const State *state = session_state(window->session);
    bool points = state->has_hover && !state->hover_pair && state->hover_row >= 0 &&
                  state->hover_column >= 0 && state->page != PAGE_COMPARE;
    if (points)
        window_explain_cell(window, state->hover, state->hover_example, state->hover_row,
                            state->hover_column, true);
    else if (state->cell_row != NONE)
        window_explain_cell(window, state->head, state->example, state->cell_row,
                            state->cell_column, true);
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

/* Presses the focused button, else explains the cell that the keyboard points at, else does the
 * action of the key. */
static void press(Window *window, const Key *key) {
    bool enter = key->symbol != SDLK_SPACE;
    if (window->pointer.button < 0 && enter && is_at_cell(window))
        explain_weight(window);
    else if (!press_button(window))
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
        explain_weight(window);
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
        focus_button(window, key->number);
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

/* --- the page of lessons ---------------------------------------------------------------------- */

static bool shows_lesson(const Window *window) {
    return session_state(window->session)->page == PAGE_LESSONS;
}

/* The keys of the page of lessons; returns whether this is one of them. */
static bool lesson_key(Window *window, SDL_Keycode symbol, int modifiers) {
    if (!shows_lesson(window) || session_state(window->session)->help) return false;
    if (modifiers == KEY_SHIFT && symbol == SDLK_SPACE) symbol = SDLK_PAGEUP, modifiers = 0;
    if (modifiers != 0) return false;
    switch (symbol) {
    case SDLK_UP:
    case SDLK_DOWN:
        window_lesson_scroll(window, symbol == SDLK_UP ? -2 : 2, true);
        return true;
    case SDLK_SPACE:
        if (window->pointer.button >= 0) return false; /* Space presses the button */
        window_lesson_scroll(window, PAGE_SHARE, false);
        return true;
    case SDLK_PAGEUP:
    case SDLK_PAGEDOWN:
        if (window->call->script.count > 0) return false; /* these step through the script */
        window_lesson_scroll(window, symbol == SDLK_PAGEUP ? -PAGE_SHARE : PAGE_SHARE, false);
        return true;
    case SDLK_HOME:
    case SDLK_END:
        window_lesson_scroll(window, symbol == SDLK_HOME ? -INFINITY : INFINITY, true);
        return true;
    case SDLK_LEFT:
        window_do(window, action_word(VERB_LESSON, WORD_PREVIOUS));
        return true;
    case SDLK_RIGHT:
        window_do(window, action_word(VERB_LESSON, WORD_NEXT));
        return true;
    default:
        return false;
    }
}

/* Whether the effect of a key can be seen on the page of lessons, if that is open. */
static bool lesson_allows(const Window *window, const Key *key) {
    const Screen *screen = window->frame.screen;
    if (!shows_lesson(window) || (screen && screen->lesson.follows)) return true;
    switch (key->command) {
    case KEY_ACTION:
        return verb_at(verb_first(key->action))->flags & VERB_ON_LESSONS;
    case KEY_PRESS:
        return window->pointer.button >= 0;
    case KEY_PROMPT:
    case KEY_LEAVE:
    case KEY_BUTTON:
    case KEY_NEXT_STATE:
    case KEY_TRAIN:
        return true;
    default:
        return false;
    }
}

/* --- all keys --------------------------------------------------------------------------------- */

/* Whether the key repeats while held: moves do, switches do not. */
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
    if (lesson_key(window, symbol, modifiers)) return;
    if (key && !lesson_allows(window, key)) return;
    if (key && (!event->repeat || repeats(key))) do_key(window, key);
    window->line.begun_by_key = !typing && window_is_typing(window);
}
