#include "tests/session/helper_session.h"
#include "app/session/verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/rng.h"

static bool move(void *context, const ParamInfo *info, real **tensor) {
    for (long i = 0; !info->held_at_zero && i < param_size(info); i++)
        (*tensor)[i] += (real)(0.8 * rng_uniform(context) - 0.4);
    return true;
}

Model helper_model(HelperModel wish) {
    Model model = {.config = config_default()};
    Error error = {0};
    const char *characters =
        wish.characters ? wish.characters : "abcdefghijklmnopqrstuvwxyz0123456789";
    if (!vocab_from_characters(&model.source_vocab, characters, &error) ||
        !vocab_from_characters(&model.target_vocab, characters, &error))
        fail_msg("%s", error.text);
    if (wish.task) snprintf(model.task, sizeof model.task, "%s", wish.task);
    Config *config = &model.config;
    int layers = wish.layers ? wish.layers : 2, longest = wish.longest ? wish.longest : 16;
    config->width = 8;
    config->heads = 2;
    config->ffn_width = 16;
    config->encoder_layers = config->decoder_layers = layers;
    config->max_source = config->max_target = longest + 1;
    config->source_vocab = config->target_vocab = model.source_vocab.size;
    if (!config_check(config, &error) || !params_make(&model.params, config, &error))
        fail_msg("%s", error.text);
    params_init(&model.params, config, 7 + wish.seed);
    Rng rng = rng_make(7 + wish.seed, 1000);
    params_place(&model.params, config, move, &rng);
    return model;
}

Session *helper_session(HelperModel wish) {
    Model model = helper_model(wish);
    Error error = {0};
    Session *session = session_make(&model, "", &error);
    if (!session) fail_msg("%s", error.text);
    return session;
}

const Pass *helper_session_pass(Session *session) {
    session_refresh(session);
    return session_pass(session);
}

void helper_apply(Session *session, const char *actions) {
    Error error = {0};
    if (!session_apply_text(session, actions, &error)) fail_msg("%s: %s", actions, error.text);
}

bool helper_drag(Session *session, const char *text, Error *error) {
    enum { MAX = 32 };
    static ActionText said[MAX];
    Action actions[MAX];
    bool good = true, end = false;
    int count = 0;
    while (good && !end && count < MAX) {
        good = action_next(&text, &said[count], error);
        end = good && !said[count].verb[0];
        if (!good || end) break;
        VerbId verb = verb_find(said[count].verb);
        good = verb ? verb_read(session, verb, &said[count], &actions[count], error)
                    : error_usage(error, "%s: no verb", said[count].verb);
        count++;
    }
    good = good && session_drag(session, actions, count, error);
    for (int i = 0; i < MAX; i++)
        action_free(&said[i]);
    return good;
}

void helper_refuse(Session *session, const char *actions, const char *named) {
    Error error = {0};
    char *before = session_recipe(session);
    if (session_apply_text(session, actions, &error)) fail_msg("it was done: %s", actions);
    assert_int_equal(error.kind, ERROR_USAGE);
    if (!strstr(error.text, named) || strchr(error.text, '\n'))
        fail_msg("%s: the message does not name %s: %s", actions, named, error.text);
    helper_recipe_is(session, before);
    free(before);
}

void helper_recipe_is(Session *session, const char *recipe) {
    char *now = session_recipe(session);
    assert_non_null(now);
    assert_string_equal(now, recipe);
    free(now);
}

void helper_steps(const HelperStep *steps, size_t count) {
    for (size_t i = 0; i < count; i++) {
        Session *session = helper_session((HelperModel){0});
        char *first = session_recipe(session);
        helper_apply(session, steps[i].actions);
        char *now = session_recipe(session);
        if (strcmp(now, steps[i].wanted) != 0)
            fail_msg("after \"%s\":\n%s\nand not\n%s", steps[i].actions, now, steps[i].wanted);
        helper_apply(session, "hover off");
        helper_apply(session, "undo");
        helper_recipe_is(session, first);
        free(first);
        free(now);
        session_free(session);
    }
}

void helper_refusals(const HelperStep *refused, size_t count) {
    Session *session = helper_session((HelperModel){0});
    for (size_t i = 0; i < count; i++) {
        char actions[160];
        helper_refuse(session, refused[i].actions, refused[i].wanted);
        snprintf(actions, sizeof actions, "input xyz; ablate; %s; lines", refused[i].actions);
        helper_refuse(session, actions, refused[i].wanted);
    }
    session_free(session);
}
