/* A model with snapshots beside it: walking through them, and comparing two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/pass/pass_story.h"
#include "app/session/session_inside.h"
#include "tests/session/helper_pass.h"
#include "tests/session/helper_screen.h"

enum { SNAPSHOTS = 4, STEPS = 90 };

#define FIRST "input headscope; select cross.1.0; against cross.1.1"

static char folder[64], model_path[96], snapshots_file[96];

/* The snapshots have the weights of other seeds; the last is the model itself. */
static int write_files(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/headscope-session-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(model_path, sizeof model_path, "%s/tiny.safetensors", folder);
    snprintf(snapshots_file, sizeof snapshots_file, "%s/tiny.snapshots.safetensors", folder);
    Error error = {0};
    Model model = helper_model((HelperModel){.task = "copy"});
    Snapshots snapshots = {0};
    TrainOptions options = train_options_default();
    options.steps = STEPS;
    options.learning_rate = 0.1;
    bool good = model_save(&model, model_path, &error) &&
                snapshots_make(&snapshots, SNAPSHOTS, &model.config, &options, &error);
    for (int i = 0; good && i < SNAPSHOTS; i++) {
        Model other = helper_model((HelperModel){.task = "copy", .seed = (uint64_t)(3 - i)});
        SnapshotInfo info = {
            .step = snapshots_step(i, SNAPSHOTS, STEPS), .loss = 3 - i, .exact = 0.25 * i};
        snapshots_add(&snapshots, info, &other.params);
        model_free(&other);
    }
    good = good && snapshots_save(&snapshots, &model, snapshots_file, &error);
    snapshots_free(&snapshots);
    model_free(&model);
    if (!good) fprintf(stderr, "%s\n", error.text);
    return good ? 0 : -1;
}

static int remove_files(void **state) {
    (void)state;
    unlink(model_path);
    unlink(snapshots_file);
    return rmdir(folder);
}

static Session *open_session(void) {
    Model model;
    Error error = {0};
    if (!model_open(&model, model_path, &error)) fail_msg("%s", error.text);
    Session *session = session_make(&model, model_path, &error);
    if (!session) fail_msg("%s", error.text);
    return session;
}

static Session *open_whole(void) {
    Session *session = open_session();
    if (session->snapshots_problem.text[0]) fail_msg("%s", session->snapshots_problem.text);
    return session;
}

static void assert_follows(const char *actions, const char *recipe) {
    Session *session = open_whole();
    helper_apply(session, actions);
    helper_recipe_is(session, recipe);
    session_free(session);
}

static void test_verbs(void **state) {
    (void)state;
    static const char first[] = "input headscope; ", rest[] = "select cross.1.0; against cross.1.1";
    static const HelperStep steps[] = {
        {"snapshot 0", "snapshot 0; "},
        {"snapshot 3", "snapshot 3; "},
        {"snapshot 2; snapshot off", ""},
        {"snapshot 1; snapshot next", "snapshot 2; "},
        {"snapshot 1; snapshot previous", "snapshot 0; "},
        {"snapshot previous", "snapshot 2; "}, /* the last is the model itself */
        {"snapshot 3; snapshot next", "snapshot 0; "},
        {"ablate; snapshot 1; plain", "snapshot 1; "},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char wanted[160];
        snprintf(wanted, sizeof wanted, "%s%s%s", first, steps[i].wanted, rest);
        assert_follows(steps[i].actions, wanted);
    }
    assert_follows("against snapshot", "input headscope; select cross.1.0; against snapshot 0");
    assert_follows("against snapshot 2; against snapshot next",
                   "input headscope; select cross.1.0; against snapshot 3");
    assert_follows("compare snapshot 1",
                   "input headscope; select cross.1.0; against snapshot 1; page compare");
    assert_follows("against snapshot 1; against plain; against snapshot",
                   "input headscope; select cross.1.0; against snapshot 0");
    Session *session = open_whole();
    helper_refuse(session, "snapshot 4", "snapshot");
    helper_refuse(session, "snapshot", "snapshot");
    helper_refuse(session, "snapshot all", "snapshot");
    helper_refuse(session, "against snapshot 4", "against");
    helper_refuse(session, "against snapshot last", "against");
    helper_refuse(session, "compare snapshot -1", "compare");
    session_free(session);
}

/* The pass of a session over other weights: made anew by a session on a model with these. */
static double log_prob_of_seed(uint64_t seed, const char *actions) {
    Model model = helper_model((HelperModel){.task = "copy", .seed = seed});
    Session *session = session_make(&model, "", NULL);
    helper_apply(session, actions);
    const Pass *pass = helper_session_pass(session);
    double sum = world_log_prob(&pass->world, 0, pass->steps);
    session_free(session);
    return sum;
}

static double log_prob_now(Session *session) {
    const Pass *pass = helper_session_pass(session);
    return world_log_prob(&pass->world, 0, pass->steps);
}

static void test_snapshots_are_their_weights(void **state) {
    (void)state;
    static const int order[] = {0, 2, 2, 1, 3, 0};
    Session *session = open_whole();
    helper_apply(session, "target abc");
    double itself = log_prob_of_seed(0, "target abc");
    assert_true(log_prob_now(session) == itself);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        char action[32];
        snprintf(action, sizeof action, "snapshot %d", order[i]);
        helper_apply(session, action);
        assert_true(log_prob_now(session) ==
                    log_prob_of_seed((uint64_t)(3 - order[i]), "target abc"));
        helper_apply(session, "snapshot off");
        assert_true(log_prob_now(session) == itself);
    }
    session_free(session);
}

/* The means are those of the weights on show, also on the way back. */
static void test_means_follow_the_weights(void **state) {
    (void)state;
    static const char actions[] = "target abc; ablate cross.1.0 mean";
    Session *session = open_whole();
    helper_apply(session, actions);
    double itself = log_prob_of_seed(0, actions);
    assert_true(log_prob_now(session) == itself);
    const AblationMeans *means = session->head_means;
    helper_apply(session, "input abc");
    session_refresh(session);
    assert_ptr_equal(session->head_means, means); /* of the same weights: kept */
    helper_apply(session, "undo");
    for (int round = 0; round < 2; round++) {
        helper_apply(session, "snapshot 1");
        assert_true(log_prob_now(session) == log_prob_of_seed(2, actions));
        helper_apply(session, "snapshot off");
        assert_true(log_prob_now(session) == itself);
    }
    session_free(session);
}

/* --- comparing -------------------------------------------------------------------------------- */

static void sides(Session *session, Side *a, Side *b) {
    const char *reason = NULL;
    helper_apply(session, "page compare");
    session_refresh(session);
    if (!session_sides(session, (HeadId){SITE_CROSS, 1, 0}, 0, a, b, &reason))
        fail_msg("%s", reason);
    assert_true(session_can_subtract(session, a, b, &reason));
}

/* B has the target of A, token by token, whatever its own weights would write. */
static void test_two_snapshots_read_the_same(void **state) {
    (void)state;
    Session *session = open_whole();
    for (int shown = -1; shown < SNAPSHOTS; shown++)
        for (int other = 0; other < SNAPSHOTS; other++) {
            char actions[64];
            Side a, b;
            if (shown >= 0)
                snprintf(actions, sizeof actions, "snapshot %d; against snapshot %d", shown, other);
            else
                snprintf(actions, sizeof actions, "snapshot off; against snapshot %d", other);
            helper_apply(session, actions);
            sides(session, &a, &b);
            bool same = other == (shown < 0 ? SNAPSHOTS - 1 : shown);
            double gap = helper_traces_gap(a.trace, b.trace);
            assert_true(same ? gap == 0 : gap > 1e-4);
        }
    session_free(session);
}

static void test_means_of_the_other_snapshot(void **state) {
    (void)state;
    Session *session = open_whole();
    Side a, b;
    helper_apply(session, "target abc; ablate cross.0.0 mean; against snapshot 1");
    sides(session, &a, &b);
    Model model = helper_model((HelperModel){.task = "copy", .seed = 2});
    Session *wanted = session_make(&model, "", NULL);
    helper_apply(wanted, "target abc; ablate cross.0.0 mean");
    assert_true(helper_traces_gap(helper_session_pass(wanted)->world.examples[0].trace, b.trace) ==
                0);
    session_free(wanted);
    session_free(session);
}

/* --- on the screen ---------------------------------------------------------------------------- */

static const Screen *screen_after(Session *session, const char *actions) {
    Error error = {0};
    helper_apply(session, actions);
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
    return screen;
}

static void test_page(void **state) {
    (void)state;
    Session *session = open_whole();
    const Screen *screen = screen_after(session, "page train");
    assert_int_equal(screen->train.snapshots, SNAPSHOTS);
    assert_int_equal(screen->train.snapshot, -1);
    assert_string_equal(screen->train.snapshot_text, "the model itself");
    assert_null(screen->world);
    screen = screen_after(session, "snapshot 1");
    assert_int_equal(screen->train.snapshot, 1);
    assert_string_equal(screen->train.snapshot_text, "snapshot 1 of 0 to 3, step 10");
    assert_true(screen->train.at_step == 10);
    assert_string_equal(screen->world, "weights of step 10 of the training");
    assert_int_equal(screen->train.curve_count, 2);
    assert_int_equal(screen->train.curves[0].count, SNAPSHOTS);
    assert_true(screen->train.curves[1].values[2] == 0.5F);
    assert_true(screen->train.last_step == STEPS);
    ScreenTrain live = {.title = "copy, step 3", .snapshot = -1};
    screen = screen_build(session, &(ScreenExtra){.editing = -1, .train = &live}, NULL);
    assert_string_equal(screen->train.title, "copy, step 3");
    screen = screen_after(session, "snapshot off; compare snapshot 2");
    assert_string_equal(screen->compare.b.title, "B  cross.1.0 at step 40");
    assert_null(screen->compare.refusal);
    session_free(session);
}

/* While the model runs, B has the weights of the maps that are still on show. */
static void test_other_input_while_the_model_runs(void **state) {
    (void)state;
    Session *session = open_whole();
    screen_after(session, "page compare; against input abc");
    helper_apply(session, "ablate");
    SessionWork *work = session_work_begin(session);
    assert_non_null(work);
    const Screen *screen = screen_after(session, "snapshot 2; against input headscope");
    assert_string_equal(screen->compare.figures, "largest |A−B| 0.000 · mean 0.000 · "
                                                 "correlation 1.000 · divergence 0.000");
    session_work_run(work);
    session_work_end(session, work);
    session_free(session);
}

/* --- a file that does not fit ----------------------------------------------------------------- */

static void test_broken_file_is_no_reason_to_stop(void **state) {
    (void)state;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/kept", folder);
    assert_int_equal(rename(snapshots_file, moved), 0);
    FILE *file = fopen(snapshots_file, "wb");
    assert_non_null(file);
    fputs("no snapshots", file);
    fclose(file);
    Session *session = open_session();
    helper_refuse(session, "snapshot 0", "snapshot");
    helper_recipe_is(session, FIRST);
    assert_int_equal(helper_session_pass(session)->count, 1);
    assert_null(session_problem(session));
    const Screen *screen = screen_after(session, "page train");
    assert_int_equal(screen->train.snapshots, 0);
    assert_non_null(strstr(screen->train.caption, "tiny.snapshots.safetensors"));
    session_free(session);
    assert_int_equal(rename(moved, snapshots_file), 0);
}

/* The weight that is told is that of the pass on show, by the weights that made it, whatever is in
 * the making. */
static void assert_told(Session *session, bool is_told) {
    session_refresh(session);
    const PassStory *told = session_cell_story(session);
    assert_int_equal(told != NULL, is_told);
    if (!told) return;
    for (int role = 0; role < STORY_ROLES; role++) /* float sums of 8 products */
        assert_true(told->story.slices[role].gap < 1e-5);
    assert_true(told->story.gap < 1e-5);
}

static void test_weight_while_the_model_runs(void **state) {
    (void)state;
    Session *session = open_whole();
    helper_apply(session, "cell 1 1");
    assert_told(session, true);
    helper_apply(session, "snapshot 1; cell 1 2");
    SessionWork *work = session_work_begin(session);
    assert_told(session, true); /* the model's own weights are still there */
    session_work_run(work);
    session_work_end(session, work);
    assert_told(session, true);
    helper_apply(session, "snapshot 2; cell 2 2");
    work = session_work_begin(session);
    assert_told(session, false); /* those of snapshot 1 are gone */
    session_work_run(work);
    session_work_end(session, work);
    assert_told(session, true);
    helper_apply(session, "snapshot off");
    session_refresh(session);
    real *block = calloc((size_t)session->model.params.count, sizeof *block);
    assert_non_null(block);
    session_take_params(session, block);
    helper_apply(session, "cell 0 1");
    work = session_work_begin(session);
    assert_told(session, false);
    session_work_run(work);
    session_work_end(session, work);
    assert_told(session, true);
    free(block);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_while_the_model_runs),
        cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_snapshots_are_their_weights),
        cmocka_unit_test(test_means_follow_the_weights),
        cmocka_unit_test(test_two_snapshots_read_the_same),
        cmocka_unit_test(test_means_of_the_other_snapshot),
        cmocka_unit_test(test_other_input_while_the_model_runs),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_broken_file_is_no_reason_to_stop),
    };
    return cmocka_run_group_tests(tests, write_files, remove_files);
}
