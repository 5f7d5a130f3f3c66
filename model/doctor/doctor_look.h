/* Weights to be looked at by themselves, beside the mask that they should be seen through. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_LOOK_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_LOOK_H

#include "model/doctor/doctor_patient.h"

typedef struct Look {
    Diagnosis *diagnosis;
    Patient *patient;
    AttentionSizes sizes;  /* one head where weights are averaged */
    const double *weights; /* [B,H,Tq,Tk] */
    double roundoff, slack, floor, relative;
    int *lens, *room, *other_room; /* owned */
    AttentionRule rule;            /* of the right mask */
} Look;

/* False for lack of memory. */
bool look_open(Look *look, Diagnosis *diagnosis, Patient *patient);
void look_close(Look *look);

const double *look_row(const Look *look, int b, int h, int t);

/* A row of weights, and the keys that the right mask shows of it. */
typedef struct LookRow {
    const double *weights; /* [Tk] */
    int first, end;
    DoctorPlace place; /* key -1 */
} LookRow;

/* The rows in order: how many, and the one at an index. */
long look_rows(const Look *look);
LookRow look_row_at(const Look *look, long index);

/* How many hidden cells have weight, rows that see no key left out; *zeros is how many visible
 * cells have none. */
long look_misfit(Look *look, AttentionMistakes mistakes, long *zeros);

#endif
