/* The kernels under the rules of mistakes against the right rule on numbers and lengths that were
 * copied wrongly, one by one: a fold and a length that a kernel reads are the very mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/helper_copies.h"

static int shape_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 200;
}

/* A call on packed tensors with random numbers and lengths. */
typedef struct Packed {
    AttentionSizes n;
    double *query, *key, *value; /* [B,Tq,W], [B,Tk,W] */
    int *lens;                   /* [B] */
} Packed;

static double *random_numbers(long count, Rng *rng) {
    double *numbers = copies_room(count, sizeof *numbers);
    for (long i = 0; i < count; i++) /* whole floats, so that both kernels get the same */
        numbers[i] = (double)(float)rng_normal(rng);
    return numbers;
}

static Packed random_call(Rng *rng) {
    Packed p = {.n = {copies_between(rng, 1, 4), copies_between(rng, 1, 6),
                      copies_between(rng, 1, 7), copies_between(rng, 1, 7),
                      copies_between(rng, 1, 9)}};
    long width = (long)p.n.heads * p.n.head_width;
    p.query = random_numbers(p.n.batch * p.n.queries * width, rng);
    p.key = random_numbers(p.n.batch * p.n.keys * width, rng);
    p.value = random_numbers(p.n.batch * p.n.keys * width, rng);
    p.lens = copies_room(p.n.batch, sizeof *p.lens);
    for (int b = 0; b < p.n.batch; b++)
        p.lens[b] = copies_between(rng, 0, p.n.keys);
    return p;
}

static void packed_free(Packed *p) {
    free(p->query);
    free(p->key);
    free(p->value);
    free(p->lens);
}

/* What a call gives: weights [B,H,Tq,Tk], context [B,Tq,W]. */
typedef struct Result {
    double *context, *weights;
} Result;

static long context_size(AttentionSizes n) {
    return (long)n.batch * n.queries * n.heads * n.head_width;
}

static long weight_size(AttentionSizes n) {
    return (long)n.batch * n.heads * n.queries * n.keys;
}

static Result result_room(AttentionSizes n) {
    return (Result){copies_room(context_size(n), sizeof(double)),
                    copies_room(weight_size(n), sizeof(double))};
}

static void result_free(Result *r) {
    free(r->context);
    free(r->weights);
}

/* x split in that way by copies, then laid where the right fold reads it. */
static double *misplaced(const double *x, FoldKind kind, AttentionSizes n, int steps) {
    long count = (long)n.batch * steps * n.heads * n.head_width;
    double *folded = copies_room(count, sizeof *folded), *laid = copies_room(count, sizeof *laid);
    copies_split(folded, x, kind, n.batch, steps, n.heads, n.head_width);
    copies_join(laid, folded, FOLD_SLICES, n.batch, steps, n.heads, n.head_width);
    free(folded);
    return laid;
}

/* The right kernel on numbers that were copied wrongly, with spans copied wrongly; its context is
 * taken apart and joined in the wrong way. `run` is either kernel. */
typedef void Run(Result *to, const double *query, const double *key, const double *value,
                 const AttentionRule *rule, AttentionSizes n);

static Result by_copies(Run *run, const Packed *p, FoldKind split, FoldKind concat,
                        LengthsKind lengths) {
    AttentionSizes n = p->n;
    int rows = n.batch * n.heads;
    int *spans = copies_room(2L * rows, sizeof *spans),
        *room = copies_room(2L * rows * n.queries, sizeof *room);
    copies_lengths(spans, spans + rows, lengths, p->lens, n.keys, n.batch, n.heads);
    AttentionRule rule = attention_rule_make((AttentionMistakes){0}, (MaskSource){0}, n, room);
    for (int i = 0; i < rows * n.queries; i++) {
        room[i] = spans[i / n.queries];
        room[rows * n.queries + i] = spans[rows + i / n.queries];
    }
    double *query = misplaced(p->query, split, n, n.queries);
    double *key = misplaced(p->key, split, n, n.keys);
    double *value = misplaced(p->value, split, n, n.keys);
    Result result = result_room(n);
    run(&result, query, key, value, &rule, n);
    double *heads = copies_room(context_size(n), sizeof *heads);
    copies_split(heads, result.context, FOLD_SLICES, n.batch, n.queries, n.heads, n.head_width);
    copies_join(result.context, heads, concat, n.batch, n.queries, n.heads, n.head_width);
    free(heads);
    free(query);
    free(key);
    free(value);
    free(spans);
    free(room);
    return result;
}

/* The same mistakes as a rule of the kernel, on the numbers as they are. */
static Result by_rule(Run *run, const Packed *p, FoldKind split, FoldKind concat,
                      LengthsKind lengths) {
    AttentionSizes n = p->n;
    int *room = copies_room(attention_rule_room(n), sizeof *room);
    AttentionMistakes mistakes = {.split = split, .concat = concat, .lengths = lengths};
    AttentionRule rule =
        attention_rule_make(mistakes, (MaskSource){.valid_lens = p->lens}, n, room);
    Result result = result_room(n);
    run(&result, p->query, p->key, p->value, &rule, n);
    free(room);
    return result;
}

static void run_plain(Result *to, const double *query, const double *key, const double *value,
                      const AttentionRule *rule, AttentionSizes n) {
    attention_plain_forward(to->context, to->weights, query, key, value, rule, n);
}

static real *to_real(const double *from, long count) {
    real *to = copies_room(count, sizeof *to);
    for (long i = 0; i < count; i++)
        to[i] = (real)from[i];
    return to;
}

/* The fast kernel, told nothing but the folds and the ends of the spans. */
static void run_fast(Result *to, const double *query, const double *key, const double *value,
                     const AttentionRule *rule, AttentionSizes n) {
    long width = (long)n.heads * n.head_width, padded = attention_row(n.keys);
    long rows = (long)n.batch * n.heads * n.queries;
    real *scratch = copies_room(attention_scratch(n), sizeof *scratch);
    Attention call = {
        .sizes = n,
        .query = {to_real(query, n.batch * n.queries * width), rule->query},
        .key = {to_real(key, n.batch * n.keys * width), rule->key},
        .value = {to_real(value, n.batch * n.keys * width), rule->value},
        .context = {copies_room(context_size(n), sizeof(real)), rule->context},
        .weights = copies_room(rows * padded, sizeof(real)),
        .key_len = rule->key_end,
        .scale = (real)rule->scale,
    };
    attention_forward(&call, scratch);
    for (long i = 0; i < context_size(n); i++)
        to->context[i] = (double)call.context.data[i];
    for (long row = 0; row < rows; row++)
        for (int j = 0; j < n.keys; j++)
            to->weights[row * n.keys + j] = (double)call.weights[row * padded + j];
    free(call.query.data);
    free(call.key.data);
    free(call.value.data);
    free(call.context.data);
    free(call.weights);
    free(scratch);
}

/* Equal, not near: the same sums are taken in the same order. */
static void assert_same_result(Result got, Result expected, AttentionSizes n, const char *kernel,
                               int split, int concat, int lengths) {
    if (memcmp(got.weights, expected.weights, (size_t)weight_size(n) * sizeof(double)) != 0 ||
        memcmp(got.context, expected.context, (size_t)context_size(n) * sizeof(double)) != 0)
        fail_msg("%s: split %d, concat %d, lengths %d on (%d, %d, %d, %d, %d)", kernel, split,
                 concat, lengths, n.batch, n.heads, n.queries, n.keys, n.head_width);
}

/* Calls check with every pair of a fold and lengths, on random calls; each fold once as the split
 * and once as the concatenation. */
static void compare_all(Run *run, const char *kernel, uint64_t seed, int folds, int lengths) {
    Rng rng = rng_make(seed, 0);
    for (int c = 0; c < shape_count() / 2; c++) {
        Packed p = random_call(&rng);
        for (int split = 0; split < folds; split++)
            for (int kind = 0; kind < lengths; kind++) {
                int concat = copies_between(&rng, 0, folds - 1);
                Result got = by_rule(run, &p, (FoldKind)split, (FoldKind)concat, (LengthsKind)kind);
                Result expected =
                    by_copies(run, &p, (FoldKind)split, (FoldKind)concat, (LengthsKind)kind);
                assert_same_result(got, expected, p.n, kernel, split, concat, kind);
                result_free(&got);
                result_free(&expected);
            }
        packed_free(&p);
    }
}

static void plain_kernel_equals_copies(void **state) {
    (void)state;
    compare_all(run_plain, "plain", 4, FOLD_KINDS, LENGTHS_KINDS);
}

/* Heads of neighbouring elements, and lengths that are prefixes: all but the last of each. */
static void fast_kernel_equals_copies(void **state) {
    (void)state;
    compare_all(run_fast, "fast", 5, FOLD_INTERLEAVED, LENGTHS_INVERTED);
}

/* The same on the fast kernel's rule and on the plain kernel's copies: 300 roundings of float at
 * most, of numbers below 5. */
static void fast_kernel_is_near_the_plain_copies(void **state) {
    (void)state;
    Rng rng = rng_make(6, 0);
    for (int c = 0; c < shape_count() / 2; c++) {
        Packed p = random_call(&rng);
        FoldKind split = (FoldKind)copies_between(&rng, 0, FOLD_RESHAPE),
                 concat = (FoldKind)copies_between(&rng, 0, FOLD_RESHAPE);
        LengthsKind kind = (LengthsKind)copies_between(&rng, 0, LENGTHS_IGNORED);
        Result got = by_rule(run_fast, &p, split, concat, kind);
        Result expected = by_copies(run_plain, &p, split, concat, kind);
        for (long i = 0; i < weight_size(p.n); i++)
            assert_true(fabs(got.weights[i] - expected.weights[i]) < 1e-5);
        for (long i = 0; i < context_size(p.n); i++)
            assert_true(fabs(got.context[i] - expected.context[i]) < 1e-4);
        result_free(&got);
        result_free(&expected);
        packed_free(&p);
    }
}

/* Where a wrong fold can be seen at all: the results differ from the right one, so that the tests
 * above do not compare a thing with itself. */
static void mistakes_change_the_result(void **state) {
    (void)state;
    Rng rng = rng_make(7, 0);
    Packed p = random_call(&rng);
    while (p.n.heads < 2 || p.n.queries < 2 || p.n.keys < 2 || p.n.head_width < 2 ||
           p.n.batch != 2 || p.lens[0] == p.lens[1] || !p.lens[0] || !p.lens[1]) {
        packed_free(&p);
        p = random_call(&rng);
    }
    Result right = by_copies(run_plain, &p, 0, 0, 0);
    int cases[][3] = {{FOLD_RESHAPE, 0, 0},     {FOLD_INTERLEAVED, 0, 0}, {0, FOLD_RESHAPE, 0},
                      {0, FOLD_INTERLEAVED, 0}, {0, 0, LENGTHS_TILED},    {0, 0, LENGTHS_NEXT},
                      {0, 0, LENGTHS_PREVIOUS}, {0, 0, LENGTHS_REVERSED}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Result wrong = by_copies(run_plain, &p, (FoldKind)cases[c][0], (FoldKind)cases[c][1],
                                 (LengthsKind)cases[c][2]);
        assert_memory_not_equal(right.context, wrong.context,
                                (size_t)context_size(p.n) * sizeof(double));
        result_free(&wrong);
    }
    result_free(&right);
    packed_free(&p);
}

/* Every field of the struct stands in the table, in order and with as many words as values, and is
 * seen by all that treats fields alike. */
static void table_has_every_field(void **state) {
    (void)state;
    static const size_t align = _Alignof(AttentionMistakes);
    size_t end = 0;
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++) {
        size_t size = field->words ? sizeof(int) : sizeof(double);
        assert_int_equal(field->offset, (end + size - 1) / size * size);
        end = field->offset + size;
        if (!field->words) continue;
        for (int value = 1; field->words[value]; value++) {
            AttentionMistakes made = {0}, right = {0}, later = {.mask_value = -5};
            memcpy((char *)&made + field->offset, &value, sizeof value);
            assert_int_equal(attention_mistake_value(&made, field), value);
            assert_true(attention_mistaken(made));
            assert_false(attention_mistakes_equal(made, right));
            assert_true(attention_mistakes_equal(attention_mistakes_join(right, made), made));
            assert_true(attention_mistakes_equal(attention_mistakes_join(made, right), made));
            AttentionMistakes both = attention_mistakes_join(made, later);
            assert_true(both.mask_value == -5 && attention_mistake_value(&both, field) == value);
        }
    }
    assert_int_equal((end + align - 1) / align * align, sizeof(AttentionMistakes));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_kernel_equals_copies),
        cmocka_unit_test(fast_kernel_equals_copies),
        cmocka_unit_test(fast_kernel_is_near_the_plain_copies),
        cmocka_unit_test(mistakes_change_the_result),
        cmocka_unit_test(table_has_every_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
