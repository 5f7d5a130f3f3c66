/* Decides which stages of a dump can be recomputed from which of its tensors, and judges them. */
#include "model/doctor/doctor.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/doctor_diagnosis.h"
#include "model/doctor/doctor_search.h"
#include "model/doctor/doctor_weights.h"

/* --- what the dump holds ---------------------------------------------------------------------- */

typedef struct Examination {
    Diagnosis *diagnosis;
    PreparedDump prepared;
    bool heads_known;
    /* The worst finding so far: the evidence is taken from it. */
    bool has_finding;
    StageFinding finding;
    Segment segment;
    Hypothesis best;
} Examination;

static bool has(const Examination *e, DumpPart part) {
    return prepared_has(&e->prepared, part);
}

static bool can_get(const Examination *e, DumpPart part) {
    return prepared_can_get(&e->prepared, part);
}

/* True if the dump holds the weights of each head. */
static bool has_head_weights(const Examination *e) {
    return has(e, DUMP_WEIGHTS) && !e->prepared.dump->parts[DUMP_WEIGHTS].averaged;
}

static bool can_score(const Examination *e) {
    return can_get(e, DUMP_QUERY) && can_get(e, DUMP_KEY);
}

/* Appends to finding->why. */
static void add_why(StageFinding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_why(StageFinding *finding, const char *format, ...) {
    size_t used = strlen(finding->why);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->why + used, sizeof finding->why - used, format, arguments);
    va_end(arguments);
}

/* The steps of a stage, for `why`. */
static const char *stage_covers(DoctorStage stage) {
    static const char *const covers[STAGES] = {"projections", "scores, scale, mask and softmax",
                                               "mix of values and concatenation",
                                               "output projection"};
    return covers[stage];
}

/* --- judging ---------------------------------------------------------------------------------- */

/* How bad a finding is; the worst is shown. 0: not checked. */
static int severity(StageState state) {
    return state == STAGE_UNKNOWN || state == STAGE_FAULT ? 2 : state == STAGE_SOUND ? 1 : 0;
}

static void explain_how(Examination *e, StageFinding *finding, const Segment *segment) {
    if (finding->why[0]) return;
    bool first = true;
    add_why(finding, "%s from", dump_part_name(finding->part));
    for (int i = DUMP_QUERY; i < DUMP_PARTS; i++)
        if (segment->given[i]) {
            add_why(finding, "%s %s", first ? "" : ",", dump_part_name((DumpPart)i));
            first = false;
        }
    if (segment->from == STAGE_PROJECTION)
        add_why(finding, "%s the sources and w_q, w_k, w_v", first ? "" : ",");
    if (segment->until == STAGE_OUTPUT) add_why(finding, ", w_o");
    add_why(finding, ":");
    for (int i = (int)segment->from; i <= (int)segment->until; i++)
        add_why(finding, "%s %s", i > (int)segment->from ? "," : "", stage_covers((DoctorStage)i));
    bool split_query = segment->given[DUMP_QUERY] && e->prepared.dump->parts[DUMP_QUERY].split;
    bool split_value = segment->given[DUMP_VALUE] && e->prepared.dump->parts[DUMP_VALUE].split;
    if (e->prepared.sizes.heads > 1 && (split_query || split_value))
        add_why(finding, "; not the split, which needs %s before it",
                split_query ? "query and key" : "value");
    if (segment->until == STAGE_MIX && e->prepared.dump->parts[DUMP_CONTEXT].split &&
        e->prepared.sizes.heads > 1)
        add_why(finding, "; not the concatenation, since context is split");
}

static bool judge(Examination *e, const Segment *segment) {
    StageFinding finding;
    Hypothesis best;
    if (!search_segment(&finding, &best, &e->prepared, segment, e->diagnosis)) return false;
    explain_how(e, &finding, segment);
    /* Stages that were judged on their own keep their finding. */
    StageFinding *stages = e->diagnosis->stages;
    int from = (int)segment->until;
    while (from > (int)segment->from && severity(stages[from - 1].state) == 0)
        from--;
    finding.from = (DoctorStage)from;
    for (int i = from; i <= (int)segment->until; i++)
        stages[i] = finding;
    for (int i = (int)segment->from; i < from; i++)
        if (severity(stages[i].state) == 0)
            snprintf(stages[i].why, sizeof stages[i].why, "judged together with %s",
                     dump_part_name(finding.part));
    /* Where all is sound, the weights are the most interesting evidence. */
    int more = severity(finding.state) - (e->has_finding ? severity(e->finding.state) : -1);
    bool is_weights = finding.part == DUMP_WEIGHTS && finding.state == STAGE_SOUND;
    if (more > 0 || (more == 0 && is_weights)) {
        e->has_finding = true;
        e->finding = finding;
        e->best = best;
        e->segment = *segment;
    }
    return true;
}

static bool judge_projections(Examination *e) {
    StageFinding *finding = &e->diagnosis->stages[STAGE_PROJECTION];
    Segment segment = {.from = STAGE_PROJECTION, .until = STAGE_PROJECTION};
    for (int i = DUMP_QUERY; i <= DUMP_VALUE; i++) {
        DumpPart part = (DumpPart)i;
        bool split = e->prepared.dump->parts[part].split;
        if (has(e, part) && prepared_can_project(&e->prepared, part) && (e->heads_known || !split))
            segment.targets[segment.target_count++] = part;
    }
    if (segment.target_count) {
        if (!judge(e, &segment)) return false;
        if (segment.target_count < 3) {
            add_why(finding, "; not of");
            for (int i = DUMP_QUERY, said = 0; i <= DUMP_VALUE; i++) {
                bool is_target = false;
                for (int j = 0; j < segment.target_count; j++)
                    is_target |= (int)segment.targets[j] == i;
                if (!is_target)
                    add_why(finding, "%s %s", said++ ? "," : "", dump_part_name((DumpPart)i));
            }
        }
        return true;
    }
    add_why(finding, "needs x_query, w_q and query (or x_key_value, w_k and key; w_v and value)");
    return true;
}

/* Takes query, key or value from the dump; if it is missing, the segment starts at its projection.
 */
static void take(Examination *e, Segment *segment, DumpPart part) {
    if (has(e, part))
        segment->given[part] = true;
    else
        segment->from = STAGE_PROJECTION;
}

/* Takes the inputs of a mix: value, and the weights or what they are computed from. */
static void take_mix(Examination *e, Segment *segment) {
    segment->given[DUMP_WEIGHTS] = has_head_weights(e);
    segment->from = has_head_weights(e) ? STAGE_MIX : STAGE_WEIGHTS;
    if (!has_head_weights(e)) {
        take(e, segment, DUMP_QUERY);
        take(e, segment, DUMP_KEY);
    }
    take(e, segment, DUMP_VALUE);
}

static bool judge_weights(Examination *e) {
    StageFinding *finding = &e->diagnosis->stages[STAGE_WEIGHTS];
    Segment segment = {.from = STAGE_WEIGHTS,
                       .until = STAGE_WEIGHTS,
                       .targets = {DUMP_WEIGHTS},
                       .target_count = 1};
    if (has(e, DUMP_WEIGHTS) && can_score(e) && e->heads_known) {
        take(e, &segment, DUMP_QUERY);
        take(e, &segment, DUMP_KEY);
        return judge(e, &segment);
    }
    if (!has(e, DUMP_WEIGHTS))
        add_why(finding, "needs weights");
    else if (!can_score(e))
        add_why(finding, "needs query and key (or the sources with w_q and w_k)");
    else
        add_why(finding, "needs the number of heads");
    return true;
}

static bool judge_mix(Examination *e) {
    StageFinding *finding = &e->diagnosis->stages[STAGE_MIX];
    Segment segment = {.until = STAGE_MIX, .targets = {DUMP_CONTEXT}, .target_count = 1};
    bool weighs = has_head_weights(e) || can_score(e);
    if (has(e, DUMP_CONTEXT) && can_get(e, DUMP_VALUE) && weighs && e->heads_known) {
        take_mix(e, &segment);
        return judge(e, &segment);
    }
    if (!has(e, DUMP_CONTEXT))
        add_why(finding, "needs context");
    else if (!can_get(e, DUMP_VALUE))
        add_why(finding, "needs value (or its source with w_v)");
    else if (!weighs)
        add_why(finding, "needs weights, or query and key");
    else
        add_why(finding, "needs the number of heads");
    return true;
}

static bool judge_output(Examination *e) {
    StageFinding *finding = &e->diagnosis->stages[STAGE_OUTPUT];
    Segment segment = {
        .from = STAGE_OUTPUT, .until = STAGE_OUTPUT, .targets = {DUMP_OUTPUT}, .target_count = 1};
    bool split = e->prepared.dump->parts[DUMP_CONTEXT].split;
    bool from_context = has(e, DUMP_CONTEXT) && (e->heads_known || !split);
    bool from_values =
        can_get(e, DUMP_VALUE) && (has_head_weights(e) || can_score(e)) && e->heads_known;
    if (has(e, DUMP_OUTPUT) && has(e, DUMP_W_O) && (from_context || from_values)) {
        segment.given[DUMP_CONTEXT] = from_context;
        if (!from_context) take_mix(e, &segment);
        return judge(e, &segment);
    }
    if (!has(e, DUMP_OUTPUT))
        add_why(finding, "needs output");
    else if (!has(e, DUMP_W_O))
        add_why(finding, "needs w_o");
    else
        add_why(finding, "needs context, or what it is made from");
    return true;
}

/* --- numbers that are not finite -------------------------------------------------------------- */

/* The place of the number at index `at` of a part, as far as its shape tells. */
static DoctorPlace place_in(const PreparedDump *prepared, DumpPart part, long at) {
    DoctorPlace place = NO_PLACE;
    const DumpTensor *tensor = &prepared->dump->parts[part];
    AttentionSizes n = prepared->sizes;
    if (part >= DUMP_W_Q && part <= DUMP_B_O) return place;
    long row = part == DUMP_WEIGHTS ? n.keys : tensor->split ? n.head_width : prepared->width;
    int steps = prepared_steps(prepared, part);
    if (part == DUMP_WEIGHTS) place.key = (int)(at % row);
    at /= row;
    *(part_is_of_keys(part) ? &place.key : &place.query) = (int)(at % steps);
    at /= steps;
    if ((part == DUMP_WEIGHTS && !tensor->averaged) || tensor->split) {
        place.head = (int)(at % n.heads);
        at /= n.heads;
    }
    place.example = (int)at;
    return place;
}

/* Remarks on the first part with NaN or infinities: those of later parts follow from it. */
static void check_finite(Examination *e) {
    for (int i = 0; i < e->diagnosis->remark_count; i++) {
        MistakeId id = mistake_id(e->diagnosis->remarks[i].kind);
        if (id == MISTAKE_EMPTY_NAN || id == MISTAKE_NAN_ROWS) return;
    }
    for (int part = 0; part < DUMP_PARTS; part++) {
        if (!has(e, (DumpPart)part)) continue;
        const double *numbers = prepared_numbers(&e->prepared, (DumpPart)part);
        long count = prepared_count(&e->prepared, (DumpPart)part), bad = 0, first = -1;
        for (long i = 0; i < count; i++)
            if (!isfinite(numbers[i])) {
                if (first < 0) first = i;
                bad++;
            }
        if (!bad) continue;
        doctor_remark(e->diagnosis, true, MISTAKE_NOT_FINITE,
                      place_in(&e->prepared, (DumpPart)part, first),
                      "%ld of the %ld numbers of %s are NaN or infinite", bad, count,
                      dump_part_name((DumpPart)part));
        return;
    }
}

/* --- joining findings ------------------------------------------------------------------------- */

static bool is_kind(const StageFinding *finding, MistakeId id) {
    return finding->kinds[0] == mistake_kind((int)id) && !finding->kinds[1];
}

/* Replaces wrong sources of keys in one stage and of values in another by the one mistake of both.
 */
static void join_sources(Diagnosis *diagnosis) {
    int key = -1, value = -1;
    for (int i = 0; i < STAGES; i++) {
        if (is_kind(&diagnosis->stages[i], MISTAKE_K_FROM_DECODER)) key = i;
        if (is_kind(&diagnosis->stages[i], MISTAKE_V_FROM_DECODER)) value = i;
    }
    if (key < 0 || value < 0) return;
    for (int i = 0; i < STAGES; i++) {
        StageFinding *finding = &diagnosis->stages[i];
        if (!is_kind(finding, MISTAKE_K_FROM_DECODER) && !is_kind(finding, MISTAKE_V_FROM_DECODER))
            continue;
        finding->kinds[0] = mistake_kind(MISTAKE_KV_FROM_DECODER);
        finding->same_count = 0;
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool examine(Examination *e, Error *error) {
    Diagnosis *diagnosis = e->diagnosis;
    if (!judge_projections(e) || !judge_weights(e) || !judge_mix(e) || !judge_output(e))
        return false;
    join_sources(diagnosis);
    StageState state = diagnosis->stages[STAGE_WEIGHTS].state;
    bool alone = has(e, DUMP_WEIGHTS) && (state == STAGE_NOT_CHECKED || state == STAGE_UNKNOWN);
    bool checked = alone;
    for (int i = 0; i < STAGES; i++)
        checked |= diagnosis->stages[i].state != STAGE_NOT_CHECKED;
    if (alone && !doctor_check_weights(diagnosis, &e->prepared)) return false;
    check_finite(e);
    if (!checked && !diagnosis_has_fault(diagnosis) && e->has_finding)
        return error_usage(error, "nothing can be told from the dump: %s", e->finding.why);
    if (!checked && !diagnosis_has_fault(diagnosis))
        return error_usage(error, "the dump holds nothing that can be checked: it needs weights, "
                                  "or a tensor together with what it is made from (query, key, "
                                  "value, context, output and the projections)");
    bool found = e->has_finding && e->finding.state != STAGE_NOT_CHECKED &&
                 (e->finding.state != STAGE_SOUND || !alone);
    if (alone && !found)
        return doctor_gather_weights(&diagnosis->evidence, &e->prepared, diagnosis);
    if (!found) return true;
    bool explained = e->finding.state == STAGE_FAULT || e->finding.state == STAGE_SOUND;
    return doctor_gather_evidence(&diagnosis->evidence, &e->prepared, &e->segment, &e->finding,
                                  explained ? &e->best : NULL);
}

bool doctor_examine(Diagnosis *diagnosis, const Dump *dump, Error *error) {
    *diagnosis = (Diagnosis){0};
    for (int i = 0; i < STAGES; i++)
        diagnosis->stages[i].from = diagnosis->stages[i].until = (DoctorStage)i;
    diagnosis->column_convention =
        dump->parts[DUMP_WEIGHTS].numbers && dump->parts[DUMP_WEIGHTS].transposed;
    Examination e = {.diagnosis = diagnosis, .heads_known = dump->sizes.heads > 0};
    Error why = {0};
    bool done = prepared_open(&e.prepared, dump, &why) && examine(&e, &why);
    prepared_close(&e.prepared);
    if (done) return true;
    diagnosis_free(diagnosis);
    if (!why.text[0]) return error_set(error, "no memory for the doctor");
    if (error) *error = why;
    return false;
}
