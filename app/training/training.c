#include "app/training/training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/options.h"
#include "app/cli/trap_option.h"
#include "app/pass/texts.h"
#include "app/training/training_files.h"
#include "app/training/training_log.h"
#include "data/models/snapshots.h"
#include "data/tasks/examples.h"
#include "model/base/utf8.h"
#include "model/training/trainer.h"

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
    Snapshots snapshots;
    int snapshots_saved; /* how many of them files.snapshots holds */
    TrainingFiles files;
    TrainingLog log;
    double exact; /* of the last test; below 0: none yet */
    bool stopped;
} Training;

TrainingCall training_call_default(const Task *task) {
    TrainingCall call = {.task = task,
                         .config = config_default(),
                         .options = train_options_default(),
                         .command = "",
                         .threads = default_threads(),
                         .every = 250};
    call.options.steps = task->steps;
    call.options.learning_rate = task->learning_rate;
    return call;
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

/* Completes the config with what the task decides. */
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

/* The model of the interrupted run, as it stood. */
static bool read_run(Model *model, RunState *state, const char *path, Error *error) {
    return run_state_open(model, state, path, error) || error_prefix(error, "nothing to resume");
}

static bool same_task(const Model *model, const TrainingCall *call, const char *path,
                      Error *error) {
    return task_find(model->task) == call->task ||
           error_usage(error, "%s: is a run of %s, not of %s", path, model->task, call->task->name);
}

static bool make_trainer(Training *training, Error *error) {
    training->trainer =
        trainer_make(&training->model.config, &training->model.params, &training->options,
                     training->call->threads, draw_batch, training, error);
    return training->trainer != NULL;
}

static bool begin_new(Training *training, Error *error) {
    Model *model = &training->model;
    const TrainingCall *call = training->call;
    TrainOptions *options = &training->options;
    if (!complete_model(model, call, error)) return false;
    options->slices = train_slices(options, params_count(&model->config)); /* kept by the run */
    if ((call->snapshots > 0 &&
         !snapshots_make(&training->snapshots, call->snapshots, &model->config, options, error)) ||
        !params_make(&model->params, &model->config, error))
        return false;
    params_init(&model->params, &model->config, training->options.seed);
    /* Snapshots of an earlier run would be taken for this one's. */
    if (training->files.snapshots) unlink(training->files.snapshots);
    return make_trainer(training, error);
}

/* A run with snapshots has written their file since its first save. */
static bool read_snapshots(Training *training, int step, Error *error) {
    Snapshots *snapshots = &training->snapshots;
    if (access(training->files.snapshots, F_OK) != 0) return true;
    if (!snapshots_open(snapshots, training->files.snapshots, &training->model, error))
        return false;
    training->snapshots_saved = snapshots->count;
    return snapshots_resume(snapshots, &training->options, step, error) ||
           error_prefix(error, "%s", training->files.snapshots);
}

static bool begin_resumed(Training *training, Error *error) {
    RunState state;
    if (!read_run(&training->model, &state, training->files.run, error)) return false;
    training->options = state.options;
    bool good = same_task(&training->model, training->call, training->files.run, error) &&
                read_snapshots(training, state.step, error) &&
                training_files_snapshots_possible(training->call->path, training->snapshots.planned,
                                                  error) &&
                make_trainer(training, error);
    if (good) trainer_resume(training->trainer, state.step, state.moments);
    run_state_free(&state);
    return good;
}

static bool resumed_model(Model *model, const TrainingCall *call, Error *error) {
    char *path = training_files_run(call->path);
    RunState state = {0};
    bool good = path ? read_run(model, &state, path, error) && same_task(model, call, path, error)
                     : error_set(error, "out of memory");
    params_free(&model->params);
    run_state_free(&state);
    free(path);
    return good;
}

bool training_model(Model *model, const TrainingCall *call, Error *error) {
    *model = (Model){0};
    if (call->resume ? resumed_model(model, call, error) : complete_model(model, call, error))
        return true;
    model_free(model);
    return false;
}

/* --- saving and reporting --------------------------------------------------------------------- */

/* Saves the snapshots first, so that after a kill the run never lacks those before its step. */
static bool save_run(Training *training, Error *error) {
    if (!training->files.run) return true;
    Snapshots *snapshots = &training->snapshots;
    if (snapshots->planned > 0 && training->snapshots_saved != snapshots->count) {
        if (!snapshots_save(snapshots, &training->model, training->files.snapshots, error))
            return false;
        training->snapshots_saved = snapshots->count;
    }
    real *const *moments = trainer_moments(training->trainer);
    RunState state = {.options = training->options,
                      .step = trainer_step_count(training->trainer),
                      .moments = {moments[0], moments[1]}};
    return run_state_save(&training->model, &state, training->files.run, error);
}

static bool test_held_out(Training *training, Error *error) {
    Score score;
    if (!texts_score(&score, &training->model, training->held_out, training->held_out_count,
                     training->call->threads, error))
        return false;
    training->exact = (double)score.exact / score.examples;
    return true;
}

/* Takes a snapshot if one is due; the step has been tested. */
static void take_snapshot(Training *training, double loss) {
    int step = trainer_step_count(training->trainer);
    if (snapshots_due(&training->snapshots, step))
        snapshots_add(&training->snapshots, (SnapshotInfo){step, loss, training->exact},
                      &training->model.params);
}

/* False if the observer wants the run to stop. `report` is NULL before the first step. */
static bool notify_observer(const Training *training, const TrainReport *report, bool tested) {
    const TrainingObserver *observer = training->call->observer;
    if (!observer) return true;
    int step = trainer_step_count(training->trainer);
    TrainingProgress progress = {
        .step = step,
        .steps = training->options.steps,
        .loss = report ? report->loss : (double)NAN,
        .norm = report ? report->norm : (double)NAN,
        .rate = step ? train_rate(&training->options, step) : 0,
        .exact = tested ? training->exact : -1,
        .seconds = training_log_seconds(&training->log),
        .tokens_per_second = training->log.rate,
    };
    return observer->step(observer->context, &progress, &training->model);
}

/* After each step: counts it; when due tests, takes a snapshot, saves and prints. */
static bool after_step(Training *training, const TrainReport *report, bool *tested, Error *error) {
    int step = trainer_step_count(training->trainer);
    bool last = step == training->options.steps, save = step % training->call->every == 0 && !last;
    *tested = save || last || snapshots_due(&training->snapshots, step);
    training_log_count(&training->log, report, *tested);
    if (*tested && !test_held_out(training, error)) return false;
    take_snapshot(training, report->loss);
    if (save && !save_run(training, error)) return false;
    return training_log_step(&training->log, step, report, *tested, training->exact, error);
}

/* --- the run ---------------------------------------------------------------------------------- */

bool training_possible(const TrainingCall *call, Error *error) {
    TrainingFiles files;
    bool possible = training_files_claim(&files, call, error);
    training_files_free(&files);
    return possible;
}

static bool begin(Training *training, Error *error) {
    const TrainingCall *call = training->call;
    if (!training_files_claim(&training->files, call, error) ||
        !(call->resume ? begin_resumed(training, error) : begin_new(training, error)))
        return false;
    training->drawn = calloc((size_t)training->options.batch, sizeof *training->drawn);
    if (!training->drawn) return error_set(error, "out of memory");
    training->held_out =
        examples_held_out(training->task, HELD_OUT, &training->held_out_count, error);
    if (!training->held_out) return false;
    if (snapshots_due(&training->snapshots, 0) && !test_held_out(training, error)) return false;
    take_snapshot(training, (double)NAN);
    if (!save_run(training, error)) return false;
    if (training_log_open(&training->log, call, &training->options, error)) return true;
    if (!call->resume) training_files_remove(&training->files);
    return false;
}

static void print_resume_hint(const Training *training) {
    if (training->call->quiet || !training->files.run) return;
    if (training->log.terminal) fputc('\n', stderr);
    fprintf(stderr,
            "headscope train: the last good state is in %s; go on with: headscope train %s -o %s "
            "--resume\n",
            training->files.run, training->task->name, training->call->path);
}

/* Saves the run and reports that it was stopped. Always false. */
static bool stop(Training *training, Error *error) {
    if (!save_run(training, error)) return false;
    training->stopped = true;
    print_resume_hint(training);
    return error_set(error, "stopped at step %d", trainer_step_count(training->trainer));
}

static bool train_steps(Training *training, Error *error) {
    const volatile sig_atomic_t *stop_flag = training->call->stop;
    bool going = notify_observer(training, NULL, training->exact >= 0);
    while (trainer_step_count(training->trainer) < training->options.steps) {
        TrainReport report;
        bool tested;
        if (!going || (stop_flag && *stop_flag)) return stop(training, error);
        if (!trainer_step(training->trainer, &report, error) ||
            !after_step(training, &report, &tested, error)) {
            print_resume_hint(training);
            return false;
        }
        going = notify_observer(training, &report, tested);
    }
    return true;
}

static bool save_snapshots(Training *training, Error *error) {
    if (training->snapshots.planned == 0) return true;
    char *path = snapshots_path(training->call->path);
    bool saved = path ? snapshots_save(&training->snapshots, &training->model, path, error)
                      : error_set(error, "out of memory");
    if (saved && !training->call->quiet)
        fprintf(stderr, "%s: %d snapshots\n", path, training->snapshots.count);
    free(path);
    return saved;
}

/* Reports the cost of a mistake: the accuracy of the same weights with correct attention. */
static bool print_without_trap(const Training *training, Error *error) {
    Model right = training->model; /* borrows all but the config */
    if (training->call->quiet || !config_mistaken(&right.config)) return true;
    Score score;
    memset(right.config.mistakes, 0, sizeof right.config.mistakes);
    if (!texts_score(&score, &right, training->held_out, training->held_out_count,
                     training->call->threads, error))
        return false;
    fprintf(stderr,
            "%s: that is with the trap %s, which the model keeps; these weights with the attention "
            "put right give %.1f %%\n",
            training->call->path, trap_option_name(&training->model.config),
            100.0 * score.exact / score.examples);
    return true;
}

static bool finish(Training *training, Error *error) {
    const TrainingCall *call = training->call;
    if (!call->path) return true;
    if (!model_save(&training->model, call->path, error) || !save_snapshots(training, error)) {
        /* Training is complete, so --resume only writes the model. If the run cannot be saved
         * either, the last saved one stays. */
        save_run(training, NULL);
        print_resume_hint(training);
        return false;
    }
    training_files_remove(&training->files);
    if (!call->quiet)
        fprintf(stderr, "%s: %ld parameters, %d steps in %.1f s, held-out exact match %.1f %%\n",
                call->path, training->model.params.count, trainer_step_count(training->trainer),
                training_log_seconds(&training->log), 100 * training->exact);
    return print_without_trap(training, error);
}

bool training_run(const TrainingCall *call, bool *stopped, Error *error) {
    Training training = {.call = call, .task = call->task, .options = call->options, .exact = -1};
    bool done = begin(&training, error);
    if (done) {
        training_log_begin(&training.log, trainer_step_count(training.trainer));
        done = train_steps(&training, error) && finish(&training, error);
    }
    if (stopped) *stopped = training.stopped;
    training_log_close(&training.log);
    trainer_free(training.trainer);
    snapshots_free(&training.snapshots);
    model_free(&training.model);
    free(training.drawn);
    free(training.held_out);
    training_files_free(&training.files);
    return done;
}

static void print_bytes(const char *name, double bytes, const char *what) {
    printf("  %-10s%8.1f MB%s%s\n", name, bytes / 1e6, *what ? "  " : "", what);
}

bool training_print_size(const TrainingCall *call, Error *error) {
    Model model;
    bool good = complete_model(&model, call, error);
    if (good) {
        long params = params_count(&model.config);
        int slices = train_slices(&call->options, params);
        TrainerBytes bytes = trainer_bytes_of(&model.config, &call->options, call->threads);
        double kept = (double)call->snapshots * (double)bytes.parameters;
        double sum = (double)trainer_bytes(&model.config, &call->options, call->threads) + kept;
        printf("parameters  %ld\nmemory      %.1f MB\n", params, sum / 1e6);
        print_bytes("parameters", (double)bytes.parameters, "");
        print_bytes("gradients", (double)bytes.gradients, "one for each slice of a batch");
        print_bytes("moments", (double)bytes.moments, "Adam's, two");
        print_bytes("workspace", (double)bytes.workspace,
                    "activations and their gradients, of the longest slice on each thread");
        if (call->snapshots > 0) print_bytes("snapshots", kept, "the weights that are kept");
        printf("threads     %d; up to %d help, one for each slice of a batch of %d\n",
               call->threads, slices, call->options.batch);
    }
    model_free(&model);
    return good;
}
