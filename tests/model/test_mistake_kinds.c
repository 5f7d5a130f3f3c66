/* The catalogue of mistakes: every entry is whole, and a trap changes nothing exactly where it says
 * why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/base/rng.h"
#include "model/doctor/traps.h"
#include "tests/model/helper_copies.h"

/* Each name finds its entry and no other; an entry has all that a verdict, a sign or a trap needs.
 */
static void test_entries(void **state) {
    (void)state;
    const MistakeKind *kind;
    for (int id = 0; (kind = mistake_kind(id)); id++) {
        assert_non_null(kind->name);
        assert_ptr_equal(mistake_find(kind->name), kind);
        if (kind->old_name) assert_ptr_equal(mistake_find(kind->old_name), kind);
        assert_int_equal(mistake_id(kind), id);
        assert_int_equal(strspn(kind->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(kind->name));
        bool is_verdict = kind->mend, is_sign = kind->sign, is_trap = kind->wrong;
        if (!is_verdict && !is_sign && !is_trap) fail_msg("%s is of no use", kind->name);
        if ((is_verdict || is_trap) && (!kind->title || !kind->subject))
            fail_msg("%s: no title or no subject", kind->name);
        if (mistake_rules(kind) && kind->subject > SUBJECT_EMPTY)
            fail_msg("%s: its subject is none of a rule", kind->name);
    }
    assert_ptr_equal(mistake_find("no-cross-padding"), mistake_kind(MISTAKE_LENS_IGNORED));
    assert_null(mistake_find("none"));
    assert_null(mistake_kind(-1));
}

static void test_traps(void **state) {
    (void)state;
    int loud = 0;
    for (int i = 0; trap_at(i); i++) {
        const MistakeKind *trap = trap_at(i);
        assert_ptr_equal(trap_find(trap->name), trap);
        assert_true(trap->at[SITE_ENCODER] || trap->at[SITE_DECODER] || trap->at[SITE_CROSS]);
        assert_int_equal(trap->is_loud, mistake_rules(trap) == 0);
        assert_true(trap->title && trap->wrong && trap->right && trap->agrees && trap->mixes &&
                    trap->caught);
        AttentionMistakes mistakes[SITE_COUNT];
        trap_mistakes(mistakes, trap);
        if (trap->is_loud)
            loud++;
        else
            assert_ptr_equal(trap_of(mistakes), trap);
    }
    assert_int_equal(loud, 1);
    assert_null(trap_find("lens-one-more")); /* a mistake, but no trap */
    assert_null(trap_at(-1));
    const AttentionMistakes none[SITE_COUNT] = {{0}};
    assert_null(trap_of(none));
}

/* --- idle traps ------------------------------------------------------------------------------- */

typedef struct Call {
    TrapInput input;
    int lens[4];
    double *query, *key, *value; /* [B,Tq,W], [B,Tk,W] */
} Call;

static double *numbers(long count, Rng *rng) {
    double *made = calloc((size_t)count, sizeof *made);
    for (long i = 0; i < count; i++)
        made[i] = 2 * (double)rng_below(rng, 1u << 24) / (1u << 24) - 1;
    return made;
}

static Call any_call(Site site, Rng *rng) {
    int queries = copies_between(rng, 1, 5),
        keys = site == SITE_CROSS ? copies_between(rng, 1, 5) : queries;
    AttentionSizes n = {copies_between(rng, 1, 4), copies_between(rng, 1, 3), queries, keys,
                        copies_between(rng, 1, 3)};
    long width = (long)n.heads * n.head_width;
    Call call = {.input = {.site = site, .sizes = n, .mask = {.causal = site == SITE_DECODER}},
                 .query = numbers(n.batch * queries * width, rng),
                 .key = numbers(n.batch * keys * width, rng),
                 .value = numbers(n.batch * keys * width, rng)};
    int least = copies_between(rng, 0, 3) ? 1 : 0;
    for (int b = 0; b < n.batch; b++)
        call.lens[b] = copies_between(rng, least, keys);
    if (copies_between(rng, 0, 3) == 0) {
        call.input.keys_alike = true;
        for (long row = 0; row < (long)n.batch * keys; row++)
            memcpy(call.key + row * width, call.key, (size_t)width * sizeof *call.key);
    }
    return call;
}

/* Runs it; the weights and contexts in one new block. */
static double *run(const Call *call, AttentionMistakes mistakes, long *count) {
    AttentionSizes n = call->input.sizes;
    long cells = (long)n.batch * n.heads * n.queries * n.keys;
    long contexts = (long)n.batch * n.heads * n.queries * n.head_width;
    *count = cells + contexts;
    double *made = calloc((size_t)*count, sizeof *made);
    int *room = calloc((size_t)attention_rule_room(n), sizeof *room);
    AttentionRule rule = attention_rule_make(mistakes, call->input.mask, n, room);
    attention_plain_forward(made + cells, made, call->query, call->key, call->value, &rule, n);
    free(room);
    return made;
}

static bool differ(const double *a, const double *b, long count) {
    for (long i = 0; i < count; i++)
        if (!(a[i] - b[i] < 1e-12 && b[i] - a[i] < 1e-12)) return true; /* also NaN */
    return false;
}

static void test_idle(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    int idle = 0, active = 0;
    for (int round = 0; round < 3000; round++) {
        Site site = (Site)(round % SITE_COUNT);
        Call call = any_call(site, &rng);
        if (copies_between(&rng, 0, 5)) call.input.mask.valid_lens = call.lens;
        AttentionSizes n = call.input.sizes;
        int *room = calloc((size_t)(2 * attention_rule_room(n)), sizeof *room);
        for (int i = 0; trap_at(i); i++) {
            const MistakeKind *trap = trap_at(i);
            if (trap->is_loud || !trap->at[site]) {
                assert_non_null(trap_idle(trap, &call.input, room));
                continue;
            }
            const char *why = trap_idle(trap, &call.input, room);
            long count;
            double *right = run(&call, (AttentionMistakes){0}, &count);
            double *wrong = run(&call, trap->rules[0], &count);
            bool differs = differ(right, wrong, count);
            if (why && differs) fail_msg("%s: %s", trap->name, why);
            if (!why && !differs)
                fail_msg("%s changes nothing and does not say why: site %d, %d examples, %d heads "
                         "of width %d, %d queries, %d keys",
                         trap->name, (int)site, n.batch, n.heads, n.head_width, n.queries, n.keys);
            idle += !differs;
            active += differs;
            free(right);
            free(wrong);
        }
        free(room);
        free(call.query);
        free(call.key);
        free(call.value);
    }
    assert_true(idle > 1000 && active > 10000);
}

/* Which traps let a causal step depend on a later one, as docs/lessons.md says of those that look
 * learned: the last step of every example is changed, and the context of an earlier one follows. */
static void test_traps_that_read_later_steps(void **state) {
    (void)state;
    static const char *const later[] = {"one-reshape",     "wrong-concat", "no-causal",
                                        "softmax-queries", "mask-after",   "mask-leaks"};
    enum { STEPS = 4, BATCH = 2, HEADS = 2, HEAD_WIDTH = 3, WIDTH = HEADS * HEAD_WIDTH };
    AttentionSizes n = {BATCH, HEADS, STEPS, STEPS, HEAD_WIDTH};
    Rng rng = rng_make(3, 0);
    int lens[BATCH] = {STEPS, STEPS};
    Call call = {
        .input = {.site = SITE_DECODER, .sizes = n, .mask = {.valid_lens = lens, .causal = true}},
        .query = numbers(BATCH * STEPS * WIDTH, &rng),
        .key = numbers(BATCH * STEPS * WIDTH, &rng),
        .value = numbers(BATCH * STEPS * WIDTH, &rng)};
    double *tensors[] = {call.query, call.key, call.value};
    for (int i = 0; trap_at(i); i++) {
        const MistakeKind *trap = trap_at(i);
        if (trap->is_loud || !trap->at[SITE_DECODER] || trap->rules[0].empty) continue;
        long count, cells = (long)BATCH * HEADS * STEPS * STEPS;
        double *before = run(&call, trap->rules[0], &count);
        for (int tensor = 0; tensor < 3; tensor++)
            for (int b = 0; b < BATCH; b++)
                tensors[tensor][(b * STEPS + STEPS - 1) * WIDTH] += 1;
        double *after = run(&call, trap->rules[0], &count);
        bool moved = false, wanted = false;
        for (int b = 0; b < BATCH; b++)
            moved = moved || differ(before + cells + b * STEPS * WIDTH,
                                    after + cells + b * STEPS * WIDTH, (STEPS - 1) * WIDTH);
        for (size_t j = 0; j < sizeof later / sizeof later[0]; j++)
            wanted = wanted || strcmp(trap->name, later[j]) == 0;
        if (moved != wanted)
            fail_msg("%s: %s", trap->name, moved ? "reads later steps" : "does not");
        free(before);
        free(after);
    }
    for (int tensor = 0; tensor < 3; tensor++)
        free(tensors[tensor]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_traps_that_read_later_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
