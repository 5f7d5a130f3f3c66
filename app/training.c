#include "app/training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/outputs.h"
#include "data/examples.h"
#include "data/utf8.h"
#include "model/trainer.h"

enum { HELD_OUT = 200 }; /* examples of a test on the way */

typedef struct Training {
    const TrainingCall *call;
    const Task *task;
    Model model;
    TrainOptions options;
    Trainer *trainer;
    TaskExample *drawn;    /* [batch] */
    TaskExample *held_out; /* [held_out_count] */
    int held_out_count;
    char *run_path;
    FILE *log;
    bool terminal;
    double begun;    /* seconds */
    int begun_step;  /* of this sitting */
    long tokens;     /* since the last report */
    double reported; /* seconds */
    double rate;     /* tokens a second */
    double exact;    /* of the last test; below 0: none yet */
} Training;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- the model and its examples --------------------------------------------------------------- */

static bool draw_batch(void *context, int step, Batch *batch, Error *error) {
    Training *training = context;
    int size = training->options.batch;
    for (int i = 0; i < size; i++)
        example_draw(training->task, EXAMPLES_TRAINING, training->options.seed,
                     (uint64_t)step * (uint64_t)size + (uint64_t)i, &training->drawn[i]);
    return examples_to_batch(batch, training->drawn, size, &training->model.config,
                             &training->model.source_vocab, &training->model.target_vocab, error);
}

/* The config with what the task decides. */
static bool complete_model(Model *model, const TrainingCall *call, Error *error) {
    *model = (Model){.config = call->config};
    const Task *task = call->task;
    if (!vocab_from_characters(&model->source_vocab, task->source_characters, error) ||
        !vocab_from_characters(&model->target_vocab, task->target_characters, error))
        return false;
    Config *config = &model->config;
    config->source_vocab = model->source_vocab.size;
    config->target_vocab = model->target_vocab.size;
    int marks = config->source_end_mark ? 1 : 0;
    if (config->max_source == 0) config->max_source = task->max_source + marks;
    if (config->max_target == 0) config->max_target = task->max_target + 1;
    if (config->max_source < task->max_source + marks || config->max_target < task->max_target + 1)
        return error_usage(error, "%s needs --max-source %d and --max-target %d at least",
                           task->name, task->max_source + marks, task->max_target + 1);
    snprintf(model->task, sizeof model->task, "%s", task->name);
    /* A file's metadata is UTF-8; a path on the command line need not be. */
    snprintf(model->command, sizeof model->command, "%s",
             utf8_valid(call->command) ? call->command : "");
    return config_check(config, error);
}

static bool begin_new(Training *training, Error *error) {
    Model *model = &training->model;
    if (!complete_model(model, training->call, error) ||
        !params_make(&model->params, &model->config, error))
        return false;
    params_init(&model->params, &model->config, training->options.seed);
    training->trainer = trainer_make(&model->config, &model->params, &training->options,
                                     training->call->threads, draw_batch, training, error);
    return training->trainer != NULL;
}

static bool begin_resumed(Training *training, Error *error) {
    RunState state;
    if (!run_state_open(&training->model, &state, training->run_path, error))
        return error_prefix(error, "nothing to resume");
    training->options = state.options;
    training->task = task_find(training->model.task);
    bool good = training->task == training->call->task;
    if (!good)
        error_usage(error, "%s: is a run of %s, not of %s", training->run_path,
                    training->model.task, training->call->task->name);
    if (good) {
        training->trainer =
            trainer_make(&training->model.config, &training->model.params, &training->options,
                         training->call->threads, draw_batch, training, error);
        good = training->trainer != NULL;
    }
    if (good) trainer_resume(training->trainer, state.step, state.moments);
    run_state_free(&state);
    return good;
}

/* --- saving and saying ------------------------------------------------------------------------ */

static bool save_run(Training *training, Error *error) {
    real *const *moments = trainer_moments(training->trainer);
    RunState state = {.options = training->options,
                      .step = trainer_step_count(training->trainer),
                      .moments = {moments[0], moments[1]}};
    return run_state_save(&training->model, &state, training->run_path, error);
}

static bool test_held_out(Training *training, Error *error) {
    Score score;
    if (!outputs_score(&score, &training->model, training->held_out, training->held_out_count,
                       training->call->threads, error))
        return false;
    training->exact = (double)score.exact / score.examples;
    return true;
}

static void print_progress(const Training *training, const TrainReport *report, bool tested) {
    int step = trainer_step_count(training->trainer), steps = training->options.steps;
    double left = (seconds() - training->begun) / (step - training->begun_step) * (steps - step);
    char exact[32] = "";
    if (training->exact >= 0)
        snprintf(exact, sizeof exact, "  held-out exact match %5.1f %%", 100 * training->exact);
    fprintf(stderr, "%sstep %*d/%d  loss %.4f  %6.0f tokens/s%s  %d:%02d left%s",
            training->terminal ? "\r\033[K" : "", steps > 9999 ? 6 : 4, step, steps, report->loss,
            training->rate, exact, (int)left / 60, (int)left % 60,
            training->terminal && !tested ? "" : "\n");
    fflush(stderr);
}

static bool log_step(Training *training, const TrainReport *report, bool tested, Error *error) {
    if (!training->log) return true;
    int step = trainer_step_count(training->trainer);
    fprintf(training->log, "%d,%.6f,%.6f,%.8f,%.0f,", step, report->loss, report->norm,
            train_rate(&training->options, step), training->rate);
    if (tested) fprintf(training->log, "%.4f", training->exact);
    fputc('\n', training->log);
    if (fflush(training->log) == 0) return true;
    return error_set(error, "%s: cannot be written; is the disk full?", training->call->log_path);
}

/* After each step: count, and now and then test, save, print. */
static bool after_step(Training *training, const TrainReport *report, Error *error) {
    int step = trainer_step_count(training->trainer);
    bool last = step == training->options.steps;
    bool tested = step % training->call->every == 0 || last;
    training->tokens += report->tokens;
    double now = seconds();
    bool due = now - training->reported > 0.25 || tested;
    if (due) {
        training->rate = (double)training->tokens / (now - training->reported + 1e-9);
        training->tokens = 0;
    }
    if (tested && (!test_held_out(training, error) || (!last && !save_run(training, error))))
        return false;
    if (due) training->reported = seconds();
    if (tested || (due && training->terminal)) print_progress(training, report, tested);
    return log_step(training, report, tested, error);
}

/* --- the run ---------------------------------------------------------------------------------- */

static bool open_log(Training *training, Error *error) {
    const char *path = training->call->log_path;
    if (!path) return true;
    training->log = fopen(path, training->call->resume ? "a" : "w");
    if (!training->log) return error_set(error, "%s: cannot be written", path);
    if (!training->call->resume)
        fputs("step,loss,gradient_norm,learning_rate,tokens_per_second,exact_match\n",
              training->log);
    return true;
}

static bool begin(Training *training, Error *error) {
    const TrainingCall *call = training->call;
    size_t size = strlen(call->path) + 8;
    training->run_path = malloc(size);
    if (!training->run_path) return error_set(error, "out of memory");
    snprintf(training->run_path, size, "%s.run", call->path);
    if (!(call->resume ? begin_resumed(training, error) : begin_new(training, error))) return false;
    training->drawn = calloc((size_t)training->options.batch, sizeof *training->drawn);
    if (!training->drawn) return error_set(error, "out of memory");
    training->held_out =
        examples_held_out(training->task, HELD_OUT, &training->held_out_count, error);
    /* Saving at once finds an unwritable place before the work is done, not after. */
    if (!training->held_out || !save_run(training, error)) return false;
    if (open_log(training, error)) return true;
    if (!call->resume) unlink(training->run_path);
    return false;
}

static bool train_steps(Training *training, Error *error) {
    TrainReport report;
    while (trainer_step_count(training->trainer) < training->options.steps) {
        bool stepped = !*training->call->stop && trainer_step(training->trainer, &report, error) &&
                       after_step(training, &report, error);
        if (stepped) continue;
        bool stopped = *training->call->stop != 0;
        if (stopped && !save_run(training, error)) return false;
        if (stopped) error_set(error, "stopped at step %d", trainer_step_count(training->trainer));
        if (training->terminal) fputc('\n', stderr);
        fprintf(stderr,
                "headscope train: the last good state is in %s; go on with: headscope "
                "train %s -o %s --resume\n",
                training->run_path, training->task->name, training->call->path);
        return false;
    }
    return true;
}

static bool finish(Training *training, Error *error) {
    if (!model_save(&training->model, training->call->path, error)) return false;
    unlink(training->run_path);
    fprintf(stderr, "%s: %ld parameters, %d steps in %.1f s, held-out exact match %.1f %%\n",
            training->call->path, training->model.params.count,
            trainer_step_count(training->trainer), seconds() - training->begun,
            100 * training->exact);
    return true;
}

bool training_run(const TrainingCall *call, Error *error) {
    Training training = {.call = call,
                         .task = call->task,
                         .options = call->options,
                         .terminal = isatty(STDERR_FILENO) == 1,
                         .exact = -1};
    bool done = begin(&training, error);
    if (done) {
        training.begun = training.reported = seconds();
        training.begun_step = trainer_step_count(training.trainer);
        done = train_steps(&training, error) && finish(&training, error);
    }
    if (training.log) fclose(training.log);
    trainer_free(training.trainer);
    model_free(&training.model);
    free(training.drawn);
    free(training.held_out);
    free(training.run_path);
    return done;
}

bool training_print_size(const TrainingCall *call, Error *error) {
    Model model;
    bool good = complete_model(&model, call, error);
    if (good)
        printf("parameters  %ld\nmemory      %.1f MB (parameters, four gradients, Adam's moments "
               "and the activations of the longest batch)\n",
               params_count(&model.config),
               (double)trainer_bytes(&model.config, &call->options) / 1e6);
    model_free(&model);
    return good;
}
