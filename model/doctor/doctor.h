/* The doctor: from the tensors that somebody's multi-head attention dumped, whether they are right,
 * and if not, which mistake explains them. Recomputes by the plain kernel, in double. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_H

#include "model/doctor/mistake_kinds.h"

/* What a dump may hold. Weight matrices are as PyTorch's nn.Linear stores them, [out,in]. */
typedef enum DumpPart {
    DUMP_X_QUERY,     /* [B,Tq,W] the source of queries */
    DUMP_X_KEY_VALUE, /* [B,Tk,W] the source of keys and values; absent in self-attention: x_query
                       */
    DUMP_W_Q,         /* [W,W] */
    DUMP_W_K,
    DUMP_W_V,
    DUMP_W_O,
    DUMP_B_Q, /* [W] */
    DUMP_B_K,
    DUMP_B_V,
    DUMP_B_O,
    DUMP_QUERY,   /* projected: packed [B,Tq,W], or split [B,H,Tq,D] */
    DUMP_KEY,     /* likewise [B,Tk,W] */
    DUMP_VALUE,   /* likewise */
    DUMP_WEIGHTS, /* [B,H,Tq,Tk]; averaged: [B,Tq,Tk] */
    DUMP_CONTEXT, /* before the output projection: packed or split */
    DUMP_OUTPUT,  /* after it, [B,Tq,W] */
    DUMP_PARTS
} DumpPart;

/* "x_query", "w_q", "weights", ...: the names in a file. */
const char *dump_part_name(DumpPart part);

/* The precision of a tensor's numbers: their number of significant bits, 53, 24, 11 or 8. */
typedef enum DumpPrecision {
    PRECISION_F64,
    PRECISION_F32,
    PRECISION_F16,
    PRECISION_BF16
} DumpPrecision;

typedef struct DumpTensor {
    const double *numbers; /* NULL: not in the dump */
    DumpPrecision precision;
    bool split;    /* the heads have an axis of their own: [B,H,T,D] in this order (folded [B*H,T,D]
                      is the same) */
    bool averaged; /* of weights: over heads */
    bool transposed; /* of weights: their shape says [B,H,Tk,Tq], the column convention. Where Tq is
                        Tk the doctor finds out */
} DumpTensor;

typedef struct Dump {
    DumpTensor parts[DUMP_PARTS];
    AttentionSizes sizes; /* heads 0: not known, and nothing in the dump needs them; head_width is
                             then W (0 where nothing but weights is there) */
    Site site;
    bool causal;           /* as it should be */
    const int *valid_lens; /* [B] or [B,Tq]; NULL: all keys are valid */
    bool per_query;
    bool biases_unknown; /* weights without biases stand beside projected tensors of unknown ones */
} Dump;

typedef enum StageState {
    STAGE_NOT_CHECKED, /* the file does not hold what it needs: `why` */
    STAGE_SOUND,
    STAGE_FAULT,   /* explained by a mistake */
    STAGE_UNKNOWN, /* wrong, and no mistake explains it */
} StageState;

enum { DOCTOR_LINE = 400, DOCTOR_NAMES = 8, DOCTOR_REMARKS = 12 };

typedef struct DoctorPlace {
    int example, head, query, key; /* -1: does not apply */
} DoctorPlace;

/* What is said of one stage, or of several that only their end could be compared of: then each of
 * them holds the same finding, and `from` and `until` tell which. */
typedef struct StageFinding {
    StageState state;
    char why[DOCTOR_LINE];       /* not checked: what is missing; else how it was checked */
    DoctorStage from, until;     /* the first and last stage that were judged together */
    DumpPart part;               /* the tensor that was compared */
    const MistakeKind *kinds[2]; /* the mistake, or the pair of them; NULL: none */
    const MistakeKind *same[DOCTOR_NAMES]; /* kinds that give the same numbers on this input */
    int same_count;
    char same_why[DOCTOR_LINE]; /* why they cannot be told apart: "there is one head" */
    double error;       /* the largest error of the explanation, in units of `allowed` ... */
    double right_error; /* ... of the right formula: above 1 where it is wrong */
    double allowed;     /* the largest difference that the precision allows */
    double difference;  /* the largest difference from the right formula, as it is */
    DoctorPlace place;  /* where that is */
} StageFinding;

typedef struct DoctorRemark {
    bool is_fault; /* found in the numbers alone, without a formula; else worth knowing */
    const MistakeKind *kind;
    char text[DOCTOR_LINE];
    DoctorPlace place;
} DoctorRemark;

/* Matrices to look at: of the example and head with the largest difference. */
typedef struct DoctorEvidence {
    DumpPart part; /* DUMP_WEIGHTS: [Tq,Tk]; else [Tq,D] or [Tq,W] */
    int rows, columns, example, head;
    float *yours, *right, *predicted, *left; /* [rows,columns], owned; left: yours - predicted;
                                                predicted and left NULL: nothing explains it;
                                                right NULL too: found in weights alone */
} DoctorEvidence;

typedef struct Diagnosis {
    StageFinding stages[STAGES];
    DoctorRemark remarks[DOCTOR_REMARKS];
    int remark_count;
    bool column_convention;  /* the weights are [Tk,Tq], columns sum to 1: a layout, no fault */
    DoctorEvidence evidence; /* yours NULL: there is none */
} Diagnosis;

/* Whether anything is wrong. False with nothing checked says nothing: see the stages. */
bool diagnosis_has_fault(const Diagnosis *diagnosis);

/* Examines a dump whose shapes agree. False with *error for lack of memory, and ERROR_USAGE where
 * the dump holds nothing that can be checked, or numbers so large that rounding swallows it all.
 * Free with diagnosis_free. */
bool doctor_examine(Diagnosis *diagnosis, const Dump *dump, Error *error);
void diagnosis_free(Diagnosis *diagnosis); /* {0} is fine */

#endif
