#include "app/training/training_log.h"

#include <unistd.h>

#include "data/files/output.h"
#include "model/base/clock.h"

bool training_log_open(TrainingLog *log, const TrainingCall *call, const TrainOptions *options,
                       Error *error) {
    *log = (TrainingLog){
        .call = call, .options = options, .terminal = !call->quiet && isatty(STDERR_FILENO) == 1};
    if (!call->log_path) return true;
    log->file = output_stream(call->log_path, call->resume, error);
    if (!log->file) return false;
    if (!call->resume)
        fputs("step,loss,gradient_norm,learning_rate,tokens_per_second,exact_match\n", log->file);
    return true;
}

void training_log_close(TrainingLog *log) {
    if (log->file) fclose(log->file);
    *log = (TrainingLog){0};
}

void training_log_begin(TrainingLog *log, int step) {
    log->begun = log->reported = clock_ms() / 1e3;
    log->begun_step = step;
}

double training_log_seconds(const TrainingLog *log) {
    return clock_ms() / 1e3 - log->begun;
}

void training_log_count(TrainingLog *log, const TrainReport *report, bool tested) {
    double now = clock_ms() / 1e3;
    log->tokens += report->tokens;
    log->due = now - log->reported > 0.25 || tested;
    if (!log->due) return;
    log->rate = (double)log->tokens / (now - log->reported + 1e-9);
    log->tokens = 0;
}

static void print_progress(const TrainingLog *log, int step, const TrainReport *report, bool tested,
                           double held_out) {
    int steps = log->options->steps;
    double left = training_log_seconds(log) / (step - log->begun_step) * (steps - step);
    char exact[32] = "";
    if (held_out >= 0)
        snprintf(exact, sizeof exact, "  held-out exact match %5.1f %%", 100 * held_out);
    fprintf(stderr, "%sstep %*d/%d  loss %.4f  %6.0f tokens/s%s  %d:%02d left%s",
            log->terminal ? "\r\033[K" : "", steps > 9999 ? 6 : 4, step, steps, report->loss,
            log->rate, exact, (int)left / 60, (int)left % 60, log->terminal && !tested ? "" : "\n");
    fflush(stderr);
}

static bool write_step(const TrainingLog *log, int step, const TrainReport *report, bool tested,
                       double exact, Error *error) {
    if (!log->file) return true;
    fprintf(log->file, "%d,%.6f,%.6f,%.8f,%.0f,", step, report->loss, report->norm,
            train_rate(log->options, step), log->rate);
    if (tested) fprintf(log->file, "%.4f", exact);
    fputc('\n', log->file);
    if (fflush(log->file) == 0) return true;
    return error_set(error, "%s: cannot be written; is the disk full?", log->call->log_path);
}

bool training_log_step(TrainingLog *log, int step, const TrainReport *report, bool tested,
                       double exact, Error *error) {
    if (log->due) log->reported = clock_ms() / 1e3;
    if (!log->call->quiet && (tested || (log->due && log->terminal)))
        print_progress(log, step, report, tested, exact);
    return write_step(log, step, report, tested, exact, error);
}
