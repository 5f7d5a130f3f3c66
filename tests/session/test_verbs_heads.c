/* The verbs on heads and on what is compared: the state that follows, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/session/helper_session.h"

#define FIRST "select cross.1.0; against cross.1.1"

static void test_selecting(void **state) {
    (void)state;
    static const HelperStep steps[] = {
        {"select encoder.0.1", "input a; select encoder.0.1; against encoder.0.0"},
        {"head 1", "input a; select cross.1.1; against cross.1.1"},
        {"head next", "input a; select cross.1.1; against cross.1.1"},
        {"head next; head next", "input a; " FIRST},
        {"head previous", "input a; select cross.1.1; against cross.1.1"},
        {"layer 0", "input a; select cross.0.0; against cross.1.1"},
        {"layer next", "input a; select cross.0.0; against cross.1.1"},
        {"layer previous; layer previous", "input a; " FIRST},
        {"site encoder", "input a; select encoder.1.0; against encoder.1.1"},
        {"site next", "input a; select encoder.1.0; against encoder.1.1"},
        {"site previous", "input a; select decoder.1.0; against decoder.1.1"},
        {"head 1; layer 0; site decoder", "input a; select decoder.0.1; against decoder.0.0"},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_knocking_out(void **state) {
    (void)state;
    static const HelperStep steps[] = {
        {"ablate cross.0.1", "input a; ablate cross.0.1; " FIRST},
        {"ablate cross.0.1 zero", "input a; ablate cross.0.1; " FIRST},
        {"ablate cross.0.1 mean", "input a; ablate cross.0.1 mean; " FIRST},
        {"ablate cross.0.1 mean; ablate cross.0.1", "input a; ablate cross.0.1; " FIRST},
        {"ablate encoder.1", "input a; ablate encoder.1.0; ablate encoder.1.1; " FIRST},
        {"ablate encoder.1 mean",
         "input a; ablate encoder.1.0 mean; ablate encoder.1.1 mean; " FIRST},
        {"ablate", "input a; ablate cross.1.0; " FIRST},
        {"ablate toggle", "input a; ablate cross.1.0; " FIRST},
        {"ablate; ablate", "input a; " FIRST},
        {"ablate mean; ablate toggle", "input a; " FIRST},
        {"ablate mean", "input a; ablate cross.1.0 mean; " FIRST},
        {"ablate zero", "input a; ablate cross.1.0; " FIRST},
        {"ablate layer", "input a; ablate cross.1.0; ablate cross.1.1; " FIRST},
        {"ablate layer mean", "input a; ablate cross.1.0 mean; ablate cross.1.1 mean; " FIRST},
        {"ablate layer; ablate layer", "input a; " FIRST},
        {"ablate cross.1.1; ablate layer", "input a; ablate cross.1.0; ablate cross.1.1; " FIRST},
        {"ablate; ablate cross.1.1; restore", "input a; ablate cross.1.1; " FIRST},
        {"ablate layer; restore cross.1.1", "input a; ablate cross.1.0; " FIRST},
        {"ablate layer; ablate encoder.0.0; restore cross.1",
         "input a; ablate encoder.0.0; " FIRST},
        {"ablate encoder.0; ablate cross.0 mean; restore all", "input a; " FIRST},
        {"restore decoder.0.0", "input a; " FIRST},
        {"ablate; enc_len 1; dec_len 2; causal off; trap no-scale; step 3; plain",
         "input a; step 3; " FIRST},
        {"companion b; enc_len 1; example 0; enc_len 1; plain",
         "input a; companion on; input b; example 0; " FIRST},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_comparing(void **state) {
    (void)state;
#define SELECTED "input a; select cross.1.0; "
    static const HelperStep steps[] = {
        {"against encoder.0.0", SELECTED "against encoder.0.0"},
        {"against plain", SELECTED "against plain"},
        {"against input bcd", SELECTED "against input bcd"},
        {"against \"input b;c\"", SELECTED "against \"input b;c\""},
        {"against \"input  b \"", SELECTED "against \"input  b \""},
        {"against input bcd; against input", SELECTED "against input bcd"},
        {"against input bcd; against model", SELECTED "against \"model \""},
        {"against model /x/y.safetensors", SELECTED "against model /x/y.safetensors"},
        {"against input bcd; against plain; against input", SELECTED "against \"input \""},
        {"against encoder.0.0; against plain; against heads", SELECTED "against encoder.0.0"},
        {"compare", SELECTED "against cross.1.1; page compare"},
        {"compare; compare", SELECTED "against cross.1.1"},
        {"compare on; compare on", SELECTED "against cross.1.1; page compare"},
        {"compare on; compare off", SELECTED "against cross.1.1"},
        {"compare encoder.0.1 decoder.1.0",
         "input a; select encoder.0.1; against decoder.1.0; page compare"},
        {"compare encoder.0.1", SELECTED "against encoder.0.1; page compare"},
        {"compare plain", SELECTED "against plain; page compare"},
        {"compare input bcd", SELECTED "against input bcd; page compare"},
        {"compare input cross.0.0 b", SELECTED "against input cross.0.0 b; page compare"},
        {"compare model x", SELECTED "against model x; page compare"},
        {"compare plain; compare cross.0.0 cross.0.1",
         "input a; select cross.0.0; against cross.0.1; page compare"},
        {"swap", "input a; select cross.1.1; against cross.1.0"},
        {"swap; swap", SELECTED "against cross.1.1"},
        {"difference", SELECTED "against cross.1.1; difference on"},
        {"difference; difference", SELECTED "against cross.1.1"},
        {"difference on; difference off", SELECTED "against cross.1.1"},
        {"against plain; difference", SELECTED "against plain; difference on"},
    };
    helper_steps(steps, sizeof steps / sizeof steps[0]);
}

static void test_bad_arguments(void **state) {
    (void)state;
    static const HelperStep refused[] = {
        {"select", "select"},
        {"select next", "select"},
        {"select cross.2.0", "cross has 2 layers and 2 heads"},
        {"select cross.0.2", "select"},
        {"select cross.0", "select"},
        {"select cross.0.0.0", "select"},
        {"select cross.00000000000000000000000001.0", "select"},
        {"head 2", "head"},
        {"head", "head"},
        {"head -1", "head"},
        {"layer 2", "layer"},
        {"layer first", "layer"},
        {"site", "site"},
        {"site attention", "site"},
        {"ablate cross", "ablate"},
        {"ablate cross.2", "ablate"},
        {"ablate cross.", "ablate"},
        {"ablate .", "ablate"},
        {"ablate cross.0.1 median", "ablate"},
        {"ablate cross.0.1 zero mean", "ablate"},
        {"ablate layer cross.1", "ablate"},
        {"ablate toggle mean", "ablate"},
        {"ablate zero mean", "ablate"},
        {"ablate cross.0.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ablate"},
        {"ablate cross.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ablate"}, /* 47 letters */
        {"restore cross.9", "restore"},
        {"restore some", "restore"},
        {"restore cross.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "restore"},
        {"restore cross.1 cross.0", "restore"},
        {"plain all", "plain"},
        {"against", "against"},
        {"against cross.7.0", "against"},
        {"against inputs", "against"},
        {"against snapshot", "against"},
        {"against snapshot 0", "against"},
        {"compare cross.0.0 cross.0.7", "compare"},
        {"compare cross.0.0 cross.0.1 cross.0.0", "compare"},
        {"compare cross.0.0 b", "compare"},
        {"compare nothing", "compare"},
        {"compare snapshot 1", "compare"},
        {"swap all", "swap"},
        {"against plain; swap", "swap"},
        {"difference big", "difference"},
    };
    helper_refusals(refused, sizeof refused / sizeof refused[0]);
}

/* A head that is out no longer counts, and its map can still be looked at. */
static void test_knocking_out_changes_the_pass(void **state) {
    (void)state;
    Session *session = helper_session((HelperModel){0});
    helper_apply(session, "input abc; target xyz");
    double trained = world_log_prob(&helper_session_pass(session)->world, 0, 4);
    assert_false(helper_session_pass(session)->changed);
    static const char *const changes[] = {"ablate cross.1.0", "ablate cross.1.0 mean",
                                          "ablate encoder.0.1", "ablate decoder.1"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        helper_apply(session, changes[i]);
        const Pass *pass = helper_session_pass(session);
        assert_true(pass->changed);
        assert_true(world_log_prob(&pass->world, 0, 4) != trained);
        assert_true(world_log_prob(&pass->plain, 0, 4) == trained);
        helper_apply(session, "plain");
        pass = helper_session_pass(session);
        assert_false(pass->changed);
        assert_true(world_log_prob(&pass->world, 0, 4) == trained);
    }
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selecting),
        cmocka_unit_test(test_knocking_out),
        cmocka_unit_test(test_comparing),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_knocking_out_changes_the_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
