#include "app/window/window_press.h"

#include <math.h>
#include <stdio.h>

#include "app/pass/pass_story.h"
#include "app/window/window_do.h"
#include "app/window/window_line.h"
#include "app/window/window_pointer.h"
#include "model/base/minmax.h"

#define ZOOM_STEP   1.25F
#define STILL       3.0F  /* a press that moves less is no drag */
#define LINE_HEIGHT 20.0F /* of a lesson's text */

/* --- pressing --------------------------------------------------------------------------------- */

typedef struct Press {
    bool twice, shift, other; /* other: the right button, or Ctrl */
} Press;

static void pin(Window *window, bool source, int token) {
    const State *state = session_state(window->session);
    bool pinned = (source ? state->pinned_source : state->pinned_target) == token;
    window_do(window, (Action){.verb = VERB_PIN,
                               .word = source ? WORD_SOURCE : WORD_TARGET,
                               .numbers = 1,
                               .number = {pinned ? NONE : token}});
}

/* The tokens on a map's edge: a row's or a column's. */
static void pin_edge(Window *window, const Hit *hit, int row, int column) {
    if (row >= 0) pin(window, hit->id.site == SITE_ENCODER, row);
    if (column >= 0) pin(window, hit->id.site != SITE_DECODER, column);
}

static void press_token(Window *window, const Hit *hit, Press press) {
    const ScreenSequence *sequence = window_hit_sequence(window, hit);
    if (!sequence) return;
    size_t offset = window_offset(window, hit);
    if (sequence->editing && press.twice) {
        const ScreenToken *token = &sequence->tokens[hit->item];
        if (!token->mark) editor_select_word(&window->line.editor, (size_t)token->begin);
        window->dirty = true;
    } else if (sequence->editing) {
        window_line_point(window, offset, press.shift);
        window_grab(window, DRAG_CARET, hit);
    } else if (press.twice || sequence->line == LINE_OTHER_SOURCE) {
        window_line_begin(window, sequence->line, offset);
        window_grab(window, DRAG_CARET, hit);
    } else {
        pin(window, window_is_source(sequence), hit->item);
    }
}

static void press_line(Window *window, const Hit *hit, Press press) {
    const ScreenSequence *sequence = window_hit_sequence(window, hit);
    if (!sequence) return;
    size_t offset = window_offset(window, hit);
    if (sequence->editing)
        window_line_point(window, offset, press.shift);
    else
        window_line_begin(window, sequence->line, offset);
    window_grab(window, DRAG_CARET, hit);
}

static bool is_selected(const Window *window, HeadId id) {
    return head_id_same(session_state(window->session)->head, id);
}

/* While two heads are compared, a press chooses B; otherwise it selects the head. */
static void press_head(Window *window, const Hit *hit, Press press) {
    const State *state = session_state(window->session);
    bool comparing = state->page == PAGE_COMPARE && state->mode == COMPARE_HEADS;
    if (press.shift) {
        int out = state->knockouts[state_place(&session_model(window->session)->config, hit->id)];
        window_do(window, action_head(out ? VERB_RESTORE : VERB_ABLATE, hit->id));
    } else if (comparing) {
        window_do(window, action_head(press.other ? VERB_SELECT : VERB_AGAINST, hit->id));
    } else if (press.other) {
        window_do(window,
                  (Action){.verb = VERB_COMPARE, .heads = 2, .head = {state->head, hit->id}});
    } else if (press.twice) {
        Action actions[] = {action_head(VERB_SELECT, hit->id), action_word(VERB_FOCUS, WORD_ON)};
        window_do_all(window, actions, 2);
    } else if (!is_selected(window, hit->id)) {
        window_do(window, action_head(VERB_SELECT, hit->id));
    }
}

void window_explain_cell(Window *window, HeadId id, int example, int row, int column, bool whole) {
    const State *state = session_state(window->session);
    bool other = state->companion && example != state->example;
    bool explained = !other && head_id_same(state->head, id) && state->cell_row == row &&
                     state->cell_column == column;
    if (explained && !whole) {
        window_do(window, action_word(VERB_CELL, WORD_OFF));
        return;
    }
    Action actions[4];
    int count = 0;
    char page[64];
    snprintf(page, sizeof page, "explain %s.%d.%d %d %d", site_name(id.site), id.layer, id.head,
             row, column);
    if (other) actions[count++] = action_number(VERB_EXAMPLE, example);
    actions[count++] = action_head(VERB_SELECT, id);
    actions[count++] = (Action){.verb = VERB_CELL, .numbers = 2, .number = {row, column}};
    if (whole) actions[count++] = action_text(VERB_LESSON, page);
    window_do_all(window, actions, count);
}

/* Whether the press is on a cell whose weight can be explained. */
static bool has_weight(const Window *window, Spot spot, Press press) {
    int rows, columns;
    pass_story_size(session_pass(window->session), spot.hit->id.site, &rows, &columns);
    return !press.shift && !press.other && session_state(window->session)->page != PAGE_COMPARE &&
           spot.row >= 0 && spot.column >= 0 && spot.row < rows && spot.column < columns;
}

static void press_cell(Window *window, Spot spot, Press press) {
    if (has_weight(window, spot, press))
        window_explain_cell(window, spot.hit->id, spot.hit->example, spot.row, spot.column,
                            press.twice);
    else
        press_head(window, spot.hit, press);
}

static void press_focus(Window *window, Spot spot, Press press) {
    bool row_edge = spot.row >= 0 && spot.column < 0;
    bool column_edge = spot.column >= 0 && spot.row < 0;
    if (row_edge || column_edge)
        pin_edge(window, spot.hit, spot.row, spot.column);
    else if (press.twice && has_weight(window, spot, press))
        press_cell(window, spot, press);
    else if (press.twice)
        window_do(window, action_word(VERB_FOCUS, WORD_NONE));
    else
        window_grab(window, DRAG_PAN, spot.hit);
}

static void press_similarity(Window *window, Spot spot) {
    const ScreenSimilarity *alike = &window->frame.screen->compare.similarity;
    if (spot.row < 0 || spot.column < 0 || spot.row >= alike->count || spot.column >= alike->count)
        return;
    window_do(window, (Action){.verb = VERB_COMPARE,
                               .heads = 2,
                               .head = {alike->ids[spot.row], alike->ids[spot.column]}});
}

static void press_spot(Window *window, Spot spot, Press press) {
    switch (spot.hit->kind) {
    case HIT_ACTION:
        if (!press.other && spot.hit->action) window_do_text(window, spot.hit->action);
        break;
    case HIT_TOKEN:
        press_token(window, spot.hit, press);
        break;
    case HIT_LINE:
        press_line(window, spot.hit, press);
        break;
    case HIT_LENGTH:
        if (press.twice)
            window_do(window,
                      (Action){.verb = window_is_source(window_hit_sequence(window, spot.hit))
                                           ? VERB_ENC_LEN
                                           : VERB_DEC_LEN,
                               .word = WORD_AUTO});
        else
            window_grab(window, DRAG_LENGTH, spot.hit);
        break;
    case HIT_THUMBNAIL:
    case HIT_MAP:
        press_head(window, spot.hit, press);
        break;
    case HIT_CELLS:
        press_cell(window, spot, press);
        break;
    case HIT_ROWS:
    case HIT_COLUMNS:
        pin_edge(window, spot.hit, spot.row, spot.column);
        break;
    case HIT_FOCUS:
        press_focus(window, spot, press);
        break;
    case HIT_SIMILARITY:
        press_similarity(window, spot);
        break;
    case HIT_SLIDER:
        window_grab(window, DRAG_SLIDER, spot.hit);
        window_drag_on(window);
        break;
    default:
        break;
    }
}

void window_pointer_pressed(Window *window, const SDL_MouseButtonEvent *event) {
    Spot spot = window_spot(window);
    SDL_Keymod keys = SDL_GetModState();
    bool left = event->button == SDL_BUTTON_LEFT, right = event->button == SDL_BUTTON_RIGHT;
    window_hide_tip(window);
    if (!window->frame.screen || (!left && !right)) return;
    if (window->frame.screen->help) { /* it lies over everything */
        window_do(window, action_word(VERB_HELP, WORD_OFF));
        return;
    }
    Press press = {.twice = left && event->clicks % 2 == 0,
                   .shift = (keys & KMOD_SHIFT) != 0,
                   .other = right || (keys & (KMOD_CTRL | KMOD_GUI)) != 0};
    bool in_line = spot.hit && (spot.hit->kind == HIT_LINE || spot.hit->kind == HIT_TOKEN);
    if (window_is_typing(window) && !in_line) window_line_end(window);
    if (spot.hit) press_spot(window, spot, press);
}

/* The large map is dragged; where it was not, the cell was meant. */
void window_pointer_released(Window *window) {
    const WindowPointer *pointer = &window->pointer;
    bool clicked = pointer->drag == DRAG_PAN && fabsf(pointer->x - pointer->from_x) < STILL &&
                   fabsf(pointer->y - pointer->from_y) < STILL;
    window->pointer.drag = DRAG_NONE;
    Spot spot = window_spot(window);
    clicked = clicked && window->frame.screen && spot.hit && spot.hit->kind == HIT_FOCUS;
    if (clicked && has_weight(window, spot, (Press){0})) press_cell(window, spot, (Press){0});
    session_end_drag(window->session);
    window_pointer_look(window);
}

/* --- the page of the lesson ------------------------------------------------------------------- */

/* The page as it was drawn; NULL: none. */
static const Hit *drawn_page(const Window *window) {
    const HitList *hits = &window->frame.hits;
    for (int i = 0; i < hits->count; i++)
        if (hits->hits[i].kind == HIT_LESSON) return &hits->hits[i];
    return NULL;
}

/* The state's scroll may lie past the end of the page; the drawn one (`item`) does not. */
void window_lesson_scroll(Window *window, float by, bool lines) {
    const Hit *page = drawn_page(window);
    if (!page) return;
    int max = page->rows - page->columns, now = session_state(window->session)->lesson_scroll;
    float from = (float)(now > max ? page->item : now);
    float to = from + by * (lines ? LINE_HEIGHT : (float)page->columns);
    int scroll = (int)fmaxf(fminf(roundf(to), (float)max), 0);
    if (scroll != now) window_drag(window, action_number(VERB_SCROLL, scroll));
}

/* --- the wheel -------------------------------------------------------------------------------- */

/* What is under the pointer stays there. */
static void zoom_about(Window *window, Spot spot, float up) {
    const State *state = session_state(window->session);
    const Hit *hit = spot.hit;
    float width = hit->column_width * (float)hit->columns;
    float height = hit->row_height * (float)hit->rows;
    if (!(width > 0 && height > 0)) return;
    float zoom = float_clamp(state->zoom * powf(ZOOM_STEP, up), 1, SCREEN_ZOOM);
    float x = ((float)hit->first_column * hit->column_width + hit->shift_x + window->pointer.x -
               hit->area.x) /
              width;
    float y =
        ((float)hit->first_row * hit->row_height + hit->shift_y + window->pointer.y - hit->area.y) /
        height;
    float left = x - (x - state->left) * state->zoom / zoom;
    float top = y - (y - state->top) * state->zoom / zoom;
    window_drag_zoom(window, zoom, left, top);
}

static void wheel_slider(Window *window, const Hit *hit, float up) {
    if (hit->item == SLIDER_SNAPSHOT) {
        window_drag(window, action_word(VERB_SNAPSHOT, up > 0 ? WORD_NEXT : WORD_PREVIOUS));
        return;
    }
    window_drag_threshold(window, session_state(window->session)->threshold + 0.01F * up);
}

void window_pointer_wheel(Window *window, float up) {
    Spot spot = window_spot(window);
    if (up == 0) return;
    if (SDL_GetModState() & (KMOD_CTRL | KMOD_GUI))
        window_drag(window, action_word(VERB_TEXT_SCALE, up > 0 ? WORD_LARGER : WORD_SMALLER));
    else if (session_state(window->session)->page == PAGE_LESSONS)
        window_lesson_scroll(window, -3 * up, true);
    else if (spot.hit && spot.hit->kind == HIT_FOCUS)
        zoom_about(window, spot, up);
    else if (spot.hit && spot.hit->kind == HIT_SLIDER)
        wheel_slider(window, spot.hit, up);
}
