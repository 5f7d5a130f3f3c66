/* The command check: is your multi-head attention correct, and if not, which mistake is it? */
#include <stdlib.h>
#include <string.h>

#include "app/check/check_report.h"
#include "app/commands/command_text.h"
#include "app/commands/commands.h"
#include "app/page/lesson_file.h"
#include "app/page/lesson_print.h"
#include "model/base/minmax.h"

typedef struct CheckCall {
    DumpOptions dump;
    bool json, csv;
    LessonFile picture;
    const char **files;
    int count;
    cJSON *results; /* of --json */
    int faults, errors;
} CheckCall;

static bool print_page(const CheckResult *result, Error *error) {
    LessonMaker *maker = lesson_maker();
    if (!maker) return error_set(error, "out of memory");
    check_page(maker, result);
    const LessonPage *page = lesson_finish(maker, error);
    bool good = page && lesson_print(stdout, page, error);
    lesson_free(maker);
    return good;
}

static bool draw_evidence(const CheckCall *call, const CheckResult *result, Error *error) {
    if (!call->picture.picture || !result->read) return true;
    LessonMaker *maker = lesson_maker();
    if (!maker) return error_set(error, "out of memory");
    check_evidence_page(maker, result);
    const LessonPage *page = lesson_finish(maker, error);
    bool good = page && lesson_file_draw(&call->picture, page, error);
    lesson_free(maker);
    return good;
}

static bool report(CheckCall *call, const CheckResult *result, bool first, Error *error) {
    if (call->csv) {
        check_csv_row(stdout, result);
        return true;
    }
    if (call->json) {
        cJSON *item = check_json(result);
        if (!item || !cJSON_AddItemToArray(call->results, item))
            return error_set(error, "out of memory");
        return true;
    }
    if (!result->read) {
        if (call->count == 1) {
            *error = result->error;
            error->kind = ERROR_USAGE;
            return false;
        }
        fflush(stdout);
        fprintf(stderr, "headscope check: %s\n", result->error.text);
        return true;
    }
    if (!first) putchar('\n');
    return print_page(result, error);
}

static bool check_all(CheckCall *call, Error *error) {
    bool good = true;
    for (int i = 0; good && i < call->count; i++) {
        CheckResult result;
        check_file(&result, call->files[i], &call->dump);
        Verdict verdict = check_verdict(&result);
        call->errors += verdict == VERDICT_ERROR;
        call->faults += verdict == VERDICT_FAULT || verdict == VERDICT_WRONG;
        good = report(call, &result, i == 0, error) && draw_evidence(call, &result, error);
        check_free(&result);
    }
    return good;
}

static bool print_json(const CheckCall *call, cJSON *object, Error *error) {
    cJSON_AddNumberToObject(object, "status", call->errors ? 2 : call->faults ? 1 : 0);
    char *text = cJSON_Print(object);
    if (!text) return error_set(error, "out of memory");
    puts(text);
    free(text);
    return true;
}

/* A file that could not be checked has precedence over a fault: the result is incomplete. */
static bool finish(const CheckCall *call, Error *error) {
    if (call->errors && (call->csv || call->json || call->count > 1))
        return error_usage(error, "%d of %d file%s could not be checked", call->errors, call->count,
                           call->count == 1 ? "" : "s");
    return call->faults ? error_found(error) : true;
}

static bool run(CheckCall *call, Error *error) {
    if (call->csv) check_csv_head(stdout);
    if (!call->json) return check_all(call, error) && finish(call, error);
    cJSON *object = cJSON_CreateObject();
    call->results = cJSON_AddArrayToObject(object, "files");
    bool good = call->results && check_all(call, error) && print_json(call, object, error);
    if (!call->results) error_set(error, "out of memory");
    cJSON_Delete(object);
    return good && finish(call, error);
}

static bool check_call(const CheckCall *call, Error *error) {
    if (call->csv && call->json) return error_usage(error, "--csv or --json, not both");
    if (call->picture.picture && call->count > 1)
        return error_usage(error, "--picture draws one file, not %d", call->count);
    return lesson_file_check(&call->picture, error) && dump_options_check(&call->dump, error);
}

/* Before those of the picture. */
enum { OWN_OPTIONS = 9 };

bool command_check(const Command *command, int argc, char **argv, Error *error) {
    CheckCall call = {.picture = lesson_file()};
    int heads = -1; /* not said */
    Option options[] = {
        {"--heads", OPTION_INT, &heads, "H", "how many heads, where shapes do not say it", 1,
         1 << 20, false},
        {"--site", OPTION_TEXT, &call.dump.site, "SITE",
         "where the attention stands: self, encoder, decoder or cross", 0, 0, false},
        {"--causal", OPTION_FLAG, &call.dump.causal, NULL,
         "queries must not see later keys (--site decoder implies it)", 0, 0, false},
        {"--no-causal", OPTION_FLAG, &call.dump.unmasked, NULL, "they may", 0, 0, false},
        {"--valid-lens", OPTION_TEXT, &call.dump.valid_lens, "3,2",
         "how many keys of each example are valid", 0, 0, false},
        {"--layout", OPTION_TEXT, &call.dump.layout, "LAYOUT",
         "BTW, BHTD or FTD, where a shape can be read in two ways", 0, 0, false},
        {"--weights", OPTION_TEXT, &call.dump.weights, "NAME",
         "the array that holds the attention weights", 0, 0, false},
        {"--csv", OPTION_FLAG, &call.csv, NULL, "one line for each file", 0, 0, false},
        {"--json", OPTION_FLAG, &call.json, NULL, "everything, for other programs", 0, 0, false},
        [OWN_OPTIONS + LESSON_FILE_OPTIONS] = {0},
    };
    lesson_file_options(options + OWN_OPTIONS, &call.picture);
    char *typed = command_text("headscope check", options, argc, argv);
    call.picture.typed = typed;
    call.files = calloc((size_t)argc + 1, sizeof *call.files);
    if (!call.files || !typed) {
        free(call.files);
        free(typed);
        return error_set(error, "out of memory");
    }
    ParseResult parsed = options_parse(command, options, call.files, 1, argc, argc, argv, error);
    call.dump.heads = int_max(heads, 0);
    while (parsed == PARSE_DONE && call.files[call.count])
        call.count++;
    bool good = parsed == PARSE_HELP ||
                (parsed == PARSE_DONE && check_call(&call, error) && run(&call, error));
    free(call.files);
    free(typed);
    return good;
}
