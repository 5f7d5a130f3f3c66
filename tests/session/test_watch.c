/* Training in a thread of its own: what the watching thread sees, and that nothing else is shared
 * (make tsan runs this while the two work at once). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/training/watch.h"
#include "data/models/snapshots.h"
#include "data/tasks/examples.h"
#include "model/network/transformer.h"

enum { STEPS = 60 };

static char test_folder[64];
static char model_path[128], run_path[128];

static int make_folder(void **state) {
    (void)state;
    snprintf(test_folder, sizeof test_folder, "/tmp/headscope-test-XXXXXX");
    if (!mkdtemp(test_folder)) return -1;
    snprintf(model_path, sizeof model_path, "%s/m.safetensors", test_folder);
    snprintf(run_path, sizeof run_path, "%s/m.safetensors.run", test_folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"m.safetensors", "m.safetensors.run",
                                        "m.snapshots.safetensors", "m.safetensors.run.snapshots"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", test_folder, names[i]);
        unlink(path);
    }
    return rmdir(test_folder);
}

static TrainingCall tiny_call(int steps) {
    TrainingCall call = training_call_default(task_find("copy"));
    call.config.width = 16;
    call.config.heads = 2;
    call.config.encoder_layers = call.config.decoder_layers = 1;
    call.config.ffn_width = 32;
    call.options.batch = 8;
    call.options.steps = steps;
    call.threads = 2;
    call.every = 20;
    return call;
}

static Watch *start(const WatchOptions *options) {
    Error error = {0};
    Watch *watch = watch_start(options, &error);
    if (!watch) fail_msg("%s", error.text);
    return watch;
}

/* Between two frames. The bound is far above what any run here takes. */
static void wait_a_little(int *waited) {
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
    if (++*waited > 120000) fail_msg("the run does not end");
}

/* Polls until the run is no more running, or has done `step` steps. */
static void wait_for(Watch *watch, WatchNews *news, int step) {
    int waited = 0;
    do {
        while (!watch_poll(watch, news))
            wait_a_little(&waited);
    } while (news->state == WATCH_RUNNING && news->step < step);
}

static Params params_for(const Model *model) {
    Params params;
    Error error = {0};
    if (!params_make(&params, &model->config, &error)) fail_msg("%s", error.text);
    return params;
}

/* --- what is told ----------------------------------------------------------------------------- */

static void count_wake(void *context) {
    atomic_fetch_add((atomic_int *)context, 1);
}

static void test_news_of_a_whole_run(void **state) {
    (void)state;
    static WatchNews news; /* large */
    atomic_int wakes = 0;
    WatchOptions options = {
        .training = tiny_call(STEPS), .wake = count_wake, .wake_context = &wakes};
    Watch *watch = start(&options);
    assert_string_equal(watch_model(watch)->task, "copy");
    assert_true(watch_model(watch)->config.source_vocab > 3);
    wait_for(watch, &news, INT32_MAX);
    assert_int_equal(news.state, WATCH_DONE);
    assert_int_equal(news.step, STEPS);
    assert_int_equal(news.steps, STEPS);
    assert_int_equal(news.losses.count, STEPS);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(news.losses.points[i].step, i + 1);
        assert_true(news.losses.points[i].value > 0);
    }
    assert_true((float)news.loss == news.losses.points[STEPS - 1].value);
    assert_int_equal(news.exacts.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(news.exacts.points[i].step, 20 * (i + 1));
    assert_true(news.exact >= 0 && news.exact <= 1);
    assert_true(news.rate > 0);
    assert_true(news.seconds > 0);
    /* Before the first step, at three tests and at the end, at least. */
    assert_true(atomic_load(&wakes) >= 5);
    assert_false(watch_poll(watch, &news));
    watch_free(watch);
}

static void test_the_last_parameters_are_the_model(void **state) {
    (void)state;
    static WatchNews news;
    WatchOptions options = {.training = tiny_call(STEPS)};
    options.training.path = model_path;
    options.training.snapshots = 4;
    Watch *watch = start(&options);
    Params params = params_for(watch_model(watch));
    wait_for(watch, &news, INT32_MAX);
    if (news.state != WATCH_DONE) fail_msg("%s", news.error.text);
    int step = 0;
    assert_true(watch_take_params(watch, &params, &step));
    assert_int_equal(step, STEPS);
    assert_false(watch_take_params(watch, &params, &step));

    Model model;
    Snapshots snapshots;
    Error error = {0};
    if (!model_open(&model, model_path, &error)) fail_msg("%s", error.text);
    size_t size = (size_t)params.count * sizeof *params.block;
    assert_int_equal(model.params.count, params.count);
    assert_memory_equal(model.params.block, params.block, size);
    char *path = snapshots_path(model_path);
    if (!snapshots_open(&snapshots, path, &model, &error)) fail_msg("%s", error.text);
    free(path);
    snapshots_params(&snapshots, 3, &model.params);
    assert_memory_equal(model.params.block, params.block, size);
    /* The step before the first is told as well, and tested, since it is a snapshot. */
    assert_int_equal(news.exacts.points[0].step, 0);
    snapshots_free(&snapshots);
    model_free(&model);
    params_free(&params);
    watch_free(watch);
}

/* --- ends ------------------------------------------------------------------------------------- */

static void test_a_stopped_run_goes_on(void **state) {
    (void)state;
    static WatchNews news;
    WatchOptions options = {.training = tiny_call(100000)};
    options.training.path = model_path;
    Watch *watch = start(&options);
    Params params = params_for(watch_model(watch)), resumed = params_for(watch_model(watch));
    wait_for(watch, &news, 3);
    watch_stop(watch);
    wait_for(watch, &news, INT32_MAX);
    assert_int_equal(news.state, WATCH_STOPPED);
    assert_true(news.step >= 3 && news.step < 100000);
    int step = 0, first = 0;
    assert_true(watch_take_params(watch, &params, &step));
    assert_int_equal(step, news.step);
    watch_free(watch);
    assert_int_equal(access(run_path, F_OK), 0);
    assert_int_not_equal(access(model_path, F_OK), 0);

    options.training.resume = true;
    options.training.config = config_default(); /* the run keeps its own */
    watch = start(&options);
    assert_int_equal(watch_model(watch)->config.width, 16);
    int waited = 0;
    while (!watch_take_params(watch, &resumed, &first))
        wait_a_little(&waited);
    assert_true(first >= step);
    if (first == step)
        assert_memory_equal(resumed.block, params.block,
                            (size_t)params.count * sizeof *params.block);
    watch_free(watch);
    params_free(&params);
    params_free(&resumed);
}

static void test_failures(void **state) {
    (void)state;
    static WatchNews news;
    Error error = {0};
    WatchOptions options = {.training = tiny_call(STEPS)};
    options.training.config.heads = 3;
    assert_null(watch_start(&options, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, "heads"));

    options.training = tiny_call(STEPS);
    options.training.path = model_path;
    options.training.resume = true;
    assert_null(watch_start(&options, &error));
    assert_non_null(strstr(error.text, "nothing to resume"));

    options.training.resume = false;
    options.training.path = "/no/such/folder/m.safetensors";
    Watch *watch = start(&options);
    wait_for(watch, &news, INT32_MAX);
    assert_int_equal(news.state, WATCH_FAILED);
    assert_non_null(strstr(news.error.text, "/no/such/folder"));
    watch_free(watch);

    /* An infinite loss in the middle of a run. */
    options.training = tiny_call(STEPS);
    options.training.options.learning_rate = 1e30;
    options.training.options.warmup = 0;
    options.training.options.clip = 0;
    watch = start(&options);
    wait_for(watch, &news, INT32_MAX);
    assert_int_equal(news.state, WATCH_FAILED);
    assert_non_null(strstr(news.error.text, "the loss is"));
    watch_free(watch);
    watch_free(NULL);
}

/* --- both at once ----------------------------------------------------------------------------- */

/* Runs forward passes on the newest parameters, as a window does while heads form; what it computes
 * is compared with the same pass when all is over, alone. */
static void test_training_and_looking_at_once(void **state) {
    (void)state;
    static WatchNews news;
    Error error = {0};
    WatchOptions options = {.training = tiny_call(400)};
    Watch *watch = start(&options);
    const Model *model = watch_model(watch);
    Params params = params_for(model), kept = params_for(model);
    Batch batch = {0};
    Workspace workspace = {0};
    TaskExample example = {.source = "15", .target = "15"};
    if (!examples_to_batch(&batch, &example, 1, &model->config, &model->source_vocab,
                           &model->target_vocab, &error) ||
        !workspace_fit(&workspace, &model->config, 1, batch.source_len, batch.target_len, false,
                       &error))
        fail_msg("%s", error.text);
    int looks = 0, last = -1, step = 0, waited = 0;
    size_t count = (size_t)batch.target_len * (size_t)model->config.target_vocab;
    real *logits = malloc(count * sizeof *logits);
    bool running;
    do {
        wait_a_little(&waited);
        watch_poll(watch, &news);
        running = news.state == WATCH_RUNNING;
        if (!watch_take_params(watch, &params, &step)) continue;
        assert_true(step > last);
        last = step;
        transformer_forward(&workspace, &params, &batch, (ForwardOptions){0});
        if (looks++ == 0) {
            memcpy(kept.block, params.block, (size_t)params.count * sizeof *params.block);
            memcpy(logits, workspace.logits, count * sizeof *logits);
        }
    } while (running);
    assert_int_equal(news.state, WATCH_DONE);
    assert_true(looks >= 1);
    assert_int_equal(last, 400);
    transformer_forward(&workspace, &kept, &batch, (ForwardOptions){0});
    assert_memory_equal(logits, workspace.logits, count * sizeof *logits);
    free(logits);
    workspace_free(&workspace);
    batch_free(&batch);
    params_free(&params);
    params_free(&kept);
    watch_free(watch);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_news_of_a_whole_run),
        IN_FOLDER(test_the_last_parameters_are_the_model),
        IN_FOLDER(test_a_stopped_run_goes_on),
        IN_FOLDER(test_failures),
        cmocka_unit_test(test_training_and_looking_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
