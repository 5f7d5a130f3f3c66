/* The commands heads and ablate: a table over all heads, of what each does and how much it matters.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands/commands.h"
#include "app/commands/head_table.h"
#include "app/pass/head_study.h"

typedef struct HeadsCall {
    /* as given */
    TextList inputs;
    const char *site, *by;
    int count, threads;
    bool csv, json, figures, ablate;
    /* as found */
    Model model;
    Texts texts;
    HeadId *heads;
    int head_count;
    HeadTable table;
    Knockout knockout;
    StudyScore whole;
    const double *changes; /* [head_count], in the table */
} HeadsCall;

/* --- columns ---------------------------------------------------------------------------------- */

/* The errors' names, beside figure_name. */
static const char *const ERROR_NAMES[FIGURE_COUNT] = {
    [FIGURE_ENTROPY] = "entropy_error",   [FIGURE_SPREAD] = "spread_error",
    [FIGURE_DISTANCE] = "distance_error", [FIGURE_LARGEST] = "largest_error",
    [FIGURE_PREVIOUS] = "previous_error", [FIGURE_SELF] = "self_error",
    [FIGURE_NEXT] = "next_error",         [FIGURE_FIRST] = "first_error",
    [FIGURE_LAST] = "last_error",         [FIGURE_DIAGONAL] = "diagonal_error",
};

static bool fill_figures(HeadTable *table, const HeadFigures *figures, Error *error) {
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        const char *name = figure_name((Figure)figure);
        double *means = head_table_column(table, name, name, 3, error);
        double *errors = head_table_column(table, ERROR_NAMES[figure], NULL, 3, error);
        if (!means || !errors) return false;
        for (int row = 0; row < table->rows; row++) {
            means[row] = figures[row].mean[figure];
            errors[row] = figures[row].error[figure];
        }
    }
    double *rows = head_table_column(table, "rows", NULL, 0, error);
    if (!rows || !head_table_labels(table, error)) return false;
    for (int row = 0; row < table->rows; row++) {
        rows[row] = (double)figures[row].rows;
        head_label(&figures[row], table->heads[row].site, table->labels[row], HEAD_LABEL_SIZE);
    }
    return true;
}

static bool add_figures(HeadsCall *call, Error *error) {
    HeadFigures *figures = calloc((size_t)call->head_count + 1, sizeof *figures);
    if (!figures) return error_set(error, "out of memory for %d heads", call->head_count);
    bool good = study_figures(figures, call->heads, call->head_count, &call->model, &call->texts,
                              call->threads, error) &&
                fill_figures(&call->table, figures, error);
    free(figures);
    return good;
}

static bool fill_effects(HeadsCall *call, const StudyEffect *effects, Error *error) {
    HeadTable *table = &call->table;
    double *change = head_table_column(table, "log_prob_change", "log-prob change", 4, error);
    double *off = head_table_column(table, "log_prob_change_error", "error", 4, error);
    double *exact = head_table_column(table, "exact_match", "exact match", 4, error);
    double *accuracy = head_table_column(table, "forced_accuracy", "forced accuracy", 4, error);
    if (!change || !off || !exact || !accuracy) return false;
    for (int row = 0; row < table->rows; row++) {
        change[row] = effects[row].change;
        off[row] = effects[row].error;
        exact[row] = effects[row].score.exact;
        accuracy[row] = effects[row].score.forced_accuracy;
    }
    call->changes = change;
    return true;
}

static bool add_effects(HeadsCall *call, Error *error) {
    StudyEffect *effects = calloc((size_t)call->head_count + 1, sizeof *effects);
    if (!effects) return error_set(error, "out of memory for %d heads", call->head_count);
    bool good = study_ablation(effects, &call->whole, call->heads, call->head_count, call->knockout,
                               &call->model, &call->texts, call->threads, error) &&
                fill_effects(call, effects, error);
    free(effects);
    return good;
}

/* --- output ----------------------------------------------------------------------------------- */

/* The heads with the one that matters most first: whose loss lowers the log-probability most. */
static int *order_by_change(const HeadsCall *call, Error *error) {
    int *order = malloc(((size_t)call->head_count + 1) * sizeof *order);
    if (!order) {
        error_set(error, "out of memory for %d heads", call->head_count);
        return NULL;
    }
    for (int i = 0; i < call->head_count; i++) {
        int at = i;
        for (; at > 0 && call->changes[order[at - 1]] > call->changes[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* What the mean is over; empty for zeros. */
static void name_means(const HeadsCall *call, char *text, size_t size) {
    text[0] = '\0';
    if (call->knockout == KNOCKOUT_MEAN)
        head_means_name(text, size, &call->model, call->texts.batch.size);
}

static bool print_readable(const HeadsCall *call, Error *error) {
    printf("%s: %s\n", call->texts.name,
           call->figures ? "means over texts; blank where a figure means nothing"
                         : "the change when one head is knocked out");
    if (call->ablate) {
        char by[96];
        name_means(call, by, sizeof by);
        printf("heads replaced by %s%s; whole model: log-probability ",
               call->knockout == KNOCKOUT_MEAN ? "their mean output over " : call->by, by);
        if (isnan(call->whole.log_prob))
            printf("not a number (NaN; its weights are too large)");
        else
            printf("%.4f", call->whole.log_prob);
        printf(", exact match %.4f, forced accuracy %.4f\n", call->whole.exact,
               call->whole.forced_accuracy);
    }
    int *order = call->figures ? NULL : order_by_change(call, error);
    if (!call->figures && !order) return false;
    head_table_print(&call->table, order);
    free(order);
    return true;
}

static bool print_json(const HeadsCall *call, const char *path, Error *error) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "model", path);
    cJSON_AddStringToObject(object, "hash", call->model.hash);
    cJSON_AddStringToObject(object, "texts", call->texts.name);
    cJSON_AddNumberToObject(object, "examples", call->texts.batch.size);
    if (call->ablate) {
        char over[96];
        name_means(call, over, sizeof over);
        cJSON_AddStringToObject(object, "by", call->by);
        if (over[0]) cJSON_AddStringToObject(object, "mean_over", over);
        cJSON_AddNumberToObject(object, "log_prob", call->whole.log_prob);
        cJSON_AddNumberToObject(object, "exact_match", call->whole.exact);
        cJSON_AddNumberToObject(object, "forced_accuracy", call->whole.forced_accuracy);
    }
    return head_table_print_json(&call->table, object, error);
}

static bool print(const HeadsCall *call, const char *path, Error *error) {
    if (call->json) return print_json(call, path, error);
    if (!call->csv) return print_readable(call, error);
    head_table_print_csv(&call->table);
    return true;
}

/* --- the calls -------------------------------------------------------------------------------- */

static bool check(HeadsCall *call, bool count_given, bool by_given, Error *error) {
    if (call->csv && call->json) return error_usage(error, "--csv or --json, not both");
    if (call->inputs.count && count_given)
        return error_usage(error, "--input gives the texts, --count takes held-out examples: leave "
                                  "one of them out");
    if (by_given && !call->ablate) return error_usage(error, "--by goes with --ablate");
    if (strcmp(call->by, "zero") != 0 && strcmp(call->by, "mean") != 0)
        return error_usage(error, "--by %s: it takes zero or mean", call->by);
    call->knockout = strcmp(call->by, "zero") == 0 ? KNOCKOUT_ZERO : KNOCKOUT_MEAN;
    return true;
}

static bool work(HeadsCall *call, const char *path, Error *error) {
    if (!model_open(&call->model, path, error)) return false;
    call->heads = study_heads(&call->model.config, call->site, &call->head_count, error);
    if (!call->heads || !texts_make(&call->texts, &call->model, path, &call->inputs, call->count,
                                    call->threads, error))
        return false;
    call->table = head_table(call->heads, call->head_count);
    double *examples = head_table_column(&call->table, "examples", NULL, 0, error);
    for (int row = 0; examples && row < call->head_count; row++)
        examples[row] = call->texts.batch.size;
    return examples && (!call->figures || add_figures(call, error)) &&
           (!call->ablate || add_effects(call, error)) && print(call, path, error);
}

static bool run(HeadsCall *call, const Command *command, Option *options, const Option *count,
                const Option *by, int argc, char **argv, Error *error) {
    const char *path;
    ParseResult parsed = options_parse(command, options, &path, 1, 1, argc, argv, error);
    bool done = parsed == PARSE_HELP ||
                (parsed == PARSE_DONE && check(call, count->given, by->given, error) &&
                 work(call, path, error));
    head_table_free(&call->table);
    texts_free(&call->texts);
    free(call->heads);
    free(call->inputs.texts);
    model_free(&call->model);
    return done;
}

#define OPTION_INPUT                                                                               \
    "--input", OPTION_TEXTS, &call.inputs, "TEXT",                                                 \
        "a text, with the model's own output; may be given several times", 0, 0, false
#define OPTION_COUNT                                                                               \
    "--count", OPTION_INT, &call.count, "N", "held-out examples, without --input", 1, 100000, false
#define OPTION_BY                                                                                  \
    "--by", OPTION_TEXT, &call.by, "zero|mean",                                                    \
        "what stands in for a head: zeros, or its mean output over 200 held-out examples (of a "   \
        "model without a task, over the texts)",                                                   \
        0, 0, false
#define OPTION_SITE                                                                                \
    "--site", OPTION_TEXT, &call.site, "SITE", "encoder, decoder or cross alone", 0, 0, false
#define OPTION_CSV  "--csv", OPTION_FLAG, &call.csv, NULL, "comma-separated values", 0, 0, false
#define OPTION_JSON "--json", OPTION_FLAG, &call.json, NULL, "a JSON object", 0, 0, false
#define OPTION_TEAM "--threads", OPTION_THREADS, &call.threads, "N", "threads", 1, 64, false

bool command_heads(const Command *command, int argc, char **argv, Error *error) {
    HeadsCall call = {.by = "zero", .count = 200, .threads = default_threads(), .figures = true};
    Option options[] = {
        {OPTION_INPUT},
        {OPTION_COUNT},
        {OPTION_SITE},
        {"--ablate", OPTION_FLAG, &call.ablate, NULL, "with the columns of headscope ablate", 0, 0,
         false},
        {OPTION_BY},
        {OPTION_CSV},
        {OPTION_JSON},
        {OPTION_TEAM},
        {0},
    };
    return run(&call, command, options, &options[1], &options[4], argc, argv, error);
}

bool command_ablate(const Command *command, int argc, char **argv, Error *error) {
    HeadsCall call = {.by = "zero", .count = 200, .threads = default_threads(), .ablate = true};
    Option options[] = {
        {OPTION_INPUT}, {OPTION_COUNT}, {OPTION_SITE}, {OPTION_BY},
        {OPTION_CSV},   {OPTION_JSON},  {OPTION_TEAM}, {0},
    };
    return run(&call, command, options, &options[1], &options[3], argc, argv, error);
}
