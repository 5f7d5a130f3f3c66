/* The catalogue of attention mistakes, which the traps, the doctor, the lessons, the PyTorch oracle
 * and the tables in docs/ share. Its entries are in model/doctor/mistake_list.h. */
#ifndef HEADSCOPE_MODEL_DOCTOR_MISTAKE_KINDS_H
#define HEADSCOPE_MODEL_DOCTOR_MISTAKE_KINDS_H

#include "model/kernels/mistakes.h"
#include "model/trace/trace.h"

/* The steps of a call. */
typedef enum DoctorStage {
    STAGE_PROJECTION, /* sources and w_q, w_k, w_v give query, key, value */
    STAGE_WEIGHTS,    /* query and key give weights: split, scores, scale, mask, softmax */
    STAGE_MIX,        /* weights and value give context: split of value, mix, concatenation */
    STAGE_OUTPUT,     /* context and w_o give output */
    STAGES
} DoctorStage;

/* What a mistake is about. The doctor tries pairs of mistakes with different subjects only. */
typedef enum MistakeSubject {
    SUBJECT_NONE,
    SUBJECT_SPLIT,
    SUBJECT_CONCAT,
    SUBJECT_LENGTHS,
    SUBJECT_CAUSAL,
    SUBJECT_SCALE,
    SUBJECT_SOFTMAX,
    SUBJECT_MASK,
    SUBJECT_EMPTY,
    SUBJECT_SWAP,
    SUBJECT_SOURCES,
    SUBJECT_TRANSPOSED,
    SUBJECT_BIAS,
    SUBJECT_UNPROJECTED,
    SUBJECT_AVERAGED,
    SUBJECT_DROPOUT,
    SUBJECT_PRECISION,
} MistakeSubject;

/* MISTAKE_ONE_RESHAPE, ... */
typedef enum MistakeId {
#define KIND(id, ...) id,
#include "model/doctor/mistake_list.h"
#undef KIND
    MISTAKE_KINDS
} MistakeId;

enum { MISTAKE_RULES = 3 };

/* One kind of mistake. It may be a trap, a verdict of the doctor, a sign in weights, or several of
 * these. */
typedef struct MistakeKind {
    const char *name;     /* "tiled-lens" */
    const char *old_name; /* what older versions wrote, which is still read; NULL: none */
    const char *title;    /* "valid lengths tiled instead of repeated"; NULL if only a sign */
    MistakeSubject subject;
    /* The rules of the plain kernel that make it; {0} ends them. A trap makes the first; the doctor
     * tries all, with any mask_value. */
    AttentionMistakes rules[MISTAKE_RULES];

    /* As a verdict of the doctor. */
    const char *mend; /* how to fix it, in one sentence; NULL: never a verdict */
    DoctorStage stage;

    /* As a sign in the numbers themselves. */
    const char *sign; /* what the numbers show; NULL: none */
    bool is_note;     /* not a fault */

    /* As a trap, which can be switched on in a network. */
    bool at[SITE_COUNT]; /* where it is made */
    bool is_loud;        /* it fails at once, and cannot be switched on */
    const char *wrong;   /* the wrong code; NULL: not a trap */
    const char *right;   /* the correct code */
    const char *agrees;  /* why all shapes agree and nothing fails (is_loud: how it fails) */
    const char *mixes;   /* what is mixed with what, in one sentence */
    const char *caught;  /* which check catches it */
} MistakeKind;

/* The kind of an id; NULL if there is none. */
const MistakeKind *mistake_kind(int id);

MistakeId mistake_id(const MistakeKind *kind);

/* The kind of that name or old name; NULL if there is none. */
const MistakeKind *mistake_find(const char *name);

/* The number of rules. */
int mistake_rules(const MistakeKind *kind);

#endif
