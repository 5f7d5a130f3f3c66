/* Mistakes in a config: they come back from JSON as they were, and are not there where none is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/models/config_json.h"
#include "model/base/rng.h"

static AttentionMistakes any_mistakes(Rng *rng) {
    AttentionMistakes mistakes = {.mask_value = -(double)rng_below(rng, 1000) / 8};
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++) {
        int words = 0;
        while (field->words && field->words[words])
            words++;
        int value = words ? (int)rng_below(rng, (uint32_t)words) : 0;
        if (words) memcpy((char *)&mistakes + field->offset, &value, sizeof value);
    }
    return mistakes;
}

static void test_mistakes_come_back(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    Error error = {0};
    for (int round = 0; round < 200; round++) {
        Config config = config_default(), read;
        for (int site = 0; site < SITE_COUNT; site++)
            if (rng_below(&rng, 2)) config.mistakes[site] = any_mistakes(&rng);
        char *text = config_to_json(&config);
        if (!config_from_json(&read, text, &error)) fail_msg("%s", error.text);
        assert_int_equal(strstr(text, "mistakes") != NULL, config_mistaken(&config));
        for (int site = 0; site < SITE_COUNT; site++)
            if (attention_mistaken(config.mistakes[site]))
                assert_true(attention_mistakes_equal(config.mistakes[site], read.mistakes[site]));
            else
                assert_false(attention_mistaken(read.mistakes[site]));
        free(text);
    }
}

static void assert_refused(const char *mistakes) {
    Config config = config_default();
    Error error = {0};
    char *plain = config_to_json(&config), text[1024];
    snprintf(text, sizeof text, "%.*s,\"mistakes\":%s}", (int)strlen(plain) - 1, plain, mistakes);
    assert_false(config_from_json(&config, text, &error));
    assert_string_equal(error.text, "config: mistakes has a value of the wrong kind");
    free(plain);
}

static void test_what_no_mistake_is(void **state) {
    (void)state;
    assert_refused("3");
    assert_refused("[3]");
    assert_refused("[{\"lengths\":\"tiled\"}]");
    assert_refused("{\"cross\":[\"tiled\"]}");
    assert_refused("{\"nowhere\":{}}");
    assert_refused("{\"cross\":3}");
    assert_refused("{\"cross\":{\"lengths\":\"doubled\"}}");
    assert_refused("{\"cross\":{\"length\":\"tiled\"}}");
    assert_refused("{\"cross\":{\"split\":1}}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes_come_back),
        cmocka_unit_test(test_what_no_mistake_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
