/* Random sequences of actions, good and bad ones, keep every invariant of a session. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/session_inside.h"
#include "app/session/state_text.h"
#include "app/session/verbs.h"
#include "model/base/rng.h"
#include "model/doctor/traps.h"
#include "tests/session/helper_screen.h"
#include "tests/session/helper_session.h"

enum {
    SEED = 2026,
    LONGEST = 5,
    MOST = LONGEST + 1,
    SNAPSHOTS = 3,
    TEXT = 1024,
    SCREEN_EVERY = 50
};

static int actions_to_do(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 1000 : 100000;
}

static char other_path[64]; /* another model, of other sizes */
static int action_at;       /* for the message of a failure; -1: none failed */
static char text_done[TEXT];

static const HelperModel tiny = {.characters = "ab;\" ä", .layers = 1, .longest = LONGEST};

/* --- texts of actions ------------------------------------------------------------------------- */

typedef struct Writer {
    Rng rng;
    char text[TEXT];
} Writer;

static int below(Writer *writer, int bound) {
    return (int)rng_below(&writer->rng, (uint32_t)bound);
}

static void put(Writer *writer, const char *text) {
    size_t used = strlen(writer->text);
    snprintf(writer->text + used, TEXT - used, "%s", text);
}

static void put_number(Writer *writer, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    put(writer, text);
}

#define PICK(writer, list) put(writer, (list)[below(writer, (int)(sizeof(list) / sizeof *(list)))])

/* What the model reads, what it does not, and what could be mistaken for something else. */
static void put_text(Writer *writer) {
    static const char *const whole[] = {
        "ab",   "a",    "bab",        "abab",  "aä b", "",     " ",     "on",   "off",
        "auto", "ab%",  "x",          "a\nb",  "\t",   "\xff", "a\xc3", "\x01", "→",
        "a;b",  "\"\"", "ababababab", "heads", "ba",   "bb",   "aa",    "abba", "b a"};
    static const char *const pieces[] = {"a",  "b", "ab", "ä",        ";",
                                         "\"", " ", "z",  "\xe2\x82", "\r"};
    char plain[TEXT / 2] = "";
    if (below(writer, 8)) {
        snprintf(plain, sizeof plain, "%s",
                 whole[below(writer, (int)(sizeof whole / sizeof *whole))]);
    } else {
        int count = below(writer, 8) ? below(writer, 5) : below(writer, 200);
        for (int i = 0; i < count; i++) {
            const char *piece = pieces[below(writer, (int)(sizeof pieces / sizeof *pieces))];
            if (strlen(plain) + strlen(piece) < sizeof plain) strcat(plain, piece);
        }
    }
    char *quoted = below(writer, 10) ? action_quote(plain) : strdup(plain); /* some are not */
    assert_non_null(quoted);
    put(writer, quoted);
    free(quoted);
}

static void put_head(Writer *writer) {
    static const char *const sites[] = {"encoder", "decoder", "cross"};
    char head[32];
    int layer = below(writer, 20) ? 0 : below(writer, 3),
        index = below(writer, 20) ? below(writer, 2) : 7;
    snprintf(head, sizeof head, "%s.%d.%d", sites[below(writer, 3)], layer, index);
    put(writer, head);
}

static void put_place(Writer *writer) {
    if (below(writer, 4))
        put_number(writer, below(writer, MOST));
    else
        PICK(writer, ((const char *const[]){"-", "-1", "9", "x"}));
}

/* Something that some verb or other takes, or none. */
static void put_anything(Writer *writer) {
    static const char *const words[] = {
        "on", "off",  "toggle", "next", "previous", "auto",  "all",
        "0",  "1",    "3",      "6",    "7",        "-1",    "99999999999",
        "in", "out",  "0.5",    "nan",  "layer",    "mean",  "zero",
        "",   "\"\"", "source", "\"",   "larger",   "heads", "0x2"};
    switch (below(writer, 4)) {
    case 0:
        put_text(writer);
        break;
    case 1:
        put_head(writer);
        break;
    default:
        PICK(writer, words);
    }
}

/* --- arguments, by verb ----------------------------------------------------------------------- */

static void put_switch(Writer *writer) {
    PICK(writer, ((const char *const[]){"on", "off", "toggle", ""}));
}

static void put_look(Writer *writer) {
    PICK(writer,
         ((const char *const[]){"largest", "one", "", "next", "previous", "dark", "grey", "compare",
                                "train", "explore", "lessons", "larger", "smaller", "2"}));
}

static void put_step(Writer *writer) {
    if (below(writer, 3))
        PICK(writer, ((const char *const[]){"next", "previous", "all", "auto", "off"}));
    else
        put_number(writer, below(writer, MOST + 2));
}

static void put_knockout(Writer *writer) {
    static const char *const selected[] = {"", "toggle", "layer", "layer mean", "mean", "zero"};
    static const char *const how[] = {"", "", " zero", " mean"};
    if (below(writer, 3) == 0) {
        PICK(writer, selected);
        return;
    }
    if (below(writer, 3))
        put_head(writer);
    else
        PICK(writer, ((const char *const[]){"cross.0", "decoder.0", "encoder.0", "cross.1"}));
    PICK(writer, how);
}

static void put_restore(Writer *writer) {
    if (below(writer, 2))
        PICK(writer, ((const char *const[]){"", "all", "cross.0"}));
    else
        put_head(writer);
}

static void put_against(Writer *writer) {
    static const char *const kinds[] = {"plain",      "heads",         "input",
                                        "model",      "snapshot",      "snapshot 0",
                                        "snapshot 1", "snapshot next", "snapshot 5"};
    int kind = below(writer, 6);
    if (kind == 0) {
        put(writer, "input ");
        PICK(writer, ((const char *const[]){"ab", "a", "abab", " b", "%", "bb"}));
    } else if (kind == 1) {
        put(writer, "model ");
        put(writer, below(writer, 3) ? other_path : "/no/such/model");
    } else if (kind == 2) {
        put_head(writer);
    } else {
        PICK(writer, kinds);
    }
}

static void put_compare(Writer *writer) {
    if (below(writer, 2)) {
        put_head(writer);
        put(writer, " ");
        put_head(writer);
    } else if (below(writer, 2)) {
        put_against(writer);
    } else {
        put_switch(writer);
    }
}

static void put_zoom(Writer *writer) {
    char text[64];
    if (below(writer, 2)) {
        PICK(writer, ((const char *const[]){"in", "out", "1", "64", "100", "0"}));
        return;
    }
    snprintf(text, sizeof text, "%g %g %g", 1 + 20 * rng_uniform(&writer->rng),
             rng_uniform(&writer->rng), 2 * rng_uniform(&writer->rng) - 1);
    put(writer, text);
}

static void put_pin(Writer *writer) {
    PICK(writer, ((const char *const[]){"source ", "target ", "off", ""}));
    if (below(writer, 4))
        put_number(writer, below(writer, MOST + 1));
    else
        put(writer, "off");
}

static void put_hover(Writer *writer) {
    if (below(writer, 6) == 0) {
        put(writer, "off");
        return;
    }
    put_head(writer);
    put(writer, " ");
    put_place(writer);
    put(writer, " ");
    put_place(writer);
    if (below(writer, 3) == 0) put(writer, " companion");
}

static void put_trap(Writer *writer) {
    PICK(writer, ((const char *const[]){"none", "off", "one-reshape", "wrong-concat", "tiled-lens",
                                        "no-causal", "causal-cross", "no-cross-padding",
                                        "softmax-queries", "mask-leaks", "empty-nan",
                                        "empty-uniform", "no-repeat", "no-scale"}));
}

static void put_lesson(Writer *writer) {
    static const char *const words[] = {"",
                                        "next",
                                        "previous",
                                        "toggle",
                                        "quiz",
                                        "no such",
                                        "provenance",
                                        "provenance --help",
                                        "quiz 'a",
                                        "quiz --x",
                                        "shapes",
                                        "provenance -- x",
                                        "provenance --width 8 --heads 3"};
    PICK(writer, words);
}

static void put_scroll(Writer *writer) {
    put_number(writer, below(writer, 4000) - 100);
}

static void put_cell(Writer *writer) {
    if (below(writer, 6) == 0) {
        put(writer, "off");
        return;
    }
    put_place(writer);
    put(writer, " ");
    put_place(writer);
}

typedef struct Grammar {
    const char *verb;
    void (*argument)(Writer *writer);
} Grammar;

static const Grammar grammar[] = {
    {"input", put_text},        {"prefix", put_text},     {"target", put_text},
    {"companion", put_text},    {"enc_len", put_step},    {"dec_len", put_step},
    {"causal", put_switch},     {"trap", put_trap},       {"step", put_step},
    {"snapshot", put_step},     {"select", put_head},     {"ablate", put_knockout},
    {"restore", put_restore},   {"compare", put_compare}, {"against", put_against},
    {"difference", put_switch}, {"focus", put_switch},    {"lines", put_switch},
    {"zoom", put_zoom},         {"pin", put_pin},         {"hover", put_hover},
    {"present", put_switch},    {"help", put_switch},     {"scale", put_look},
    {"theme", put_look},        {"colormap", put_look},   {"page", put_look},
    {"text_scale", put_look},   {"lesson", put_lesson},   {"scroll", put_scroll},
    {"cell", put_cell},
};

static const Grammar *grammar_of(const char *verb) {
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++)
        if (strcmp(grammar[i].verb, verb) == 0) return &grammar[i];
    return NULL;
}

/* Any verb of the vocabulary, mostly with what it takes. */
static void put_action(Writer *writer, int verbs) {
    const char *verb = session_action_help(below(writer, verbs))->verb;
    const Grammar *known = grammar_of(verb);
    int kind = below(writer, 20);
    if (kind == 0) verb = "fly";
    put(writer, verb);
    if (kind == 1) return;
    put(writer, " ");
    if (known && kind > 3)
        known->argument(writer);
    else
        put_anything(writer);
}

static void write_actions(Writer *writer, int verbs) {
    writer->text[0] = '\0';
    int count = below(writer, 4) ? 1 : below(writer, 4);
    for (int i = 0; i < count; i++) {
        if (i) put(writer, "; ");
        put_action(writer, verbs);
    }
}

/* --- invariants ------------------------------------------------------------------------------- */

static void check_head(const Config *config, HeadId id) {
    assert_in_range(id.site, 0, SITE_COUNT - 1);
    assert_in_range(id.layer, 0, state_layers(config, id.site) - 1);
    assert_in_range(id.head, 0, config->heads - 1);
}

static void check_state(const Session *session) {
    const State *state = &session->state;
    const Config *config = &session->model.config;
    for (int i = 0; i < EXAMPLES; i++) {
        const StateExample *example = &state->examples[i];
        assert_non_null(example->input);
        assert_true(example->target || !example->whole);
        assert_in_range(example->enc_len + 1, 0, MOST + 1);
        assert_in_range(example->dec_len + 1, 0, MOST + 1);
    }
    assert_in_range(state->example, 0, state->companion);
    for (int i = 0; i < state_heads(config); i++)
        assert_in_range(state->knockouts[i], KNOCKOUT_NONE, KNOCKOUT_MEAN);
    assert_in_range(state->step, 0, MOST);
    assert_in_range(state->snapshot + 1, 0, SNAPSHOTS);
    assert_in_range(state->other_snapshot + 1, 0, SNAPSHOTS);
    assert_true((state->other_snapshot != NONE) == (state->mode == COMPARE_SNAPSHOTS));
    assert_in_range(state->page, 0, PAGE_COUNT - 1);
    assert_in_range(state->mode, 0, COMPARE_MODES - 1);
    assert_non_null(state->lesson);
    assert_in_range(state->lesson_scroll, 0, LESSON_SCROLL_MAX);
    assert_non_null(state->other);
    check_head(config, state->head);
    check_head(config, state->other_head);
    assert_true(state->threshold >= 0 && state->threshold <= 1);
    assert_true(state->zoom >= 1 && state->zoom <= SCREEN_ZOOM);
    assert_true(state->left >= 0 && state->left <= 1 - 1 / state->zoom);
    assert_true(state->top >= 0 && state->top <= 1 - 1 / state->zoom);
    assert_in_range(state->pinned_source + 1, 0, MOST);
    assert_in_range(state->pinned_target + 1, 0, MOST);
    assert_true(state->text_scale >= TEXT_SCALE_MIN && state->text_scale <= TEXT_SCALE_MAX);
    if (!state->has_hover) return;
    check_head(config, state->hover);
    assert_in_range(state->hover_row + 1, 0, MOST);
    assert_in_range(state->hover_column + 1, 0, MOST);
    assert_in_range(state->hover_example, 0, state->companion);
}

/* Masked cells are 0, and what a query sees sums to 1, unless a trap on the softmax is on. */
static void check_trace(const Trace *trace, const MistakeKind *trap, const Config *config,
                        int sources, int targets) {
    AttentionMistakes mistakes = trap ? trap->rules[0] : (AttentionMistakes){0};
    bool sums = !mistakes.softmax && !mistakes.mask && !mistakes.empty;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        assert_int_equal(shape.layers, state_layers(config, (Site)site));
        assert_int_equal(shape.heads, config->heads);
        assert_int_equal(shape.queries, site == SITE_ENCODER ? sources : targets);
        assert_int_equal(shape.keys, site == SITE_DECODER ? targets : sources);
        for (int row = 0; row < shape.layers * shape.heads * shape.queries; row++) {
            HeadId id = {(Site)site, row / shape.queries / shape.heads,
                         row / shape.queries % shape.heads};
            int query = row % shape.queries, seen = trace_key_len(trace, id, query);
            double sum = 0;
            for (int key = 0; key < shape.keys; key++) {
                CellState cell;
                float weight = trace_cell(trace, id, query, key, &cell);
                sum += (double)weight;
                if (cell == CELL_NAN && mistakes.empty == EMPTY_NAN) continue;
                assert_int_equal(cell, key < seen ? CELL_VALUE : CELL_MASKED);
                assert_true(key < seen ? weight >= 0 : weight == 0);
            }
            if (sums) assert_true(fabs(sum - (seen > 0)) < 1e-5); /* float sums of up to 6 */
        }
    }
}

static void check_world(const World *world, const MistakeKind *trap, const Pass *pass,
                        const Config *config) {
    assert_int_equal(world->count, pass->count);
    for (int i = 0; i < world->count; i++) {
        const WorldExample *example = &world->examples[i];
        check_trace(example->trace, trap, config, pass->source_len, pass->steps);
        for (int t = 0; t < pass->steps; t++) {
            assert_false(example->log_probs[t] > 1e-9); /* NaN under empty-nan */
            const Candidate *list = example->candidates + t * WORLD_CANDIDATES;
            for (int c = 1; c < example->candidate_count; c++)
                assert_false(list[c].probability > list[c - 1].probability);
        }
        assert_true(example->decoded.length <= MOST);
    }
}

/* Of a state that could be run. */
static void check_pass(const Session *session) {
    const State *state = &session->state;
    const Pass *pass = &session->pass;
    assert_int_equal(pass->count, state->companion ? 2 : 1);
    int sources = 1, targets = 1;
    for (int i = 0; i < pass->count; i++) {
        const PassExample *example = &pass->examples[i];
        const StateExample *set = &state->examples[i];
        assert_int_equal(example->enc_len,
                         set->enc_len == BY_TEXT ? example->source_count : set->enc_len);
        assert_int_equal(example->dec_len,
                         set->dec_len == BY_TEXT ? example->target_count : set->dec_len);
        assert_true(example->forced_count <= example->target_count ||
                    !example->target.length); /* an end mark cannot be typed */
        sources = example->source_count > sources ? example->source_count : sources;
        sources = example->enc_len > sources ? example->enc_len : sources;
        targets = example->target_count > targets ? example->target_count : targets;
        targets = example->dec_len > targets ? example->dec_len : targets;
    }
    assert_int_equal(pass->source_len, sources);
    assert_int_equal(pass->target_len, targets);
    assert_int_equal(pass->steps, state->step && state->step < targets ? state->step : targets);
    check_world(&pass->world, mistake_kind(session->pass_state.trap), pass, &session->model.config);
    if (pass->changed) check_world(&pass->plain, NULL, pass, &session->model.config);
}

/* The recipe leads another session to the same recipe. */
static void check_recipe(Session *session, Session *mirror, const char *recipe) {
    Error error = {0};
    helper_apply(mirror, "hover off");
    if (!session_restore(mirror, recipe, &error)) fail_msg("%s: %s", recipe, error.text);
    char *back = session_recipe(mirror);
    if (strcmp(back, recipe) != 0) fail_msg("%s\nbecame\n%s", recipe, back);
    free(back);
    history_clear(&mirror->undo);
    const Config *config = &session->model.config;
    assert_true(session_same_step(&session->state, &mirror->state, config));
    assert_true(
        pass_key_same(pass_key(&session->state, config, 1), pass_key(&mirror->state, config, 1)));
}

static void check_shown(Session *session, Writer *writer) {
    Error error = {0};
    ScreenExtra frame = {.editing = below(writer, LINE_COUNT + 1) - 1,
                         .text = below(writer, 2) ? "ab\xff;" : NULL,
                         .playing = below(writer, 2),
                         .notice = below(writer, 8) ? NULL : "a\n\xc3"};
    const Screen *screen = screen_build(session, &frame, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
    char *matrix = screen_matrix_text(session);
    assert_true(matrix != NULL || !session_has_pass(session));
    free(matrix);
}

/* --- the walk --------------------------------------------------------------------------------- */

static bool act(void *context, const Action *action, Error *error) {
    const char *verb = verb_at(action->verb)->help.verb;
    const char *argument = action->text ? action->text : "";
    long *asked = context;
    ++*asked;
    return strlen(argument) < 4 || error_usage(error, "%s: not here", verb);
}

static void give_snapshots(Session *session) {
    Error error = {0};
    TrainOptions options = train_options_default();
    options.steps = 10;
    if (!snapshots_make(&session->snapshots, SNAPSHOTS, &session->model.config, &options, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < SNAPSHOTS; i++) {
        HelperModel wish = tiny;
        wish.seed = (uint64_t)(10 + i);
        Model other = helper_model(wish);
        snapshots_add(&session->snapshots,
                      (SnapshotInfo){.step = snapshots_step(i, SNAPSHOTS, 10), .loss = i ? 1 : NAN},
                      &other.params);
        model_free(&other);
    }
}

/* The model may also run between two actions. */
static void refresh(Session *session, Writer *writer, const char *between) {
    SessionWork *work = below(writer, 8) ? NULL : session_work_begin(session);
    if (work) {
        session_apply_text(session, between, NULL);
        session_refresh(session);
        if (below(writer, 4) == 0) check_shown(session, writer);
        session_work_run(work);
        session_work_end(session, work);
    }
    session_refresh(session);
}

static char *recipe_of(const Session *session) {
    char *recipe = session_recipe(session);
    assert_non_null(recipe);
    return recipe;
}

static char *step_text(const Session *session, const State *state) {
    char *text = state_text(state, &session->model.config, STATE_STEP);
    assert_non_null(text);
    return text;
}

/* Undo and redo are each other's opposite, the pointer aside. */
static void undo_and_redo(Session *session) {
    helper_apply(session, "hover off");
    if (session->undo.count == 0) return;
    char *before = recipe_of(session);
    char *wanted = step_text(session, &session->undo.states[session->undo.count - 1]);
    helper_apply(session, "undo");
    helper_recipe_is(session, wanted);
    helper_apply(session, "redo");
    helper_recipe_is(session, before);
    free(wanted);
    free(before);
}

static void one_action(Session *session, Session *mirror, Writer *writer, int verbs) {
    Error error = {0};
    write_actions(writer, verbs);
    memcpy(text_done, writer->text, TEXT);
    char *before = recipe_of(session);
    int undo = session->undo.count, redo = session->redo.count;
    char *step = step_text(session, &session->state);
    State copy;
    assert_true(state_copy(&copy, &session->state, &session->model.config));
    bool drag = below(writer, 5) == 0;
    bool done = drag ? helper_drag(session, writer->text, &error)
                     : session_apply_text(session, writer->text, &error);
    char *after = recipe_of(session), *step_after = step_text(session, &session->state);
    /* States are told apart just as their recipes are. */
    assert_int_equal(session_same_step(&copy, &session->state, &session->model.config),
                     strcmp(step, step_after) == 0);
    state_free(&copy);
    free(step);
    free(step_after);
    if (!done) {
        assert_int_equal(error.kind, ERROR_USAGE);
        assert_true(error.text[0]);
        assert_string_equal(before, after);
        assert_int_equal(session->undo.count, undo);
        assert_int_equal(session->redo.count, redo);
    }
    assert_in_range(session->undo.count + 1, undo, undo + 2);
    check_state(session);
    if (strcmp(before, after) != 0) check_recipe(session, mirror, after);
    free(before);
    free(after);
}

/* Undone to the last, the first state is back; done again to the last, the last. */
static void undo_everything(Session *session, const char *first) {
    helper_apply(session, "hover off");
    char *last = recipe_of(session);
    while (session->redo.count)
        helper_apply(session, "redo");
    char *newest = recipe_of(session);
    while (session->undo.count)
        helper_apply(session, "undo");
    helper_recipe_is(session, first);
    session_refresh(session);
    assert_null(session_problem(session));
    check_pass(session);
    while (session->redo.count)
        helper_apply(session, "redo");
    helper_recipe_is(session, newest);
    free(newest);
    free(last);
}

static void test_random_actions(void **state) {
    (void)state;
    int verbs = 0, ran = 0, refused = 0, actions = actions_to_do();
    long asked = 0;
    Session *session = helper_session(tiny), *mirror = helper_session(tiny);
    Writer writer = {0};
    give_snapshots(session);
    give_snapshots(mirror);
    session_set_host(session, (SessionHost){act, &asked});
    while (session_action_help(verbs))
        verbs++;
    char *first = recipe_of(session);
    for (int i = 0; i < actions; i++) {
        action_at = i;
        writer.rng = rng_make(SEED, (uint64_t)i);
        one_action(session, mirror, &writer, verbs);
        write_actions(&writer, verbs);
        refresh(session, &writer, writer.text);
        check_state(session);
        if (session_problem(session))
            refused++;
        else
            check_pass(session), ran++;
        if (i % SCREEN_EVERY == 0) check_shown(session, &writer);
        if (i % SCREEN_EVERY == 1) undo_and_redo(session);
        if (i % 8 == 2) helper_apply(session, "plain; input ab; target; companion off");
    }
    undo_everything(session, first);
    action_at = -1;
    assert_true(ran > actions / 4 && refused > actions / 50 && asked > actions / 100);
    free(first);
    session_free(session);
    session_free(mirror);
}

/* --- another model for B ---------------------------------------------------------------------- */

static int write_model(void **state) {
    (void)state;
    Error error = {0};
    Model model = helper_model((HelperModel){.characters = "abz", .layers = 2, .longest = 4});
    snprintf(other_path, sizeof other_path, "/tmp/headscope-session-%ld.safetensors",
             (long)getpid());
    bool good = model_save(&model, other_path, &error);
    model_free(&model);
    if (!good) fprintf(stderr, "%s\n", error.text);
    return good ? 0 : -1;
}

static int remove_model(void **state) {
    (void)state;
    if (action_at >= 0) printf("seed %d, action %d: %s\n", SEED, action_at, text_done);
    return unlink(other_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_actions)};
    return cmocka_run_group_tests(tests, write_model, remove_model);
}
