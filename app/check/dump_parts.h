/* What the files app/check/dump*.c share. */
#ifndef HEADSCOPE_APP_CHECK_DUMP_PARTS_H
#define HEADSCOPE_APP_CHECK_DUMP_PARTS_H

#include "app/check/dump.h"

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
typedef struct Reading {
    const char *axes; /* one letter each: B H Q K W D F */
    bool one;         /* there is no batch axis: one example */
    bool split, averaged, transposed;
    const char *layout; /* as --layout names it; NULL: it needs no choice */
    const char *mend;   /* read so only to say what to do: the file is refused with it */
} Reading;

/* The ways to read a tensor, in the order in which they are tried; ended by one without axes. */
const Reading *dump_readings(int tensor);

/* The order in which tensors are read: those whose axes are plainest first, since what is read
 * later is blamed. [SHAPED] */
int dump_reading_order(int index);

/* All shapes read. */
typedef struct Reads {
    const Reading *readings[SHAPED]; /* NULL: not there */
    int64_t lengths[AXES];           /* 0: not known */
} Reads;

/* Checks each by itself: that there is a way to read so many axes, that none is empty or huge.
 * ERROR_USAGE. */
bool dump_check_ranks(const Shaped shaped[SHAPED], Error *error);

/* Finds the one way in which all shapes agree. `heads` 0: not known; `heads_name` says where they
 * come from ("--heads 5"). computes: something of the dump is computed head by head, so that their
 * number must come out. ERROR_USAGE. */
bool dump_shapes(Reads *reads, const Shaped shaped[SHAPED], int heads, const char *heads_name,
                 bool computes, const char *layout, Error *error);

/* Whether that is "3,2": whole numbers. ERROR_USAGE. */
bool dump_lens_check(const char *said, Error *error);

/* The lengths of a dump whose sizes stand: those that are `said`, or else those of the array, read
 * in that way; NULL both: all keys are valid. ERROR_USAGE. */
bool dump_lens_fill(DumpFile *file, const Array *lens, const Reading *reading, const char *said,
                    Error *error);

#endif
