/* Finds out what each axis of each tensor is: tries all readings and keeps those in which each
 * length is the same in all tensors. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_SHAPES_H
#define HEADSCOPE_APP_CHECK_DUMP_SHAPES_H

#include "app/check/dump_readings.h"

/* A reading of all shapes. */
typedef struct ShapesRead {
    const AxesReading *readings[SHAPED]; /* NULL: not in the file */
    int64_t lengths[AXES];               /* 0: unknown */
} ShapesRead;

/* Finds the only reading in which all shapes agree. heads: 0 if unknown; heads_name: where it comes
 * from ("--heads 5"). computes: something is computed head by head, so that the number of heads
 * must be found. ERROR_USAGE. */
bool dump_shapes(ShapesRead *reads, const Shaped shaped[SHAPED], int heads, const char *heads_name,
                 bool computes, const char *layout, Error *error);

#endif
