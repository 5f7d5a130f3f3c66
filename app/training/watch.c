#include "app/training/watch.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/thread.h"

static const double publish_every = 0.1; /* seconds */

struct Watch {
    /* Set before the thread starts, read by both. */
    WatchOptions options;
    TrainingObserver observer;
    Model model;
    Thread thread; /* the watching thread's own */

    double published_at; /* the training thread's own */

    pthread_mutex_t lock; /* guards all below */
    bool stop;
    WatchNews news;
    bool fresh;        /* news since the last poll */
    Params published;  /* a copy */
    bool params_ready; /* not taken yet */
    int published_step;
};

static void wake(const Watch *watch) {
    if (watch->options.wake) watch->options.wake(watch->options.wake_context);
}

/* --- curves ----------------------------------------------------------------------------------- */

static void merge_pairs(Curve *curve) {
    for (int i = 0; i < CURVE_POINTS / 2; i++) {
        CurvePoint a = curve->points[2 * i], b = curve->points[2 * i + 1];
        curve->points[i] = (CurvePoint){b.step, (a.value + b.value) / 2};
    }
    curve->count = CURVE_POINTS / 2;
    curve->stride *= 2;
}

void curve_add(Curve *curve, int step, double value) {
    if (curve->stride == 0) curve->stride = 1;
    curve->sum += value;
    if (++curve->pending < curve->stride) return;
    curve->points[curve->count++] = (CurvePoint){step, (float)(curve->sum / curve->pending)};
    curve->sum = 0;
    curve->pending = 0;
    if (curve->count == CURVE_POINTS) merge_pairs(curve);
}

/* --- the training thread ---------------------------------------------------------------------- */

static void note_progress(WatchNews *news, const TrainingProgress *progress) {
    news->step = progress->step;
    news->steps = progress->steps;
    news->loss = progress->loss;
    news->rate = progress->rate;
    news->tokens_per_second = progress->tokens_per_second;
    news->seconds = progress->seconds;
    if (isfinite(progress->loss)) curve_add(&news->losses, progress->step, progress->loss);
    if (progress->exact < 0) return;
    news->exact = progress->exact;
    curve_add(&news->exacts, progress->step, progress->exact);
}

static void publish(Watch *watch, const TrainingProgress *progress, const Params *params) {
    memcpy(watch->published.block, params->block, (size_t)params->count * sizeof *params->block);
    watch->published_step = progress->step;
    watch->published_at = progress->seconds;
    watch->params_ready = true;
}

static bool observe(void *context, const TrainingProgress *progress, const Model *model) {
    Watch *watch = context;
    bool last = progress->step == progress->steps;
    bool due = progress->seconds - watch->published_at >= publish_every;
    pthread_mutex_lock(&watch->lock);
    bool going = !watch->stop;
    note_progress(&watch->news, progress);
    if (due || last || !going) publish(watch, progress, &model->params);
    watch->fresh = true;
    pthread_mutex_unlock(&watch->lock);
    if (due || last || !going || progress->exact >= 0) wake(watch);
    return going;
}

static void watch_main(void *argument) {
    Watch *watch = argument;
    Error error = {0};
    bool stopped;
    bool done = training_run(&watch->options.training, &stopped, &error);
    pthread_mutex_lock(&watch->lock);
    watch->news.state = done ? WATCH_DONE : stopped ? WATCH_STOPPED : WATCH_FAILED;
    if (watch->news.state == WATCH_FAILED) watch->news.error = error;
    watch->fresh = true;
    pthread_mutex_unlock(&watch->lock);
    wake(watch);
}

/* --- the watching thread ---------------------------------------------------------------------- */

static void clear(Watch *watch) {
    pthread_mutex_destroy(&watch->lock);
    params_free(&watch->published);
    model_free(&watch->model);
    free(watch);
}

static bool start(Watch *watch, Error *error) {
    if (!training_model(&watch->model, &watch->options.training, error) ||
        !params_make(&watch->published, &watch->model.config, error))
        return false;
    return thread_start(&watch->thread, watch_main, watch) ||
           error_set(error, "cannot start a thread to train in");
}

Watch *watch_start(const WatchOptions *options, Error *error) {
    Watch *watch = calloc(1, sizeof *watch);
    if (!watch) {
        error_set(error, "out of memory for training");
        return NULL;
    }
    watch->options = *options;
    watch->observer = (TrainingObserver){.context = watch, .step = observe};
    TrainingCall *call = &watch->options.training;
    call->quiet = true;
    call->stop = NULL;
    call->observer = &watch->observer;
    watch->published_at = -publish_every;
    watch->news = (WatchNews){
        .steps = call->resume ? 0 : call->options.steps, .loss = (double)NAN, .exact = -1};
    pthread_mutex_init(&watch->lock, NULL);
    if (start(watch, error)) return watch;
    clear(watch);
    return NULL;
}

const Model *watch_model(const Watch *watch) {
    return &watch->model;
}

bool watch_poll(Watch *watch, WatchNews *news) {
    pthread_mutex_lock(&watch->lock);
    bool fresh = watch->fresh;
    if (fresh) *news = watch->news;
    watch->fresh = false;
    pthread_mutex_unlock(&watch->lock);
    return fresh;
}

bool watch_take_params(Watch *watch, Params *into, int *step) {
    pthread_mutex_lock(&watch->lock);
    bool ready = watch->params_ready;
    if (ready) {
        memcpy(into->block, watch->published.block, (size_t)into->count * sizeof *into->block);
        *step = watch->published_step;
    }
    watch->params_ready = false;
    pthread_mutex_unlock(&watch->lock);
    return ready;
}

void watch_stop(Watch *watch) {
    pthread_mutex_lock(&watch->lock);
    watch->stop = true;
    pthread_mutex_unlock(&watch->lock);
}

static void join(Watch *watch) {
    watch_stop(watch);
    thread_join(&watch->thread);
}

void watch_end(Watch *watch, WatchNews *news) {
    join(watch);
    *news = watch->news;
}

void watch_free(Watch *watch) {
    if (!watch) return;
    join(watch);
    clear(watch);
}
