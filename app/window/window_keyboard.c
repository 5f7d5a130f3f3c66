/* What the keys do: those of the table, or of the line that is edited. */
#include <math.h>
#include <string.h>

#include "app/window/window_parts.h"

enum Way { WAY_LEFT, WAY_RIGHT, WAY_UP, WAY_DOWN };

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
        window_do(window, "help off");
    } else if (window->play_due) {
        window_play(window, false);
    } else if (state->focus_open && state->page == PAGE_EXPLORE) {
        window_do(window, "focus off");
    } else if (state->page != PAGE_EXPLORE) {
        window_do(window, "page explore");
    } else if (state->cell_row != NONE) {
        window_do(window, "cell off");
    } else if (state->pinned_source != NONE || state->pinned_target != NONE) {
        window_do(window, "pin off");
    } else {
        window_deed(window);
    }
}

static int around(int value, int by, int count) {
    return (value + by + count) % count;
}

static void move_other(Window *window, enum Way way) {
    const Config *config = &session_model(window->session)->config;
    HeadId id = session_state(window->session)->other_head;
    int layers = state_layers(config, id.site);
    if (way == WAY_LEFT || way == WAY_RIGHT)
        id.head = around(id.head, way == WAY_LEFT ? -1 : 1, config->heads);
    else
        id.layer = around(id.layer, way == WAY_UP ? -1 : 1, layers);
    window_dof(window, "against %s", window_head_text(id));
}

/* The cell of the selected head that is pointed at moves, from the first one on. */
static void move_cell(Window *window, enum Way way) {
    const State *state = session_state(window->session);
    const Pass *pass = session_pass(window->session);
    HeadId id = state->head;
    int example = state->companion && pass->count > 1 ? state->example : 0;
    if (pass->count == 0) return;
    int rows = id.site == SITE_ENCODER ? pass->source_len : pass->steps;
    int columns = id.site == SITE_DECODER ? pass->steps : pass->source_len;
    int row = 0, column = 0;
    if (state->has_hover && head_id_same(state->hover, id) && state->hover_row >= 0 &&
        state->hover_column >= 0) {
        row = around(state->hover_row, way == WAY_UP ? -1 : way == WAY_DOWN, rows);
        column = around(state->hover_column, way == WAY_LEFT ? -1 : way == WAY_RIGHT, columns);
    }
    window->pointer.hover[0] = '\0';
    window_dof(window, "hover %s %d %d%s", window_head_text(id), row, column,
               example ? " companion" : "");
}

/* Pins both tokens of the cell pointed at; without one, lets go. */
static void pin_cell(Window *window) {
    const State *state = session_state(window->session);
    if (!state->has_hover || state->hover_row < 0 || state->hover_column < 0) {
        window_do(window, "pin off");
        return;
    }
    Site site = state->hover.site;
    int source = site == SITE_ENCODER ? state->hover_row : state->hover_column;
    if (site == SITE_DECODER)
        window_dof(window, "pin off; pin target %d", state->hover_row);
    else if (site == SITE_ENCODER)
        window_dof(window, "pin off; pin source %d", source);
    else
        window_dof(window, "pin source %d; pin target %d", source, state->hover_row);
}

/* Whether the keyboard has come to a cell. */
static bool is_at_cell(const Window *window) {
    const State *state = session_state(window->session);
    bool maps = state->page == PAGE_EXPLORE || state->page == PAGE_TRAIN;
    return maps && !window->pointer.hover[0] && state->has_hover && !state->hover_pair &&
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
        window_do(window, "lesson explain");
}

static void pan(Window *window, enum Way way) {
    const State *state = session_state(window->session);
    float step = 0.25F / state->zoom, left = state->left, top = state->top;
    if (way == WAY_LEFT || way == WAY_RIGHT)
        left += way == WAY_LEFT ? -step : step;
    else
        top += way == WAY_UP ? -step : step;
    window_dragf(window, "zoom %.6g %.6g %.6g", (double)state->zoom,
                 (double)fminf(fmaxf(left, 0), 1), (double)fminf(fmaxf(top, 0), 1));
}

static void move_threshold(Window *window, int by) {
    float threshold = session_state(window->session)->threshold;
    float step = by > 0 ? threshold < 0.1F : threshold <= 0.1F;
    threshold += (float)by * (step > 0 ? 0.01F : 0.05F);
    window_dragf(window, "threshold %.3f", (double)fminf(fmaxf(threshold, 0), 1));
}

static void other_example(Window *window) {
    const State *state = session_state(window->session);
    if (!state->companion)
        window_do(window, "companion on");
    else
        window_dof(window, "example %d", 1 - state->example);
}

/* A cell that the keyboard points at gives way to a press of a button, and that to the action. */
static void press(Window *window, const Key *key) {
    bool enter = key->symbol != SDLK_SPACE;
    if (window->pointer.button < 0 && enter && is_at_cell(window))
        tell_weight(window);
    else if (!window_button_press(window))
        window_do(window, key->action);
}

static void do_key(Window *window, const Key *key) {
    switch (key->deed) {
    case KEY_ACTION:
        window_do(window, key->action);
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
    case KEY_OTHER:
        move_other(window, (enum Way)key->number);
        break;
    case KEY_CELL:
        move_cell(window, (enum Way)key->number);
        break;
    case KEY_PAN:
        pan(window, (enum Way)key->number);
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
    case KEY_TURN:
        window_turn(window, key->number);
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
        window_do(window, window_is_training(window) ? "train stop" : "train");
        break;
    default:
        break;
    }
}

/* --- all keys --------------------------------------------------------------------------------- */

/* What a held key does again and again: going somewhere, not switching to and fro. */
static bool repeats(const Key *key) {
    static const char *const going[] = {"head ",    "layer ", "site ", "step ", "enc_len ",
                                        "dec_len ", "zoom ",  "undo",  "redo",  "text_scale "};
    if (key->deed != KEY_ACTION)
        return key->deed != KEY_PRESS && key->deed != KEY_TRAIN && key->deed != KEY_PIN;
    for (size_t i = 0; i < sizeof going / sizeof going[0]; i++)
        if (strncmp(key->action, going[i], strlen(going[i])) == 0) return true;
    return false;
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
