/* The figures of a session are those of model/analysis over the trace on show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen/screen.h"
#include "app/session/session_inside.h"
#include "tests/session/helper_session.h"

static void assert_same(double a, double b) {
    assert_true(a == b || (isnan(a) && isnan(b)));
}

/* All heads, of an example with these many tokens that are no padding. */
static void assert_figures(Session *session, int example, int sources, int targets) {
    const Config *config = &session_model(session)->config;
    const Trace *trace = helper_session_pass(session)->world.examples[example].trace;
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < state_layers(config, (Site)site); layer++)
            for (int head = 0; head < config->heads; head++) {
                HeadId id = {(Site)site, layer, head};
                HeadFigures wanted;
                assert_int_equal(trace_real_queries(trace, (Site)site),
                                 site == SITE_ENCODER ? sources : targets);
                assert_int_equal(trace_real_keys(trace, (Site)site),
                                 site == SITE_DECODER ? targets : sources);
                head_figures_of(&wanted, trace, id);
                const HeadFigures *figures = session_head_figures(session, id);
                assert_non_null(figures);
                assert_true(figures->rows == wanted.rows);
                for (int figure = 0; figure < FIGURE_COUNT; figure++)
                    assert_same(figures->mean[figure], wanted.mean[figure]);
            }
}

static void test_figures_follow_the_pass(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abcde; target xyz");
    assert_figures(session, 0, 6, 4);
    helper_apply(session, "input abcd");
    assert_figures(session, 0, 5, 4);
    helper_apply(session, "enc_len 3; dec_len 2");
    assert_figures(session, 0, 3, 2);
    helper_apply(session, "enc_len 9; dec_len 9"); /* what is past the text is padding */
    assert_figures(session, 0, 5, 4);
    helper_apply(session, "plain; step 2");
    assert_figures(session, 0, 5, 2);
    helper_apply(session, "step all; companion xy; target z");
    assert_figures(session, 1, 3, 2);
    helper_apply(session, "example 0");
    assert_figures(session, 0, 5, 4);
    helper_apply(session, "companion %"); /* cannot be run: the last pass stays on show */
    assert_figures(session, 1, 3, 2);
    session_free(session);
}

/* That of the site whose head is selected. */
static const Similarity *similarity_of(Session *session, Site site) {
    char select[32];
    snprintf(select, sizeof select, "select %s.0.0", site_name(site));
    helper_apply(session, select);
    session_refresh(session);
    return session_similarity(session, site);
}

static void assert_similarity(Session *session, int example) {
    const Trace *trace = helper_session_pass(session)->world.examples[example].trace;
    for (int site = 0; site < SITE_COUNT; site++) {
        Similarity wanted;
        assert_true(similarity_make(&wanted, trace, (Site)site, NULL));
        const Similarity *similarity = similarity_of(session, (Site)site);
        assert_non_null(similarity);
        assert_int_equal(similarity->count, wanted.count);
        assert_int_equal(similarity->site, site);
        for (int i = 0; i < wanted.count * wanted.count; i++)
            assert_same((double)similarity->values[i], (double)wanted.values[i]);
        assert_memory_equal(similarity->order, wanted.order,
                            (size_t)wanted.count * sizeof *wanted.order);
        similarity_free(&wanted);
    }
}

static void test_similarity_follows_the_pass(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abcde; target xyz");
    assert_similarity(session, 0);
    helper_apply(session, "input edcba; ablate encoder.0.0");
    assert_similarity(session, 0);
    helper_apply(session, "companion abc; target zyx");
    assert_similarity(session, 1);
    helper_apply(session, "example 0");
    assert_similarity(session, 0);
    session_free(session);
}

/* Padded to a longer companion, an example is the same text: so are its heads. */
static void test_padding_does_not_count(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    for (int site = 0; site < SITE_COUNT; site++) {
        float alone[64];
        helper_apply(session, "companion off; example 0; input abc; target xy");
        const Similarity *similarity = similarity_of(session, (Site)site);
        int count = similarity->count;
        assert_true(count * count <= 64);
        memcpy(alone, similarity->values, (size_t)(count * count) * sizeof *alone);
        helper_apply(session, "companion abcdefab; target zyxzyx; example 0");
        similarity = similarity_of(session, (Site)site);
        for (int i = 0; i < count * count; i++)
            assert_float_equal(similarity->values[i], alone[i], 2e-5F); /* similarity.h */
    }
    session_free(session);
}

static void test_nothing_to_look_at(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    Side a, b;
    const char *reason = NULL;
    helper_apply(session, "input %");
    session_refresh(session);
    assert_null(session_head_figures(session, (HeadId){SITE_CROSS, 0, 0}));
    assert_null(session_similarity(session, SITE_CROSS));
    assert_false(session_sides(session, (HeadId){SITE_CROSS, 0, 0}, 0, &a, &b, &reason));
    assert_non_null(reason);
    assert_null(screen_matrix_text(session));
    session_free(session);
}

static bool sides(Session *session, HeadId id, int example, Side *a, Side *b, const char **reason) {
    session_refresh(session);
    return session_sides(session, id, example, a, b, reason);
}

/* The second side is made anew when its text, the pass or the example changes, and only then. */
static void test_the_other_side_is_kept(void **state) {
    (void)state;
    static const HeadId id = {SITE_ENCODER, 0, 0};
    Session *session = helper_session((HelperModel){0});
    Side a, b;
    const char *reason = NULL;
    helper_apply(session, "page compare; input abc; against input abcd");
    assert_true(sides(session, id, 0, &a, &b, &reason));
    const Trace *first = b.trace;
    PassKey made_for = session->other.of.pass;
    assert_int_equal(trace_shape(b.trace, SITE_ENCODER).queries, 5);
    helper_apply(session, "lines; select encoder.0.1");
    assert_true(sides(session, id, 0, &a, &b, &reason));
    assert_ptr_equal(b.trace, first);
    helper_apply(session, "against input abcdef");
    assert_true(sides(session, id, 0, &a, &b, &reason));
    assert_int_equal(trace_shape(b.trace, SITE_ENCODER).queries, 7);
    helper_apply(session, "ablate encoder.0.0");
    assert_true(sides(session, id, 0, &a, &b, &reason));
    assert_false(pass_key_same(session->other.of.pass, made_for));
    helper_apply(session, "against input %");
    assert_false(sides(session, id, 0, &a, &b, &reason));
    assert_non_null(strstr(reason, "'%'"));
    session_free(session);
}

/* Rows and columns of the selected head, with their tokens. */
static void test_matrix_as_text(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input ab; target xy; enc_len 2; select cross.0.1");
    session_refresh(session);
    char *text = screen_matrix_text(session);
    assert_non_null(text);
    const Trace *trace = helper_session_pass(session)->world.examples[0].trace;
    static const char begin[] = "cross.0.1\ta\tb\t</s>\n<s>→x\t";
    assert_int_equal(strncmp(text, begin, sizeof begin - 1), 0);
    const char *at = text;
    for (int row = 0; row < 3; row++) {
        at = strchr(at, '\n') + 1;
        const char *cell = at;
        for (int column = 0; column < 3; column++) {
            cell = strchr(cell, '\t') + 1;
            HeadId id = {SITE_CROSS, 0, 1};
            assert_true(strtof(cell, NULL) == trace_cell(trace, id, row, column, NULL));
        }
    }
    assert_string_equal(strchr(at, '\n'), "\n");
    free(text);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_follow_the_pass),
        cmocka_unit_test(test_similarity_follows_the_pass),
        cmocka_unit_test(test_padding_does_not_count),
        cmocka_unit_test(test_nothing_to_look_at),
        cmocka_unit_test(test_the_other_side_is_kept),
        cmocka_unit_test(test_matrix_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
