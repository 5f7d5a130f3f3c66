/* Trains in a thread of its own, watched by another. The two exchange copies under one lock: the
 * news for a frame, the newest parameters, and the request to stop. */
#ifndef HEADSCOPE_APP_TRAINING_WATCH_H
#define HEADSCOPE_APP_TRAINING_WATCH_H

#include "app/training/training.h"

/* --- curves -----------------------------------------------------------------------------------
 */

/* The number of points is bounded: when all are used, neighbours are merged. */
enum { CURVE_POINTS = 2000 };

/* The mean of `stride` values, at the step of the last one. */
typedef struct CurvePoint {
    int step;
    float value;
} CurvePoint;

/* {0} is an empty curve. */
typedef struct Curve {
    int count;
    int stride;  /* values per point; 0 means 1 */
    int pending; /* values of the next point so far */
    double sum;  /* of the pending values */
    CurvePoint points[CURVE_POINTS];
} Curve;

/* Adds a value at a step after the last one. When all points are used, each two become one and the
 * stride doubles. */
void curve_add(Curve *curve, int step, double value);

/* --- the run ----------------------------------------------------------------------------------
 */

typedef struct WatchOptions {
    /* The run, such as training_call_default(task). Its strings must outlive the watch. quiet, stop
     * and observer are overwritten. One thread fewer than processors keeps the window smooth. */
    TrainingCall training;
    /* Called by the training thread, without a lock, when there is news: at most ten times a
     * second, at each test and at the end. May be NULL. */
    void (*wake)(void *context);
    void *wake_context;
} WatchOptions;

typedef enum WatchState {
    WATCH_RUNNING,
    WATCH_DONE,    /* finished, and saved if it has a path */
    WATCH_STOPPED, /* by watch_stop; with a path, --resume continues from `path`.run */
    WATCH_FAILED,  /* error says why */
} WatchState;

typedef struct WatchNews {
    WatchState state;
    Error error;     /* with WATCH_FAILED */
    int step, steps; /* done, and of the whole run */
    double loss;     /* of the last step's batch, in nats; NAN before the first */
    double exact;    /* last test: share of held-out outputs that are right; below 0: none */
    double rate;     /* the learning rate of the last step */
    double tokens_per_second; /* recent; 0: not known yet */
    double seconds;           /* since the start */
    Curve losses, exacts;
} WatchNews;

typedef struct Watch Watch;

/* Starts training. NULL with *error for an invalid call (ERROR_USAGE), a run that cannot be
 * resumed, or lack of memory or threads; a later failure becomes WATCH_FAILED. */
Watch *watch_start(const WatchOptions *options, Error *error);

/* The model being trained: config, vocabularies and task, without parameters. Constant; owned by
 * the watch. */
const Model *watch_model(const Watch *watch);

/* Copies the news. False, with *news unchanged, if there is none since the last call. */
bool watch_poll(Watch *watch, WatchNews *news);

/* Copies the newest published parameters, those after `*step` steps, into parameters made by
 * params_make with watch_model's config. False, with both unchanged, if they were taken already.
 * Parameters are published soon after the start, then at most ten times a second, and at the end.
 */
bool watch_take_params(Watch *watch, Params *into, int *step);

/* Asks the run to stop after the current step and returns at once. */
void watch_stop(Watch *watch);

/* Stops the run, waits for its end (the current step, test and save) and copies the last news,
 * whose state is no longer WATCH_RUNNING. */
void watch_end(Watch *watch, WatchNews *news);

/* Ends the run as watch_end does and frees all. NULL is fine. */
void watch_free(Watch *watch);

#endif
