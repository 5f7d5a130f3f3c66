/* Actions that say what is compared with what. */
#include "app/session/session_inside.h"
#include "app/session/verbs.h"

static bool set_mode(Session *session, CompareMode mode, const char *other, Error *error) {
    State *state = &session->state;
    bool other_kind = state->mode != mode;
    state->mode = mode;
    if (mode != COMPARE_SNAPSHOTS) state->other_snapshot = NONE;
    if (!other && other_kind) other = "";
    return !other || state_set_text(&state->other, other) || error_set(error, "out of memory");
}

static bool set_snapshot(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    if (!verb_has_snapshots(session, action->verb, error)) return false;
    int place = state->other_snapshot == NONE ? 0 : state->other_snapshot;
    verb_turn(action->second, session->snapshots.count, &place);
    state->other_snapshot = action->numbers ? (int)action->number[0] : place;
    return set_mode(session, COMPARE_SNAPSHOTS, NULL, error);
}

bool apply_against(Session *session, const Action *action, Error *error) {
    const char *text = action->text && action->text[0] ? action->text : NULL;
    switch (action->word) {
    case WORD_PLAIN:
        return set_mode(session, COMPARE_PLAIN, NULL, error);
    case WORD_INPUT:
        return set_mode(session, COMPARE_INPUTS, text, error);
    case WORD_MODEL:
        return set_mode(session, COMPARE_MODELS, text, error);
    case WORD_SNAPSHOT:
        return set_snapshot(session, action, error);
    default:
        if (action->heads) session->state.other_head = action->head[action->heads - 1];
        return set_mode(session, COMPARE_HEADS, NULL, error);
    }
}

/* Two heads; or what `against` takes; alone, the page is turned to and from. */
bool apply_compare(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    bool alone = !action->word && !action->heads;
    bool off = action->word == WORD_OFF || (alone && state->page == PAGE_COMPARE);
    state->page = off ? PAGE_EXPLORE : PAGE_COMPARE;
    if (off || alone || action->word == WORD_ON) return true;
    if (action->heads == 2) state->head = action->head[0];
    return apply_against(session, action, error);
}

bool apply_swap(Session *session, const Action *action, Error *error) {
    (void)action;
    State *state = &session->state;
    if (state->mode != COMPARE_HEADS)
        return error_usage(error, "swap: only two heads can be swapped");
    HeadId head = state->head;
    state->head = state->other_head;
    state->other_head = head;
    return true;
}

/* Turned on by hand where something is changed, it is what the change does: the difference from the
 * model as trained, unless something else is compared. A button's, which has no word, turns from
 * the page that compares to the panels. */
bool apply_difference(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    bool by_hand = action->word == WORD_NONE || action->word == WORD_TOGGLE;
    if (state->page == PAGE_COMPARE && !action->word) {
        state->page = PAGE_EXPLORE;
        state->difference = true;
        return true;
    }
    bool turned_on = by_hand && !state->difference && state->page != PAGE_COMPARE;
    verb_switch(action, &state->difference);
    if (turned_on && state->mode == COMPARE_HEADS &&
        state_is_changed(state, &session->model.config))
        return set_mode(session, COMPARE_PLAIN, NULL, error);
    return true;
}
