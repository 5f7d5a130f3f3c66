/* Projections of the sources, right or wrong, computed example by example. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_PROJECT_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_PROJECT_H

#include "model/doctor/doctor_case.h"

typedef struct Projection {
    int which;      /* 0 query, 1 key, 2 value */
    bool from_keys; /* the source is that of keys and values */
    bool turned;    /* by the matrix as it lies, [in,out] */
    bool unbiased;
} Projection;

/* The roundoffs of a sum of that many products come to about this many: of the product, the scale
 * and what is stored, and of each step of the sum, whose errors have either sign (three deviations:
 * a first product that outweighs the rest is rounded again at every step). */
double sum_roundoffs(const Patient *patient, int products, double work);

/* What is taken of the bound of a sum of that many products: all of it, or if the patient is tight
 * and the numbers are halves, some deviations of errors that have either sign. */
double sum_share(const Patient *patient, int products, double work);

/* Where the projection lies; its numbers are there once it was computed for the example. */
Known projection_known(Patient *patient, Projection projection, double work);

/* Computes example b if that was not done. */
void projection_need(Patient *patient, Projection projection, int b, double work);

/* All are computed anew when needed: what their errors come from has changed. */
void projections_forget(Patient *patient);

/* out [W] = x [W] by matrix (w_q, w_k, w_v, w_o are 0 to 3), and the bias. */
void project_row(double *out, const double *x, const Patient *patient, int matrix, bool turned,
                 bool unbiased);

#endif
