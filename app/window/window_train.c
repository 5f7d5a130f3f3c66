#include "app/window/window_train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/training/watch.h"
#include "app/window/window_do.h"
#include "app/window/window_keep.h"
#include "app/window/window_session.h"

enum { CURVES = 2, BUTTONS = 3, TESTS = 40, TESTS_MIN = 25, LET_GO_MS = 7000 };

/* A curve as the screen takes it. */
typedef struct DrawnCurve {
    float steps[CURVE_POINTS], values[CURVE_POINTS];
} DrawnCurve;

typedef struct WindowTraining {
    Watch *watch;
    Session *before; /* what was on show; NULL: nothing was */
    Params params;   /* the newest */
    WatchNews news;
    bool filed;       /* the run writes its own file */
    int saved;        /* the step whose weights were saved last; NONE */
    char let_go[8];   /* what would throw it away, and ... */
    Moment let_go_at; /* ... when that was asked for; 0: not yet */
    char task[32];
    DrawnCurve drawn[CURVES];
    ScreenCurve curves[CURVES];
    ScreenButton buttons[BUTTONS];
    char title[96], caption[160];
    ScreenTrain screen;
} WindowTraining;

bool window_is_training(const Window *window) {
    return window->training && window->training->news.state == WATCH_RUNNING;
}

const ScreenTrain *window_train_screen(const Window *window) {
    return window->training ? &window->training->screen : NULL;
}

/* --- what the page shows ---------------------------------------------------------------------- */

static void draw_curve(WindowTraining *training, int index, const Curve *curve) {
    DrawnCurve *drawn = &training->drawn[index];
    for (int i = 0; i < curve->count; i++) {
        drawn->steps[i] = (float)curve->points[i].step;
        drawn->values[i] = curve->points[i].value;
    }
    training->curves[index].steps = drawn->steps;
    training->curves[index].values = drawn->values;
    training->curves[index].count = curve->count;
}

static void write_caption(WindowTraining *training) {
    const WatchNews *news = &training->news;
    char *text = training->caption;
    size_t size = sizeof training->caption;
    text[0] = '\0';
    if (news->state == WATCH_FAILED) {
        snprintf(text, size, "%.*s", (int)size - 1, news->error.text);
        return;
    }
    if (isfinite(news->loss)) snprintf(text, size, "loss %.3f · ", news->loss);
    size_t length = strlen(text);
    if (news->exact >= 0)
        snprintf(text + length, size - length, "exact match %.1f %% · ", 100 * news->exact);
    length = strlen(text);
    snprintf(text + length, size - length, "%.0f s", news->seconds);
}

static void set_buttons(WindowTraining *training) {
    int count = 0;
    if (training->news.state == WATCH_RUNNING)
        training->buttons[count++] = (ScreenButton){
            .label = "stop", .tip = "ends the run here (Ctrl+T)", .action = "train stop"};
    training->buttons[count++] = (ScreenButton){
        .label = "save", .tip = "the weights on show, as a model", .action = "train save"};
    if (training->before)
        training->buttons[count++] =
            (ScreenButton){.label = "back to the model",
                           .tip = "ends the run and shows what was shown before",
                           .action = "train back"};
    training->screen.button_count = count;
}

static bool is_saved(const WindowTraining *training) {
    return training->news.state != WATCH_RUNNING && training->saved == training->news.step;
}

static void write_screen(WindowTraining *training) {
    static const char *const ends[] = {[WATCH_RUNNING] = "",
                                       [WATCH_DONE] = ": done",
                                       [WATCH_STOPPED] = ": stopped",
                                       [WATCH_FAILED] = ": failed"};
    const WatchNews *news = &training->news;
    snprintf(training->title, sizeof training->title, "%s, step %d of %d%s%s", training->task,
             news->step, news->steps, ends[news->state], is_saved(training) ? ", saved" : "");
    write_caption(training);
    draw_curve(training, 0, &news->losses);
    draw_curve(training, 1, &news->exacts);
    training->screen.last_step = (float)news->steps;
    set_buttons(training);
}

static void make_screen(WindowTraining *training) {
    training->curves[0] = (ScreenCurve){.name = "loss"};
    training->curves[1] = (ScreenCurve){.name = "exact match", .top = 1, .second = true};
    training->screen = (ScreenTrain){.title = training->title,
                                     .caption = training->caption,
                                     .curves = training->curves,
                                     .curve_count = CURVES,
                                     .at_step = -1,
                                     .snapshot = NONE,
                                     .buttons = training->buttons};
    write_screen(training);
}

/* --- news ------------------------------------------------------------------------------------- */

static void show_news(Window *window) {
    WindowTraining *training = window->training;
    write_screen(training);
    window->dirty = true;
    if (training->news.state == WATCH_FAILED) window_warn(window, training->news.error.text);
}

void window_train_news(Window *window) {
    WindowTraining *training = window->training;
    int step;
    if (!training) return;
    if (watch_poll(training->watch, &training->news)) show_news(window);
    if (window->work.work) return; /* its weights must stay; its end asks again */
    if (watch_take_params(training->watch, &training->params, &step))
        session_take_params(window->session, training->params.block);
}

/* Called by the thread that trains. */
static void wake(void *context) {
    const Window *window = context;
    SDL_Event event = {.type = window->event_news};
    SDL_PushEvent(&event);
}

/* --- throwing it away --------------------------------------------------------------------------
 */

bool window_train_let_go(Window *window, const char *deed, Error *error) {
    WindowTraining *training = window->training;
    if (!training || training->filed) return true;
    if (watch_poll(training->watch, &training->news)) show_news(window);
    if (training->news.state == WATCH_FAILED || training->news.step == 0 || is_saved(training))
        return true;
    Moment now = SDL_GetTicks64();
    bool again = training->let_go_at && now - training->let_go_at <= LET_GO_MS &&
                 strcmp(training->let_go, deed) == 0;
    if (again) return true;
    snprintf(training->let_go, sizeof training->let_go, "%s", deed);
    training->let_go_at = now ? now : 1;
    return error_usage(error,
                       "not saved: %s, step %d of %d; press again to throw it away, or :train save",
                       training->task, training->news.step, training->news.steps);
}

/* --- beginning -------------------------------------------------------------------------------- */

/* The session of a run: a model of the same make, with the weights that it begins with. */
static Session *make_session(Window *window, const TrainingCall *call, Error *error) {
    Model model = {0};
    if (!training_model(&model, call, error)) return NULL;
    if (!params_make(&model.params, &model.config, error)) {
        model_free(&model);
        return NULL;
    }
    params_init(&model.params, &model.config, call->options.seed);
    Session *session = session_make(&model, "", error);
    if (!session) return NULL;
    window_look_as_set(window, session);
    const Session *before = window->session;
    if (before && strcmp(session_model(before)->task, call->task->name) == 0) {
        const char *input = session_state(before)->examples[0].input;
        session_apply_one(session, action_text(VERB_INPUT, input), error);
    }
    session_apply_one(session, action_number(VERB_PAGE, PAGE_TRAIN), error);
    session_forget_steps(session);
    return session;
}

static bool start(Window *window, WindowTraining *training, const TrainingCall *call,
                  Error *error) {
    WatchOptions options = {.training = *call, .wake = wake, .wake_context = window};
    Session *session = make_session(window, call, error);
    if (session && params_make(&training->params, &session_model(session)->config, error))
        training->watch = watch_start(&options, error);
    if (!training->watch) {
        session_free(session);
        return false;
    }
    training->news.steps = call->options.steps;
    training->news.exact = -1;
    training->news.loss = NAN;
    training->filed = call->path != NULL;
    training->saved = NONE;
    snprintf(training->task, sizeof training->task, "%s", call->task->name);
    window_train_free(window);
    window->training = training;
    training->before = window_swap(window, session);
    make_screen(training);
    return true;
}

bool window_train_begin(Window *window, const TrainingCall *call, Error *error) {
    if (window_is_training(window) && window->training->filed)
        return error_usage(error, "a run is going on; train stop ends it");
    if (!window_train_let_go(window, "train", error)) return false;
    WindowTraining *training = calloc(1, sizeof *training);
    if (!training) return error_set(error, "out of memory");
    if (start(window, training, call, error)) return true;
    params_free(&training->params);
    free(training);
    return false;
}

/* The model on show trained anew; or another task, by its defaults. */
static bool begin_task(Window *window, const char *name, Error *error) {
    const Model *model = session_model(window->session);
    const Task *task = task_find(name[0] ? name : model->task);
    if (!task && !name[0])
        return error_usage(error, "this model is of no task known here; name one: train dates");
    if (!task)
        return error_usage(error, "train %.40s: no such task; headscope tasks lists them", name);
    TrainingCall call = training_call_default(task);
    if (!name[0]) call.config = model->config;
    call.threads = call.threads > 1 ? call.threads - 1 : 1; /* one is for the window */
    call.every = call.options.steps / TESTS;
    if (call.every < TESTS_MIN) call.every = TESTS_MIN;
    call.command = window->call->command;
    return window_train_begin(window, &call, error);
}

/* --- ending ----------------------------------------------------------------------------------- */

void window_train_stop(Window *window) {
    if (window->training) watch_stop(window->training->watch);
}

/* Ends a run that writes a file and keeps for window_run what has become of it. */
static void note_end(Window *window, WindowTraining *training) {
    const TrainingCall *call = window->call->train;
    WatchNews *news = &training->news;
    watch_end(training->watch, news);
    if (news->state == WATCH_STOPPED)
        error_set(&window->unwritten,
                  "%s is not written: the run was stopped at step %d of %d; go on with: headscope "
                  "train %s -o %s --resume",
                  call->path, news->step, news->steps, call->task->name, call->path);
    else if (news->state == WATCH_FAILED)
        error_set(&window->unwritten, "%s is not written: %s", call->path, news->error.text);
}

/* The session that shows the run stays on show; the one before it is let go. */
void window_train_free(Window *window) {
    WindowTraining *training = window->training;
    if (!training) return;
    if (training->filed) note_end(window, training);
    window->training = NULL;
    watch_free(training->watch);
    session_free(training->before);
    params_free(&training->params);
    free(training);
    window->dirty = true;
}

static bool go_back(Window *window, Error *error) {
    WindowTraining *training = window->training;
    if (!training || !training->before) return error_usage(error, "there is nothing to go back to");
    if (!window_train_let_go(window, "back", error)) return false;
    Session *before = training->before;
    training->before = NULL;
    window_look_as_set(window, before);
    session_free(window_swap(window, before));
    window_train_free(window);
    return true;
}

/* The weights on show. Those of a run that has ended are then known by their file, so that pictures
 * of them can name the model that they show. */
static bool save(Window *window, const char *path, Error *error) {
    char name[256];
    WindowTraining *training = window->training;
    if (!training) return error_usage(error, "train save: nothing has been trained here");
    window_work_end(window);
    window_train_news(window); /* the last weights */
    if (!path[0]) {
        if (!frame_free_name(name, sizeof name, training->task, "safetensors", error)) return false;
        path = name;
    }
    Model model = *session_model(window->session); /* borrowed, but for the hash */
    if (!model_save(&model, path, error)) return false;
    if (!window_is_training(window)) {
        if (!window_saved(window, path, model.hash, error)) return false;
        training->saved = training->news.step;
        write_screen(training);
    }
    window_tell(window, "saved %s", path);
    return true;
}

bool window_train(Window *window, const char *argument, Error *error) {
    if (strcmp(argument, "stop") == 0) {
        if (!window_is_training(window)) return error_usage(error, "nothing is being trained");
        window_train_stop(window);
        return true;
    }
    if (strcmp(argument, "back") == 0) return go_back(window, error);
    if (strcmp(argument, "save") == 0) return save(window, "", error);
    if (strncmp(argument, "save ", 5) == 0) return save(window, argument + 5, error);
    return begin_task(window, argument, error);
}
