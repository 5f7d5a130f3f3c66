#include "app/check/check_report.h"

#include <stdio.h>
#include <string.h>

void check_file(CheckResult *result, const char *path, const DumpOptions *options) {
    *result = (CheckResult){.path = path};
    if (!dump_open(&result->file, path, options, &result->error)) return;
    result->read = doctor_examine(&result->diagnosis, &result->file.dump, &result->error);
    if (result->read) return;
    error_prefix(&result->error, "%.300s", path);
    dump_close(&result->file);
}

void check_free(CheckResult *result) {
    diagnosis_free(&result->diagnosis);
    dump_close(&result->file);
    *result = (CheckResult){0};
}

/* --- names ------------------------------------------------------------------------------------ */

const char *verdict_name(Verdict verdict) {
    static const char *const names[] = {"sound", "unchecked", "fault", "wrong", "error"};
    return names[verdict];
}

int verdict_status(Verdict verdict) {
    bool fine = verdict == VERDICT_SOUND || verdict == VERDICT_UNCHECKED;
    return fine ? 0 : verdict == VERDICT_ERROR ? 2 : 1;
}

const char *doctor_stage_name(DoctorStage stage) {
    static const char *const names[STAGES] = {"projection", "weights", "mix", "output"};
    return names[stage];
}

const char *stage_state_name(StageState state) {
    static const char *const names[] = {"not checked", "sound", "fault", "wrong"};
    return names[state];
}

void check_stage_text(const StageFinding *finding, char text[STAGE_TEXT]) {
    if (finding->from == finding->until)
        snprintf(text, STAGE_TEXT, "%s", doctor_stage_name(finding->from));
    else
        snprintf(text, STAGE_TEXT, "%s-%s", doctor_stage_name(finding->from),
                 doctor_stage_name(finding->until));
}

void check_place_axes(DoctorPlace place, PlaceAxis axes[PLACE_AXES]) {
    axes[0] = (PlaceAxis){"example", place.example};
    axes[1] = (PlaceAxis){"head", place.head};
    axes[2] = (PlaceAxis){"query", place.query};
    axes[3] = (PlaceAxis){"key", place.key};
}

void check_place_text(DoctorPlace place, char text[PLACE_TEXT]) {
    PlaceAxis axes[PLACE_AXES];
    size_t used = 0;
    text[0] = '\0';
    check_place_axes(place, axes);
    for (int i = 0; i < PLACE_AXES; i++)
        if (axes[i].at >= 0)
            used += (size_t)snprintf(text + used, PLACE_TEXT - used, "%s%s %d", used ? ", " : "",
                                     axes[i].name, axes[i].at);
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* True if an earlier stage holds the same finding. The first stage that a finding covers may hold
 * another one: weights and context, each recomputed from the sources, both cover the projection. */
static bool is_repeated(const StageFinding *stages, int stage) {
    for (int earlier = 0; earlier < stage; earlier++)
        if (stages[earlier].state != STAGE_NOT_CHECKED &&
            stages[earlier].from == stages[stage].from &&
            stages[earlier].until == stages[stage].until)
            return stages[stage].state != STAGE_NOT_CHECKED;
    return false;
}

const StageFinding *check_finding(const CheckResult *result, int index) {
    const StageFinding *stages = result->diagnosis.stages;
    for (int stage = 0; stage < STAGES; stage++)
        if (!is_repeated(stages, stage) && index-- == 0) return &stages[stage];
    return NULL;
}

static bool is_fault(const StageFinding *finding) {
    return finding->state == STAGE_FAULT || finding->state == STAGE_UNKNOWN;
}

const StageFinding *check_main_finding(const CheckResult *result) {
    const StageFinding *finding;
    for (int i = 0; (finding = check_finding(result, i)); i++)
        if (is_fault(finding)) return finding;
    return NULL;
}

const DoctorRemark *check_main_remark(const CheckResult *result) {
    for (int i = 0; i < result->diagnosis.remark_count; i++)
        if (result->diagnosis.remarks[i].is_fault) return &result->diagnosis.remarks[i];
    return NULL;
}

Verdict check_verdict(const CheckResult *result) {
    const StageFinding *finding;
    Verdict verdict = check_main_remark(result) ? VERDICT_FAULT : VERDICT_UNCHECKED;
    if (!result->read) return VERDICT_ERROR;
    for (int i = 0; (finding = check_finding(result, i)); i++) {
        bool first = verdict == VERDICT_UNCHECKED;
        if (finding->state == STAGE_SOUND && first) verdict = VERDICT_SOUND;
        if (finding->state == STAGE_UNKNOWN) return VERDICT_WRONG;
        if (finding->state == STAGE_FAULT) verdict = VERDICT_FAULT;
    }
    return verdict;
}

/* Lists the stages in that state: "weights, mix"; returns how many. */
static int list_stages(const CheckResult *result, StageState state, char *text, size_t size) {
    int count = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int stage = 0; stage < STAGES; stage++) {
        if (result->diagnosis.stages[stage].state != state) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count ? ", " : "",
                                 doctor_stage_name((DoctorStage)stage));
        count++;
    }
    return count;
}

static void sound_headline(const CheckResult *result, char text[HEADLINE_TEXT]) {
    char checked[120], unchecked[120];
    int sound = list_stages(result, STAGE_SOUND, checked, sizeof checked);
    int open = list_stages(result, STAGE_NOT_CHECKED, unchecked, sizeof unchecked);
    if (!sound)
        snprintf(text, HEADLINE_TEXT,
                 "nothing wrong in the numbers by themselves; no step could be recomputed");
    else if (!open)
        snprintf(text, HEADLINE_TEXT, "sound: every step is right (%s)", checked);
    else
        snprintf(text, HEADLINE_TEXT, "sound in what was checked (%s); not checked: %s", checked,
                 unchecked);
}

void check_headline(const CheckResult *result, char text[HEADLINE_TEXT]) {
    const StageFinding *finding = check_main_finding(result);
    const DoctorRemark *remark = check_main_remark(result);
    if (!result->read)
        snprintf(text, HEADLINE_TEXT, "%s", result->error.text);
    else if (finding && finding->kinds[0])
        snprintf(text, HEADLINE_TEXT, "a fault: %s%s%s", finding->kinds[0]->title,
                 finding->kinds[1] ? ", and " : "",
                 finding->kinds[1] ? finding->kinds[1]->title : "");
    else if (finding)
        snprintf(text, HEADLINE_TEXT,
                 "wrong: %s: not what the formula gives, and no known mistake explains it",
                 dump_part_name(finding->part));
    else if (remark)
        snprintf(text, HEADLINE_TEXT, "a fault: %s", remark->text);
    else
        sound_headline(result, text);
}
