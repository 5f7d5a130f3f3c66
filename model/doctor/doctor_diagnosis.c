#include "model/doctor/doctor_diagnosis.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/base/minmax.h"
#include "model/doctor/doctor_dropout.h"

void doctor_remark(Diagnosis *diagnosis, bool is_fault, MistakeId id, DoctorPlace place,
                   const char *format, ...) {
    for (int i = 0; i < diagnosis->remark_count; i++)
        if (diagnosis->remarks[i].kind == mistake_kind((int)id)) return;
    if (diagnosis->remark_count == DOCTOR_REMARKS) return;
    DoctorRemark *remark = &diagnosis->remarks[diagnosis->remark_count++];
    *remark = (DoctorRemark){.is_fault = is_fault, .kind = mistake_kind((int)id), .place = place};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark->text, sizeof remark->text, format, arguments);
    va_end(arguments);
}

bool diagnosis_has_fault(const Diagnosis *diagnosis) {
    for (int i = 0; i < STAGES; i++) {
        StageState state = diagnosis->stages[i].state;
        if (state == STAGE_FAULT || state == STAGE_UNKNOWN) return true;
    }
    for (int i = 0; i < diagnosis->remark_count; i++)
        if (diagnosis->remarks[i].is_fault) return true;
    return false;
}

void diagnosis_free(Diagnosis *diagnosis) {
    free(diagnosis->evidence.yours);
    free(diagnosis->evidence.right);
    free(diagnosis->evidence.predicted);
    free(diagnosis->evidence.left);
    *diagnosis = (Diagnosis){0};
}

/* --- evidence --------------------------------------------------------------------------------- */

/* Gathers the rows of one example of one target. */
typedef struct Gathering {
    const StageFinding *finding;
    const DoctorEvidence *evidence;
    Predictor *predictor;
    int target;
    double *example; /* [block] the example's part of the target, as predicted */
    long block;
    long *at; /* [rows,columns] index of each cell of the matrix in `example` */
} Gathering;

/* Predicts the example. Of a context, all heads: a wrong concatenation puts them into each other's
 * places. */
static bool predict(Gathering *g, const Hypothesis *h) {
    Predictor *p = g->predictor;
    if (!predictor_set(p, h)) return false;
    DumpPart part = g->finding->part;
    int b = g->evidence->example, head = int_max(g->evidence->head, 0);
    int first = part == DUMP_CONTEXT ? 0 : head;
    int last = part == DUMP_CONTEXT ? p->sizes.heads - 1 : head;
    const double *yours = prepared_numbers(p->prepared, part);
    for (int i = first; i <= last; i++)
        for (int t = 0; t < g->evidence->rows; t++) {
            predict_unit(p, (Unit){g->target, b, i, t});
            long kept_count = 0, dropped_count = 0;
            if (h->dropout == DROPS_WEIGHTS)
                dropout_from_mix(p, (Unit){g->target, b, i, t}, &kept_count, &dropped_count);
            for (int c = 0; c < p->cells; c++) {
                bool cells = h->dropout == DROPS_CELLS;
                double kept = !cells ? 1 : yours[p->at[c]] == 0 ? 0 : h->factor;
                g->example[p->at[c] - b * g->block] = p->predicted[c] * kept;
            }
        }
    return true;
}

/* Finds where the right formula puts the cells of the matrix. */
static bool find_cells(Gathering *g) {
    Predictor *p = g->predictor;
    Hypothesis right = {0};
    if (!predictor_set(p, &right)) return false;
    int b = g->evidence->example, head = int_max(g->evidence->head, 0);
    for (int t = 0; t < g->evidence->rows; t++) {
        predict_unit(p, (Unit){g->target, b, head, t});
        for (int c = 0; c < g->evidence->columns; c++)
            g->at[(long)t * g->evidence->columns + c] = p->at[c] - b * g->block;
    }
    return true;
}

static float *matrix_of(const Gathering *g, const double *example) {
    long size = (long)g->evidence->rows * g->evidence->columns;
    float *matrix = malloc((size_t)size * sizeof *matrix);
    for (long i = 0; matrix && i < size; i++)
        matrix[i] = (float)example[g->at[i]];
    return matrix;
}

static bool gather(Gathering *g, DoctorEvidence *evidence, const Hypothesis *best) {
    const PreparedDump *prepared = g->predictor->prepared;
    Hypothesis right = {0};
    long size = (long)evidence->rows * evidence->columns;
    if (!find_cells(g) || !predict(g, &right)) return false;
    evidence->right = matrix_of(g, g->example);
    evidence->yours =
        matrix_of(g, prepared_numbers(prepared, evidence->part) + evidence->example * g->block);
    if (!evidence->right || !evidence->yours) return false;
    if (!best) return true;
    if (!predict(g, best)) return false;
    evidence->predicted = matrix_of(g, g->example);
    evidence->left = matrix_of(g, g->example);
    if (!evidence->predicted || !evidence->left) return false;
    for (long i = 0; i < size; i++)
        evidence->left[i] = evidence->yours[i] - evidence->predicted[i];
    return true;
}

bool doctor_gather_evidence(DoctorEvidence *evidence, PreparedDump *prepared,
                            const Segment *segment, const StageFinding *finding,
                            const Hypothesis *best) {
    DumpPart part = finding->part;
    bool is_weights = part == DUMP_WEIGHTS, has_head = is_weights || part == DUMP_CONTEXT;
    *evidence = (DoctorEvidence){.part = part,
                                 .rows = prepared_steps(prepared, part),
                                 .columns = is_weights             ? prepared->sizes.keys
                                            : part == DUMP_CONTEXT ? prepared->sizes.head_width
                                                                   : prepared->width,
                                 .example = int_max(finding->place.example, 0),
                                 .head = has_head ? int_max(finding->place.head, 0) : -1};
    Predictor predictor;
    Gathering g = {.finding = finding, .evidence = evidence, .predictor = &predictor};
    while (g.target + 1 < segment->target_count && segment->targets[g.target] != part)
        g.target++;
    g.block = prepared_count(prepared, part) / prepared->sizes.batch;
    g.example = malloc((size_t)g.block * sizeof *g.example);
    g.at = malloc((size_t)evidence->rows * (size_t)evidence->columns * sizeof *g.at);
    bool done = false;
    if (g.example && g.at && predictor_open(&predictor, prepared, segment)) {
        done = gather(&g, evidence, best);
        predictor_close(&predictor);
    }
    free(g.example);
    free(g.at);
    return done;
}

bool doctor_gather_weights(DoctorEvidence *evidence, const PreparedDump *prepared,
                           const Diagnosis *diagnosis) {
    DoctorPlace place = {0, 0, 0, 0};
    for (int i = diagnosis->remark_count - 1; i >= 0; i--)
        if (diagnosis->remarks[i].is_fault) place = diagnosis->remarks[i].place;
    AttentionSizes n = prepared->sizes;
    bool averaged = prepared->dump->parts[DUMP_WEIGHTS].averaged;
    *evidence = (DoctorEvidence){.part = DUMP_WEIGHTS,
                                 .rows = n.queries,
                                 .columns = n.keys,
                                 .example = int_max(place.example, 0),
                                 .head = averaged ? 0 : int_max(place.head, 0)};
    long size = (long)n.queries * n.keys;
    const double *from = prepared_numbers(prepared, DUMP_WEIGHTS) +
                         (evidence->example * (averaged ? 1L : n.heads) + evidence->head) * size;
    evidence->yours = malloc((size_t)size * sizeof *evidence->yours);
    for (long i = 0; evidence->yours && i < size; i++)
        evidence->yours[i] = (float)from[i];
    return evidence->yours != NULL;
}
