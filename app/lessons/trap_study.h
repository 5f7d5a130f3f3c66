/* Compares a trap with correct attention on the same input: what differs, and which check catches
 * it. On random numbers in a small call, and on a model's pass. */
#ifndef HEADSCOPE_APP_LESSONS_TRAP_STUDY_H
#define HEADSCOPE_APP_LESSONS_TRAP_STUDY_H

#include "app/pass/pass.h"
#include "model/base/pool.h"
#include "model/doctor/traps.h"

/* The call that traps are tried on. */
typedef struct TrapToy {
    AttentionSizes sizes; /* of cross-attention; self-attention takes its queries for keys too */
    const int *lens;      /* [B] valid lengths, at most the fewer of Tq and Tk */
    uint64_t seed;
} TrapToy;

/* A check that failed. */
typedef struct TrapCheck {
    const char *text; /* what must hold; NULL: no check failed */
    double figure;    /* how far it is off */
    const char *unit; /* what the figure is */
    bool counts;      /* a whole number */
} TrapCheck;

typedef struct TrapOutcome {
    const MistakeKind *trap;
    Site site;
    AttentionSizes sizes;
    const int *lens;        /* as used: for a trap on empty rows, the last one is 0 */
    const char *idle;       /* why nothing differs; NULL: something may */
    double weights, output; /* the largest difference; infinite if one is NaN */
    int example, head;      /* where the weights differ most (or the output, if they do not) */
    const double *right_weights, *wrong_weights; /* [B,H,Tq,Tk] */
    const double *right_output, *wrong_output;   /* [B,Tq,W], after a random output projection */
    const AttentionRule *right;                  /* its mask */
    TrapCheck caught;                            /* the first check that fails */
} TrapOutcome;

/* Runs a trap at trap_study_site; arrays are in the pool. False if out of memory. Not for a loud
 * trap. */
bool trap_study(TrapOutcome *outcome, const MistakeKind *trap, const TrapToy *toy, Pool *pool);

/* The site where trap_study runs it: cross-attention if it can occur there. */
Site trap_study_site(const MistakeKind *trap);

/* What a trap does to a model's pass over a state. */
typedef struct TrapEffect {
    const MistakeKind *trap;
    bool runs;      /* false: the log-probability is not finite */
    double weights; /* the largest difference in a row that is not padding, in `head` */
    HeadId head;
    const char *idle;   /* why nothing can differ; NULL: something may */
    double log_prob;    /* change of the log-probability of the same target */
    const char *writes; /* what the model writes under it, in the pool */
    const char *was;    /* and what it writes as trained */
} TrapEffect;

/* Why the trap changes nothing at any site of a pass, read with causality or without; NULL if it
 * may change something, or for lack of memory. */
const char *trap_idle_in_pass(const MistakeKind *trap, const Pass *pass, const Config *config,
                              bool not_causal, Pool *pool);

/* On the texts of a state, whatever else is changed there: weights of all its examples, the
 * log-probability and text of the first. Where a target is set, what the model writes takes its
 * place. */
bool trap_effect(TrapEffect *effect, const MistakeKind *trap, const Model *model,
                 const Params *params, const State *state, Pool *pool, Error *error);

#endif
