#include "app/check/check_report.h"
#include "app/lessons/acceptance_page.h"

/* The toy and the answer as the doctor reads them. */
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

static void add_finding(LessonMaker *maker, const StageFinding *finding) {
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

bool acceptance_add_doctor(LessonMaker *maker, const Toy *toy, const AcceptanceAnswer *answer,
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
        add_finding(maker, finding);
    }
    diagnosis_free(&result.diagnosis);
    return true;
}
