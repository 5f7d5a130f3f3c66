/* Many sources through a model: the outputs do not depend on how many threads share them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "app/pass/texts.h"
#include "tests/session/helper_session.h"

enum { SOURCES = 200 }; /* several chunks of work */

static void test_threads_do_not_change_outputs(void **state) {
    (void)state;
    char texts[SOURCES][12];
    const char *sources[SOURCES];
    for (int i = 0; i < SOURCES; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i * i * i);
        sources[i] = texts[i];
    }
    Model model = helper_model((HelperModel){0});
    Decoded alone[SOURCES], shared[SOURCES];
    Error error = {0};
    if (!texts_decode(alone, &model, sources, SOURCES, 1, 1, &error) ||
        !texts_decode(shared, &model, sources, SOURCES, 1, 4, &error))
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
