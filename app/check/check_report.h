/* The report of `headscope check` on a file: its verdict as text, CSV, JSON and a page. */
#ifndef HEADSCOPE_APP_CHECK_CHECK_REPORT_H
#define HEADSCOPE_APP_CHECK_CHECK_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "app/check/dump.h"
#include "app/page/lesson_maker.h"

typedef enum Verdict {
    VERDICT_SOUND,     /* at least one step was checked, and all checked steps are right */
    VERDICT_UNCHECKED, /* no step could be recomputed; the numbers themselves show no mistake */
    VERDICT_FAULT,     /* a mistake explains the numbers, or shows in them */
    VERDICT_WRONG,     /* wrong, and no known mistake explains it */
    VERDICT_ERROR,     /* the file could not be read or holds nothing to check */
} Verdict;

/* One file, read and examined. */
typedef struct CheckResult {
    const char *path; /* borrowed */
    bool read;        /* false: not read; see `error`, the rest is {0} */
    Error error;
    DumpFile file;
    Diagnosis diagnosis;
} CheckResult;

/* Reads and examines a file. Never fails: an error is a result. */
void check_file(CheckResult *result, const char *path, const DumpOptions *options);
void check_free(CheckResult *result); /* {0} is fine */

Verdict check_verdict(const CheckResult *result);
const char *verdict_name(Verdict verdict); /* "sound", "fault", "wrong", "error" */

/* The exit status of a verdict: 0, 1 or 2. */
int verdict_status(Verdict verdict);

/* The finding at an index; NULL past the last. The finding of stages that were judged together is
 * returned once. */
const StageFinding *check_finding(const CheckResult *result, int index);

/* "weights", or "weights-output" where stages were judged together. */
enum { STAGE_TEXT = 40 };
void check_stage_text(const StageFinding *finding, char text[STAGE_TEXT]);
const char *doctor_stage_name(DoctorStage stage);
const char *stage_state_name(StageState state);

/* The finding that decides the verdict: the first that is a fault or wrong; NULL if there is none.
 */
const StageFinding *check_main_finding(const CheckResult *result);

/* The first remark that is a fault: it decides the verdict if no finding does. NULL if there is
 * none. */
const DoctorRemark *check_main_remark(const CheckResult *result);

/* "example 1, head 0, query 3, key 5"; "" if no axis applies. */
enum { PLACE_TEXT = 120, PLACE_AXES = 4 };

/* One axis of a place; at < 0: does not apply. */
typedef struct PlaceAxis {
    const char *name;
    int at;
} PlaceAxis;
void check_place_axes(DoctorPlace place, PlaceAxis axes[PLACE_AXES]);

void check_place_text(DoctorPlace place, char text[PLACE_TEXT]);

/* The verdict in one line, without the file's name. */
enum { HEADLINE_TEXT = 600 };
void check_headline(const CheckResult *result, char text[HEADLINE_TEXT]);

/* The report as a page: its title is the verdict. */
void check_page(LessonMaker *maker, const CheckResult *result);

/* Parts of the page: how the file was read; what was checked. */
void check_page_dump(LessonMaker *maker, const CheckResult *result);
void check_page_stages(LessonMaker *maker, const CheckResult *result);

/* The evidence as a page of maps: yours, right, predicted by the mistake, left over. */
void check_evidence_page(LessonMaker *maker, const CheckResult *result);

/* CSV (RFC 4180): file,verdict,kinds,same,stage,error,right_error,message. */
void check_csv_head(FILE *stream);
void check_csv_row(FILE *stream, const CheckResult *result);

/* The object that docs/check.md describes; NULL for lack of memory. */
cJSON *check_json(const CheckResult *result);

#endif
