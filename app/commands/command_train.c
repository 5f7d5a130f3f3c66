#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/trap_option.h"
#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/training/training.h"
#include "app/window/window.h"

/* Set by SIGINT, SIGTERM and SIGHUP: the run ends after the current step. */
static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number) {
    stop_requested = 1;
    /* A second Ctrl-C ends the program at once; the last save is complete. A closed terminal may
     * send several SIGHUPs, which must not. */
    if (signal_number != SIGHUP) signal(signal_number, SIG_DFL);
}

static void install_signal_handlers(void) {
    struct sigaction action = {.sa_handler = request_stop}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    bool ignored = sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(SIGHUP, &action, NULL); /* nohup ignores it */
    /* Training continues if the reader of the progress exits. */
    signal(SIGPIPE, SIG_IGN);
}

static const Task *wanted_task(const char *name, Error *error) {
    const Task *task = task_find(name);
    if (task) return task;
    char list[128] = "";
    for (int i = 0; tasks_all[i]; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 tasks_all[i]->name);
    error_usage(error, "%s: no such task; there are %s", name, list);
    return NULL;
}

/* ERROR_USAGE if an option is given that only a new run may set. */
static bool nothing_but_resume(const Option *options, Error *error) {
    static const char *const allowed[] = {"-o", "--resume", "--log", "--threads", "--every", NULL};
    for (const Option *option = options; option->name; option++) {
        bool fine = !option->given;
        for (int i = 0; allowed[i]; i++)
            fine = fine || strcmp(option->name, allowed[i]) == 0;
        if (!fine)
            return error_usage(error, "%s cannot be changed with --resume: the run keeps its own",
                               option->name);
    }
    return true;
}

static bool given(const Option *options, const char *name) {
    for (const Option *option = options; option->name; option++)
        if (strcmp(option->name, name) == 0) return option->given;
    return false;
}

static bool read_activation(const char *word, Activation *activation, Error *error) {
    *activation = strcmp(word, "gelu") == 0 ? ACTIVATION_GELU : ACTIVATION_RELU;
    return *activation == ACTIVATION_GELU || strcmp(word, "relu") == 0 ||
           error_usage(error, "--activation %s: it takes relu or gelu", word);
}

static bool read_norm(const char *word, bool *pre_norm, Error *error) {
    *pre_norm = strcmp(word, "pre") == 0;
    return *pre_norm || strcmp(word, "post") == 0 ||
           error_usage(error, "--norm %s: it takes post or pre", word);
}

/* Fills in the task's defaults and checks all options. */
static bool complete(TrainingCall *call, const Option *options, const char *task_name,
                     const char *norm, const char *activation, Error *error) {
    call->task = wanted_task(task_name, error);
    if (!call->task) return false;
    if (call->resume && !nothing_but_resume(options, error)) return false;
    if (!read_norm(norm, &call->config.pre_norm, error) ||
        !read_activation(activation, &call->config.activation, error))
        return false;
    if (!given(options, "--final-norm")) call->config.final_norm = call->config.pre_norm;
    if (!given(options, "--ffn-width")) call->config.ffn_width = 4 * call->config.width;
    if (!given(options, "--steps")) call->options.steps = call->task->steps;
    if (!given(options, "--learning-rate")) call->options.learning_rate = call->task->learning_rate;
    return train_options_check(&call->options, error);
}

/* Runs the training in a window; without a path the model is not saved. */
static bool watch(TrainingCall *call, bool every_given, Error *error) {
    enum { TESTS = 40, TESTS_MIN = 25 };
    if (!training_possible(call, error)) return false; /* said here, and no window opened */
    Kept kept;
    kept_read(&kept);
    if (call->threads > 1 && call->threads == default_threads()) call->threads--; /* the window's */
    if (!every_given) call->every = call->options.steps / TESTS;
    if (call->every < TESTS_MIN && !every_given) call->every = TESTS_MIN;
    call->quiet = true;
    WindowCall window = {.settings = &kept.settings,
                         .stored = &kept.stored,
                         .problem = kept.problem.text[0] ? kept.problem.text : NULL,
                         .settings_path = kept.settings_path,
                         .command = call->command,
                         .train = call};
    bool done = window_run(&window, error);
    kept_free(&kept);
    return done;
}

static bool train(const Command *command, const char *typed, int argc, char **argv, Error *error) {
    TrainingCall call = {.config = config_default(),
                         .options = train_options_default(),
                         .threads = default_threads(),
                         .every = 250,
                         .command = typed,
                         .stop = &stop_requested};
    Config *config = &call.config;
    TrainOptions *train = &call.options;
    config->ffn_width = train->steps = -1; /* shown without a default: they follow from others */
    train->learning_rate = NAN;
    const char *norm = "post", *activation = "relu", *trap = NULL;
    bool dry_run = false, watched = false;
    Option options[] = {
        {"-o", OPTION_TEXT, &call.path, "FILE", "the model to write", 0, 0, false},
        {"--steps", OPTION_INT, &train->steps, "N", "optimiser steps [by task]", 1, 1e8, false},
        {"--batch", OPTION_INT, &train->batch, "N", "examples a step", 1, 100000, false},
        {"--seed", OPTION_SEED, &train->seed, "N", "of parameters, examples and dropout", 0, 0,
         false},
        {"--width", OPTION_INT, &config->width, "N", "W, num_hiddens", 1, 4096, false},
        {"--heads", OPTION_INT, &config->heads, "N", "heads; they divide the width", 1, 256, false},
        {"--encoder-layers", OPTION_INT, &config->encoder_layers, "N", "encoder blocks", 1, 64,
         false},
        {"--decoder-layers", OPTION_INT, &config->decoder_layers, "N", "decoder blocks", 1, 64,
         false},
        {"--ffn-width", OPTION_INT, &config->ffn_width, "N", "feed-forward width [4 x width]", 1,
         16384, false},
        {"--norm", OPTION_TEXT, &norm, "post|pre", "layer norm after or before a sublayer", 0, 0,
         false},
        {"--final-norm", OPTION_SWITCH, &config->final_norm, "on|off",
         "norm after each stack; on with --norm pre", 0, 0, false},
        {"--attention-bias", OPTION_SWITCH, &config->attention_bias, "on|off",
         "biases in the attention's projections", 0, 0, false},
        {"--activation", OPTION_TEXT, &activation, "relu|gelu", "of the feed-forward network", 0, 0,
         false},
        {"--dropout", OPTION_NUMBER, &config->dropout, "P", "dropout while training", 0, 0, false},
        {"--max-source", OPTION_INT, &config->max_source, "N", "longest source (0: the task's)", 0,
         4096, false},
        {"--max-target", OPTION_INT, &config->max_target, "N", "longest target (0: the task's)", 0,
         4096, false},
        {"--learning-rate", OPTION_NUMBER, &train->learning_rate, "R", "at its peak [by task]", 0,
         0, false},
        {"--warmup", OPTION_INT, &train->warmup, "N", "steps of rising rate; then a cosine to 0", 0,
         1e8, false},
        {"--clip", OPTION_NUMBER, &train->clip, "X", "largest gradient norm; 0: none", 0, 0, false},
        {"--label-smoothing", OPTION_NUMBER, &train->label_smoothing, "P", "label smoothing", 0, 0,
         false},
        {"--trap", OPTION_TEXT, &trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {"--every", OPTION_INT, &call.every, "N", "steps between tests and saves", 1, 1e8, false},
        {"--log", OPTION_TEXT, &call.log_path, "FILE.csv", "a line a step", 0, 0, false},
        {"--snapshots", OPTION_INT, &call.snapshots, "N",
         "weights to keep on the way, in a file beside the model", 2, 999, false},
        {"--resume", OPTION_FLAG, &call.resume, NULL, "go on with the interrupted run of FILE", 0,
         0, false},
        {"--watch", OPTION_FLAG, &watched, NULL,
         "open a window on the run, with the heads as they form; -o may be left out", 0, 0, false},
        {"--dry-run", OPTION_FLAG, &dry_run, NULL,
         "print parameters, memory and how many threads help; train nothing", 0, 0, false},
        {"--threads", OPTION_THREADS, &call.threads, "N",
         "threads, of which at most 16 help; the result does not depend on them", 1, 64, false},
        {0},
    };
    const char *task_name;
    ParseResult parsed = options_parse(command, options, &task_name, 1, 1, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    if (!complete(&call, options, task_name, norm, activation, error) ||
        !trap_option_apply(config, trap, error))
        return false;
    if (dry_run) return training_print_size(&call, error);
    if (watched && call.resume)
        return error_usage(error, "--watch opens on a new run: leave out --resume, or --watch");
    if (watched) return watch(&call, given(options, "--every"), error);
    if (!call.path)
        return error_usage(error, "say where to save the model: -o %s.safetensors", task_name);
    install_signal_handlers();
    return training_run(&call, NULL, error);
}

bool command_train(const Command *command, int argc, char **argv, Error *error) {
    Option files[] = {{"-o", OPTION_TEXT, NULL, "FILE", "", 0, 0, false},
                      {"--log", OPTION_TEXT, NULL, "FILE", "", 0, 0, false},
                      {0}};
    char *typed = command_text("headscope train", files, argc, argv);
    bool done =
        typed ? train(command, typed, argc, argv, error) : error_set(error, "out of memory");
    free(typed);
    return done;
}

bool command_tasks(const Command *command, int argc, char **argv, Error *error) {
    Option options[] = {{0}};
    ParseResult parsed = options_parse(command, options, NULL, 0, 0, argc, argv, error);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP;
    for (int i = 0; tasks_all[i]; i++)
        printf("%-8s %s\n", tasks_all[i]->name, tasks_all[i]->help);
    return true;
}
