/* Which axis of each tensor is what: all readings are tried, and those in which every length is the
 * same wherever it stands are kept. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_SHAPES_H
#define HEADSCOPE_APP_CHECK_DUMP_SHAPES_H

#include "app/check/dump_readings.h"

/* All shapes read. */
typedef struct Reads {
    const AxesReading *readings[SHAPED]; /* NULL: not there */
    int64_t lengths[AXES];               /* 0: not known */
} Reads;

/* Finds the one way in which all shapes agree. `heads` 0: not known; `heads_name` says where they
 * come from ("--heads 5"). computes: something of the dump is computed head by head, so that their
 * number must come out. ERROR_USAGE. */
bool dump_shapes(Reads *reads, const Shaped shaped[SHAPED], int heads, const char *heads_name,
                 bool computes, const char *layout, Error *error);

#endif
