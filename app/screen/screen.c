/* Builds the screen of a session: tabs, the training page of a model at rest, the page of lessons;
 * the other parts are in files of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "app/screen/screen.h"
#include "app/screen/screen_builder.h"

static const char *model_text(ScreenBuilder *builder) {
    const Session *session = builder->session;
    const Config *config = &session->model.config;
    const char *slash = strrchr(session->path, '/');
    const char *name = slash ? slash + 1 : session->path;
    name = visible_label(builder->pool, name);
    if (!name[0]) name = session->model.task[0] ? session->model.task : "model";
    return pool_format(builder->pool, "%s · %d+%d layers · %d heads · width %d", name,
                       config->encoder_layers, config->decoder_layers, config->heads,
                       config->width);
}

static void build_tabs(ScreenBuilder *builder) {
    static const ScreenButton tabs[PAGE_COUNT] = {
        {.label = "Explore", .tip = "the heads of one pass (1)", .action = "page explore"},
        {.label = "Compare", .tip = "two maps side by side (2)", .action = "page compare"},
        {.label = "Train", .tip = "heads as they form (3)", .action = "page train"},
        {.label = "Lessons", .tip = "how it all works, number by number (F2)", .action = "lesson"}};
    ScreenButton *buttons = pool_take(builder->pool, sizeof tabs);
    if (!buttons) return;
    memcpy(buttons, tabs, sizeof tabs);
    buttons[builder->state->page].on = true;
    builder->screen->tabs = buttons;
    builder->screen->tab_count = PAGE_COUNT;
}

/* --- the training page of a model at rest ------------------------------------------------------
 */

static void add_snapshot_curves(ScreenBuilder *builder, ScreenTrain *train) {
    const Snapshots *snapshots = &builder->session->snapshots;
    size_t count = (size_t)snapshots->count;
    ScreenCurve *curves = pool_take(builder->pool, 2 * sizeof *curves);
    float *steps = pool_take(builder->pool, (count + 1) * sizeof *steps);
    float *losses = pool_take(builder->pool, (count + 1) * sizeof *losses);
    float *exact = pool_take(builder->pool, (count + 1) * sizeof *exact);
    if (!curves || !steps || !losses || !exact) return;
    for (size_t i = 0; i < count; i++) {
        steps[i] = (float)snapshots->infos[i].step;
        losses[i] = (float)snapshots->infos[i].loss;
        exact[i] = (float)snapshots->infos[i].exact;
    }
    curves[0] =
        (ScreenCurve){.name = "loss", .steps = steps, .values = losses, .count = (int)count};
    curves[1] = (ScreenCurve){.name = "exact match",
                              .steps = steps,
                              .values = exact,
                              .count = (int)count,
                              .top = 1,
                              .second = true};
    train->curves = curves;
    train->curve_count = 2;
    train->last_step = steps[count - 1];
    train->snapshot_steps = steps;
}

static void build_snapshots(ScreenBuilder *builder) {
    static const ScreenButton buttons[] = {
        {.label = "train anew",
         .tip = "trains such a model in the background, heads on show (Ctrl+T)",
         .action = "train"},
        {.label = "compare", .tip = "with another snapshot", .action = "compare snapshot"},
        {.label = "the model itself", .tip = "its own weights", .action = "snapshot off"}};
    const Snapshots *snapshots = &builder->session->snapshots;
    ScreenTrain *train = &builder->screen->train;
    int shown = builder->state->snapshot;
    *train = (ScreenTrain){.at_step = -1, .snapshot = NONE, .buttons = buttons, .button_count = 1};
    const char *problem = builder->session->snapshots_problem.text;
    if (problem[0]) {
        train->title = "The snapshots beside this model cannot be used";
        train->caption = visible_label(builder->pool, problem);
        return;
    }
    if (snapshots->count == 0) {
        train->title = "No snapshots lie beside this model";
        train->caption = "headscope train TASK --snapshots 16 keeps some; Ctrl+T trains one here";
        return;
    }
    train->button_count = 3;
    train->snapshots = snapshots->count;
    train->snapshot = shown < snapshots->count ? shown : NONE;
    train->title = "how the heads formed";
    add_snapshot_curves(builder, train);
    if (train->snapshot == NONE) {
        train->snapshot_text = "the model itself";
        train->caption = "drag the slider, or PageUp and PageDown";
        return;
    }
    const SnapshotInfo *info = &snapshots->infos[shown];
    train->at_step = (float)info->step;
    train->snapshot_text = pool_format(builder->pool, "snapshot %d of 0 to %d, step %d", shown,
                                       snapshots->count - 1, info->step);
    train->caption = pool_format(builder->pool, "exact match %.1f %%", 100 * info->exact);
}

/* --- the page of lessons ---------------------------------------------------------------------- */

static void build_menu(ScreenBuilder *builder, ScreenLesson *shown, const Lesson *current) {
    int count = 0;
    while (lesson_at(count))
        count++;
    ScreenLessonEntry *menu = pool_take(builder->pool, (size_t)(count + 1) * sizeof *menu);
    if (!menu) return;
    for (int i = 0; i < count; i++) {
        const Lesson *lesson = lesson_at(i);
        menu[i] =
            (ScreenLessonEntry){.title = lesson->title,
                                .help = lesson->help,
                                .action = pool_format(builder->pool, "lesson %s", lesson->name),
                                .on = lesson == current};
    }
    shown->menu = menu;
    shown->menu_count = count;
}

static void build_lesson(ScreenBuilder *builder) {
    const Session *session = builder->session;
    ScreenLesson *shown = &builder->screen->lesson;
    const char *words = session_lesson_words(session);
    const Lesson *lesson = session_lesson_of(words);
    bool follows = lesson && lesson->follows_pass;
    build_menu(builder, shown, lesson);
    /* The command that prints the same page; an action if the page is about the current pass. */
    builder->screen->status = visible_label(
        builder->pool, pool_format(builder->pool, follows ? ": lesson %s" : "headscope %s", words));
    shown->page = session->lesson.page;
    shown->problem =
        shown->page ? NULL : visible_label(builder->pool, session->lesson.problem.text);
    shown->scroll = (float)builder->state->lesson_scroll;
    shown->follows = follows;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* A notice of the window hides a problem of the session. */
static void build_messages(ScreenBuilder *builder) {
    Screen *screen = builder->screen;
    const ScreenExtra *extra = builder->extra;
    const char *problem = session_problem(builder->session);
    screen->prompt = extra->prompt;
    screen->prompt_caret = extra->prompt_caret;
    screen->notice = visible_label(builder->pool, extra->notice ? extra->notice : problem);
    screen->notice_alarm = extra->notice ? extra->notice_alarm : problem != NULL;
}

const Screen *screen_build(Session *session, const ScreenExtra *extra, Error *error) {
    session_refresh(session);
    if (session_show_first(session)) session_refresh(session);
    pool_reset(&session->pool);
    Screen *screen = &session->screen;
    *screen = (Screen){.theme = session->state.theme,
                       .colormap = session->state.colormap,
                       .top = 1,
                       .presentation = session->state.presentation,
                       .text_scale = session->state.text_scale,
                       .page = session->state.page};
    ScreenBuilder builder = {session, &session->state, &session->pass,
                             extra,   &session->pool,  screen};
    screen->model = model_text(&builder);
    build_tabs(&builder);
    if (session_has_pass(session)) {
        screen_build_sequences(&builder);
        screen_build_controls(&builder);
        screen_build_world(&builder);
        if (screen->page != PAGE_LESSONS) screen_build_maps(&builder);
        if (screen->page == PAGE_COMPARE) screen_build_compare(&builder);
        if (screen->page == PAGE_TRAIN && !extra->train) build_snapshots(&builder);
        if (screen->page != PAGE_LESSONS) screen_build_side(&builder);
        screen_build_status(&builder);
    } else {
        screen_build_unread(&builder);
    }
    build_messages(&builder);
    if (screen->page == PAGE_LESSONS) build_lesson(&builder);
    if (extra->train) screen->train = *extra->train;
    if (session->state.help) screen_build_help(&builder);
    if (!session->pool.failed) return screen;
    error_set(error, "out of memory for the screen");
    return NULL;
}

char *screen_matrix_text(const Session *session) {
    if (!session_has_pass(session)) return NULL;
    const State *state = &session->state;
    int example = session_example(session);
    const Trace *trace = session->pass.world.examples[example].trace;
    const SceneAxes *axes = &session->pass.examples[example].axes[state->head.site];
    TraceShape shape = trace_shape(trace, state->head.site);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    fprintf(stream, "%s.%d.%d", site_name(state->head.site), state->head.layer, state->head.head);
    for (int key = 0; key < shape.keys; key++)
        fprintf(stream, "\t%s", axes->columns[key]);
    for (int query = 0; query < shape.queries; query++) {
        fprintf(stream, "\n%s", axes->rows[query]);
        for (int key = 0; key < shape.keys; key++)
            fprintf(stream, "\t%.9g", (double)trace_cell(trace, state->head, query, key, NULL));
    }
    fputc('\n', stream);
    if (fclose(stream) == 0) return text;
    free(text);
    return NULL;
}
