#include "tests/model/helper_maps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

Trace *helper_maps(Site site, int heads, int queries, int keys) {
    TraceShape shapes[SITE_COUNT] = {0};
    shapes[site] = (TraceShape){1, heads, queries, keys};
    Error error = {0};
    Trace *trace = trace_make(shapes, &error);
    if (!trace) fail_msg("%s", error.text);
    return trace;
}

void helper_write(Trace *trace, Site site, int head, const float *weights, const int *key_len) {
    trace_write(trace, (HeadId){site, 0, head}, weights, trace_shape(trace, site).keys, key_len);
}

bool helper_near(double found, double wanted, double tolerance) {
    if (isnan(found) || isnan(wanted)) return isnan(found) && isnan(wanted);
    return fabs(found - wanted) <= tolerance;
}
