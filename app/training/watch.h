/* Training in a thread of its own, watched by another. What passes between the two is copied under
 * one lock: the news for a frame, the newest parameters, and the wish to stop. */
#ifndef HEADSCOPE_APP_TRAINING_WATCH_H
#define HEADSCOPE_APP_TRAINING_WATCH_H

#include "app/training/training.h"

/* --- curves -----------------------------------------------------------------------------------
 */

/* The number of points is bounded: when all are used, neighbours are merged. */
enum { CURVE_POINTS = 2000 };

/* The mean of `stride` values, drawn at the last one's step. */
typedef struct CurvePoint {
    int step;
    float value;
} CurvePoint;

/* {0} is an empty one. */
typedef struct Curve {
    int count;
    int stride;  /* values a point; 0 stands for 1 */
    int pending; /* values of the point to come, below stride */
    double sum;  /* of those */
    CurvePoint points[CURVE_POINTS];
} Curve;

/* Adds a value at a step after the last one. When all points are taken, each two become one, and
 * from then on a point takes twice as many values. */
void curve_add(Curve *curve, int step, double value);

/* --- the run ----------------------------------------------------------------------------------
 */

typedef struct WatchOptions {
    /* What is trained; training_call_default(task) is a good one. Its texts must outlive the watch.
     * quiet, stop and observer are set here. With all processors as threads the window has to share
     * one: one fewer keeps it smooth. */
    TrainingCall training;
    /* Called by the training thread when there is news worth a frame: at most ten times a second,
     * and at each test and at the end. No lock is held. NULL: none. */
    void (*wake)(void *context);
    void *wake_context;
} WatchOptions;

typedef enum WatchState {
    WATCH_RUNNING,
    WATCH_DONE,    /* and saved, if it has a path */
    WATCH_STOPPED, /* by watch_stop; with a path, `path`.run is there for --resume */
    WATCH_FAILED,  /* error says why */
} WatchState;

typedef struct WatchNews {
    WatchState state;
    Error error;     /* with WATCH_FAILED */
    int step, steps; /* done, and of the whole run */
    double loss;     /* of the last step's batch, in nats; NAN before the first */
    double exact;    /* last test: share of held-out outputs that are right; below 0: none */
    double rate;     /* the learning rate of the last step */
    double tokens_per_second; /* lately; 0: not known yet */
    double seconds;           /* since the start */
    Curve losses, exacts;
} WatchNews;

typedef struct Watch Watch;

/* Starts to train. NULL with *error for a call that cannot be trained (ERROR_USAGE), a run that
 * cannot be resumed, or lack of memory or threads; what fails later becomes WATCH_FAILED. */
Watch *watch_start(const WatchOptions *options, Error *error);

/* The model that is trained: config, vocabularies, task; no parameters. It does not change and is
 * the watch's. */
const Model *watch_model(const Watch *watch);

/* Copies the news; false, with *news untouched, if there is none since the last call. */
bool watch_poll(Watch *watch, WatchNews *news);

/* Copies the newest published parameters, those after `*step` steps, into parameters made by
 * params_make with watch_model's config; false, with both untouched, if they were taken already.
 * The first are there soon after the start (step 0, or the step of a resumed run), new ones at most
 * ten times a second, and the last when the state is no longer WATCH_RUNNING. */
bool watch_take_params(Watch *watch, Params *into, int *step);

/* Asks the run to stop after the step at hand and returns at once. */
void watch_stop(Watch *watch);

/* Stops the run, waits for its end (a step, and a test or save that is under way) and copies the
 * last news, whose state is no longer WATCH_RUNNING. */
void watch_end(Watch *watch, WatchNews *news);

/* Ends the run as watch_end does and frees all. NULL is fine. */
void watch_free(Watch *watch);

#endif
