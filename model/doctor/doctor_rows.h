/* Rows of weights as a hypothesis has them: one query of one head. */
#ifndef HEADSCOPE_MODEL_DOCTOR_DOCTOR_ROWS_H
#define HEADSCOPE_MODEL_DOCTOR_DOCTOR_ROWS_H

#include "model/doctor/doctor_case.h"

/* The index of a row in [B,H,Tq]. */
long row_index(const Predictor *predictor, Unit at);

/* The weights that values are mixed with, into predictor->row, and the bounds of their errors, into
 * row_error: those of the dump where they are given, averaged over the heads where the hypothesis
 * says so. */
void row_of_mix(Predictor *predictor, Unit at);

/* Of a tensor that is not in the dump: its numbers of one example. */
void predict_need(Predictor *predictor, DumpPart part, int b);

#endif
