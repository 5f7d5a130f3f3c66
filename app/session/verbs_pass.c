/* Actions that change what the model reads, or how. */
#include "app/session/session_inside.h"
#include "app/session/verbs.h"

static bool out_of_memory(Error *error) {
    return error_set(error, "out of memory");
}

static StateExample *edited(Session *session) {
    return &session->state.examples[session->state.example];
}

bool apply_input(Session *session, const Action *action, Error *error) {
    return state_set_text(&edited(session)->input, action->text) || out_of_memory(error);
}

/* Alone it switches the companion on or off. */
bool apply_companion(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    bool alone = !action->word && !action->text;
    state->companion = action->word != WORD_OFF && !(alone && state->companion);
    state->example = state->companion ? 1 : 0;
    if (!state->companion && state->hover_example) state->has_hover = false;
    return !action->text || state_set_text(&state->examples[1].input, action->text) ||
           out_of_memory(error);
}

bool apply_example(Session *session, const Action *action, Error *error) {
    (void)error;
    session->state.example = (int)action->number[0];
    return true;
}

bool apply_prefix(Session *session, const Action *action, Error *error) {
    StateExample *example = edited(session);
    example->whole = action->text && action->verb == VERB_TARGET;
    return state_set_text(&example->target, action->text) || out_of_memory(error);
}

/* One more or one less than now; the texts' length is known from the pass on show. */
static void len_by(Session *session, bool encoder, int by, int max, int *place) {
    session_refresh_pass(session);
    if (!session_has_pass(session)) return;
    const PassExample *shown = &session->pass.examples[session_example(session)];
    int now = *place != BY_TEXT ? *place : encoder ? shown->enc_len : shown->dec_len;
    now += by;
    if (now >= 0 && now <= max) *place = now;
}

bool apply_len(Session *session, const Action *action, Error *error) {
    (void)error;
    const Config *config = &session->model.config;
    bool encoder = action->verb == VERB_ENC_LEN;
    int max = encoder ? config->max_source : config->max_target;
    int *place = encoder ? &edited(session)->enc_len : &edited(session)->dec_len;
    if (action->word == WORD_NEXT || action->word == WORD_PREVIOUS)
        len_by(session, encoder, action->word == WORD_NEXT ? 1 : -1, max, place);
    else
        *place = action->word == WORD_AUTO ? BY_TEXT : (int)action->number[0];
    return true;
}

bool apply_causal(Session *session, const Action *action, Error *error) {
    (void)error;
    bool causal = !session->state.not_causal;
    verb_switch(action, &causal);
    session->state.not_causal = !causal;
    return true;
}

/* Alone, and by "off", it is as trained again. */
bool apply_trap(Session *session, const Action *action, Error *error) {
    return state_set_trap(&session->state, &session->model.config, action->text, error);
}

/* From all steps, back is the last but one; from the last, forward is all again. The pass may be of
 * an older step, while the model runs: only how many there are is taken from it. */
static void step_by(Session *session, bool forward) {
    State *state = &session->state;
    session_refresh_pass(session);
    if (!session_has_pass(session)) return;
    int all = session->pass.target_len;
    int now = state->step > 0 && state->step < all ? state->step : all;
    now += forward ? 1 : -1;
    if (forward && state->step == 0) now = 1;
    if (now < 1) now = 1;
    state->step = now >= all && forward && state->step ? 0 : now;
}

bool apply_step(Session *session, const Action *action, Error *error) {
    (void)error;
    if (action->word == WORD_NEXT || action->word == WORD_PREVIOUS)
        step_by(session, action->word == WORD_NEXT);
    else
        session->state.step = action->word == WORD_ALL ? 0 : (int)action->number[0];
    return true;
}

bool apply_snapshot(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    int count = session->snapshots.count;
    if (action->word == WORD_OFF) {
        state->snapshot = NONE;
        return true;
    }
    if (!verb_has_snapshots(session, action->verb, error)) return false;
    int place = state->snapshot == NONE ? count - 1 : state->snapshot;
    if (!verb_turn(action->word, count, &place)) place = (int)action->number[0];
    state->snapshot = place;
    return true;
}
