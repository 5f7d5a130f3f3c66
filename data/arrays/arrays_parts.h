/* What the files data/arrays/arrays*.c share. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAYS_PARTS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAYS_PARTS_H

#include "data/arrays/arrays.h"
#include "data/arrays/npy.h"

typedef struct ArraysMemory {
    const char *file_name; /* for messages, while the file is read */
    int room;              /* of arrays */
    int64_t left;          /* numbers, and letters of texts, that may still be read */
} ArraysMemory;

/* A new array of that name (the first `length` bytes), empty. NULL with *error: too many, or no
 * memory. */
Array *arrays_add(Arrays *file, const char *name, size_t length, Error *error);

/* Room for the numbers of `array`, whose shape stands; NULL with *error where they are too many. */
double *arrays_numbers(Arrays *file, Array *array, Error *error);

/* Reads an npy as an array of that name; `label` stands for it in messages. */
bool arrays_read_npy(Arrays *file, NpyStream *stream, const char *name, size_t length,
                     const char *label, Error *error);

/* Reads a zip of them. */
bool arrays_read_npz(Arrays *file, const void *bytes, size_t size, Error *error);

#endif
