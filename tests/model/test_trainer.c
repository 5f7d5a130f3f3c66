/* Training: the same bytes on any number of threads and over a restart, and what goes wrong leaves
 * the parameters alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/training/trainer.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

/* The task: copy a word of 1 to 5 letters, of four. Ids 0, 1, 2 are the marks. */
enum { LETTERS = 4, LONGEST = 5 };

static void fill_example(Batch *batch, int b, const Config *config, Rng *rng) {
    int length = 1 + (int)rng_below(rng, LONGEST);
    int *source = batch->source + b * (LONGEST + 1);
    int *in = batch->target_in + b * (LONGEST + 1), *out = batch->target_out + b * (LONGEST + 1);
    for (int t = 0; t <= LONGEST; t++) {
        int letter = 3 + (int)rng_below(rng, LETTERS);
        source[t] = out[t] = t < length ? letter : t == length ? config->end_id : config->pad_id;
        in[t] = t == 0 ? config->start_id : t <= length ? out[t - 1] : config->pad_id;
    }
    batch->enc_valid_lens[b] = batch->dec_valid_lens[b] = length + 1;
}

/* One training run with all it stands on; at a fixed address, which the trainer keeps. */
typedef struct Run {
    Config config;
    Params params;
    TrainOptions options;
    Trainer *trainer;
    int batch;     /* examples that the source gives */
    int last_step; /* the step it was last asked for */
    bool empty;    /* makes its first example empty */
} Run;

static bool give_batch(void *context, int step, Batch *batch, Error *error) {
    Run *run = context;
    run->last_step = step;
    if (!batch_reserve(batch, run->batch, LONGEST + 1, LONGEST + 1, error)) return false;
    Rng rng = rng_make(11, (uint64_t)step);
    for (int b = 0; b < run->batch; b++)
        fill_example(batch, b, &run->config, &rng);
    if (run->empty) batch->enc_valid_lens[0] = batch->dec_valid_lens[0] = 0;
    return true;
}

static Run *run_make(int threads, int batch) {
    Run *run = calloc(1, sizeof *run);
    Error error = {0};
    run->config = helper_config();
    run->config.dropout = 0.1;
    run->params = helper_params(&run->config, 3);
    run->options = train_options_default();
    run->options.batch = batch;
    run->options.steps = 200;
    run->options.warmup = 10;
    run->options.learning_rate = 0.01;
    run->batch = batch;
    if (!train_options_check(&run->options, &error)) fail_msg("%s", error.text);
    run->trainer =
        trainer_make(&run->config, &run->params, &run->options, threads, give_batch, run, &error);
    if (!run->trainer) fail_msg("%s", error.text);
    return run;
}

static void run_free(Run *run) {
    trainer_free(run->trainer);
    params_free(&run->params);
    free(run);
}

/* The mean loss of `steps` steps. */
static double run_steps(Run *run, int steps) {
    double loss = 0;
    for (int i = 0; i < steps; i++) {
        TrainReport report;
        Error error = {0};
        if (!trainer_step(run->trainer, &report, &error)) fail_msg("%s", error.text);
        loss += report.loss / steps;
    }
    return loss;
}

static void assert_same_params(const Run *a, const Run *b) {
    assert_int_equal(a->params.count, b->params.count);
    assert_memory_equal(a->params.block, b->params.block, (size_t)a->params.count * sizeof(real));
}

/* A batch of 1 and of 3 leave some of the four slices empty; 14 cuts them unequal; 67 makes eight
 * slices and 130 sixteen, both unequal. */
static void test_threads_do_not_matter(void **state) {
    (void)state;
    static const int batches[] = {14, 3, 1, 67, 130}, threads[] = {2, 3, 4, 8, 20};
    for (int i = 0; i < 5; i++) {
        Run *one = run_make(1, batches[i]);
        run_steps(one, 12);
        assert_int_equal(trainer_step_count(one->trainer), 12);
        for (int j = 0; j < 5; j++) {
            Run *more = run_make(threads[j], batches[i]);
            run_steps(more, 12);
            assert_same_params(one, more);
            run_free(more);
        }
        run_free(one);
    }
}

static int slices_of(int batch, long params) {
    TrainOptions options = train_options_default();
    options.batch = batch;
    return train_slices(&options, params);
}

/* Four, or 8 or 16 of at least eight examples, while their gradients are not too large. */
static void test_slices(void **state) {
    (void)state;
    long small = 100000;
    assert_int_equal(slices_of(1, small), 4);
    assert_int_equal(slices_of(63, small), 4);
    assert_int_equal(slices_of(64, small), 8);
    assert_int_equal(slices_of(127, small), 8);
    assert_int_equal(slices_of(128, small), 16);
    assert_int_equal(slices_of(100000, small), 16);
    assert_int_equal(slices_of(128, TRAIN_GRADIENTS_MAX / 16), 16);
    assert_int_equal(slices_of(128, TRAIN_GRADIENTS_MAX / 16 + 1), 8);
    assert_int_equal(slices_of(128, TRAIN_GRADIENTS_MAX / 8 + 1), 4);
    assert_int_equal(slices_of(128, TRAIN_GRADIENTS_MAX), 4);
    TrainOptions options = train_options_default();
    options.slices = 3;
    assert_int_equal(train_slices(&options, small), 3);
}

/* The slices of a run are its own: asked for by number, they give what the rule's give, and another
 * number gives something else. */
static void test_slices_belong_to_the_run(void **state) {
    (void)state;
    static const int slices[] = {0, 8, 4};
    Run *runs[3];
    for (int i = 0; i < 3; i++) {
        runs[i] = run_make(2, 64);
        trainer_free(runs[i]->trainer);
        Error error = {0};
        runs[i]->options.slices = slices[i];
        runs[i]->trainer = trainer_make(&runs[i]->config, &runs[i]->params, &runs[i]->options, 2,
                                        give_batch, runs[i], &error);
        run_steps(runs[i], 3);
    }
    assert_same_params(runs[0], runs[1]);
    assert_memory_not_equal(runs[1]->params.block, runs[2]->params.block,
                            (size_t)runs[1]->params.count * sizeof(real));
    for (int i = 0; i < 3; i++)
        run_free(runs[i]);
}

/* Six steps, then six more in a new trainer from the saved weights, moments and step. */
static void test_resume(void **state) {
    (void)state;
    Run *straight = run_make(2, 14), *begun = run_make(2, 14), *resumed = run_make(1, 14);
    run_steps(straight, 12);
    run_steps(begun, 6);
    memcpy(resumed->params.block, begun->params.block, (size_t)begun->params.count * sizeof(real));
    trainer_resume(resumed->trainer, trainer_step_count(begun->trainer),
                   trainer_moments(begun->trainer));
    run_free(begun); /* the moments were copied */
    run_steps(resumed, 6);
    assert_same_params(straight, resumed);
    assert_int_equal(trainer_step_count(resumed->trainer), 12);
    assert_int_equal(resumed->last_step, 12); /* counted from 1, and on from where it stood */
    run_free(straight);
    run_free(resumed);
}

/* In a batch of four the empty example is a slice of its own, which has nothing to do. */
static void test_empty_example(void **state) {
    (void)state;
    Run *one = run_make(1, 4), *two = run_make(2, 4);
    one->empty = two->empty = true;
    assert_true(isfinite(run_steps(one, 12)));
    run_steps(two, 12);
    assert_same_params(one, two);
    assert_true(isfinite(helper_largest(one->params.block, one->params.count)));
    run_free(one);
    run_free(two);
}

static void check_refused(Run *run) {
    size_t bytes = (size_t)run->params.count * sizeof(real);
    real *params = malloc(bytes), *first = malloc(bytes);
    memcpy(params, run->params.block, bytes);
    memcpy(first, trainer_moments(run->trainer)[0], bytes);
    TrainReport report;
    Error error = {0};
    assert_false(trainer_step(run->trainer, &report, &error));
    assert_int_equal(error.kind, ERROR_FAILED);
    assert_non_null(strstr(error.text, "step 3"));
    assert_memory_equal(params, run->params.block, bytes);
    assert_memory_equal(first, trainer_moments(run->trainer)[0], bytes);
    assert_int_equal(trainer_step_count(run->trainer), 2);
    free(params);
    free(first);
}

/* A NaN, and numbers that overflow: an error, and nothing is changed. With the cause gone, training
 * goes on. */
static void test_not_finite(void **state) {
    (void)state;
    static const real bad[2] = {(real)NAN, (real)1e38};
    for (int i = 0; i < 2; i++) {
        Run *run = run_make(2, 14);
        run_steps(run, 2);
        real *place = &run->params.generator.weight[5], good = *place;
        for (int j = 0; j < 8; j++)
            place[j] = j == 0 || i == 1 ? (j % 2 ? -bad[i] : bad[i]) : place[j];
        check_refused(run);
        *place = good;
        for (int j = 1; j < 8; j++)
            place[j] = good;
        run_steps(run, 1);
        run_free(run);
    }
}

static bool give_nothing(void *context, int step, Batch *batch, Error *error) {
    if (*(int *)context) return error_set(error, "no data for step %d", step);
    if (!batch_reserve(batch, 2, 3, 3, error)) return false;
    memset(batch->storage, 0, (size_t)batch->capacity * sizeof *batch->storage);
    return true;
}

/* A source that fails hands on its error; a batch of empty targets is one of its own. */
static void test_no_data(void **state) {
    (void)state;
    Run *run = run_make(1, 14);
    for (int fails = 0; fails < 2; fails++) {
        Error error = {0};
        TrainReport report;
        Trainer *trainer = trainer_make(&run->config, &run->params, &run->options, 1, give_nothing,
                                        &fails, &error);
        assert_non_null(trainer);
        assert_false(trainer_step(trainer, &report, &error));
        assert_string_equal(error.text,
                            fails ? "no data for step 1" : "a batch without target tokens");
        trainer_free(trainer);
    }
    run_free(run);
}

/* A decoder that does not read its source guesses one letter of four: log 4 = 1.4, and the
 * smoothing comes on top. (One that copies is left with the smoothing's 0.5.) */
static void test_loss_falls(void **state) {
    (void)state;
    Run *run = run_make(2, 14);
    run->config.dropout = 0;
    double begin = run_steps(run, 10);
    run_steps(run, 180);
    assert_true(begin > 1.4);
    assert_true(run_steps(run, 10) < 1.1);
    run_free(run);
}

/* Tokens of the batch, and the norm before clipping; Adam's first moment, 0.1 of the gradient after
 * one step, has the norm to which it was clipped. */
static void test_report_and_clipping(void **state) {
    (void)state;
    Run *run = run_make(1, 14);
    Batch batch = {0};
    Error error = {0};
    TrainReport report;
    long tokens = 0;
    assert_true(give_batch(run, 1, &batch, &error));
    for (int b = 0; b < 14; b++)
        tokens += batch.dec_valid_lens[b];
    assert_true(trainer_step(run->trainer, &report, &error));
    assert_int_equal(report.tokens, tokens);
    assert_true(report.norm > 1.5 * run->options.clip);
    const real *first = trainer_moments(run->trainer)[0];
    double norm = sqrt(helper_dot(first, first, run->params.count));
    assert_true(fabs(norm - 0.1 * run->options.clip) < 1e-6); /* float: 1e-7 of each number */
    batch_free(&batch);
    run_free(run);
}

/* A line up to the peak, then half a cosine: half the peak in the middle, about 0 at the end. */
static void test_rate(void **state) {
    (void)state;
    TrainOptions options = train_options_default();
    options.learning_rate = 2;
    options.warmup = 100;
    options.steps = 299;
    assert_true(train_rate(&options, 1) == 0.02);
    assert_true(train_rate(&options, 50) == 1);
    assert_true(train_rate(&options, 100) == 2);
    assert_true(fabs(train_rate(&options, 200) - 1) < 1e-12); /* double: some units */
    assert_true(train_rate(&options, 299) > 0 && train_rate(&options, 299) < 0.001);
    for (int step = 101; step <= 299; step++)
        assert_true(train_rate(&options, step) < train_rate(&options, step - 1));
    options.warmup = 0;
    assert_true(train_rate(&options, 1) > 1.99 && train_rate(&options, 1) <= 2);
    options.warmup = options.steps = 10;
    assert_true(train_rate(&options, 10) == 2);
}

static void assert_refuses(TrainOptions options, const char *name) {
    Error error = {0};
    assert_false(train_options_check(&options, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, name)) fail_msg("\"%s\" does not name %s", error.text, name);
}

static void test_options(void **state) {
    (void)state;
    TrainOptions good = train_options_default(), bad;
    Error error = {0};
    good.steps = 10;
    good.learning_rate = 1e-3;
    assert_true(train_options_check(&good, &error));
    bad = good, bad.steps = 0, assert_refuses(bad, "steps");
    bad = good, bad.batch = 0, assert_refuses(bad, "batch");
    bad = good, bad.learning_rate = NAN, assert_refuses(bad, "learning rate");
    bad = good, bad.learning_rate = INFINITY, assert_refuses(bad, "learning rate");
    bad = good, bad.warmup = -1, assert_refuses(bad, "warm-up");
    bad = good, bad.clip = -1, assert_refuses(bad, "clip");
    bad = good, bad.label_smoothing = 1, assert_refuses(bad, "label smoothing");
    bad = good, bad.beta1 = 1, assert_refuses(bad, "beta1");
    bad = good, bad.beta2 = -0.1, assert_refuses(bad, "beta2");
    bad = good, bad.epsilon = 1, assert_refuses(bad, "epsilon");
    bad = good, bad.slices = -1, assert_refuses(bad, "slices");
    bad = good, bad.slices = TRAIN_SLICES_MAX + 1, assert_refuses(bad, "slices");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_slices_belong_to_the_run),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_empty_example),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_no_data),
        cmocka_unit_test(test_loss_falls),
        cmocka_unit_test(test_report_and_clipping),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
