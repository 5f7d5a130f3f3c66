/* The traps: the mistakes of the catalogue that learners and engineers really make, each at the
 * sites where a network can make it. All but loud ones can be switched on in a network. */
#ifndef HEADSCOPE_MODEL_DOCTOR_TRAPS_H
#define HEADSCOPE_MODEL_DOCTOR_TRAPS_H

#include "model/doctor/mistake_kinds.h"

/* In the order of the gallery; NULL past the last. */
const MistakeKind *trap_at(int index);

/* By its name, or its old one; NULL if there is none. */
const MistakeKind *trap_find(const char *name);

/* The mistakes of each site; NULL: none. */
void trap_mistakes(AttentionMistakes mistakes[SITE_COUNT], const MistakeKind *trap);

/* The trap whose mistakes these are, [SITE_COUNT]; NULL if there is none. */
const MistakeKind *trap_of(const AttentionMistakes mistakes[SITE_COUNT]);

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
const char *trap_idle(const MistakeKind *trap, const TrapInput *input, int *room);

#endif
