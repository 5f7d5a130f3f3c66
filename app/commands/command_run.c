#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/lines.h"
#include "app/cli/trap_option.h"
#include "app/commands/commands.h"
#include "app/pass/texts.h"

typedef struct RunOptions {
    const Model *model;
    int beam, threads;
    bool json;
} RunOptions;

/* One JSON object a line: input, output, tokens with their log-probabilities, and their sum. */
static bool print_json(const RunOptions *run, const char *source, const char *text,
                       const Decoded *decoded, Error *error) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "input", source);
    cJSON_AddStringToObject(object, "output", text);
    cJSON *tokens = cJSON_AddArrayToObject(object, "tokens");
    cJSON *log_probs = cJSON_AddArrayToObject(object, "log_probs");
    double sum = 0;
    for (int i = 0; i < decoded->length; i++) {
        const char *token = run->model->target_vocab.tokens[decoded->tokens[i]];
        cJSON_AddItemToArray(tokens, cJSON_CreateString(token));
        cJSON_AddItemToArray(log_probs, cJSON_CreateNumber(decoded->log_probs[i]));
        sum += decoded->log_probs[i];
    }
    cJSON_AddNumberToObject(object, "log_prob", sum);
    char *line = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!line) return error_set(error, "out of memory");
    puts(line);
    cJSON_free(line);
    return true;
}

/* An output is one line, whatever its tokens hold. */
static void print_line(const char *text) {
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            printf("\\x%02x", (unsigned)*text);
        else
            putchar(*text);
    putchar('\n');
}

static bool run_sources(const RunOptions *run, const char *const *sources, int count,
                        Error *error) {
    Decoded *decoded = calloc((size_t)count + 1, sizeof *decoded);
    if (!decoded) return error_set(error, "out of memory for %d inputs", count);
    bool done = texts_decode(decoded, run->model, sources, count, run->beam, run->threads, error);
    for (int i = 0; done && i < count; i++) {
        if (texts_not_numbers(&decoded[i], 1)) {
            error_set(error,
                      "the model's output for \"%s\" is not a number (NaN); its weights are "
                      "too large",
                      sources[i]);
            done = false;
            break;
        }
        char *text = vocab_decode(&run->model->target_vocab, decoded[i].tokens, decoded[i].length);
        done = text ? true : error_set(error, "out of memory");
        if (done && run->json)
            done = print_json(run, sources[i], text, &decoded[i], error);
        else if (done)
            print_line(text);
        free(text);
    }
    decoded_free(decoded, count);
    free(decoded);
    return done;
}

/* Answers each line before reading the next, so that it works interactively. */
static bool run_lines(const RunOptions *run, Error *error) {
    Lines lines = {.stream = stdin};
    const char *line;
    bool done = true;
    while (done && (done = lines_next(&lines, &line, error)) && line) {
        done = run_sources(run, &line, 1, error) || error_prefix(error, "line %ld", lines.number);
        if (fflush(stdout) != 0) break; /* the reader has exited: main reports it */
    }
    lines_free(&lines);
    return done;
}

bool command_run(const Command *command, int argc, char **argv, Error *error) {
    TextList inputs = {0};
    const char *trap = NULL;
    RunOptions run = {.beam = 1, .threads = default_threads()};
    Option options[] = {
        {"--input", OPTION_TEXTS, &inputs, "TEXT",
         "an input; may be given several times (else standard input, line by line)", 0, 0, false},
        {"--beam", OPTION_INT, &run.beam, "N",
         "beam search with N targets, ranked by log-probability / length^0.75 (tokens, </s> "
         "included); 1: greedy",
         1, 256, false},
        {"--trap", OPTION_TEXT, &trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {"--json", OPTION_FLAG, &run.json, NULL, "a JSON object a line, with log-probabilities", 0,
         0, false},
        {"--threads", OPTION_THREADS, &run.threads, "N", "threads", 1, 64, false},
        {0},
    };
    const char *path;
    ParseResult parsed = options_parse(command, options, &path, 1, 1, argc, argv, error);
    Model model = {0};
    bool done = parsed == PARSE_HELP;
    if (parsed == PARSE_DONE && model_open(&model, path, error) &&
        trap_option_apply(&model.config, trap, error)) {
        run.model = &model;
        done = inputs.count ? run_sources(&run, inputs.texts, inputs.count, error)
                            : run_lines(&run, error);
    }
    model_free(&model);
    free(inputs.texts);
    return done;
}
