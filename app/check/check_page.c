#include <math.h>

#include "app/check/check_report.h"

/* --- findings --------------------------------------------------------------------------------- */

static void add_kinds(LessonMaker *maker, const StageFinding *finding) {
    for (int i = 0; i < 2 && finding->kinds[i]; i++) {
        const MistakeKind *kind = finding->kinds[i];
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

/* An infinite error means NaN or an infinity in the dump. */
static const char *times_text(LessonMaker *maker, double error) {
    return isinf(error) ? "beyond it" : pool_format(lesson_pool(maker), "%.3g times", error);
}

static void add_fault(LessonMaker *maker, const StageFinding *finding) {
    char stage[STAGE_TEXT], place[PLACE_TEXT];
    check_stage_text(finding, stage);
    check_place_text(finding->place, place);
    lesson_heading(maker, "Where: %s, seen in %s", stage, dump_part_name(finding->part));
    add_kinds(maker, finding);
    lesson_table(maker, NULL, "how far off\t>largest difference\t>of what rounding allows");
    lesson_row(maker, TONE_PLAIN, "the right formula\t%.3g\t%s", finding->difference,
               times_text(maker, finding->right_error));
    if (finding->kinds[0])
        lesson_row(maker, TONE_STRONG, "this mistake\t%.3g\t%s", finding->error * finding->allowed,
                   times_text(maker, finding->error));
    if (place[0]) lesson_text(maker, TONE_PLAIN, "Yours and right differ most at %s.", place);
    add_same(maker, finding);
}

/* --- what was checked ------------------------------------------------------------------------- */

void check_page_stages(LessonMaker *maker, const CheckResult *result) {
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
                       "%s\t%s\t%s\t%s\t%s", stage, stage_state_name(finding->state),
                       dump_part_name(finding->part),
                       isinf(finding->right_error)
                           ? "beyond it"
                           : pool_format(lesson_pool(maker), "%.3g", finding->right_error),
                       finding->why);
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
                   remark->is_fault ? "fault" : "note", remark->kind->name, remark->text);
    }
}

void check_page_dump(LessonMaker *maker, const CheckResult *result) {
    const Dump *dump = &result->file.dump;
    const char *site = dump->site == SITE_CROSS     ? "cross-attention"
                       : dump->site == SITE_DECODER ? "decoder self-attention"
                                                    : "self-attention";
    char heads[40] = "an unknown number of heads";
    if (dump->sizes.heads)
        snprintf(heads, sizeof heads, "%d head%s", dump->sizes.heads,
                 dump->sizes.heads == 1 ? "" : "s");
    lesson_text(maker, TONE_PLAIN, "Read as %s%s: batch %d, %s, %d quer%s, %d key%s%s.", site,
                dump->causal ? " with a causal mask" : ", no causal mask", dump->sizes.batch, heads,
                dump->sizes.queries, dump->sizes.queries == 1 ? "y" : "ies", dump->sizes.keys,
                dump->sizes.keys == 1 ? "" : "s",
                dump->valid_lens ? ", with valid lengths" : ", all keys valid");
}

/* The valid length that the weights of an example suggest: one past the last key with weight. */
static int keys_with_weight(const Dump *dump, int example) {
    const DumpTensor *weights = &dump->parts[DUMP_WEIGHTS];
    int keys = dump->sizes.keys, length = 0;
    long maps = weights->averaged || !dump->sizes.heads ? 1 : dump->sizes.heads;
    long rows = maps * dump->sizes.queries;
    const double *row = weights->numbers + example * rows * keys;
    for (long i = 0; i < rows; i++, row += keys)
        for (int j = length; j < keys; j++)
            if (row[j] != 0) length = j + 1;
    return length;
}

/* Unknown valid lengths are the most common cause of numbers that no mistake explains. */
static void add_hint_of_lengths(LessonMaker *maker, const CheckResult *result) {
    const Dump *dump = &result->file.dump;
    const DumpTensor *weights = &dump->parts[DUMP_WEIGHTS];
    if (check_verdict(result) != VERDICT_WRONG || dump->valid_lens || !weights->numbers ||
        weights->transposed)
        return;
    for (int b = 0; b < dump->sizes.batch; b++) {
        int seen = keys_with_weight(dump, b);
        if (seen == dump->sizes.keys) continue;
        lesson_text(
            maker, TONE_STRONG,
            "In example %d no weight lies past the first %d key%s of %d. If that is its valid "
            "length, say so: valid_lens in the file, or --valid-lens.",
            b, seen, seen == 1 ? "" : "s", dump->sizes.keys);
        return;
    }
}

static bool sees_the_future(const Dump *dump) {
    const double *row = dump->parts[DUMP_WEIGHTS].numbers;
    int queries = dump->sizes.queries, keys = dump->sizes.keys;
    long maps = (long)dump->sizes.batch * (dump->sizes.heads > 0 ? dump->sizes.heads : 1);
    if (dump->parts[DUMP_WEIGHTS].averaged) maps = dump->sizes.batch;
    for (long i = 0; i < maps * queries; i++, row += keys)
        for (long j = i % queries + 1; j < keys; j++)
            if (row[j] != 0) return true;
    return false;
}

/* Self-attention without --causal may be an encoder's or a decoder's. */
static void add_hint_of_causality(LessonMaker *maker, const CheckResult *result) {
    const Dump *dump = &result->file.dump;
    const DumpTensor *weights = &dump->parts[DUMP_WEIGHTS];
    if (verdict_status(check_verdict(result)) == 0 || dump->causal || dump->site != SITE_ENCODER ||
        !weights->numbers || weights->transposed || dump->sizes.queries != dump->sizes.keys ||
        dump->sizes.keys < 3 || sees_the_future(dump))
        return;
    lesson_text(maker, TONE_STRONG,
                "No weight lies on a later key. If this attention is meant to be causal, say so: "
                "--causal, or --site decoder.");
}

/* Dropout usually acts on the weights after they were saved, as in D2L. A context can show which
 * weights it dropped, an output cannot. */
static void add_hint_of_dropout(LessonMaker *maker, const CheckResult *result) {
    const StageFinding *finding;
    bool weights_right = false;
    for (int i = 0; (finding = check_finding(result, i)); i++) {
        if (finding->until == STAGE_WEIGHTS) weights_right = finding->state == STAGE_SOUND;
        if (weights_right && finding->from == STAGE_MIX && finding->state == STAGE_UNKNOWN)
            lesson_text(maker, TONE_STRONG,
                        "The weights are right and what comes after is not. Dropout that was left "
                        "on does that, where weights are kept before it: switch it off "
                        "(model.eval()) and save again.");
    }
}

void check_page(LessonMaker *maker, const CheckResult *result) {
    char headline[HEADLINE_TEXT];
    const StageFinding *finding;
    check_headline(result, headline);
    lesson_title(maker, "%s: %s", result->path, headline);
    check_page_dump(maker, result);
    for (int i = 0; (finding = check_finding(result, i)); i++)
        if (finding->state == STAGE_FAULT || finding->state == STAGE_UNKNOWN)
            add_fault(maker, finding);
    add_hint_of_lengths(maker, result);
    add_hint_of_causality(maker, result);
    add_hint_of_dropout(maker, result);
    check_page_stages(maker, result);
    add_remarks(maker, result);
}
