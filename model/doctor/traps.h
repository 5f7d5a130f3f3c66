/* The traps: the common mistakes of the catalogue, which can be switched on in a network, each at
 * the sites where it is made. A loud one, which would fail at once, can only be shown. */
#ifndef HEADSCOPE_MODEL_DOCTOR_TRAPS_H
#define HEADSCOPE_MODEL_DOCTOR_TRAPS_H

#include "model/doctor/mistake_kinds.h"

/* The trap at an index, in the order of the gallery; NULL past the last. */
const MistakeKind *trap_at(int index);

/* The trap of that name or old name; NULL if there is none. */
const MistakeKind *trap_find(const char *name);

/* Writes the mistakes that the trap makes at each site; none if it is NULL. */
void trap_mistakes(AttentionMistakes mistakes[SITE_COUNT], const MistakeKind *trap);

/* The trap that makes exactly these mistakes; NULL if there is none. */
const MistakeKind *trap_of(const AttentionMistakes mistakes[SITE_COUNT]);

/* The properties of a call that decide whether a trap can change anything. */
typedef struct TrapInput {
    Site site;
    AttentionSizes sizes;
    MaskSource mask;
    bool keys_alike; /* in each head all keys are equal: rows are uniform whatever the query */
} TrapInput;

/* Returns why the trap changes nothing here, whatever the numbers ("there is one head, which owns
 * all columns either way"); NULL if it may change something. Scratch: room
 * [2 * attention_rule_room]. */
const char *trap_idle(const MistakeKind *trap, const TrapInput *input, int *room);

#endif
