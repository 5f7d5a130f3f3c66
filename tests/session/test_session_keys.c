/* What is made again when a part of the state changes: exactly what depends on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "app/session/session_inside.h"
#include "tests/session/helper_session.h"

enum { SNAPSHOTS = 2, MARK = 7777 };

/* What a session derives, one bit each. */
enum {
    PASS = 1,
    FIGURES = 2,  /* of the heads */
    LIKENESS = 4, /* of the site of cross-attention */
    OTHER = 8,    /* the other side of the comparison */
    STORY = 16,   /* of the cell */
    LESSON = 32,  /* that follows the pass */
    MEANS = 64,   /* of the heads */
    SHOWN = FIGURES | LIKENESS | OTHER | STORY | LESSON,
    ALL = PASS | SHOWN | MEANS,
};

/* Everything is derived of this state: the comparison on its page, the lesson on its own. */
static const char base[] = "input abc; target xyzx; companion de; target ab; example 0; "
                           "ablate cross.0.0 mean; select cross.1.0; cell 1 1; "
                           "against input ab; lesson explain";

static Session *make_session(void) {
    Session *session = helper_session((HelperModel){.task = "copy"});
    TrainOptions options = train_options_default();
    options.steps = 10;
    assert_true(
        snapshots_make(&session->snapshots, SNAPSHOTS, &session->model.config, &options, NULL));
    for (int i = 0; i < SNAPSHOTS; i++)
        snapshots_add(&session->snapshots, (SnapshotInfo){.step = snapshots_step(i, SNAPSHOTS, 10)},
                      &session->model.params);
    return session;
}

/* Of both pages. */
static void refresh(Session *session) {
    helper_apply(session, "page compare");
    session_refresh(session);
    helper_apply(session, "page lessons");
    session_refresh(session);
}

/* Leaves a mark in all that is derived. */
static const AblationMeans *mark(Session *session) {
    session->pass.examples[0].forced_count = MARK;
    session->figures.heads[0].rows = MARK;
    session->figures.similarity[SITE_CROSS].values[0] = MARK;
    session->other.pass.examples[0].forced_count = MARK;
    session->cell.told.story.sum = MARK;
    session->lesson.problem.kind = (ErrorKind)MARK;
    return session->head_means;
}

static int made_again(const Session *session, const AblationMeans *means) {
    int made = session->pass.examples[0].forced_count != MARK ? PASS : 0;
    made |= session->figures.heads[0].rows != MARK ? FIGURES : 0;
    made |= session->figures.similarity[SITE_CROSS].values[0] != MARK ? LIKENESS : 0;
    made |= session->other.pass.examples[0].forced_count != MARK ? OTHER : 0;
    made |= session->cell.told.story.sum != MARK ? STORY : 0;
    made |= session->lesson.problem.kind != (ErrorKind)MARK ? LESSON : 0;
    return made | (session->head_means != means ? MEANS : 0);
}

typedef struct Change {
    const char *actions;
    int made;
} Change;

static const Change changes[] = {
    /* what the pass depends on */
    {"input abcd", PASS | SHOWN},
    {"target xyz", PASS | SHOWN},
    {"prefix xyzx", PASS | SHOWN},
    {"example 1; input def; example 0", PASS | SHOWN},
    {"example 1; target abc; example 0", PASS | SHOWN},
    {"companion off", PASS | SHOWN},
    {"enc_len 2", PASS | SHOWN},
    {"dec_len 2", PASS | SHOWN},
    {"causal off", PASS | SHOWN},
    {"trap one-reshape", PASS | SHOWN},
    {"step 3", PASS | SHOWN},
    {"ablate cross.0.1", PASS | SHOWN},
    {"restore cross.0.0", PASS | SHOWN},
    {"snapshot 0", ALL},
    /* what is looked at */
    {"example 1", SHOWN},
    {"cell 0 1", STORY | LESSON},
    {"select cross.0.1", STORY | LESSON},
    {"lesson explain cross.0.0 0 0", LESSON},
    {"against input a", OTHER},
    {"against snapshot 0", OTHER},
    {"against plain", 0},
    {"against cross.0.1", 0},
    {"difference on", 0},
    {"focus on", 0},
    {"lines on", 0},
    {"threshold 0.5", 0},
    {"zoom 2 0 0", 0},
    {"pin source 1", 0},
    {"hover cross.0.0 1 1", 0},
    {"scroll 30", 0},
    {"theme dark", 0},
    {"colormap grey", 0},
    {"scale largest", 0},
    {"text_scale 2", 0},
    {"present on", 0},
    {"help on", 0},
    /* what cannot be run leaves all as it is */
    {"input %", 0},
};

static void test_each_part_of_the_state(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        Session *session = make_session();
        helper_apply(session, base);
        refresh(session);
        assert_non_null(session->lesson.page);
        assert_true(session->other.valid && session->cell.good);
        const AblationMeans *means = mark(session);
        refresh(session);
        assert_int_equal(made_again(session, means), 0);
        helper_apply(session, changes[i].actions);
        refresh(session);
        if (made_again(session, means) != changes[i].made)
            fail_msg("%s: made %d again, not %d", changes[i].actions, made_again(session, means),
                     changes[i].made);
        session_free(session);
    }
}

static void test_other_weights(void **unused) {
    (void)unused;
    Session *session = make_session();
    helper_apply(session, base);
    refresh(session);
    const AblationMeans *means = mark(session);
    real *block = calloc((size_t)session->model.params.count, sizeof *block);
    assert_non_null(block);
    session_take_params(session, block);
    refresh(session);
    assert_int_equal(made_again(session, means), ALL);
    free(block);
    session_free(session);
}

/* The pass on show is still that of the state to which a refused one goes back. */
static void test_back_from_what_cannot_be_run(void **unused) {
    (void)unused;
    Session *session = make_session();
    helper_apply(session, base);
    refresh(session);
    const AblationMeans *means = mark(session);
    helper_apply(session, "input %");
    refresh(session);
    assert_non_null(session_problem(session));
    helper_apply(session, "input abc");
    refresh(session);
    assert_null(session_problem(session));
    assert_int_equal(made_again(session, means), 0);
    session_free(session);
}

/* A frame that shows neither page makes nothing for it. */
static void test_only_what_is_on_show(void **unused) {
    (void)unused;
    Session *session = make_session();
    helper_apply(session, base);
    refresh(session);
    const AblationMeans *means = mark(session);
    helper_apply(session, "page explore; input abcd");
    session_refresh(session);
    assert_int_equal(made_again(session, means), PASS | FIGURES | LIKENESS | STORY);
    mark(session);
    helper_apply(session, "page lessons; input ab");
    session_refresh(session);
    assert_int_equal(made_again(session, means), PASS | LESSON | STORY); /* which is let go */
    session_free(session);
}

/* The labels of the story are those of the pass on show, though one with the same key was told. */
static void test_labels_of_the_story(void **unused) {
    (void)unused;
    static const char *const ways[] = {"page explore", "page lessons; input abcd", "input abc",
                                       "page explore"};
    Session *session = make_session();
    helper_apply(session, base);
    for (int i = 0; i < 4; i++) {
        helper_apply(session, ways[i]);
        session_refresh(session);
    }
    const PassStory *told = session_cell_story(session);
    assert_non_null(told);
    assert_ptr_equal(told->queries, session->pass.examples[0].axes[SITE_CROSS].rows);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_part_of_the_state),
                                       cmocka_unit_test(test_other_weights),
                                       cmocka_unit_test(test_labels_of_the_story),
                                       cmocka_unit_test(test_back_from_what_cannot_be_run),
                                       cmocka_unit_test(test_only_what_is_on_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
