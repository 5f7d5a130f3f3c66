/* The valid lengths of a dump: what the call says of them, or an array of the file. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_LENS_H
#define HEADSCOPE_APP_CHECK_DUMP_LENS_H

#include "app/check/dump_readings.h"

/* Whether that is "3,2": whole numbers. ERROR_USAGE. */
bool dump_lens_check(const char *said, Error *error);

/* The lengths of a dump whose sizes stand: those that are `said`, or else those of the array, read
 * in that way; NULL both: all keys are valid. *lens becomes a new block, which dump->valid_lens
 * points to and the caller frees. ERROR_USAGE. */
bool dump_lens_fill(Dump *dump, int **lens, const Array *array, const AxesReading *reading,
                    const char *said, Error *error);

#endif
