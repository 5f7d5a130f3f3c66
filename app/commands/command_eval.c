#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/cli/trap_option.h"
#include "app/commands/commands.h"
#include "app/pass/texts.h"

static bool print_json(const Score *score, Error *error) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "exact_match", (double)score->exact / score->examples);
    cJSON_AddNumberToObject(object, "token_accuracy",
                            (double)score->right_tokens / (double)score->tokens);
    cJSON_AddNumberToObject(object, "examples", score->examples);
    char *text = cJSON_Print(object);
    cJSON_Delete(object);
    if (!text) return error_set(error, "out of memory");
    puts(text);
    cJSON_free(text);
    return true;
}

static bool eval_model(const Model *model, const char *path, int count, int threads, bool json,
                       Error *error) {
    int found;
    TaskExample *examples =
        texts_held_out(model, path, "there is nothing to test it on", count, &found, error);
    if (!examples) return false;
    Score score;
    bool scored = texts_score(&score, model, examples, found, threads, error);
    free(examples);
    if (!scored) return error_prefix(error, "%s", path);
    if (score.not_numbers)
        fprintf(stderr,
                "headscope: %s: %d of %d outputs are not numbers (NaN); the model's weights are "
                "too large\n",
                path, score.not_numbers, score.examples);
    if (json) return print_json(&score, error);
    if (config_mistaken(&model->config))
        printf("attention       with the trap %s\n", trap_option_name(&model->config));
    printf("exact match     %.2f %%  (%d of %d held-out examples)\n",
           100.0 * score.exact / score.examples, score.exact, score.examples);
    printf("token accuracy  %.2f %%  (%ld of %ld)\n",
           100.0 * (double)score.right_tokens / (double)score.tokens, score.right_tokens,
           score.tokens);
    return true;
}

bool command_eval(const Command *command, int argc, char **argv, Error *error) {
    int count = 2000, threads = default_threads();
    bool json = false;
    const char *trap = NULL;
    Option options[] = {
        {"--count", OPTION_INT, &count, "N", "held-out examples", 1, 1000000, false},
        {"--json", OPTION_FLAG, &json, NULL,
         "exact_match, token_accuracy (of what it writes by itself), examples", 0, 0, false},
        {"--trap", OPTION_TEXT, &trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {"--threads", OPTION_THREADS, &threads, "N", "threads", 1, 64, false},
        {0},
    };
    const char *path;
    ParseResult parsed = options_parse(command, options, &path, 1, 1, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    Model model;
    if (!model_open(&model, path, error)) return false;
    bool done = trap_option_apply(&model.config, trap, error) &&
                eval_model(&model, path, count, threads, json, error);
    model_free(&model);
    return done;
}
