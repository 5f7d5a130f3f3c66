/* The doctor: checks the tensors that a multi-head attention dumped, and if they are wrong, names
 * the mistake that explains them. Recomputes them with the plain kernel, in double. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_H

#include "model/doctor/mistake_kinds.h"

/* The tensors of a dump. Weight matrices are [out,in], as PyTorch's nn.Linear stores them. */
typedef enum DumpPart {
    DUMP_X_QUERY,     /* [B,Tq,W] the source of queries */
    DUMP_X_KEY_VALUE, /* [B,Tk,W] the source of keys and values; absent: x_query is (self) */
    DUMP_W_Q,         /* [W,W] */
    DUMP_W_K,
    DUMP_W_V,
    DUMP_W_O,
    DUMP_B_Q, /* [W] */
    DUMP_B_K,
    DUMP_B_V,
    DUMP_B_O,
    DUMP_QUERY,   /* projected: packed [B,Tq,W], or split [B,H,Tq,D] */
    DUMP_KEY,     /* [B,Tk,W] or [B,H,Tk,D] */
    DUMP_VALUE,   /* [B,Tk,W] or [B,H,Tk,D] */
    DUMP_WEIGHTS, /* [B,H,Tq,Tk]; averaged: [B,Tq,Tk] */
    DUMP_CONTEXT, /* before the output projection: packed or split */
    DUMP_OUTPUT,  /* after it, [B,Tq,W] */
    DUMP_PARTS
} DumpPart;

/* The name of a part in files: "x_query", "w_q", "weights", ... */
const char *dump_part_name(DumpPart part);

/* The precision of a tensor's numbers: 53, 24, 11 or 8 significant bits. */
typedef enum DumpPrecision {
    PRECISION_F64,
    PRECISION_F32,
    PRECISION_F16,
    PRECISION_BF16
} DumpPrecision;

typedef struct DumpTensor {
    const double *numbers; /* NULL: not in the dump */
    DumpPrecision precision;
    bool split;      /* heads have their own axis: [B,H,T,D], the same as folded [B*H,T,D] */
    bool averaged;   /* weights: averaged over heads */
    bool transposed; /* weights: their shape is [B,H,Tk,Tq], the column convention. Where Tq == Tk,
                        the doctor finds out from the numbers */
} DumpTensor;

typedef struct Dump {
    DumpTensor parts[DUMP_PARTS];
    AttentionSizes sizes; /* heads 0: unknown, and nothing in the dump needs them; head_width is
                             then W (0 if the dump holds weights alone) */
    Site site;
    bool causal;           /* the attention is meant to be causal */
    const int *valid_lens; /* [B] or [B,Tq]; NULL: all keys are valid */
    bool per_query;
    bool biases_unknown; /* the dump holds weight matrices but no biases */
} Dump;

typedef enum StageState {
    STAGE_NOT_CHECKED, /* an input is missing: see `why` */
    STAGE_SOUND,
    STAGE_FAULT,   /* wrong, and a mistake explains it */
    STAGE_UNKNOWN, /* wrong, and no known mistake explains it */
} StageState;

enum { DOCTOR_LINE = 400, DOCTOR_NAMES = 8, DOCTOR_REMARKS = 12 };

typedef struct DoctorPlace {
    int example, head, query, key; /* -1: does not apply */
} DoctorPlace;

/* No axis applies. */
#define NO_PLACE ((DoctorPlace){-1, -1, -1, -1})

/* The finding of one stage. Stages of which only the last result is in the dump are judged
 * together: each holds the same finding, for the stages `from` to `until`. */
typedef struct StageFinding {
    StageState state;
    char why[DOCTOR_LINE];       /* not checked: what is missing; else how it was checked */
    DoctorStage from, until;     /* the first and last stage that were judged together */
    DumpPart part;               /* the tensor that was compared */
    const MistakeKind *kinds[2]; /* the mistake, or the pair of mistakes; NULL: none */
    const MistakeKind *same[DOCTOR_NAMES]; /* kinds that give the same numbers on this input */
    int same_count;
    char same_why[DOCTOR_LINE]; /* why they give the same: "there is one head" */
    double error;               /* the largest error of the explanation, in units of `allowed` */
    double right_error; /* the largest error of the right formula, likewise; above 1: wrong */
    double allowed;     /* the largest difference that the precision allows */
    double difference;  /* the largest absolute difference from the right formula ... */
    DoctorPlace place;  /* ... and its place */
} StageFinding;

typedef struct DoctorRemark {
    bool is_fault; /* false: a note */
    const MistakeKind *kind;
    char text[DOCTOR_LINE];
    DoctorPlace place;
} DoctorRemark;

/* The matrices to show: those of the example and head with the largest difference. */
typedef struct DoctorEvidence {
    DumpPart part; /* DUMP_WEIGHTS: [Tq,Tk]; else [Tq,D] or [Tq,W] */
    int rows, columns, example, head;
    /* [rows,columns], owned. NULL: predicted and left if no mistake explains the dump, right too
     * if nothing was recomputed. */
    float *yours, *right, *predicted, *left; /* left: yours - predicted */
} DoctorEvidence;

typedef struct Diagnosis {
    StageFinding stages[STAGES];
    DoctorRemark remarks[DOCTOR_REMARKS];
    int remark_count;
    bool column_convention;  /* weights are [Tk,Tq] and columns sum to 1: a layout, not a fault */
    DoctorEvidence evidence; /* yours NULL: there is none */
} Diagnosis;

/* True if anything is wrong. False does not mean sound: stages may not have been checked. */
bool diagnosis_has_fault(const Diagnosis *diagnosis);

/* Examines a dump whose shapes agree; free with diagnosis_free. Returns false if out of memory, or
 * with ERROR_USAGE if the dump holds nothing that can be checked, or numbers so large that rounding
 * hides every difference. */
bool doctor_examine(Diagnosis *diagnosis, const Dump *dump, Error *error);
void diagnosis_free(Diagnosis *diagnosis); /* {0} is fine */

#endif
