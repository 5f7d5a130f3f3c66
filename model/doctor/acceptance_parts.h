/* What the files model/doctor/acceptance_*.c share: what a check looks at, and how it gathers
 * what it finds. */
#ifndef HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_PARTS_H
#define HEADSCOPE_MODEL_DOCTOR_ACCEPTANCE_PARTS_H

#include "model/doctor/acceptance.h"

/* Everything that a check looks at. */
typedef struct AcceptanceLook {
    AttentionSizes n;
    const AcceptanceCall *call;
    const AcceptanceReference *reference;
    const AcceptanceAnswer *answer;
} AcceptanceLook;

int acceptance_width(AttentionSizes n);

/* How many keys a query sees. */
int acceptance_visible(AcceptanceLook look, int b, int t);

/* The index in [B,H,Tq,Tk]. */
long acceptance_cell(AttentionSizes n, DoctorPlace at);

/* The next cell of [B,H,Tq,Tk] in queries that see a key; begin with ACCEPTANCE_BEFORE_CELLS. */
bool acceptance_next_cell(AcceptanceLook look, DoctorPlace *at);
#define ACCEPTANCE_BEFORE_CELLS ((DoctorPlace){0, 0, 0, -1})

/* Of a finding that is about none. */
#define ACCEPTANCE_NO_PLACE ((DoctorPlace){-1, -1, -1, -1})

/* What one walk over numbers found; {0} before it. */
typedef struct AcceptanceGap {
    double value; /* the largest; a difference from no number counts as infinite */
    long count;
    DoctorPlace place;
} AcceptanceGap;

void acceptance_gap_add(AcceptanceGap *gap, double difference, DoctorPlace place);

/* Passed where no gap is larger than allowed, and where `count` of `of` are all. Where there was
 * nothing to look at, neither has passed: it is not checked. */
AcceptanceFinding acceptance_of_gap(AcceptanceGap gap, double allowed);
AcceptanceFinding acceptance_of_count(long count, long of, DoctorPlace first_bad);
AcceptanceFinding acceptance_not_checked(const char *why);

/* The checks of weights, into the report. */
void acceptance_check_weights(AcceptanceReport *report, AcceptanceLook look);

#endif
