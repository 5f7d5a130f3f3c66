#include <math.h>

#include "app/check_report.h"

/* --- findings --------------------------------------------------------------------------------- */

static void add_kinds(LessonMaker *maker, const StageFinding *finding) {
    for (int i = 0; i < 2 && finding->kinds[i]; i++) {
        const DoctorKind *kind = finding->kinds[i];
        lesson_text(maker, TONE_WRONG, "%s (%s). To mend it: %s", kind->name, kind->title,
                    kind->mend);
    }
    if (!finding->kinds[0])
        lesson_text(maker, TONE_WRONG,
                    "No known mistake, nor a pair of them, gives these numbers.");
}

static void add_same(LessonMaker *maker, const StageFinding *finding) {
    if (!finding->same_count) return;
    for (int i = 0; i < finding->same_count; i++)
        lesson_text(maker, TONE_PLAIN, "%s on this input: %s (%s)",
                    i ? "The same" : "It cannot be told from these", finding->same[i]->name,
                    finding->same[i]->title);
    if (finding->same_why[0]) lesson_text(maker, TONE_PLAIN, "Because %s.", finding->same_why);
}

static void add_fault(LessonMaker *maker, const StageFinding *finding) {
    char stage[STAGE_TEXT], place[PLACE_TEXT];
    check_stage_text(finding, stage);
    check_place_text(finding->place, place);
    lesson_heading(maker, "Where: %s, seen in %s", stage, dump_part_name(finding->part));
    add_kinds(maker, finding);
    lesson_table(maker, NULL, "how far off\t>largest difference\t>of what rounding allows");
    lesson_row(maker, TONE_PLAIN, "the right formula\t%.3g\t%.3g times", finding->difference,
               finding->right_error);
    if (finding->kinds[0])
        lesson_row(maker, TONE_STRONG, "this mistake\t%.3g\t%.3g times",
                   finding->error * finding->allowed, finding->error);
    if (place[0]) lesson_text(maker, TONE_PLAIN, "Yours and right differ most at %s.", place);
    add_same(maker, finding);
}

/* --- what was checked ------------------------------------------------------------------------- */

static void add_stages(LessonMaker *maker, const CheckResult *result) {
    const StageFinding *finding;
    lesson_table(maker, "What was checked",
                 "step\tverdict\ttensor\t>error, of what rounding allows\t~how, or why not");
    for (int i = 0; (finding = check_finding(result, i)); i++) {
        char stage[STAGE_TEXT];
        check_stage_text(finding, stage);
        if (finding->state == STAGE_NOT_CHECKED)
            lesson_row(maker, TONE_FAINT, "%s\tnot checked\t\t\t%s", stage, finding->why);
        else
            lesson_row(maker, finding->state == STAGE_SOUND ? TONE_GOOD : TONE_WRONG,
                       "%s\t%s\t%s\t%.3g\t%s", stage, stage_state_name(finding->state),
                       dump_part_name(finding->part), finding->right_error, finding->why);
    }
}

static void add_remarks(LessonMaker *maker, const CheckResult *result) {
    const Diagnosis *diagnosis = &result->diagnosis;
    if (diagnosis->column_convention)
        lesson_text(maker, TONE_PLAIN,
                    "The weights stand as columns, [Tk,Tq]: each column sums to 1. That is a "
                    "layout, and no fault; they were read so.");
    if (!diagnosis->remark_count) return;
    lesson_table(maker, "Remarks", "\t\t~");
    for (int i = 0; i < diagnosis->remark_count; i++) {
        const DoctorRemark *remark = &diagnosis->remarks[i];
        lesson_row(maker, remark->is_fault ? TONE_WRONG : TONE_PLAIN, "%s\t%s\t%s",
                   remark->is_fault ? "fault" : "note", remark->name, remark->text);
    }
}

static void add_dump(LessonMaker *maker, const CheckResult *result) {
    const Dump *dump = &result->file.dump;
    const char *site = dump->site == SITE_CROSS     ? "cross-attention"
                       : dump->site == SITE_DECODER ? "decoder self-attention"
                                                    : "self-attention";
    char heads[40] = "an unknown number of heads";
    if (dump->sizes.heads)
        snprintf(heads, sizeof heads, "%d head%s", dump->sizes.heads,
                 dump->sizes.heads == 1 ? "" : "s");
    lesson_text(maker, TONE_PLAIN, "Read as %s%s: batch %d, %s, %d queries, %d keys%s.", site,
                dump->causal ? " with a causal mask" : ", no causal mask", dump->sizes.batch, heads,
                dump->sizes.queries, dump->sizes.keys,
                dump->valid_lens ? ", with valid lengths" : ", all keys valid");
}

void check_page(LessonMaker *maker, const CheckResult *result) {
    char headline[HEADLINE_TEXT];
    const StageFinding *finding;
    check_headline(result, headline);
    lesson_title(maker, "%s: %s", result->path, headline);
    add_dump(maker, result);
    for (int i = 0; (finding = check_finding(result, i)); i++)
        if (finding->state == STAGE_FAULT || finding->state == STAGE_UNKNOWN)
            add_fault(maker, finding);
    add_stages(maker, result);
    add_remarks(maker, result);
}

/* --- the evidence ----------------------------------------------------------------------------- */

static float largest(const float *values, long count) {
    float top = 0;
    for (long i = 0; values && i < count; i++)
        if (isfinite(values[i])) top = fmaxf(top, fabsf(values[i]));
    return top;
}

static void add_map(LessonMaker *maker, const DoctorEvidence *evidence, const char *title,
                    const float *values, float top, bool diverging, LessonTone tone,
                    DoctorPlace place) {
    if (!values) return;
    bool weights = evidence->part == DUMP_WEIGHTS;
    LessonMap map = {
        .title = title,
        .rows = evidence->rows,
        .columns = evidence->columns,
        .values = values,
        .top = top,
        .diverging = diverging,
        .marked_row = place.query,
        .marked_column = weights ? place.key : -1,
        .tone = tone,
    };
    char note[80];
    snprintf(note, sizeof note, "%s%.3g to %.3g", diverging ? "-" : "0 .. ", (double)top,
             (double)top);
    if (!diverging) snprintf(note, sizeof note, "0 to %.3g", (double)top);
    map.note = note;
    lesson_map(maker, &map);
}

/* One scale for the tensors, and the same for what is left: blank where all is explained. */
void check_evidence_page(LessonMaker *maker, const CheckResult *result) {
    const DoctorEvidence *evidence = &result->diagnosis.evidence;
    const StageFinding *finding = check_main_finding(result);
    DoctorPlace place = finding ? finding->place : (DoctorPlace){-1, -1, -1, -1};
    char headline[HEADLINE_TEXT];
    check_headline(result, headline);
    lesson_title(maker, "%s: %s", result->path, headline);
    add_dump(maker, result);
    if (!evidence->yours) {
        add_stages(maker, result);
        return;
    }
    long count = (long)evidence->rows * evidence->columns;
    bool weights = evidence->part == DUMP_WEIGHTS;
    float top = fmaxf(largest(evidence->yours, count), largest(evidence->right, count));
    top = fmaxf(top, largest(evidence->predicted, count));
    if (top <= 0) top = 1;
    char caption[160], where[80] = "";
    if (evidence->head >= 0) snprintf(where, sizeof where, ", head %d", evidence->head);
    snprintf(caption, sizeof caption, "%s of example %d%s: rows are queries, columns %s",
             dump_part_name(evidence->part), evidence->example, where,
             weights ? "keys" : "the width");
    lesson_maps(maker, caption, 0);
    add_map(maker, evidence, "yours", evidence->yours, top, !weights, TONE_PLAIN, place);
    add_map(maker, evidence, "right", evidence->right, top, !weights, TONE_GOOD, place);
    add_map(maker, evidence, "what the mistake predicts", evidence->predicted, top, !weights,
            TONE_WRONG, place);
    add_map(maker, evidence, "left: yours less the prediction", evidence->left, top, true,
            TONE_PLAIN, place);
    for (int i = 0; finding && i < 2 && finding->kinds[i]; i++)
        lesson_text(maker, TONE_PLAIN, "%s: %s", finding->kinds[i]->name, finding->kinds[i]->mend);
}
