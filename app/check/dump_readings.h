/* The ways in which the axes of a dump's tensors can be read, as a table. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_READINGS_H
#define HEADSCOPE_APP_CHECK_DUMP_READINGS_H

#include "data/arrays/arrays.h"
#include "model/doctor/doctor.h"

/* The tensors whose shapes must agree: the parts of a dump, and the valid lengths. */
enum { SHAPED_LENS = DUMP_PARTS, SHAPED };

/* The lengths that shapes speak of. AXIS_F is the folded one, B*H. */
typedef enum Axis { AXIS_B, AXIS_H, AXIS_Q, AXIS_K, AXIS_W, AXIS_D, AXIS_F, AXES } Axis;

/* A tensor as the file holds it; a part of a stacked one is named by the whole. */
typedef struct Shaped {
    const char *name; /* NULL: not there */
    int rank;
    int64_t shape[ARRAY_RANK];
    char text[SHAPE_TEXT]; /* of the shape */
} Shaped;

/* One way to read the axes of a tensor. */
typedef struct AxesReading {
    const char *axes; /* one letter each: B H Q K W D F */
    bool one;         /* there is no batch axis: one example */
    bool split, averaged, transposed;
    const char *layout; /* as --layout names it; NULL: it needs no choice */
    const char *mend;   /* read so only to say what to do: the file is refused with it */
} AxesReading;

/* The ways to read a tensor, in the order in which they are tried; ended by one without axes. */
const AxesReading *dump_readings(int tensor);

/* The order in which tensors are read: those whose axes are plainest first, since what is read
 * later is blamed. [SHAPED] */
int dump_reading_order(int index);

/* Checks each by itself: that there is a way to read so many axes, that none is empty or huge.
 * ERROR_USAGE. */
bool dump_check_ranks(const Shaped shaped[SHAPED], Error *error);

#endif
