/* Many sources through a model: the outputs do not depend on how many threads share them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "app/outputs.h"
#include "data/task.h"

enum { SOURCES = 200 }; /* several chunks of work */

/* The task copy's network at width 8, with the parameters it starts with. */
static Model tiny_model(void) {
    Model model = {.config = config_default()};
    Error error = {0};
    const Task *task = task_find("copy");
    if (!vocab_from_characters(&model.source_vocab, task->source_characters, &error) ||
        !vocab_from_characters(&model.target_vocab, task->target_characters, &error))
        fail_msg("%s", error.text);
    model.config.width = 8;
    model.config.heads = 2;
    model.config.ffn_width = 16;
    model.config.max_source = task->max_source + 1;
    model.config.max_target = task->max_target + 1;
    model.config.source_vocab = model.source_vocab.size;
    model.config.target_vocab = model.target_vocab.size;
    if (!params_make(&model.params, &model.config, &error)) fail_msg("%s", error.text);
    params_init(&model.params, &model.config, 7);
    return model;
}

static void test_threads_do_not_change_outputs(void **state) {
    (void)state;
    char texts[SOURCES][12];
    const char *sources[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i * i * i);
        sources[i] = texts[i];
    }
    Model model = tiny_model();
    Decoded alone[SOURCES], shared[SOURCES];
    Error error = {0};
    if (!outputs_make(alone, &model, sources, SOURCES, 1, 1, &error) ||
        !outputs_make(shared, &model, sources, SOURCES, 1, 4, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < SOURCES; i++) {
        assert_int_equal(alone[i].length, shared[i].length);
        assert_memory_equal(alone[i].tokens, shared[i].tokens,
                            (size_t)alone[i].length * sizeof *alone[i].tokens);
    }
    decoded_free(alone, SOURCES);
    decoded_free(shared, SOURCES);
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_do_not_change_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
