/* The lesson traps: the silent mistakes, right and wrong side by side on the same input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/trap_option.h"
#include "app/lessons/call_shape.h"
#include "app/lessons/lesson.h"
#include "app/lessons/trap_study.h"
#include "model/base/minmax.h"

/* Multiplications in one call of the plain kernel; with this, all traps take about a second. */
#define MAX_WORK (1L << 21)

enum { MAX_SIDE = 24 };

typedef struct Arguments {
    const char *name; /* of one trap; NULL: all */
    const char *model, *input, *companion;
    bool here;
    TrapToy toy;
    int width;
} Arguments;

/* --- one trap --------------------------------------------------------------------------------- */

static const char *gap_text(Pool *pool, double gap) {
    if (isinf(gap)) return "no number";
    return gap == 0 ? "0" : pool_format(pool, gap < 1e-3 ? "%.2e" : "%.3f", gap);
}

static const char *site_text(const MistakeKind *trap) {
    if (trap->at[SITE_ENCODER] && trap->at[SITE_DECODER] && trap->at[SITE_CROSS]) return "anywhere";
    return trap->at[SITE_CROSS] ? "cross" : trap->at[SITE_DECODER] ? "decoder" : "encoder";
}

/* The maps drawn: the weights of one head or, if those are right, the output of one example. */
typedef struct TrapMaps {
    const double *right, *wrong;
    int rows, columns;
    bool weights;
    const AttentionRule *rule;
    long first_row; /* of the rule's rows */
} TrapMaps;

static TrapMaps shown_of(const TrapOutcome *o, int example, int head) {
    AttentionSizes n = o->sizes;
    TrapMaps shown = {.rows = n.queries, .rule = o->right};
    shown.weights = o->weights > 1e-9 || o->idle;
    if (shown.weights) {
        shown.columns = n.keys;
        shown.first_row = ((long)example * n.heads + head) * n.queries;
        shown.right = o->right_weights + shown.first_row * n.keys;
        shown.wrong = o->wrong_weights + shown.first_row * n.keys;
    } else {
        shown.columns = n.heads * n.head_width;
        shown.right = o->right_output + (long)example * n.queries * shown.columns;
        shown.wrong = o->wrong_output + (long)example * n.queries * shown.columns;
    }
    return shown;
}

static double largest(const double *numbers, int count) {
    double max = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(numbers[i])) max = fmax(max, fabs(numbers[i]));
    return max;
}

/* One of the three maps: right, wrong, or their difference. */
typedef enum TrapMap { MAP_RIGHT, MAP_WRONG, MAP_DIFFERENCE } TrapMap;

static void add_map(LessonMaker *maker, const TrapMaps *shown, TrapMap which, const char *title,
                    double top) {
    int count = shown->rows * shown->columns;
    float *values = pool_take(lesson_pool(maker), (size_t)count * sizeof *values);
    unsigned char *states = pool_take(lesson_pool(maker), (size_t)count);
    if (!values || !states) return;
    for (int i = 0; i < count; i++) {
        long row = shown->first_row + i / shown->columns;
        int column = i % shown->columns;
        bool seen = !shown->weights ||
                    (column >= shown->rule->key_first[row] && column < shown->rule->key_end[row]);
        double value = which == MAP_RIGHT   ? shown->right[i]
                       : which == MAP_WRONG ? shown->wrong[i]
                                            : shown->wrong[i] - shown->right[i];
        values[i] = (float)value;
        states[i] = !seen && value == 0 ? CELL_MASKED : isnan(value) ? CELL_NAN : CELL_VALUE;
    }
    bool diverging = which == MAP_DIFFERENCE || !shown->weights;
    static const LessonTone tones[] = {TONE_GOOD, TONE_WRONG, TONE_PLAIN};
    lesson_map(maker, &(LessonMap){.title = title,
                                   .rows = shown->rows,
                                   .columns = shown->columns,
                                   .values = values,
                                   .states = states,
                                   .top = (float)top,
                                   .diverging = diverging,
                                   .marked_row = -1,
                                   .marked_column = -1,
                                   .tone = tones[which]});
}

static void add_maps(LessonMaker *maker, const TrapOutcome *o, int example, int head) {
    TrapMaps shown = shown_of(o, example, head);
    Pool *pool = lesson_pool(maker);
    int count = shown.rows * shown.columns;
    double reach = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(shown.wrong[i] - shown.right[i]))
            reach = fmax(reach, fabs(shown.wrong[i] - shown.right[i]));
    double top = shown.weights ? 1 : fmax(largest(shown.right, count), largest(shown.wrong, count));
    const char *what =
        shown.weights
            ? pool_format(pool, "Weights of example %d, head %d: queries down, keys across",
                          example, head)
            : pool_format(pool,
                          "Output of example %d: steps down, columns across; the "
                          "weights are the same",
                          example);
    if (shown.columns > MAX_SIDE || shown.rows > MAX_SIDE) {
        lesson_text(maker, TONE_FAINT, "%s: %d by %d are too many to draw.", what, shown.rows,
                    shown.columns);
        return;
    }
    lesson_maps(maker, what, 3);
    add_map(maker, &shown, MAP_RIGHT, "right", top);
    add_map(maker, &shown, MAP_WRONG, o->trap->name, top);
    add_map(maker, &shown, MAP_DIFFERENCE, "difference", reach > 0 ? reach : 1);
}

/* Explains how the loud trap fails: D2L's masked_softmax repeats each length for the queries and
 * indexes the folded scores with the mask. The message is that of PyTorch's IndexError. */
static void add_loud(LessonMaker *maker, const TrapToy *toy) {
    AttentionSizes n = toy->sizes;
    int rows = n.batch * n.heads * n.queries, mask = n.batch * n.queries;
    lesson_text(
        maker, TONE_PLAIN,
        "The folded scores have the shape (%d, %d, %d): %d rows of %d keys. The %d lengths, one "
        "for each example, are repeated for the %d queries and give a mask of %d rows.",
        n.batch * n.heads, n.queries, n.keys, rows, n.keys, n.batch, n.queries, mask);
    if (rows == mask)
        lesson_text(maker, TONE_PLAIN, "With one head they agree, and the weights are right.");
    else
        lesson_text(
            maker, TONE_STRONG,
            "IndexError: The shape of the mask [%d, %d] at index 0 does not match the shape of "
            "the indexed tensor [%d, %d] at index 0",
            mask, n.keys, rows, n.keys);
}

static void add_verdict(LessonMaker *maker, const TrapOutcome *o) {
    Pool *pool = lesson_pool(maker);
    if (o->idle) {
        lesson_text(maker, TONE_PLAIN, "Here it changes nothing: %s.", o->idle);
        return;
    }
    lesson_text(maker, TONE_PLAIN,
                "The largest difference is %s in the weights and %s in the output.%s",
                gap_text(pool, o->weights), gap_text(pool, o->output),
                o->caught.text ? "" : " No check fails on this input.");
    if (o->caught.text)
        lesson_text(maker, TONE_STRONG, "Caught by: %s (%s: %s).", o->caught.text, o->caught.unit,
                    o->caught.counts ? pool_format(pool, "%.0f", o->caught.figure)
                                     : gap_text(pool, o->caught.figure));
    lesson_text(maker, TONE_FAINT, "To see it in code of your own: %s.", o->trap->caught);
}

static void add_switch(LessonMaker *maker, const MistakeKind *trap, const ShownPass *shown) {
    if (!shown || trap->is_loud) return;
    bool is_on = mistake_kind(shown->state->trap) == trap;
    lesson_buttons(maker, NULL);
    lesson_button(maker, is_on ? "switched on" : "switch on in the model", is_on,
                  "The model on show makes this mistake, in all layers; explore shows it.",
                  is_on ? "trap off" : "trap %s", trap->name);
    lesson_button(maker, "see it in the model", false, "Switches it on and goes to explore.",
                  "trap %s; page explore", trap->name);
}

static void add_outcome(LessonMaker *maker, const TrapOutcome *o, bool every_head) {
    add_verdict(maker, o);
    if (!every_head) {
        add_maps(maker, o, o->example, o->head);
        return;
    }
    int heads = o->weights > 1e-9 || o->idle ? o->sizes.heads : 1;
    for (int example = 0; example < o->sizes.batch; example++)
        for (int head = 0; head < heads; head++)
            add_maps(maker, o, example, head);
}

/* With one head nothing needs repeating, so even the loud trap is right. */
static bool is_loud_here(const MistakeKind *trap, const TrapToy *toy) {
    return trap->is_loud && toy->sizes.heads > 1;
}

static bool add_trap(LessonMaker *maker, const MistakeKind *trap, const Arguments *arguments,
                     const ShownPass *shown, bool every_head) {
    lesson_heading(maker, "%s: %s", trap->name, trap->title);
    lesson_text(maker, TONE_PLAIN, "What is mixed: %s.", trap->mixes);
    lesson_table(maker, NULL, "\tas written");
    lesson_row(maker, TONE_WRONG, "wrong\t%s", trap->wrong);
    lesson_row(maker, TONE_GOOD, "right\t%s", trap->right);
    if (!is_loud_here(trap, &arguments->toy))
        lesson_text(maker, TONE_PLAIN, "Nothing fails%s: %s.", trap->is_loud ? " here" : "",
                    trap->is_loud ? "there is one head, and a folded row is an example"
                                  : trap->agrees);
    else
        lesson_text(maker, TONE_PLAIN, "It fails: %s.", trap->agrees);
    if (trap->is_loud) {
        add_loud(maker, &arguments->toy);
        return true;
    }
    Pool pool = {0}; /* a study is large: freed at once */
    TrapOutcome outcome;
    bool studied = trap_study(&outcome, trap, &arguments->toy, &pool);
    if (studied) add_outcome(maker, &outcome, every_head);
    pool_free(&pool);
    add_switch(maker, trap, shown);
    return studied;
}

/* --- the gallery ------------------------------------------------------------------------------ */

static bool add_summary_row(LessonMaker *maker, const MistakeKind *trap, const TrapToy *toy) {
    Pool *text = lesson_pool(maker), pool = {0};
    TrapOutcome o;
    bool studied = trap_study(&o, trap, toy, &pool);
    if (studied)
        lesson_row(maker, o.idle ? TONE_FAINT : TONE_PLAIN, "%s\t%s\t%s\t%s\t%s\t%s", trap->name,
                   trap->title, site_text(trap), gap_text(text, o.weights),
                   gap_text(text, o.output),
                   o.idle          ? pool_format(text, "nothing to catch: %s", o.idle)
                   : o.caught.text ? o.caught.text
                                   : "no check on this input");
    pool_free(&pool);
    return studied;
}

static bool add_summary(LessonMaker *maker, const Arguments *arguments) {
    lesson_table(maker, "The largest differences on this input, and the first check that fails",
                 "trap\t~what was done\tat\t>weights\t>output\t~caught by");
    for (int i = 0; trap_at(i); i++) {
        const MistakeKind *trap = trap_at(i);
        if (trap->is_loud)
            lesson_row(maker, TONE_FAINT, "%s\t%s\t%s\t\t\t%s", trap->name, trap->title,
                       site_text(trap),
                       is_loud_here(trap, &arguments->toy)
                           ? "the shapes: it stops with an error"
                           : "nothing to catch: there is one head, and nothing to repeat");
        else if (!add_summary_row(maker, trap, &arguments->toy))
            return false;
        lesson_row_action(maker, pool_format(lesson_pool(maker), "lesson traps %s", trap->name));
    }
    return true;
}

static const char *counted(Pool *pool, int count, const char *one, const char *more) {
    return pool_format(pool, "%d %s", count, count == 1 ? one : more);
}

/* `trap` NULL: introduces all traps. */
static void add_introduction(LessonMaker *maker, const Arguments *arguments,
                             const MistakeKind *trap) {
    AttentionSizes n = arguments->toy.sizes;
    Pool *pool = lesson_pool(maker);
    if (!trap)
        lesson_text(
            maker, TONE_PLAIN,
            "Each of these%s runs without an error, since every shape agrees, and gives other "
            "numbers; where it gives the same, the table says why.",
            n.heads > 1 ? " but one" : "");
    lesson_text(
        maker, TONE_PLAIN,
        "Right and wrong read the same random input: %s, %s, %s, %s of width %d, valid lengths "
        "%s.%s%s",
        counted(pool, n.batch, "example", "examples"), counted(pool, n.queries, "query", "queries"),
        counted(pool, n.keys, "key", "keys"), counted(pool, n.heads, "head", "heads"), n.head_width,
        call_list(pool, arguments->toy.lens, n.batch, 40),
        !trap || trap_study_site(trap) != SITE_CROSS
            ? pool_format(pool, " Self-attention takes its %s for keys.",
                          counted(pool, n.queries, "query", "queries"))
            : "",
        !trap || trap->rules[0].empty ? " Where a row must see nothing, the last length is 0."
                                      : "");
}

static bool add_gallery(LessonMaker *maker, const Arguments *arguments, const ShownPass *shown) {
    lesson_title(maker, "The silent mistakes");
    add_introduction(maker, arguments, NULL);
    if (shown) {
        lesson_buttons(maker, NULL);
        lesson_button(maker, "on this model", false,
                      "What each would do to the model and input on show.", "lesson traps --here");
        lesson_button(maker, "no trap", shown->state->trap == NONE, "The model as trained.",
                      "trap off");
    }
    if (!add_summary(maker, arguments)) return false;
    for (int i = 0; trap_at(i); i++)
        if (!add_trap(maker, trap_at(i), arguments, shown, false)) return false;
    return true;
}

static bool add_one(LessonMaker *maker, const Arguments *arguments, const ShownPass *shown) {
    const MistakeKind *trap = trap_find(arguments->name);
    lesson_title(maker, trap->is_loud ? "The loud mistake %s" : "The silent mistake %s",
                 trap->name);
    if (!trap->is_loud) add_introduction(maker, arguments, trap);
    if (!add_trap(maker, trap, arguments, shown, true)) return false;
    if (shown) {
        lesson_buttons(maker, NULL);
        lesson_button(maker, "all of them", false, "The gallery.", "lesson traps");
    }
    return true;
}

/* --- on a model ------------------------------------------------------------------------------- */

/* Differences below this are rounding: the plain kernel sums in double and in another order. */
#define ROUNDING 1e-4

static bool add_effects(LessonMaker *maker, const Model *model, const Params *params,
                        const State *state, bool live, Error *error) {
    Pool *pool = lesson_pool(maker);
    lesson_title(maker, "The silent mistakes on this model");
    lesson_text(
        maker, TONE_PLAIN,
        "The model reads \"%s\". Each mistake is switched on in all layers where it can be "
        "made, in a model that was trained %s. The log-probability is that of the target it "
        "writes as trained.",
        state->examples[0].input,
        config_mistaken(&model->config)
            ? pool_format(pool, "with %s, in its place", trap_option_name(&model->config))
            : "without it");
    lesson_table(maker, NULL, "trap\t>weights\tin\t>log-probability\twrites");
    for (int i = 0; trap_at(i); i++) {
        const MistakeKind *trap = trap_at(i);
        TrapEffect effect;
        if (trap->is_loud) continue;
        if (!trap_effect(&effect, trap, model, params, state, pool, error)) return false;
        bool idle = effect.runs && effect.weights < ROUNDING && fabs(effect.log_prob) < ROUNDING;
        bool same = strcmp(effect.writes, effect.was) == 0;
        const char *head = effect.weights > 0
                               ? pool_format(pool, "%s.%d.%d", site_name(effect.head.site),
                                             effect.head.layer, effect.head.head)
                               : "";
        lesson_row(maker,
                   idle   ? TONE_FAINT
                   : same ? TONE_PLAIN
                          : TONE_WRONG,
                   "%s\t%s\t%s\t%s\t%s", trap->name, idle ? "0" : gap_text(pool, effect.weights),
                   idle ? "" : head,
                   !effect.runs ? "no number"
                   : idle       ? "0"
                                : pool_format(pool, "%+.3f", effect.log_prob),
                   idle && effect.idle ? pool_format(pool, "the same: %s", effect.idle)
                   : idle              ? "the same: it changes nothing here"
                   : same              ? "the same"
                   : effect.writes[0]  ? effect.writes
                                       : "(nothing)");
        if (live) lesson_row_action(maker, pool_format(pool, "trap %s; page explore", trap->name));
    }
    lesson_text(
        maker, TONE_FAINT, "%s",
        state->companion
            ? "The batch is of two examples: weights are compared in both, the log-probability and "
              "the text are those of the first."
            : "The batch is of one example: a mistake with tiled lengths or padding needs a "
              "second one of another length, a companion.");
    return true;
}

static bool effects_of_file(LessonMaker *maker, const Arguments *arguments, Error *error) {
    Model model;
    State state = {0};
    if (!arguments->input) return error_usage(error, "say what the model reads: --input TEXT");
    if (!model_open(&model, arguments->model, error)) return false;
    bool good =
        state_make(&state, &model.config, arguments->input) || error_set(error, "out of memory");
    state.companion = arguments->companion != NULL;
    if (good && arguments->companion)
        good = state_set_text(&state.examples[1].input, arguments->companion) ||
               error_set(error, "out of memory");
    good = good && add_effects(maker, &model, &model.params, &state, false, error);
    state_free(&state);
    model_free(&model);
    return good;
}

/* --- options ---------------------------------------------------------------------------------- */

static bool check(Arguments *arguments, const char *lens, Pool *pool, const ShownPass *shown,
                  Error *error) {
    AttentionSizes *n = &arguments->toy.sizes;
    if (arguments->name && !trap_find(arguments->name))
        return trap_option_unknown(arguments->name, true, error);
    if (arguments->here && !shown)
        return error_usage(error, "--here is for the window; write --model FILE --input TEXT");
    if (!arguments->model && (arguments->input || arguments->companion))
        return error_usage(error, "%s belongs to a model: --model FILE",
                           arguments->input ? "--input" : "--companion");
    int keys = int_min(n->keys, n->queries);
    long max = int_max(n->keys, n->queries);
    if (n->batch * max * (max + arguments->width) * arguments->width > MAX_WORK)
        return error_usage(error,
                           "%d examples of %ld steps, %d wide: too much for the gallery, which is "
                           "computed index by index; ask for less",
                           n->batch, max, arguments->width);
    return call_head_width(&n->head_width, arguments->width, n->heads, error) &&
           call_lens(&arguments->toy.lens, pool, lens, n->batch, keys, error) &&
           (arguments->toy.lens || error_usage(error, "--valid-lens none: the traps need lengths"));
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    Arguments arguments = {
        .toy = {.sizes = {.batch = 2, .heads = 2, .queries = 5, .keys = 6}, .seed = 1}, .width = 8};
    AttentionSizes *n = &arguments.toy.sizes;
    const char *lens = "5,3", *name[1] = {NULL};
    Option options[] = {
        {"--batch", OPTION_INT, &n->batch, "N", "examples", 1, 16, false},
        {"--queries", OPTION_INT, &n->queries, "N", "queries", 1, 64, false},
        {"--keys", OPTION_INT, &n->keys, "N", "keys of cross-attention", 1, 64, false},
        {"--width", OPTION_INT, &arguments.width, "N", "width", 1, 512, false},
        {"--heads", OPTION_INT, &n->heads, "N", "heads; they must divide the width", 1, 64, false},
        {"--valid-lens", OPTION_TEXT, &lens, "N,N", "valid length of each example", 0, 0, false},
        {"--seed", OPTION_SEED, &arguments.toy.seed, "N", "of the random input", 0, 0, false},
        {"--model", OPTION_TEXT, &arguments.model, "FILE",
         "what each trap does to this model instead", 0, 0, false},
        {"--input", OPTION_TEXT, &arguments.input, "TEXT", "what that model reads", 0, 0, false},
        {"--companion", OPTION_TEXT, &arguments.companion, "TEXT",
         "a second example beside it, so that the batch is of two", 0, 0, false},
        {"--here", OPTION_FLAG, &arguments.here, NULL, "in the window: on the model on show", 0, 0,
         false},
        {0},
    };
    enum { VALID_LENS = 5 };
    if (!lesson_parse(call, options, name, 0, 1, result, error)) return result->only_help;
    bool shaped = options[0].given || options[1].given || options[2].given;
    arguments.name = name[0];
    if (shaped && !options[VALID_LENS].given) lens = NULL;
    if (!check(&arguments, lens, lesson_pool(maker), call->shown, error)) return false;
    if (arguments.here)
        return add_effects(maker, call->shown->model, call->shown->params, call->shown->state, true,
                           error);
    if (arguments.model) return effects_of_file(maker, &arguments, error);
    bool made = arguments.name ? add_one(maker, &arguments, call->shown)
                               : add_gallery(maker, &arguments, call->shown);
    return made || error_set(error, "out of memory");
}

const Lesson lesson_traps = {
    .name = "traps",
    .title = "The silent mistakes",
    .arguments = "[NAME] [--model FILE --input TEXT] [options]",
    .help = "Shows the silent mistakes of attention beside the right thing.",
    .make = make,
    .follows_pass = true,
    .files = {"--model"},
};
