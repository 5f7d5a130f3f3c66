/* Actions that change what the model reads, or how. */
#include <string.h>

#include "app/session/session_parts.h"

static bool out_of_memory(Error *error) {
    return error_set(error, "out of memory");
}

static StateExample *edited(Session *session) {
    return &session->state.examples[session->state.example];
}

static bool do_input(Session *session, const Action *action, Error *error) {
    return state_set_text(&edited(session)->input, action->argument) || out_of_memory(error);
}

/* Alone it switches the companion on or off. */
static bool do_companion(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    bool off = strcmp(action->argument, "off") == 0;
    bool toggled_off = !action->has_argument && state->companion;
    state->companion = !off && !toggled_off;
    state->example = state->companion ? 1 : 0;
    if (!state->companion && state->hover_example) state->has_hover = false;
    if (off || !action->has_argument || strcmp(action->argument, "on") == 0) return true;
    return state_set_text(&state->examples[1].input, action->argument) || out_of_memory(error);
}

static bool do_example(Session *session, const Action *action, Error *error) {
    int most = session->state.companion ? 1 : 0;
    return verb_number(action, action->argument, 0, most, &session->state.example, error);
}

static bool do_prefix(Session *session, const Action *action, Error *error) {
    StateExample *example = edited(session);
    example->whole = action->has_argument && strcmp(action->verb, "target") == 0;
    return state_set_text(&example->target, action->has_argument ? action->argument : NULL) ||
           out_of_memory(error);
}

/* One more or one less than now; the texts' length is known from the pass on show. */
static void len_by(Session *session, bool encoder, int by, int most, int *place) {
    session_refresh(session);
    if (!session->pass_valid) return;
    const PassExample *shown = &session->pass.examples[session_example(session)];
    int now = *place != BY_TEXT ? *place : encoder ? shown->enc_len : shown->dec_len;
    now += by;
    if (now >= 0 && now <= most) *place = now;
}

static bool set_len(Session *session, const Action *action, bool encoder, Error *error) {
    const Config *config = &session->model.config;
    const char *text = action->argument;
    int most = encoder ? config->max_source : config->max_target;
    int *place = encoder ? &edited(session)->enc_len : &edited(session)->dec_len;
    if (strcmp(text, "auto") == 0)
        *place = BY_TEXT;
    else if (strcmp(text, "next") == 0)
        len_by(session, encoder, 1, most, place);
    else if (strcmp(text, "previous") == 0)
        len_by(session, encoder, -1, most, place);
    else
        return verb_number(action, text, 0, most, place, error);
    return true;
}

static bool do_enc_len(Session *session, const Action *action, Error *error) {
    return set_len(session, action, true, error);
}

static bool do_dec_len(Session *session, const Action *action, Error *error) {
    return set_len(session, action, false, error);
}

static bool do_causal(Session *session, const Action *action, Error *error) {
    bool causal = !session->state.not_causal;
    bool good = verb_switch(action, &causal, error);
    session->state.not_causal = !causal;
    return good;
}

/* Alone, and by "off", it is as trained again. */
static bool do_trap(Session *session, const Action *action, Error *error) {
    return state_set_trap(&session->state, &session->model.config,
                          action->has_argument ? action->argument : NULL, error);
}

/* From all steps, back is the last but one; from the last, forward is all again. The pass may be of
 * an older step, while the model runs: only how many there are is taken from it. */
static void step_by(Session *session, bool forward) {
    State *state = &session->state;
    session_refresh(session);
    if (!session->pass_valid) return;
    int all = session->pass.target_len;
    int now = state->step > 0 && state->step < all ? state->step : all;
    now += forward ? 1 : -1;
    if (forward && state->step == 0) now = 1;
    if (now < 1) now = 1;
    state->step = now >= all && forward && state->step ? 0 : now;
}

static bool do_step(Session *session, const Action *action, Error *error) {
    const char *text = action->argument;
    if (strcmp(text, "next") == 0 || strcmp(text, "previous") == 0) {
        step_by(session, strcmp(text, "next") == 0);
        return true;
    }
    session->state.step = 0;
    if (strcmp(text, "all") == 0) return true;
    return verb_number(action, text, 1, session->model.config.max_target, &session->state.step,
                       error);
}

static bool do_snapshot(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    int count = session->snapshots.count;
    if (strcmp(action->argument, "off") == 0) {
        state->snapshot = NONE;
        return true;
    }
    if (count == 0)
        return error_usage(error, "snapshot: the model has none; headscope train TASK --snapshots "
                                  "16 keeps them");
    int place = state->snapshot == NONE ? count - 1 : state->snapshot;
    if (verb_next(action->argument, count, &place)) {
        state->snapshot = place;
        return true;
    }
    return verb_number(action, action->argument, 0, count - 1, &state->snapshot, error);
}

const Verb verbs_of_pass[] = {
    {.help = {"input", "TEXT", "what the model reads"}, .reach = REACH_STATE, .apply = do_input},
    {.help = {"prefix", "[TEXT]", "what the target begins with; the model writes the rest"},
     .reach = REACH_STATE,
     .apply = do_prefix},
    {.help = {"target", "[TEXT]", "the whole target (teacher forcing); alone: the model writes it"},
     .reach = REACH_STATE,
     .apply = do_prefix},
    {.help = {"companion", "TEXT|on|off",
              "a second example, so that the model reads a batch of two"},
     .reach = REACH_STATE,
     .apply = do_companion},
    {.help = {"example", "0|1", "which example is edited: 1 is the companion"},
     .reach = REACH_STATE,
     .apply = do_example},
    {.help = {"enc_len", "N|auto|next|previous", "enc_valid_len: how many source tokens are seen"},
     .reach = REACH_STATE,
     .apply = do_enc_len},
    {.help = {"dec_len", "N|auto|next|previous", "dec_valid_len: how many target tokens are seen"},
     .reach = REACH_STATE,
     .apply = do_dec_len},
    {.help = {"causal", "on|off",
              "on: a target token sees itself and those before it; off: those after it, too"},
     .reach = REACH_STATE,
     .apply = do_causal},
    {.help = {"trap", "NAME|none|off",
              "a silent mistake in the attention; none: the right one; off: as trained"},
     .reach = REACH_STATE,
     .apply = do_trap},
    {.help = {"step", "N|all|next|previous", "how many target tokens the decoder has read"},
     .reach = REACH_STATE,
     .apply = do_step},
    {.help = {"snapshot", "N|off|next|previous", "the weights of an earlier time of the training"},
     .reach = REACH_STATE,
     .apply = do_snapshot},
    {.apply = NULL},
};
