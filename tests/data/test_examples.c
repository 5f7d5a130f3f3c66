/* Training and held-out sets, and batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "data/tasks/examples.h"

enum { DRAWS = 50000, SOURCE_SIZE = 40 };

typedef char Source[SOURCE_SIZE];

static int compare_sources(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The sources of the first 50,000 draws of a set under a seed, sorted. */
static Source *draw_sources(const Task *task, ExampleSet set, uint64_t seed) {
    Source *sources = malloc(DRAWS * sizeof *sources);
    assert_non_null(sources);
    for (int i = 0; i < DRAWS; i++) {
        TaskExample example;
        example_draw(task, set, seed, (uint64_t)i, &example);
        assert_true(strlen(example.source) < SOURCE_SIZE);
        strcpy(sources[i], example.source);
    }
    qsort(sources, DRAWS, sizeof *sources, compare_sources);
    return sources;
}

/* No text is in both sets, whatever the seeds: found by merging what was drawn. */
static void test_sets_are_disjoint(void **state) {
    (void)state;
    for (const Task *const *task = tasks_all; *task; task++) {
        Source *training = draw_sources(*task, EXAMPLES_TRAINING, 1);
        Source *held_out = draw_sources(*task, EXAMPLES_HELD_OUT, 2);
        for (int i = 0, j = 0; i < DRAWS && j < DRAWS;) {
            int order = strcmp(training[i], held_out[j]);
            if (order == 0) fail_msg("%s: %s is in both", (*task)->name, training[i]);
            if (order < 0)
                i++;
            else
                j++;
        }
        free(training);
        free(held_out);
    }
}

/* Fixed for good: a model trained by one version must not be tested by another on what it saw. */
static void test_the_split_stays(void **state) {
    (void)state;
    int held_out = 0;
    for (int a = 0; a < 100; a++) {
        for (int b = 0; b < 100; b++) {
            char source[] = {(char)('0' + a / 10), (char)('0' + a % 10), '+',
                             (char)('0' + b / 10), (char)('0' + b % 10), '\0'};
            held_out += example_set(source) == EXAMPLES_HELD_OUT;
        }
    }
    /* One in 16 of 10,000 is 625, deviation 24. */
    assert_in_range(held_out, 625 - 120, 625 + 120);
    /* Of the single letters, these three. */
    for (char letter = 'a'; letter <= 'z'; letter++) {
        const char source[] = {letter, '\0'};
        bool expected = letter == 'k' || letter == 's' || letter == 'u';
        assert_int_equal(example_set(source) == EXAMPLES_HELD_OUT, expected);
    }
}

static void test_draws_are_reproducible(void **state) {
    (void)state;
    for (const Task *const *task = tasks_all; *task; task++) {
        int same_index = 0, same_seed = 0;
        for (uint64_t i = 0; i < 300; i++) {
            TaskExample a, b, next, other;
            memset(&b, 0xFF, sizeof b);
            example_draw(*task, EXAMPLES_TRAINING, 9, i, &a);
            example_draw(*task, EXAMPLES_TRAINING, 9, i + 1, &next);
            example_draw(*task, EXAMPLES_TRAINING, 10, i, &other);
            example_draw(*task, EXAMPLES_TRAINING, 9, i, &b);
            assert_string_equal(a.source, b.source);
            assert_string_equal(a.target, b.target);
            same_index += strcmp(a.source, next.source) == 0;
            same_seed += strcmp(a.source, other.source) == 0;
        }
        assert_true(same_index < 10 && same_seed < 10);
    }
}

static void test_held_out_examples(void **state) {
    (void)state;
    enum { COUNT = 2000 };
    for (const Task *const *task = tasks_all; *task; task++) {
        Error error = {0};
        int found = 0, fewer = 0;
        TaskExample *examples = examples_held_out(*task, COUNT, &found, &error);
        TaskExample *beginning = examples_held_out(*task, 700, &fewer, &error);
        assert_non_null(examples);
        assert_non_null(beginning);
        assert_int_equal(found, COUNT);
        assert_int_equal(fewer, 700);
        for (int i = 0; i < fewer; i++)
            assert_string_equal(examples[i].source, beginning[i].source);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(example_set(examples[i].source), EXAMPLES_HELD_OUT);
        qsort(examples, COUNT, sizeof *examples, compare_sources); /* the source comes first */
        for (int i = 1; i < COUNT; i++)
            assert_string_not_equal(examples[i - 1].source, examples[i].source);
        free(examples);
        free(beginning);
    }
}

static void make_two_digits(Rng *rng, TaskExample *example) {
    uint32_t number = rng_below(rng, 100);
    const char text[] = {(char)('0' + number / 10), (char)('0' + number % 10), '\0'};
    strcpy(example->source, text);
    strcpy(example->target, text);
}

/* A task with few sources gives all of its held-out ones, and ends. */
static void test_held_out_examples_run_out(void **state) {
    (void)state;
    const Task task = {.name = "two digits", .make = make_two_digits};
    int expected = 0, found = -1;
    for (int number = 0; number < 100; number++) {
        const char text[] = {(char)('0' + number / 10), (char)('0' + number % 10), '\0'};
        expected += example_set(text) == EXAMPLES_HELD_OUT;
    }
    Error error = {0};
    TaskExample *examples = examples_held_out(&task, 1000, &found, &error);
    assert_non_null(examples);
    assert_true(expected > 0);
    assert_int_equal(found, expected);
    free(examples);
    assert_null(examples_held_out(&task, 0, &found, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_int_equal(found, 0);
}

/* --- batches --- */

typedef struct Fixture {
    Config config;
    Vocab source, target;
    Batch batch;
    Error error;
} Fixture;

/* Sources of a to e and ä (ids 3 to 8), at most 4 of them; targets of x, y, z (3, 4, 5), at most 3.
 * The marks have other ids than usual, to see that the config's are used. */
static int set_up(void **state) {
    static Fixture fixture;
    fixture = (Fixture){.config = config_default()};
    fixture.config.max_source = 5;
    fixture.config.max_target = 4;
    fixture.config.pad_id = 2;
    fixture.config.start_id = 0;
    fixture.config.end_id = 1;
    *state = &fixture;
    return vocab_from_characters(&fixture.source, "abcdeä", NULL) &&
                   vocab_from_characters(&fixture.target, "xyz", NULL)
               ? 0
               : -1;
}

static int tear_down(void **state) {
    Fixture *fixture = *state;
    vocab_free(&fixture->source);
    vocab_free(&fixture->target);
    batch_free(&fixture->batch);
    return 0;
}

static bool make_batch(Fixture *f, const TaskExample *examples, int count) {
    f->error = (Error){0};
    return examples_to_batch(&f->batch, examples, count, &f->config, &f->source, &f->target,
                             &f->error);
}

static void assert_ids(const int *ids, const int *expected, size_t size) {
    assert_memory_equal(ids, expected, size);
}

static void test_batch_layout(void **state) {
    Fixture *f = *state;
    static const TaskExample examples[] = {{"bäd", "zx"}, {"a", ""}, {"ec", "y"}};
    if (!make_batch(f, examples, 3)) fail_msg("%s", f->error.text);
    assert_int_equal(f->batch.size, 3);
    assert_int_equal(f->batch.source_len, 4);
    assert_int_equal(f->batch.target_len, 3);
    static const int source[] = {4, 8, 6, 1, 3, 1, 2, 2, 7, 5, 1, 2};
    static const int in[] = {0, 5, 3, 0, 2, 2, 0, 4, 2};
    static const int out[] = {5, 3, 1, 1, 2, 2, 4, 1, 2};
    static const int source_lens[] = {4, 2, 3}, target_lens[] = {3, 1, 2};
    assert_ids(f->batch.source, source, sizeof source);
    assert_ids(f->batch.target_in, in, sizeof in);
    assert_ids(f->batch.target_out, out, sizeof out);
    assert_ids(f->batch.enc_valid_lens, source_lens, sizeof source_lens);
    assert_ids(f->batch.dec_valid_lens, target_lens, sizeof target_lens);
}

static void test_batch_without_source_end_mark(void **state) {
    Fixture *f = *state;
    f->config.source_end_mark = false;
    static const TaskExample examples[] = {{"ab", "x"}, {"abcde", "xyz"}};
    if (!make_batch(f, examples, 2)) fail_msg("%s", f->error.text);
    static const int source[] = {3, 4, 2, 2, 2, 3, 4, 5, 6, 7}, lens[] = {2, 5};
    assert_int_equal(f->batch.source_len, 5);
    assert_ids(f->batch.source, source, sizeof source);
    assert_ids(f->batch.enc_valid_lens, lens, sizeof lens);
}

/* A batch is used again, larger and smaller; nothing of the earlier contents is left. */
static void test_batch_is_reused(void **state) {
    Fixture *f = *state;
    static const TaskExample large[] = {{"abcd", "xyz"}, {"abcd", "xyz"}, {"abcd", "xyz"}};
    static const TaskExample small[] = {{"b", "y"}, {"cd", "yz"}};
    assert_true(make_batch(f, small, 2) && make_batch(f, large, 3));
    const int *storage = f->batch.storage;
    assert_true(make_batch(f, small, 2));
    assert_ptr_equal(f->batch.storage, storage);
    static const int source[] = {4, 1, 2, 5, 6, 1}, in[] = {0, 4, 2, 0, 4, 5};
    assert_ids(f->batch.source, source, sizeof source);
    assert_ids(f->batch.target_in, in, sizeof in);
}

static void test_batch_of_sources(void **state) {
    Fixture *f = *state;
    static const char *const sources[] = {"a", "dcb"};
    if (!sources_to_batch(&f->batch, sources, 2, &f->config, &f->source, &f->error))
        fail_msg("%s", f->error.text);
    static const int source[] = {3, 1, 2, 2, 6, 5, 4, 1}, lens[] = {2, 4}, none[] = {0, 0};
    assert_int_equal(f->batch.size, 2);
    assert_int_equal(f->batch.source_len, 4);
    assert_int_equal(f->batch.target_len, 0);
    assert_ids(f->batch.source, source, sizeof source);
    assert_ids(f->batch.enc_valid_lens, lens, sizeof lens);
    assert_ids(f->batch.dec_valid_lens, none, sizeof none);
}

static void assert_source_refused(Fixture *f, const char *source, const char *expected) {
    const char *const sources[] = {"a", source};
    f->error = (Error){0};
    assert_false(sources_to_batch(&f->batch, sources, 2, &f->config, &f->source, &f->error));
    assert_int_equal(f->error.kind, ERROR_USAGE);
    assert_string_equal(f->error.text, expected);
    assert_int_equal(f->batch.size, 0);
    assert_false(sources_to_batch(&f->batch, sources, 2, &f->config, &f->source, NULL));
}

static void test_refused_sources(void **state) {
    Fixture *f = *state;
    assert_source_refused(f, "", "the input is empty; give at least one character");
    assert_source_refused(f, "abcde", "\"abcde\" has 5 characters; the model takes at most 4");
    assert_source_refused(f, "abx",
                          "'x', character 3 of \"abx\", is unknown to the model; it knows: a-e ä");
    assert_source_refused(f, "a\xFF",
                          "\"a\\xFF\" is not UTF-8: the byte \\xFF stands where character 2 "
                          "should; save it as UTF-8");
    char text[100001];
    memset(text, 'b', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_source_refused(f, text,
                          "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…\" has 100000 characters; "
                          "the model takes at most 4");
}

static void test_refused_examples(void **state) {
    Fixture *f = *state;
    static const TaskExample long_target[] = {{"a", "xyzx"}}, foreign[] = {{"a", "xa"}};
    assert_false(make_batch(f, long_target, 1));
    assert_int_equal(f->error.kind, ERROR_USAGE);
    assert_string_equal(f->error.text,
                        "target: \"xyzx\" has 4 characters; the model takes at most 3");
    assert_false(make_batch(f, foreign, 1));
    assert_non_null(strstr(f->error.text, "target: 'a', character 2"));
    static const TaskExample empty[] = {{"a", "x"}, {"", "x"}};
    assert_false(make_batch(f, empty, 2));
    assert_int_equal(f->error.kind, ERROR_USAGE);
    assert_non_null(strstr(f->error.text, "empty"));
    assert_int_equal(f->batch.size, 0);
}

/* What training does: every task's draws go through with the task's own maximum lengths. */
static void test_batches_of_every_task(void **state) {
    Fixture *f = *state;
    for (const Task *const *at = tasks_all; *at; at++) {
        const Task *task = *at;
        Vocab source, target;
        assert_true(vocab_from_characters(&source, task->source_characters, NULL));
        assert_true(vocab_from_characters(&target, task->target_characters, NULL));
        Config config = config_default();
        config.max_source = task->max_source + 1;
        config.max_target = task->max_target + 1;
        for (uint64_t step = 0; step < 300; step++) {
            TaskExample examples[64];
            for (uint64_t i = 0; i < 64; i++)
                example_draw(task, EXAMPLES_TRAINING, 1, step * 64 + i, &examples[i]);
            if (!examples_to_batch(&f->batch, examples, 64, &config, &source, &target, &f->error))
                fail_msg("%s", f->error.text);
            int row = (int)(step % 64);
            char *text = vocab_decode(&target, f->batch.target_out + row * f->batch.target_len,
                                      f->batch.target_len);
            assert_string_equal(text, examples[row].target);
            free(text);
        }
        vocab_free(&source);
        vocab_free(&target);
    }
}

#define BATCH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets_are_disjoint),
        cmocka_unit_test(test_the_split_stays),
        cmocka_unit_test(test_draws_are_reproducible),
        cmocka_unit_test(test_held_out_examples),
        cmocka_unit_test(test_held_out_examples_run_out),
        BATCH_TEST(test_batch_layout),
        BATCH_TEST(test_batch_without_source_end_mark),
        BATCH_TEST(test_batch_is_reused),
        BATCH_TEST(test_batch_of_sources),
        BATCH_TEST(test_refused_sources),
        BATCH_TEST(test_refused_examples),
        BATCH_TEST(test_batches_of_every_task),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
