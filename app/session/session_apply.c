/* Doing actions, and the steps of undo. */
#include <string.h>

#include "app/session/session_inside.h"
#include "app/session/verbs.h"

/* --- steps of undo ---------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static bool same_comparison(const State *a, const State *b) {
    return a->mode == b->mode && a->difference == b->difference &&
           (a->mode != COMPARE_HEADS || head_id_same(a->other_head, b->other_head)) &&
           same_text(a->other, b->other) && a->other_snapshot == b->other_snapshot;
}

static bool same_look(const State *a, const State *b) {
    return a->page == b->page && head_id_same(a->head, b->head) &&
           same_text(a->lesson, b->lesson) &&
           (a->page != PAGE_LESSONS || a->lesson_scroll == b->lesson_scroll) &&
           a->focus_open == b->focus_open && a->lines == b->lines && a->threshold == b->threshold &&
           a->zoom == b->zoom && a->left == b->left && a->top == b->top &&
           a->pinned_source == b->pinned_source && a->pinned_target == b->pinned_target &&
           a->cell_row == b->cell_row && a->cell_column == b->cell_column && a->theme == b->theme &&
           a->colormap == b->colormap && a->scale_largest == b->scale_largest &&
           a->text_scale == b->text_scale && a->presentation == b->presentation &&
           a->help == b->help;
}

bool session_same_step(const State *a, const State *b, const Config *config) {
    bool same_pass = pass_key_same(pass_key(a, config, 0), pass_key(b, config, 0));
    return same_pass && a->example == b->example && same_comparison(a, b) && same_look(a, b);
}

/* Keeps *before, which it takes over, for undo if the state is another now. `dragged` is the verb
 * of a drag, which is joined to the step before of the same verb; VERB_NONE: no drag. */
static void remember(Session *session, State *before, VerbId dragged) {
    bool same = session_same_step(before, &session->state, &session->model.config);
    bool joined = dragged && session->undo.count && dragged == session->dragged;
    if (same || joined)
        state_free(before);
    else
        history_push(&session->undo, before);
    if (same) return;
    history_clear(&session->redo);
    session->dragged = dragged;
}

void session_end_drag(Session *session) {
    session->dragged = VERB_NONE;
}

void session_forget_steps(Session *session) {
    history_clear(&session->undo);
    history_clear(&session->redo);
    session_end_drag(session);
}

static void copy_companion(StateExample *to, const StateExample *from) {
    state_set_text(&to->input, from->input);
    state_set_text(&to->target, from->target);
    to->whole = from->whole;
    to->enc_len = from->enc_len;
    to->dec_len = from->dec_len;
}

/* What no recipe says, since it is not to be seen, stays: what is under the pointer, the companion
 * while it is off, and B's head while B is something else. */
static void keep_unseen(State *state, const State *before) {
    if (!state->has_hover && before->has_hover && (state->companion || !before->hover_example)) {
        state->has_hover = true;
        state->hover = before->hover;
        state->hover_row = before->hover_row;
        state->hover_column = before->hover_column;
        state->hover_example = before->hover_example;
        state->hover_pair = before->hover_pair;
        state->hover_with = before->hover_with;
    }
    if (!state->companion) copy_companion(&state->examples[1], &before->examples[1]);
    if (state->mode != COMPARE_HEADS) state->other_head = before->other_head;
}

/* Takes the newest state of `from`, and leaves the present one in `to`. */
static void step_back(Session *session, History *from, History *to) {
    State now = session->state;
    if (!history_pop(from, &session->state)) return;
    session->state.has_hover = false; /* it is of the present, ... */
    if (session->state.page != PAGE_LESSONS) session->state.lesson_scroll = 0; /* ... this unseen */
    keep_unseen(&session->state, &now);
    history_push(to, &now);
    session_end_drag(session);
    session->version++;
}

static bool apply_undo(Session *session, const Action *action, Error *error) {
    (void)action, (void)error;
    step_back(session, &session->undo, &session->redo);
    return true;
}

static bool apply_redo(Session *session, const Action *action, Error *error) {
    (void)action, (void)error;
    step_back(session, &session->redo, &session->undo);
    return true;
}

/* --- doing them ------------------------------------------------------------------------------- */

/* NULL: the host does it. */
static VerbApply *const applies[VERB_COUNT] = {
    [VERB_INPUT] = apply_input,       [VERB_PREFIX] = apply_prefix,
    [VERB_TARGET] = apply_prefix,     [VERB_COMPANION] = apply_companion,
    [VERB_EXAMPLE] = apply_example,   [VERB_ENC_LEN] = apply_len,
    [VERB_DEC_LEN] = apply_len,       [VERB_CAUSAL] = apply_causal,
    [VERB_TRAP] = apply_trap,         [VERB_STEP] = apply_step,
    [VERB_SNAPSHOT] = apply_snapshot, [VERB_SELECT] = apply_select,
    [VERB_HEAD] = apply_head,         [VERB_LAYER] = apply_layer,
    [VERB_SITE] = apply_site,         [VERB_ABLATE] = apply_ablate,
    [VERB_RESTORE] = apply_restore,   [VERB_PLAIN] = apply_plain,
    [VERB_COMPARE] = apply_compare,   [VERB_AGAINST] = apply_against,
    [VERB_SWAP] = apply_swap,         [VERB_DIFFERENCE] = apply_difference,
    [VERB_PAGE] = apply_page,         [VERB_FOCUS] = apply_flag,
    [VERB_LINES] = apply_flag,        [VERB_THRESHOLD] = apply_threshold,
    [VERB_ZOOM] = apply_zoom,         [VERB_PIN] = apply_pin,
    [VERB_CELL] = apply_cell,         [VERB_HOVER] = apply_hover,
    [VERB_THEME] = apply_theme,       [VERB_COLORMAP] = apply_colormap,
    [VERB_SCALE] = apply_scale,       [VERB_TEXT_SCALE] = apply_text_scale,
    [VERB_PRESENT] = apply_flag,      [VERB_HELP] = apply_flag,
    [VERB_UNDO] = apply_undo,         [VERB_REDO] = apply_redo,
    [VERB_LESSON] = apply_lesson,     [VERB_SCROLL] = apply_scroll,
};

bool session_does(VerbId verb) {
    return applies[verb] != NULL;
}

/* Actions to do: first the values, then the text. */
typedef struct ActionList {
    const Action *actions;
    int count;
    const char *text; /* NULL: none */
} ActionList;

/* Where actions come from, and so what they may do. */
typedef enum Source {
    SOURCE_PERSON,
    SOURCE_RECIPE,  /* the person's own: it says what is shown */
    SOURCE_PICTURE, /* a stranger's: and opens nothing */
} Source;

static bool check_source(VerbId id, const char *argument, Source source, Error *error) {
    const Verb *verb = verb_at(id);
    const char *name = verb->help.verb;
    if (source == SOURCE_PERSON) return true;
    bool shows = verb->reach == REACH_STATE || verb->reach == REACH_WORDS;
    if (verb->flags & VERB_TRAVELS || !shows)
        return error_usage(error, "%s: a recipe says what is shown, and does nothing else", name);
    if (source == SOURCE_PICTURE && verb->reach == REACH_WORDS && verb_names_file(id, argument))
        return error_usage(error, "%s %.60s: a recipe in a picture opens no file", name, argument);
    return true;
}

/* What can be seen to be wrong before any of them is done. */
static bool check_all(const ActionList *list, Source source, Error *error) {
    const char *text = list->text ? list->text : "";
    bool good = true, end = false, travels = false;
    int count = list->count;
    for (int i = 0; i < list->count; i++)
        travels = travels || verb_at(list->actions[i].verb)->flags & VERB_TRAVELS;
    while (good && !end) {
        ActionText action;
        good = action_next(&text, &action, error);
        end = good && !action.verb[0];
        if (good && !end) {
            VerbId id = verb_find(action.verb);
            good = id != VERB_NONE ||
                   error_usage(error, "\"%s\" is no action; headscope view --actions lists them",
                               action.verb);
            travels = travels || (good && verb_at(id)->flags & VERB_TRAVELS);
            good = good && check_source(id, action.argument, source, error);
            count++;
        }
        action_free(&action);
    }
    if (good && travels && count > 1)
        return error_usage(error, "undo and redo stand alone: nothing else goes with them");
    return good;
}

static bool do_one(Session *session, const Action *action, bool *undoable, Error *error) {
    const Verb *verb = verb_at(action->verb);
    VerbApply *apply = applies[action->verb];
    *undoable = *undoable || (apply && !(verb->flags & VERB_TRANSIENT));
    if (apply) return apply(session, action, error);
    if (!session->host.act)
        return error_usage(error, "%s: there is nobody here to do it", verb->help.verb);
    return session->host.act(session->host.context, action, error);
}

/* Does all of them, checked before, on the state as it is. *first becomes the first verb. */
static bool do_all(Session *session, const ActionList *list, VerbId *first, bool *undoable,
                   Error *error) {
    bool good = true, end = !list->text;
    const char *text = list->text;
    *first = list->count ? list->actions[0].verb : VERB_NONE;
    *undoable = false;
    for (int i = 0; good && i < list->count; i++)
        good = verb_check(session, &list->actions[i], error) &&
               do_one(session, &list->actions[i], undoable, error);
    while (good && !end) {
        ActionText said;
        Action action;
        good = action_next(&text, &said, error);
        end = good && !said.verb[0];
        if (good && !end) {
            VerbId id = verb_find(said.verb);
            if (!*first) *first = id;
            good = verb_read(session, id, &said, &action, error) &&
                   do_one(session, &action, undoable, error);
        }
        action_free(&said);
    }
    return good;
}

/* --- all together ----------------------------------------------------------------------------- */

/* From the present state or, for a recipe, from the first one. */
static bool apply(Session *session, const ActionList *list, Source source, bool drag,
                  Error *error) {
    const Config *config = &session->model.config;
    bool recipe = source != SOURCE_PERSON, undoable;
    VerbId first;
    State before = session->state;
    if (!check_all(list, source, error)) return false;
    if (recipe ? !state_copy(&session->state, &session->first, config)
               : !state_copy(&before, &session->state, config)) {
        if (recipe) session->state = before;
        return error_set(error, "out of memory");
    }
    bool good = do_all(session, list, &first, &undoable, error);
    if (!good) {
        state_free(&session->state);
        session->state = before;
    } else if (recipe || undoable) {
        if (recipe) keep_unseen(&session->state, &before);
        remember(session, &before, drag ? first : VERB_NONE);
    } else {
        state_free(&before);
    }
    session->version++;
    return good;
}

bool session_apply(Session *session, const Action *actions, int count, Error *error) {
    return apply(session, &(ActionList){actions, count, NULL}, SOURCE_PERSON, false, error);
}

bool session_apply_one(Session *session, Action action, Error *error) {
    return session_apply(session, &action, 1, error);
}

bool session_drag(Session *session, const Action *actions, int count, Error *error) {
    return apply(session, &(ActionList){actions, count, NULL}, SOURCE_PERSON, true, error);
}

bool session_apply_text(Session *session, const char *actions, Error *error) {
    return apply(session, &(ActionList){NULL, 0, actions}, SOURCE_PERSON, false, error);
}

bool session_restore_after(Session *session, const Action *actions, int count, const char *recipe,
                           Error *error) {
    return apply(session, &(ActionList){actions, count, recipe}, SOURCE_RECIPE, false, error);
}

bool session_restore(Session *session, const char *recipe, Error *error) {
    return session_restore_after(session, NULL, 0, recipe, error);
}

bool session_restore_picture(Session *session, const char *recipe, Error *error) {
    return apply(session, &(ActionList){NULL, 0, recipe}, SOURCE_PICTURE, false, error);
}
