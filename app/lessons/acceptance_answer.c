#include <math.h>
#include <stdlib.h>

#include "app/check/check_report.h"
#include "app/lessons/acceptance_page.h"

/* A user's file and the results of the checks. */
typedef struct Judged {
    const Toy *toy;
    AcceptanceReference reference;
    AnswerFile file;
    AcceptanceReport report;
} Judged;

/* Fails the check of each tensor whose shape does not fit. */
static void add_misfits(Judged *judged) {
    static const AcceptanceCheck checks[ANSWER_PARTS] = {ACCEPT_OUTPUT_SHAPE, ACCEPT_WEIGHTS_SHAPE,
                                                         ACCEPT_CHUNKS};
    for (int part = 0; part < ANSWER_PARTS; part++) {
        AcceptanceFinding *finding = &judged->report.findings[checks[part]];
        if (!judged->file.tensors[part].wrong) continue;
        *finding = (AcceptanceFinding){.state = ACCEPT_FAILED,
                                       .why = judged->file.tensors[part].wrong,
                                       .place = {-1, -1, -1, -1}};
    }
}

/* --- blocks of the page ----------------------------------------------------------------------- */

static void add_contents(LessonMaker *maker, const Judged *judged, const char *path) {
    Pool *pool = lesson_pool(maker);
    const char *there = "";
    for (int part = 0; part < ANSWER_PARTS; part++) {
        const AnswerTensor *tensor = &judged->file.tensors[part];
        if (!tensor->given) continue;
        there = pool_format(pool, "%s%s%s %s", there, *there ? ", " : "",
                            answer_part_name((AnswerPart)part), tensor->shape);
    }
    lesson_title(maker, "Your multi-head block, checked");
    lesson_text(maker, TONE_PLAIN, "%s: %s.", path, there);
    lesson_text(maker, TONE_PLAIN, "It answers %s: %s.", judged->toy->name,
                acceptance_describe(pool, judged->toy));
}

static void add_checks(LessonMaker *maker, const Judged *judged) {
    Pool *pool = lesson_pool(maker);
    lesson_table(maker, NULL, "check\t~what must hold\t>found\t>allowed\t");
    for (int i = 0; i < ACCEPT_ONE_RUN; i++) {
        AcceptanceCheck check = (AcceptanceCheck)i;
        const AcceptanceFinding *finding = &judged->report.findings[check];
        const char *why = finding->why ? pool_format(pool, ": %s", finding->why) : "";
        lesson_row(maker, acceptance_tone(finding->state), "%s\t%s%s\t%s\t%s\t%s",
                   acceptance_check_name(check), acceptance_check_title(check), why,
                   acceptance_figure(pool, check, finding), acceptance_bound(pool, check, finding),
                   acceptance_verdict(finding->state));
    }
}

static void add_failures(LessonMaker *maker, const Judged *judged) {
    if (!acceptance_count(&judged->report, ACCEPT_FAILED)) return;
    lesson_heading(maker, "Where to look");
    for (int i = 0; i < ACCEPT_ONE_RUN; i++) {
        AcceptanceCheck check = (AcceptanceCheck)i;
        const AcceptanceFinding *finding = &judged->report.findings[check];
        bool follows =
            check == ACCEPT_OUTPUT && acceptance_count(&judged->report, ACCEPT_FAILED) > 1;
        if (finding->state != ACCEPT_FAILED || follows) continue;
        char place[PLACE_TEXT];
        check_place_text(finding->place, place);
        lesson_text(maker, TONE_PLAIN, "%s%s%s%s: %s", acceptance_check_name(check),
                    *place ? " (" : "", place, *place ? ")" : "", acceptance_check_mend(check));
    }
}

/* Names the head that a chunk holds instead of its own; NULL if it holds its own. */
static const char *chunk_owner(Pool *pool, const Judged *judged, int chunk) {
    int heads = judged->toy->call.sizes.heads;
    double allowed = judged->report.findings[ACCEPT_CHUNKS].allowed;
    if (judged->report.chunk_gaps[chunk * heads + chunk] <= allowed) return NULL;
    for (int head = 0; head < heads; head++)
        if (judged->report.chunk_gaps[chunk * heads + head] <= allowed)
            return pool_format(pool, "head %d", head);
    return "no head";
}

static void add_chunks(LessonMaker *maker, const Judged *judged) {
    AttentionSizes n = judged->toy->call.sizes;
    Pool *pool = lesson_pool(maker);
    const AnswerTensor *context = &judged->file.tensors[ANSWER_CONTEXT];
    if (!judged->report.chunk_gaps || n.heads == 1) return;
    if (context->split || context->folded)
        lesson_text(maker, TONE_FAINT,
                    "Your context is still split into heads: how they are put side by side is seen "
                    "in output alone.");
    size_t cells = (size_t)n.heads * (size_t)n.heads;
    float *values = pool_take(pool, cells * sizeof *values);
    float top = 0;
    for (size_t i = 0; values && i < cells; i++) {
        values[i] = (float)judged->report.chunk_gaps[i];
        if (isfinite(values[i])) top = fmaxf(top, values[i]);
        if (!isfinite(values[i])) values[i] = NAN;
    }
    if (!values) return;
    const char *others = "";
    for (int chunk = 0; chunk < n.heads; chunk++) {
        const char *owner = chunk_owner(pool, judged, chunk);
        if (owner)
            others = pool_format(pool, "%s%schunk %d holds %s", others, *others ? ", " : "", chunk,
                                 owner);
    }
    lesson_text(maker, TONE_PLAIN, "Context in chunks of %d columns: %s.", n.head_width,
                *others ? others : "each holds its own head");
    lesson_maps(maker,
                "Largest difference of each chunk (row) from each head's own mix (column); where "
                "all is right, 0 down the diagonal and nowhere else",
                0);
    lesson_map(maker, &(LessonMap){.title = "chunk against head",
                                   .rows = n.heads,
                                   .columns = n.heads,
                                   .values = values,
                                   .top = top,
                                   .marked_row = -1,
                                   .marked_column = -1});
}

/* Adds your map and the correct map of the head that is farthest off, else of the first head. */
static void add_maps(LessonMaker *maker, const Judged *judged) {
    const AcceptanceFinding *heads = &judged->report.findings[ACCEPT_HEADS];
    const double *yours = judged->file.answer.weights.numbers;
    Pool *pool = lesson_pool(maker);
    if (!yours || heads->state == ACCEPT_NOT_CHECKED) return;
    int example = heads->state == ACCEPT_FAILED ? heads->place.example : 0;
    int head = heads->state == ACCEPT_FAILED ? heads->place.head : 0;
    lesson_maps(maker,
                pool_format(pool, "Example %d, head %d%s (rows are queries, columns keys)", example,
                            head, heads->state == ACCEPT_FAILED ? ", which is farthest off" : ""),
                2);
    acceptance_map(maker, "yours", NULL, &judged->toy->call, &judged->reference, yours, example,
                   head);
    acceptance_map(maker, "right", NULL, &judged->toy->call, &judged->reference,
                   judged->reference.answer.weights.numbers, example, head);
}

static void add_verdict(LessonMaker *maker, const Judged *judged) {
    int passed = acceptance_count(&judged->report, ACCEPT_PASSED),
        failed = acceptance_count(&judged->report, ACCEPT_FAILED);
    int missing = ACCEPT_ONE_RUN - passed - failed;
    lesson_text(maker, failed ? TONE_WRONG : TONE_GOOD,
                "%d of %d checks passed, %d failed, %d not checked.", passed, ACCEPT_ONE_RUN,
                failed, missing);
    if (missing && !failed)
        lesson_text(maker, TONE_FAINT,
                    "What was not checked may still be wrong: see why in the table.");
}

static bool judge(Judged *judged, Pool *pool, const char *path, Error *error) {
    const AcceptanceCall *call = &judged->toy->call;
    if (!answer_open(&judged->file, pool, judged->toy, path, error) ||
        !acceptance_reference_make(&judged->reference, call, error) ||
        !acceptance_check(&judged->report, call, &judged->reference, &judged->file.answer, error))
        return false;
    add_misfits(judged);
    return acceptance_count(&judged->report, ACCEPT_PASSED) +
                   acceptance_count(&judged->report, ACCEPT_FAILED) >
               0 ||
           error_usage(error, "%s: nothing in it can be checked", path);
}

/* --- diagnosis of a wrong answer -------------------------------------------------------------- */

/* The toy and the answer as a dump for the doctor. */
static Dump dump_of(const Toy *toy, const AcceptanceAnswer *answer) {
    const AcceptanceCall *call = &toy->call;
    Dump dump = {.sizes = call->sizes,
                 .site = toy->site,
                 .causal = call->mask.causal,
                 .valid_lens = call->mask.valid_lens,
                 .per_query = call->mask.per_query};
    DumpTensor *parts = dump.parts;
    for (int part = DUMP_X_QUERY; part <= DUMP_B_O; part++)
        parts[part].precision = PRECISION_F32;
    parts[DUMP_X_QUERY].numbers = call->x_query;
    if (call->x_key_value != call->x_query) parts[DUMP_X_KEY_VALUE].numbers = call->x_key_value;
    for (int p = 0; p < PROJECTIONS; p++) {
        parts[DUMP_W_Q + p].numbers = call->w[p];
        parts[DUMP_B_Q + p].numbers = call->b[p];
    }
    for (int i = 0; i < 3; i++) {
        static const DumpPart given[] = {DUMP_WEIGHTS, DUMP_CONTEXT, DUMP_OUTPUT};
        const AcceptanceTensor *tensors[] = {&answer->weights, &answer->context, &answer->output};
        parts[given[i]].numbers = tensors[i]->numbers;
        parts[given[i]].precision = tensors[i]->precision;
    }
    return dump;
}

static void add_doctor_finding(LessonMaker *maker, const StageFinding *finding) {
    for (int i = 0; i < 2 && finding->kinds[i]; i++)
        lesson_text(maker, TONE_WRONG, "%s: %s. To mend it: %s", finding->kinds[i]->name,
                    finding->kinds[i]->title, finding->kinds[i]->mend);
    for (int i = 0; i < finding->same_count; i++)
        lesson_text(maker, TONE_PLAIN, "%s gives the same numbers on this input (%s).",
                    finding->same[i]->name, finding->same[i]->title);
    if (finding->state == STAGE_UNKNOWN) {
        char stage[STAGE_TEXT];
        check_stage_text(finding, stage);
        lesson_text(maker, TONE_WRONG,
                    "%s: no known mistake, nor a pair of them, gives these numbers.", stage);
    }
}

static bool add_doctor(LessonMaker *maker, const Toy *toy, const AcceptanceAnswer *answer,
                       Error *error) {
    if (!answer->weights.numbers && !answer->context.numbers && !answer->output.numbers)
        return true;
    CheckResult result = {.read = true, .file.dump = dump_of(toy, answer)};
    if (!doctor_examine(&result.diagnosis, &result.file.dump, error)) return false;
    const StageFinding *finding;
    bool headed = false;
    for (int i = 0; (finding = check_finding(&result, i)); i++) {
        if (finding->state != STAGE_FAULT && finding->state != STAGE_UNKNOWN) continue;
        if (!headed) lesson_heading(maker, "What explains it");
        headed = true;
        add_doctor_finding(maker, finding);
    }
    diagnosis_free(&result.diagnosis);
    return true;
}

/* --- the page --------------------------------------------------------------------------------- */

bool acceptance_add_dump(LessonMaker *maker, const Toy *toy, const char *path, bool *fault,
                         Error *error) {
    Judged judged = {.toy = toy};
    bool good = judge(&judged, lesson_pool(maker), path, error);
    if (good) {
        *fault = acceptance_count(&judged.report, ACCEPT_FAILED) > 0;
        add_contents(maker, &judged, path);
        add_checks(maker, &judged);
        add_verdict(maker, &judged);
        if (*fault) good = add_doctor(maker, toy, &judged.file.answer, error);
    }
    if (good) {
        add_failures(maker, &judged);
        add_maps(maker, &judged);
        add_chunks(maker, &judged);
    }
    acceptance_report_free(&judged.report);
    acceptance_reference_free(&judged.reference);
    return good;
}
