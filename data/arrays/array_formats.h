/* The formats of files that hold arrays: the one list by which files are opened. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAY_FORMATS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAY_FORMATS_H

#include "data/arrays/arrays.h"

typedef struct ArrayFormat {
    const char *name; /* as messages name it: ".npz", "safetensors" */
    /* Whether a file that begins with these bytes (at most 64 of it) is one. */
    bool (*sniff)(const unsigned char *bytes, size_t size);
    /* Adds all arrays of file->bytes. */
    bool (*open)(Arrays *file, Error *error);
} ArrayFormat;

extern const ArrayFormat array_format_npy;         /* npy.c */
extern const ArrayFormat array_format_npz;         /* npz.c */
extern const ArrayFormat array_format_safetensors; /* safetensors.c */

/* The format of a file of that name that begins with these bytes; NULL with one line that says what
 * it is instead. */
const ArrayFormat *array_format_of(const char *name, const unsigned char *bytes, size_t size,
                                   Error *error);

#endif
