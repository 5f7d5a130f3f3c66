/* The table of readings of the axes of a dump's tensors. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_READINGS_H
#define HEADSCOPE_APP_CHECK_DUMP_READINGS_H

#include "data/arrays/arrays.h"
#include "model/doctor/doctor.h"

/* The tensors whose shapes must agree: the parts of a dump, and the valid lengths. */
enum { SHAPED_LENS = DUMP_PARTS, SHAPED };

/* The lengths in shapes. AXIS_F is the folded B*H. */
typedef enum Axis { AXIS_B, AXIS_H, AXIS_Q, AXIS_K, AXIS_W, AXIS_D, AXIS_F, AXES } Axis;

/* The shape of a tensor in the file. A third of a stacked array has the name of the array. */
typedef struct Shaped {
    const char *name; /* NULL: not in the file */
    int rank;
    int64_t shape[ARRAY_RANK];
    char text[SHAPE_TEXT]; /* of the shape */
} Shaped;

/* One reading of the axes of a tensor. */
typedef struct AxesReading {
    const char *axes; /* one character each: B H Q K W D F */
    bool one;         /* no batch axis: one example */
    bool split, averaged, transposed;
    const char *layout; /* its name for --layout; NULL: unambiguous */
    const char *mend;   /* not NULL: refuse the file with this advice */
} AxesReading;

/* The readings of a tensor, in the order in which they are tried; axes NULL ends them. */
const AxesReading *dump_readings(int tensor);

/* The order in which tensors are read: the least ambiguous first, since a disagreement is reported
 * as an error of the later tensor. index < SHAPED. */
int dump_reading_order(int index);

/* Checks each tensor: that its rank has a reading, and that no axis is empty or too long.
 * ERROR_USAGE. */
bool dump_check_ranks(const Shaped shaped[SHAPED], Error *error);

#endif
