/* The report as CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/check_report.h"
#include "model/base/utf8.h"

/* --- CSV -------------------------------------------------------------------------------------- */

static void put_field(FILE *stream, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (; *text; text++) {
        if (*text == '"') putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

void check_csv_head(FILE *stream) {
    fputs("file,verdict,kinds,same,stage,error,right_error,message\n", stream);
}

/* The name of the mistake at an index, of the findings or, if none is a fault, of the remarks; NULL
 * past the last. */
static const char *kind_at(const CheckResult *result, int index) {
    const StageFinding *finding;
    const Diagnosis *diagnosis = &result->diagnosis;
    bool found = check_main_finding(result) != NULL;
    for (int i = 0; found && (finding = check_finding(result, i)); i++)
        for (int k = 0; k < 2 && finding->state == STAGE_FAULT && finding->kinds[k]; k++)
            if (index-- == 0) return finding->kinds[k]->name;
    for (int i = 0; !found && i < diagnosis->remark_count; i++)
        if (diagnosis->remarks[i].is_fault && index-- == 0) return diagnosis->remarks[i].kind->name;
    return NULL;
}

static void put_kinds(FILE *stream, const CheckResult *result) {
    const char *name;
    for (int i = 0; (name = kind_at(result, i)); i++)
        fprintf(stream, "%s%s", i ? "+" : "", name);
}

static void put_number(FILE *stream, double number) {
    putc(',', stream);
    if (isfinite(number)) fprintf(stream, "%.6g", number);
}

void check_csv_row(FILE *stream, const CheckResult *result) {
    const StageFinding *finding = check_main_finding(result);
    char headline[HEADLINE_TEXT], stage[STAGE_TEXT] = "";
    check_headline(result, headline);
    put_field(stream, result->path);
    fprintf(stream, ",%s,", verdict_name(check_verdict(result)));
    put_kinds(stream, result);
    putc(',', stream);
    for (int i = 0; finding && i < finding->same_count; i++)
        fprintf(stream, "%s%s", i ? "|" : "", finding->same[i]->name);
    if (finding) check_stage_text(finding, stage);
    fprintf(stream, ",%s", stage);
    put_number(stream, finding && finding->kinds[0] ? finding->error : (double)NAN);
    put_number(stream, finding ? finding->right_error : (double)NAN);
    putc(',', stream);
    put_field(stream, headline);
    putc('\n', stream);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Replaces other bytes than ASCII by '?' if the text, such as a path, is not UTF-8. */
static void add_text(cJSON *object, const char *name, const char *text) {
    if (utf8_valid(text)) {
        cJSON_AddStringToObject(object, name, text);
        return;
    }
    char *copy = malloc(strlen(text) + 1);
    if (!copy) return;
    strcpy(copy, text);
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    cJSON_AddStringToObject(object, name, copy);
    free(copy);
}

static void add_number(cJSON *object, const char *name, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, name, number);
    else
        cJSON_AddNullToObject(object, name);
}

static void add_place(cJSON *object, DoctorPlace place) {
    PlaceAxis axes[PLACE_AXES];
    cJSON *item = cJSON_AddObjectToObject(object, "place");
    check_place_axes(place, axes);
    for (int i = 0; i < PLACE_AXES; i++)
        if (axes[i].at >= 0)
            cJSON_AddNumberToObject(item, axes[i].name, axes[i].at);
        else
            cJSON_AddNullToObject(item, axes[i].name);
}

static cJSON *kind_object(const MistakeKind *kind) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", kind->name);
    cJSON_AddStringToObject(object, "title", kind->title);
    cJSON_AddStringToObject(object, "mend", kind->mend);
    return object;
}

static void add_stage(cJSON *stages, const StageFinding *finding) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "from", doctor_stage_name(finding->from));
    cJSON_AddStringToObject(object, "until", doctor_stage_name(finding->until));
    cJSON_AddStringToObject(object, "state", stage_state_name(finding->state));
    add_text(object, "why", finding->why);
    if (finding->state != STAGE_NOT_CHECKED) {
        cJSON_AddStringToObject(object, "tensor", dump_part_name(finding->part));
        cJSON *kinds = cJSON_AddArrayToObject(object, "kinds");
        for (int i = 0; i < 2 && finding->kinds[i]; i++)
            cJSON_AddItemToArray(kinds, kind_object(finding->kinds[i]));
        cJSON *same = cJSON_AddArrayToObject(object, "same");
        for (int i = 0; i < finding->same_count; i++)
            cJSON_AddItemToArray(same, kind_object(finding->same[i]));
        add_text(object, "same_why", finding->same_why);
        add_number(object, "error", finding->kinds[0] ? finding->error : (double)NAN);
        add_number(object, "right_error", finding->right_error);
        add_number(object, "allowed", finding->allowed);
        add_number(object, "difference", finding->difference);
        add_place(object, finding->place);
    }
    cJSON_AddItemToArray(stages, object);
}

static void add_remark(cJSON *remarks, const DoctorRemark *remark) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", remark->kind->name);
    cJSON_AddBoolToObject(object, "fault", remark->is_fault);
    add_text(object, "text", remark->text);
    add_place(object, remark->place);
    cJSON_AddItemToArray(remarks, object);
}

static void add_read_as(cJSON *object, const Dump *dump) {
    cJSON *item = cJSON_AddObjectToObject(object, "read_as");
    cJSON_AddStringToObject(item, "site", site_name(dump->site));
    cJSON_AddBoolToObject(item, "causal", dump->causal);
    cJSON_AddNumberToObject(item, "batch", dump->sizes.batch);
    if (dump->sizes.heads)
        cJSON_AddNumberToObject(item, "heads", dump->sizes.heads);
    else
        cJSON_AddNullToObject(item, "heads");
    cJSON_AddNumberToObject(item, "queries", dump->sizes.queries);
    cJSON_AddNumberToObject(item, "keys", dump->sizes.keys);
    cJSON *tensors = cJSON_AddArrayToObject(item, "tensors");
    for (int i = 0; i < DUMP_PARTS; i++)
        if (dump->parts[i].numbers)
            cJSON_AddItemToArray(tensors, cJSON_CreateString(dump_part_name((DumpPart)i)));
}

cJSON *check_json(const CheckResult *result) {
    char headline[HEADLINE_TEXT];
    Verdict verdict = check_verdict(result);
    const StageFinding *finding;
    cJSON *object = cJSON_CreateObject();
    if (!object) return NULL;
    check_headline(result, headline);
    add_text(object, "file", result->path);
    cJSON_AddStringToObject(object, "verdict", verdict_name(verdict));
    cJSON_AddNumberToObject(object, "status", verdict_status(verdict));
    add_text(object, "message", headline);
    const char *name;
    cJSON *kinds = cJSON_AddArrayToObject(object, "kinds");
    for (int i = 0; (name = kind_at(result, i)); i++)
        cJSON_AddItemToArray(kinds, cJSON_CreateString(name));
    cJSON *stages = cJSON_AddArrayToObject(object, "stages");
    cJSON *remarks = cJSON_AddArrayToObject(object, "remarks");
    if (!result->read) return object;
    for (int i = 0; (finding = check_finding(result, i)); i++)
        add_stage(stages, finding);
    for (int i = 0; i < result->diagnosis.remark_count; i++)
        add_remark(remarks, &result->diagnosis.remarks[i]);
    cJSON_AddBoolToObject(object, "column_convention", result->diagnosis.column_convention);
    add_read_as(object, &result->file.dump);
    return object;
}
