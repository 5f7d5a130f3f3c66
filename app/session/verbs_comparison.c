/* Actions that say what is compared with what. */
#include <string.h>

#include "app/session/session_parts.h"

static bool out_of_memory(Error *error) {
    return error_set(error, "out of memory");
}

/* "input TEXT" -> "TEXT"; NULL if the words do not begin so. */
static const char *after_word(const char *text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] && text[length] != ' ')) return NULL;
    text += length;
    return text[0] ? text + 1 : text;
}

static bool set_mode(Session *session, CompareMode mode, const char *other, Error *error) {
    State *state = &session->state;
    bool other_kind = state->mode != mode;
    state->mode = mode;
    if (mode != COMPARE_SNAPSHOTS) state->other_snapshot = NONE;
    if (!other && other_kind) other = "";
    return !other || state_set_text(&state->other, other) || out_of_memory(error);
}

static bool set_snapshot(Session *session, const Action *action, const char *text, Error *error) {
    State *state = &session->state;
    int count = session->snapshots.count;
    if (count == 0)
        return error_usage(error,
                           "%s: the model has no snapshots; headscope train TASK "
                           "--snapshots 16 keeps them",
                           action->verb);
    int place = state->other_snapshot == NONE ? 0 : state->other_snapshot;
    if (text[0] && !verb_next(text, count, &place) &&
        !verb_number(action, text, 0, count - 1, &place, error))
        return false;
    state->other_snapshot = place;
    return set_mode(session, COMPARE_SNAPSHOTS, NULL, error);
}

/* `against` says what B is. */
static bool set_other(Session *session, const Action *action, const char *text, Error *error) {
    const char *rest;
    if (strcmp(text, "plain") == 0) return set_mode(session, COMPARE_PLAIN, NULL, error);
    if ((rest = after_word(text, "input")))
        return set_mode(session, COMPARE_INPUTS, rest[0] ? rest : NULL, error);
    if ((rest = after_word(text, "model")))
        return set_mode(session, COMPARE_MODELS, rest[0] ? rest : NULL, error);
    if ((rest = after_word(text, "snapshot"))) return set_snapshot(session, action, rest, error);
    if (strcmp(text, "heads") == 0) return set_mode(session, COMPARE_HEADS, NULL, error);
    HeadId id;
    if (!verb_head(session, action, text, &id, error)) return false;
    session->state.other_head = id;
    return set_mode(session, COMPARE_HEADS, NULL, error);
}

static bool do_against(Session *session, const Action *action, Error *error) {
    return set_other(session, action, action->argument, error);
}

/* Two heads; or what `against` takes; alone, the page is turned to and from. */
static bool do_compare(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    const char *text = action->argument;
    if (strcmp(text, "off") == 0 || (!action->has_argument && state->page == PAGE_COMPARE)) {
        state->page = PAGE_EXPLORE;
        return true;
    }
    state->page = PAGE_COMPARE;
    if (!action->has_argument || strcmp(text, "on") == 0) return true;
    char words[2][VERB_WORD];
    int count = 0;
    HeadId first, second;
    if (!strncmp(text, "input ", 6) || !strncmp(text, "model ", 6) ||
        !verb_words(action, words, 2, &count, NULL) || count != 2 ||
        !head_id_parse(words[0], &first))
        return set_other(session, action, text, error);
    if (!verb_head(session, action, words[0], &first, error) ||
        !verb_head(session, action, words[1], &second, error))
        return false;
    state->head = first;
    state->other_head = second;
    return set_mode(session, COMPARE_HEADS, NULL, error);
}

static bool do_swap(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    if (!verb_alone(action, error)) return false;
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
static bool do_difference(Session *session, const Action *action, Error *error) {
    State *state = &session->state;
    bool by_hand = !action->has_argument || strcmp(action->argument, "toggle") == 0;
    if (state->page == PAGE_COMPARE && !action->has_argument) {
        state->page = PAGE_EXPLORE;
        state->difference = true;
        return true;
    }
    bool turned_on = by_hand && !state->difference && state->page != PAGE_COMPARE;
    if (!verb_switch(action, &state->difference, error)) return false;
    if (turned_on && state->mode == COMPARE_HEADS &&
        state_is_changed(state, &session->model.config))
        return set_mode(session, COMPARE_PLAIN, NULL, error);
    return true;
}

/* "model FILE". */
static bool names_model(const Action *action) {
    const char *text = action->argument + strspn(action->argument, " \t");
    return strncmp(text, "model", 5) == 0 && (!text[5] || strchr(" \t", text[5]));
}

const Verb verbs_of_comparison[] = {
    {.help = {"compare", "[HEAD HEAD | what against takes | off]",
              "turns to the page that compares A, the selected head, with B"},
     .reach = REACH_WORDS,
     .names_file = names_model,
     .apply = do_compare},
    {.help = {"against", "HEAD | plain | input TEXT | model FILE | snapshot N",
              "what B is: another head, the model as trained, or the same head elsewhere"},
     .reach = REACH_WORDS,
     .names_file = names_model,
     .apply = do_against},
    {.help = {"swap", "", "A becomes B, and B becomes A"}, .reach = REACH_STATE, .apply = do_swap},
    {.help =
         {"difference", "on|off",
          "the panels show A - B of every head; turned on by hand, B is the model as trained where "
          "something is changed"},
     .reach = REACH_STATE,
     .apply = do_difference},
    {.apply = NULL},
};
