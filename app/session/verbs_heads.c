/* Actions on heads: which is looked at, and which are knocked out. */
#include <string.h>

#include "app/session/session_inside.h"
#include "app/session/verbs.h"

/* --- selecting -------------------------------------------------------------------------------- */

/* B stays of the same site as A, where it was: the next head of the layer. */
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

/* A head, or all heads of a layer and site (ALL_HEADS). Returns whether all of them were out. */
static bool set_knockouts(Session *session, HeadId id, Knockout knockout) {
    bool layer = id.head == ALL_HEADS;
    size_t count = layer ? (size_t)session->model.config.heads : 1;
    if (layer) id.head = 0;
    unsigned char *first = &session->state.knockouts[state_place(&session->model.config, id)];
    bool all_out = !memchr(first, KNOCKOUT_NONE, count);
    memset(first, (int)knockout, count);
    return all_out;
}

/* Without a head it is the selected one, or its layer; without saying how, that is put back in if
 * all of it is out. */
bool apply_ablate(Session *session, const Action *action, Error *error) {
    (void)error;
    bool mean = action->word == WORD_MEAN || action->second == WORD_MEAN;
    bool zero = action->word == WORD_ZERO || action->second == WORD_ZERO;
    HeadId id = action->heads ? action->head[0] : session->state.head;
    if (action->word == WORD_LAYER) id.head = ALL_HEADS;
    bool was_out = set_knockouts(session, id, mean ? KNOCKOUT_MEAN : KNOCKOUT_ZERO);
    if (was_out && !action->heads && !mean && !zero) set_knockouts(session, id, KNOCKOUT_NONE);
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

/* Everything that makes another world: heads, lengths, causality, traps. */
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
