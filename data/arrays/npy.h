/* NumPy's .npy, versions 1 to 3: a header that is a Python literal, and the numbers after it. The
 * header is read from a stream, so that an entry of an archive is judged before it is unpacked. */
#ifndef HEADSCOPE_DATA_ARRAYS_NPY_H
#define HEADSCOPE_DATA_ARRAYS_NPY_H

#include "data/arrays/arrays.h"

/* Reads the next bytes of a file; returns how many of `size`, fewer at its end. */
typedef struct NpyStream {
    size_t (*read)(void *from, void *bytes, size_t size);
    void *from;
    uint64_t size; /* of the whole file in bytes, as far as known */
} NpyStream;

typedef struct NpyHeader {
    bool is_text;      /* of fixed length: U or S */
    bool skipped;      /* a text too large to be read */
    TensorType type;   /* of numbers */
    size_t characters; /* of each text */
    size_t item;       /* bytes of one number or text */
    bool big_endian, fortran;
    bool wide; /* U: 4 bytes per character */
    int rank;
    int64_t shape[ARRAY_RANK];
    int64_t count; /* the product of the shape */
} NpyHeader;

/* Reads the header into *header and adds the array (its first `length` bytes of `name`), as yet
 * without numbers; `label` stands for it in messages. Nothing is taken on trust: the stream must be
 * long enough for the numbers, which are its next count * item bytes. NULL with *error. */
Array *npy_begin(Arrays *file, NpyHeader *header, NpyStream *stream, const char *name,
                 size_t length, const char *label, Error *error);

/* Gives the array its numbers, which lie at `bytes` and stay there, or its text, which is copied.
 */
bool npy_end(Array *array, const NpyHeader *header, const unsigned char *bytes, const char *label,
             Error *error);

/* Both, of a whole npy in memory. */
bool npy_add(Arrays *file, const unsigned char *bytes, size_t size, const char *name, size_t length,
             const char *label, Error *error);

#endif
