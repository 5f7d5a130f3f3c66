/* The traps: mistakes that learners and engineers really make, each with what was done, why nothing
 * fails, and what catches it. Those that run can be switched on in a network. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_TRAPS_H
#define HEADSCOPE_MODEL_ANALYSIS_TRAPS_H

#include "model/kernels/mistakes.h"
#include "model/trace/trace.h"

typedef struct Trap {
    const char *name;     /* of --trap: "one-reshape" */
    const char *old_name; /* that older versions wrote, which is still read; NULL: none */
    const char *title;    /* "fold with one reshape" */
    AttentionMistakes mistakes;
    bool at[SITE_COUNT]; /* where it can be made */
    bool is_loud;        /* it fails at once, and cannot be switched on */
    const char *wrong;   /* the code as people write it */
    const char *right;   /* as it should stand */
    const char *agrees;  /* why all shapes agree and nothing fails (is_loud: how it fails) */
    const char *mixes;   /* what is mixed with what, in one sentence */
    const char *caught;  /* which check catches it */
} Trap;

/* In the order of the gallery; NULL past the last. */
const Trap *trap_at(int index);

/* By its name, or its old one; NULL if there is none. */
const Trap *trap_find(const char *name);

/* The mistakes of each site; NULL: none. */
void trap_mistakes(AttentionMistakes mistakes[SITE_COUNT], const Trap *trap);

/* The trap whose mistakes these are, [SITE_COUNT]; NULL if there is none. */
const Trap *trap_of(const AttentionMistakes mistakes[SITE_COUNT]);

/* What a call holds, as far as it decides whether a trap can change anything. */
typedef struct TrapInput {
    Site site;
    AttentionSizes sizes;
    MaskSource mask;
    bool keys_alike; /* in each head all keys are the same: rows are uniform whatever the query */
} TrapInput;

/* Why the trap changes nothing here whatever the numbers are ("there is one head, which owns all
 * columns either way"); NULL if it may change something. *room [2 * attention_rule_room] is written
 * over. */
const char *trap_idle(const Trap *trap, const TrapInput *input, int *room);

#endif
