#include "app/window/window_pointer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/window/window_do.h"
#include "app/window/window_line.h"

#include "model/base/minmax.h"

enum { REST_MS = 500 };

void window_pointer_free(Window *window) {
    for (int i = 0; i < SDL_NUM_SYSTEM_CURSORS; i++)
        SDL_FreeCursor(window->pointer.cursors[i]);
    window->pointer = (WindowPointer){.button = -1};
}

Spot window_spot(const Window *window) {
    return hits_at(&window->frame.hits, window->pointer.x, window->pointer.y);
}

const ScreenSequence *window_hit_sequence(const Window *window, const Hit *hit) {
    const Screen *screen = window->frame.screen;
    if (!screen || hit->index < 0 || hit->index >= screen->sequence_count) return NULL;
    return &screen->sequences[hit->index];
}

bool window_is_source(const ScreenSequence *sequence) {
    return sequence->line == LINE_SOURCE || sequence->line == LINE_COMPANION_SOURCE;
}

static bool is_companion(const ScreenSequence *sequence) {
    return sequence->line == LINE_COMPANION_SOURCE || sequence->line == LINE_COMPANION_TARGET;
}

/* --- what lies under it ----------------------------------------------------------------------- */

static Action hover_cell(HeadId id, int row, int column, bool companion) {
    return (Action){.verb = VERB_HOVER,
                    .word = companion ? WORD_COMPANION : WORD_NONE,
                    .heads = 1,
                    .head = {id},
                    .numbers = 2,
                    .number = {row < 0 ? NONE : row, column < 0 ? NONE : column}};
}

static const Action hover_off = {.verb = VERB_HOVER, .word = WORD_OFF};

/* A token of a sequence as a row or column of the selected head: in a decoder's map as a key. */
static Action hover_token(const Window *window, const Hit *hit) {
    const ScreenSequence *sequence = window_hit_sequence(window, hit);
    if (!sequence || sequence->line == LINE_OTHER_SOURCE) return hover_off;
    HeadId id = session_state(window->session)->head;
    bool source = window_is_source(sequence);
    bool key = source ? id.site != SITE_DECODER : id.site == SITE_DECODER;
    bool query = !source && id.site == SITE_CROSS;
    if (!key && !query) return hover_off;
    return hover_cell(id, query ? hit->item : NONE, key ? hit->item : NONE, is_companion(sequence));
}

static Action hover_of(const Window *window, Spot spot) {
    if (!spot.hit) return hover_off;
    const Hit *hit = spot.hit;
    const ScreenSimilarity *alike = &window->frame.screen->compare.similarity;
    switch (hit->kind) {
    case HIT_CELLS:
    case HIT_ROWS:
    case HIT_COLUMNS:
    case HIT_FOCUS:
        if (spot.row < 0 && spot.column < 0) return hover_off;
        return hover_cell(hit->id, spot.row, spot.column, hit->example == 1);
    case HIT_THUMBNAIL:
        return hover_cell(hit->id, NONE, NONE, false);
    case HIT_TOKEN:
        return hover_token(window, hit);
    case HIT_SIMILARITY:
        if (spot.row < 0 || spot.row >= alike->count || spot.column < 0 ||
            spot.column >= alike->count)
            return hover_off;
        return (Action){.verb = VERB_HOVER,
                        .heads = 2,
                        .head = {alike->ids[spot.row], alike->ids[spot.column]}};
    default:
        return hover_off;
    }
}

static bool same_hover(const Action *a, const Action *b) {
    return a->verb == b->verb && a->word == b->word && a->heads == b->heads &&
           head_id_same(a->head[0], b->head[0]) && head_id_same(a->head[1], b->head[1]) &&
           a->number[0] == b->number[0] && a->number[1] == b->number[1];
}

/* Only a change is an action. What is out of bounds is nothing. */
static void hover(Window *window, Spot spot) {
    Action action = hover_of(window, spot);
    Error error;
    if (same_hover(&action, &window->pointer.hover)) return;
    window->pointer.hover = action;
    if (!session_apply(window->session, &action, 1, &error))
        session_apply(window->session, &hover_off, 1, &error);
}

static SDL_SystemCursor shape_of(const Window *window, const Hit *hit) {
    const ScreenSequence *sequence;
    if (window->pointer.drag == DRAG_PAN) return SDL_SYSTEM_CURSOR_SIZEALL;
    if (!hit) return SDL_SYSTEM_CURSOR_ARROW;
    switch (hit->kind) {
    case HIT_LINE:
        return SDL_SYSTEM_CURSOR_IBEAM;
    case HIT_TOKEN:
        sequence = window_hit_sequence(window, hit);
        return sequence && sequence->editing ? SDL_SYSTEM_CURSOR_IBEAM : SDL_SYSTEM_CURSOR_HAND;
    case HIT_LENGTH:
        return SDL_SYSTEM_CURSOR_SIZEWE;
    case HIT_ACTION:
    case HIT_THUMBNAIL:
    case HIT_MAP:
    case HIT_ROWS:
    case HIT_COLUMNS:
    case HIT_SIMILARITY:
    case HIT_SLIDER:
        return SDL_SYSTEM_CURSOR_HAND;
    default:
        return SDL_SYSTEM_CURSOR_ARROW;
    }
}

static void set_shape(Window *window, SDL_SystemCursor shape) {
    WindowPointer *pointer = &window->pointer;
    if (shape == pointer->shape) return;
    if (!pointer->cursors[shape]) pointer->cursors[shape] = SDL_CreateSystemCursor(shape);
    if (pointer->cursors[shape]) SDL_SetCursor(pointer->cursors[shape]);
    pointer->shape = shape;
}

void window_hide_tip(Window *window) {
    if (window->pointer.tip[0]) window->dirty = true;
    window->pointer.tip[0] = '\0';
    window->pointer.tip_due = 0;
}

/* A tip stays while the pointer moves over what it is about. */
static void look_for_tip(Window *window) {
    WindowPointer *pointer = &window->pointer;
    const char *tip = hits_tip(&window->frame.hits, pointer->x, pointer->y);
    if (tip && strncmp(tip, pointer->tip, sizeof pointer->tip - 1) == 0) return;
    window_hide_tip(window);
    if (tip) pointer->tip_due = SDL_GetTicks64() + REST_MS;
}

void window_pointer_rested(Window *window) {
    WindowPointer *pointer = &window->pointer;
    const char *tip = hits_tip(&window->frame.hits, pointer->x, pointer->y);
    pointer->tip_due = 0;
    if (!tip || pointer->drag != DRAG_NONE) return;
    snprintf(pointer->tip, sizeof pointer->tip, "%s", tip);
    window->dirty = true;
}

void window_pointer_look(Window *window) {
    if (!window->pointer.inside || !window->frame.screen) return;
    Spot spot = window_spot(window);
    if (window->pointer.hover.verb && window->pointer.drag == DRAG_NONE) hover(window, spot);
    set_shape(window, shape_of(window, spot.hit));
}

/* --- dragging --------------------------------------------------------------------------------- */

size_t window_offset(const Window *window, const Hit *hit) {
    const ScreenSequence *sequence = window_hit_sequence(window, hit);
    int offset = 0;
    if (!sequence) return 0;
    int boundary =
        hits_boundary(&window->frame.hits, hit->index, window->pointer.x, window->pointer.y);
    for (int token = 0; token < boundary && token < sequence->count; token++)
        if (sequence->tokens[token].end > offset) offset = sequence->tokens[token].end;
    return (size_t)offset;
}

static void drag_length(Window *window, const Hit *hit) {
    const ScreenSequence *sequence = window_hit_sequence(window, hit);
    if (!sequence) return;
    int len = hits_boundary(&window->frame.hits, hit->index, window->pointer.x, window->pointer.y);
    if (len != sequence->valid_len)
        window_drag(window,
                    (Action){.verb = window_is_source(sequence) ? VERB_ENC_LEN : VERB_DEC_LEN,
                             .numbers = 1,
                             .number = {len}});
}

void window_drag_threshold(Window *window, float threshold) {
    double rounded = round(1000 * (double)float_clamp(threshold, 0, 1)) / 1000;
    window_drag(window, action_number(VERB_THRESHOLD, rounded));
}

void window_drag_zoom(Window *window, float zoom, float left, float top) {
    left = float_clamp(left, 0, 1);
    top = float_clamp(top, 0, 1);
    window_drag(window, (Action){.verb = VERB_ZOOM,
                                 .numbers = 3,
                                 .number = {(double)zoom, (double)left, (double)top}});
}

static void drag_slider(Window *window, const Hit *hit) {
    float share = hits_share(hit, window->pointer.x);
    if (hit->item == SLIDER_THRESHOLD) {
        window_drag_threshold(window, share);
    } else if (window->frame.screen->train.snapshots > 0) {
        int snapshot = screen_snapshot_at(&window->frame.screen->train, share);
        window_drag(window, action_number(VERB_SNAPSHOT, snapshot));
    }
}

static void drag_pan(Window *window, const Hit *hit) {
    const WindowPointer *pointer = &window->pointer;
    float width = hit->column_width * (float)hit->columns;
    float height = hit->row_height * (float)hit->rows;
    if (!(width > 0 && height > 0)) return;
    float left = pointer->from_left - (pointer->x - pointer->from_x) / width;
    float top = pointer->from_top - (pointer->y - pointer->from_y) / height;
    window_drag_zoom(window, session_state(window->session)->zoom, left, top);
}

void window_drag_on(Window *window) {
    const Hit *hit = &window->pointer.grabbed;
    if (!window->frame.screen) return;
    switch (window->pointer.drag) {
    case DRAG_CARET:
        if (window->line.line != NO_LINE)
            window_line_point(window, window_offset(window, hit), true);
        break;
    case DRAG_LENGTH:
        drag_length(window, hit);
        break;
    case DRAG_SLIDER:
        drag_slider(window, hit);
        break;
    case DRAG_PAN:
        drag_pan(window, hit);
        break;
    default:
        break;
    }
}

void window_grab(Window *window, DragKind kind, const Hit *hit) {
    WindowPointer *pointer = &window->pointer;
    const State *state = session_state(window->session);
    pointer->drag = kind;
    pointer->grabbed = *hit;
    pointer->grabbed.action = pointer->grabbed.tip = NULL;
    pointer->from_x = pointer->x;
    pointer->from_y = pointer->y;
    pointer->from_left = state->left;
    pointer->from_top = state->top;
    session_end_drag(window->session);
}

/* --- moving ----------------------------------------------------------------------------------- */

void window_pointer_moved(Window *window, float x, float y) {
    WindowPointer *pointer = &window->pointer;
    pointer->inside = true;
    pointer->x = x;
    pointer->y = y;
    if (pointer->button >= 0) {
        pointer->button = -1;
        window->dirty = true;
    }
    if (pointer->drag != DRAG_NONE) {
        window_hide_tip(window);
        window_drag_on(window);
        return;
    }
    Spot spot = window_spot(window);
    if (window->frame.screen) hover(window, spot);
    look_for_tip(window);
    set_shape(window, shape_of(window, spot.hit));
}

void window_pointer_left(Window *window) {
    window->pointer.inside = false;
    window_hide_tip(window);
    if (window->pointer.drag == DRAG_NONE && window->frame.screen) hover(window, (Spot){0});
}
