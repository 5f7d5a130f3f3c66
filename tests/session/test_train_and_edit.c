/* A run trains in its thread while a session on its model is edited, drawn, and runs the model on a
 * third thread: as the window does it all at once. What it is for is `make tsan`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/training/watch.h"
#include "tests/session/helper_screen.h"
#include "tests/session/helper_session.h"

enum { STEPS = 120, FRAMES_LEAST = 30 };

/* The session of a run, with the weights that it begins with; as the window makes it. */
static Session *session_of(const TrainingCall *call) {
    Error error = {0};
    Model model = {0};
    if (!training_model(&model, call, &error) || !params_make(&model.params, &model.config, &error))
        fail_msg("%s", error.text);
    params_init(&model.params, &model.config, call->options.seed);
    Session *session = session_make(&model, "", &error);
    if (!session) fail_msg("%s", error.text);
    return session;
}

static TrainingCall small_call(void) {
    TrainingCall call = training_call_default(task_find("copy"));
    call.config.width = 16;
    call.config.heads = 2;
    call.config.encoder_layers = call.config.decoder_layers = 1;
    call.config.ffn_width = 32;
    call.options.batch = 8;
    call.options.steps = STEPS;
    call.threads = 2;
    call.every = 20;
    return call;
}

static void draw(Session *session) {
    Error error = {0};
    const Screen *screen = screen_build(session, &(ScreenExtra){.editing = -1}, &error);
    if (!screen) fail_msg("%s", error.text);
    helper_check_screen(screen);
}

static void *run(void *work) {
    session_work_run(work);
    return NULL;
}

/* A frame: an action while the model may run elsewhere, then what has come in the meantime. */
static void frame(Session *session, Watch *watch, Params *params, const char *actions) {
    pthread_t thread;
    int step;
    SessionWork *work = session_work_begin(session);
    if (work) assert_int_equal(pthread_create(&thread, NULL, run, work), 0);
    helper_apply(session, actions);
    draw(session);
    if (work) assert_int_equal(pthread_join(thread, NULL), 0);
    if (work) session_work_end(session, work);
    if (watch_take_params(watch, params, &step)) session_take_params(session, params->block);
    draw(session);
}

static void test_training_and_editing_at_once(void **state) {
    (void)state;
    static const char *const actions[] = {"input ab12; page train",
                                          "ablate cross.0.0",
                                          "step 1; focus on",
                                          "page compare; against plain",
                                          "companion xyz; against input b",
                                          "enc_len 1; difference on",
                                          "companion off; restore all; enc_len auto",
                                          "undo"};
    enum { ACTIONS = sizeof actions / sizeof actions[0] };
    static WatchNews news; /* large */
    Error error = {0};
    struct timespec pause = {0, 1000000};
    WatchOptions options = {.training = small_call()};
    Session *session = session_of(&options.training);
    Watch *watch = watch_start(&options, &error);
    if (!watch) fail_msg("%s", error.text);
    Params params = {0};
    int step, frames = 0;
    session_refresh(session); /* the first pass is the session's own */
    if (!params_make(&params, &watch_model(watch)->config, &error)) fail_msg("%s", error.text);
    do {
        frame(session, watch, &params, actions[frames++ % ACTIONS]);
        watch_poll(watch, &news);
        nanosleep(&pause, NULL);
    } while (news.state == WATCH_RUNNING || frames < FRAMES_LEAST);
    assert_int_equal(news.state, WATCH_DONE);
    /* In the end the session has the weights of the last step. */
    if (watch_take_params(watch, &params, &step)) session_take_params(session, params.block);
    assert_memory_equal(session_model(session)->params.block, params.block,
                        (size_t)params.count * sizeof *params.block);
    draw(session);
    params_free(&params);
    watch_free(watch);
    session_free(session);
}

/* A model gets the name of its file when it is saved, and loses it with other weights. */
static void test_a_saved_model_has_a_name(void **state) {
    (void)state;
    TrainingCall call = small_call();
    Session *session = session_of(&call);
    Error error = {0};
    const Model *model = session_model(session);
    assert_string_equal(session_path(session), "");
    assert_true(session_name(session, "/a/b.safetensors", "0123", &error));
    assert_string_equal(session_path(session), "/a/b.safetensors");
    assert_string_equal(model->hash, "0123");
    size_t size = (size_t)model->params.count * sizeof *model->params.block;
    real *block = malloc(size);
    assert_non_null(block);
    memcpy(block, model->params.block, size);
    session_take_params(session, block);
    assert_string_equal(session_path(session), "");
    assert_string_equal(model->hash, "");
    free(block);
    session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_training_and_editing_at_once),
                                       cmocka_unit_test(test_a_saved_model_has_a_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
