/* NumPy's .npy, versions 1 to 3: a header that is a Python literal, and the numbers after it. Read
 * from a stream, so that a packed archive never stands unpacked in memory. */
#ifndef HEADSCOPE_DATA_ARRAYS_NPY_H
#define HEADSCOPE_DATA_ARRAYS_NPY_H

#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"

enum { NPY_RANK = 8 };

/* Gives the next bytes of a file: how many of `size` it could, fewer at its end. */
typedef struct NpyStream {
    size_t (*read)(void *from, void *bytes, size_t size);
    void *from;
    uint64_t size; /* of the whole file, in bytes, as far as is known beforehand */
} NpyStream;

typedef struct NpyHeader {
    bool is_text;    /* of fixed length: U or S */
    TensorType type; /* of numbers */
    size_t letters;  /* of each text */
    size_t item;     /* bytes of one number or text */
    bool big_endian, fortran;
    bool wide; /* U: 4 bytes a letter */
    int rank;
    int64_t shape[NPY_RANK];
    int64_t count; /* the product of the shape */
} NpyHeader;

/* Reads and checks the header; `name` stands in messages. Nothing of it is taken on trust: the
 * stream must be long enough for the numbers. */
bool npy_read_header(NpyHeader *header, NpyStream *stream, const char *name, Error *error);

/* The numbers that follow, [count] in C order. */
bool npy_read_numbers(double *numbers, const NpyHeader *header, NpyStream *stream, const char *name,
                      Error *error);

/* The texts that follow, as UTF-8, parted by newlines, in the file's order. A new string (free it);
 * NULL with *error. */
char *npy_read_texts(const NpyHeader *header, NpyStream *stream, const char *name, Error *error);

#endif
