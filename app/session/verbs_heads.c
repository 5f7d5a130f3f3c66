/* Actions on heads: selecting, knocking out, comparing. */
#include <string.h>

#include "app/session/session_inside.h"
#include "app/session/verbs.h"

/* --- selecting -------------------------------------------------------------------------------- */

/* If A and B were of one site, B follows A to the new site: the next head of the layer. */
static void move_to(Session *session, HeadId id) {
    State *state = &session->state;
    bool followed = state->other_head.site == state->head.site && id.site != state->head.site;
    if (id.site != state->head.site) state->cell_row = state->cell_column = NONE;
    state->head = id;
    if (!followed) return;
    id.head = (id.head + 1) % session->model.config.heads;
    state->other_head = id;
}

bool apply_select(Session *session, const Action *action, Error *error) {
    (void)error;
    move_to(session, action->head[0]);
    return true;
}

bool apply_head(Session *session, const Action *action, Error *error) {
    (void)error;
    int *head = &session->state.head.head;
    if (!verb_turn(action->word, session->model.config.heads, head)) *head = (int)action->number[0];
    return true;
}

bool apply_layer(Session *session, const Action *action, Error *error) {
    (void)error;
    HeadId *id = &session->state.head;
    int layers = state_layers(&session->model.config, id->site);
    if (!verb_turn(action->word, layers, &id->layer)) id->layer = (int)action->number[0];
    return true;
}

bool apply_site(Session *session, const Action *action, Error *error) {
    (void)error;
    HeadId id = session->state.head;
    int place = (int)id.site;
    if (!verb_turn(action->word, SITE_COUNT, &place)) place = (int)action->number[0];
    id.site = (Site)place;
    int layers = state_layers(&session->model.config, id.site);
    if (id.layer >= layers) id.layer = layers - 1;
    move_to(session, id);
    return true;
}

/* --- knocking out ----------------------------------------------------------------------------- */

/* Sets a head, or all heads of a layer and site (ALL_HEADS). Returns whether all were ablated. */
static bool set_knockouts(Session *session, HeadId id, Knockout knockout) {
    bool layer = id.head == ALL_HEADS;
    size_t count = layer ? (size_t)session->model.config.heads : 1;
    if (layer) id.head = 0;
    unsigned char *first = &session->state.knockouts[state_place(&session->model.config, id)];
    bool all_ablated = !memchr(first, KNOCKOUT_NONE, count);
    memset(first, (int)knockout, count);
    return all_ablated;
}

/* Without a head it takes the selected one, or its layer; without zero or mean, it restores what is
 * ablated already. */
bool apply_ablate(Session *session, const Action *action, Error *error) {
    (void)error;
    bool mean = action->word == WORD_MEAN || action->second == WORD_MEAN;
    bool zero = action->word == WORD_ZERO || action->second == WORD_ZERO;
    HeadId id = action->heads ? action->head[0] : session->state.head;
    if (action->word == WORD_LAYER) id.head = ALL_HEADS;
    bool was_ablated = set_knockouts(session, id, mean ? KNOCKOUT_MEAN : KNOCKOUT_ZERO);
    if (was_ablated && !action->heads && !mean && !zero) set_knockouts(session, id, KNOCKOUT_NONE);
    return true;
}

static void restore_all(Session *session) {
    memset(session->state.knockouts, 0, (size_t)state_heads(&session->model.config));
}

bool apply_restore(Session *session, const Action *action, Error *error) {
    (void)error;
    if (action->word == WORD_ALL)
        restore_all(session);
    else
        set_knockouts(session, action->heads ? action->head[0] : session->state.head,
                      KNOCKOUT_NONE);
    return true;
}

/* Undoes all changes to the model: heads, lengths, causality, traps. */
bool apply_plain(Session *session, const Action *action, Error *error) {
    (void)action, (void)error;
    State *state = &session->state;
    restore_all(session);
    for (int i = 0; i < EXAMPLES; i++)
        state->examples[i].enc_len = state->examples[i].dec_len = BY_TEXT;
    state->not_causal = false;
    state->trap = NONE;
    return true;
}

/* --- comparing -------------------------------------------------------------------------------- */

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

/* Takes two heads, or what `against` takes; alone, it switches to the page or back. */
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

/* Switched on by hand where the model is changed (heads, lengths, causality), it shows the effect
 * of the change: B becomes the model as trained, unless B is something else than a head already.
 * The button, which has no word, leads from the page that compares to the panels. */
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
