/* The arrays of a file that another program wrote: safetensors, npy or npz, told by its first
 * bytes. Reading is strict and bounded: a cut, huge or hostile file gives an Error that names it.
 * Nothing is ever unpickled. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAYS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"
#include "model/base/real.h"

enum { ARRAY_RANK = 8 };

/* Larger texts are not read from files that are not loaded whole. */
enum { ARRAY_TEXT_BYTES = 1 << 24, ARRAY_TEXT_STRINGS = 1 << 20 };

/* One array: numbers, or text (a string, or an array of strings). */
typedef struct Array {
    const char *name; /* in the file; of an npy: the file's name without its ending. Owned */
    TensorType type;  /* of numbers */
    bool big_endian;
    bool is_text;
    int rank; /* 0: a single number */
    int64_t shape[ARRAY_RANK];
    int64_t stride[ARRAY_RANK]; /* in numbers, from one index of the axis to the next */
    int64_t count;              /* the product of the shape; may be 0 */
    const unsigned char *bytes; /* numbers as they lie in the file; NULL once it is loaded */
    unsigned char *owned;       /* the same, where they were unpacked */
    const double *numbers;      /* [count] in C order, once the file is loaded; owned */
    const char *text; /* UTF-8, strings separated by newlines; owned. NULL: numbers, or a text that
                         is larger than ARRAY_TEXT_BYTES or ARRAY_TEXT_STRINGS */
} Array;

/* The file. A safetensors' texts, its __metadata__, follow its tensors. */
typedef struct Arrays {
    Array *arrays;
    int count;
    int room;
    const char *file_name; /* the caller's, for messages while the file is read */
    int64_t left;          /* numbers and characters that may still be loaded; -1: no limit */
    unsigned char *bytes;  /* the file, if it is not loaded */
    size_t size;
    enum { ARRAYS_BORROWED, ARRAYS_OWNED, ARRAYS_MAPPED } held; /* whose `bytes` are */
    int descriptor;                                             /* of a mapped file */
} Arrays;

/* Maps a file into memory; the numbers stay in it, and only those that are looked at are read. Of
 * an npz, entries that are compressed or small are unpacked. ERROR_FAILED with one line. A file
 * that is cut while it is open ends the program (SIGBUS) where its mapping is looked at;
 * data/arrays/array_window.h reads it without. */
bool arrays_map(Arrays *file, const char *path, Error *error);

/* The same over bytes that stay; `name` stands in messages. */
bool arrays_over(Arrays *file, const char *name, const void *bytes, size_t size, Error *error);

/* Loads all numbers as double, and closes the file. Memory is bounded by the file and by `max`
 * numbers in all (0: 2^28); no two arrays have one name. ERROR_FAILED with one line. */
bool arrays_open(Arrays *file, const char *path, int64_t max, Error *error);

/* The same from memory. */
bool arrays_from_bytes(Arrays *file, const char *name, const void *bytes, size_t size, int64_t max,
                       Error *error);

void arrays_close(Arrays *file); /* {0} is fine */

/* Drops the pages of a mapped file that were read; they are read again when they are looked at. */
void arrays_drop_pages(const Arrays *file);

/* The array of that name (numbers before text), the numbers, the text; NULL if there is none. */
const Array *arrays_find(const Arrays *file, const char *name);
const Array *arrays_find_numbers(const Arrays *file, const char *name);
const char *arrays_find_text(const Arrays *file, const char *name);

/* How many arrays of numbers there are. */
int arrays_count_numbers(const Arrays *file);

/* "(2, 5, 4, 6)" into `text` [SHAPE_TEXT]; "()" for a single number. */
void array_shape_text(const Array *array, char *text);

/* Reads a loaded array that is one whole number from min to max, or a text of one (safetensors
 * keeps such in its metadata); false for anything else. */
bool array_whole_number(const Array *array, int min, int max, int *number);

/* = number `index` (in C order) of an array that is not loaded. */
double array_number(const Array *array, int64_t index);

/* = all its numbers, [count] in C order. */
void array_read_double(const Array *array, double *out);

/* The same; false for a type of whole numbers, which are no weights. */
bool array_read_real(const Array *array, real *out);

/* --- for readers of formats (data/arrays/array_formats.h) ---------------------------------------
 */

/* A new array of that name (the first `length` bytes), rank 0; NULL with *error. */
Array *arrays_add(Arrays *file, const char *name, size_t length, Error *error);

/* Sets shape [rank], count, and the strides of numbers that lie in C or Fortran order. */
void array_set_shape(Array *array, const int64_t *shape, int rank, bool fortran);

/* Allocates the numbers of a loaded array: exactly [count], so that the address sanitizer sees a
 * read past the end. NULL for lack of memory. */
double *array_room(const Array *array);

/* Takes `amount` from Arrays.left; false where that is less. To be called before memory for the
 * array's numbers or characters is allocated. */
bool arrays_take(Arrays *file, const Array *array, int64_t amount, Error *error);

#endif
