/* Traces of one site for the tests of the analysis. */
#ifndef TESTS_MODEL_HELPER_MAPS_H
#define TESTS_MODEL_HELPER_MAPS_H

#include "model/trace/trace.h"

/* [1, heads, queries, keys] at one site; fails the test for lack of memory. */
Trace *helper_maps(Site site, int heads, int queries, int keys);

/* Writes a head of layer 0 from queries*keys weights without gaps. */
void helper_write(Trace *trace, Site site, int head, const float *weights, const int *key_len);

/* Whether two numbers are within `tolerance`; both NaN counts as near. */
bool helper_near(double found, double wanted, double tolerance);

#endif
