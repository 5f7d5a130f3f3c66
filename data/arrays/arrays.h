/* Arrays of numbers in files that other programs wrote: safetensors, npy, npz. Reading is strict
 * and bounded: a cut, huge or hostile file gives an Error that names it. Never unpickles. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAYS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"

enum { ARRAYS_RANK = 8 };

/* The type that an array's numbers have in the file. */
typedef enum ArrayType {
    ARRAY_F64,
    ARRAY_F32,
    ARRAY_F16,
    ARRAY_BF16,
    ARRAY_WHOLE, /* any whole-number type, and bool */
    ARRAY_TEXT,  /* a string, or an array of strings; has no numbers */
} ArrayType;

typedef struct Array {
    const char *name; /* in the file; of an npy: the file's name without its ending */
    ArrayType type;
    int rank; /* 0: a single number */
    int64_t shape[ARRAYS_RANK];
    int64_t count;         /* the product of the shape; may be 0 */
    const double *numbers; /* [count] in C order; NULL: a text */
    const char *text;      /* of ARRAY_TEXT, its strings parted by newlines; else NULL */
} Array;

/* Everything that one file holds. */
typedef struct Arrays {
    Array *arrays;
    int count;
    struct ArraysMemory *memory; /* owned */
} Arrays;

/* Reads a file, whose kind is told by its first bytes: safetensors (its __metadata__ comes as
 * texts), npy of version 1 to 3 (either byte order, C or Fortran order), npz (stored or deflated).
 * Types: f64, f32, f16, bf16, (u)int8 to (u)int64, bool, and strings. Memory is bounded by what the
 * numbers need as double, and by `most` numbers in all (0: 2^28). ERROR_FAILED with one line. */
bool arrays_open(Arrays *file, const char *path, int64_t most, Error *error);

/* The same from memory; `name` stands in messages. */
bool arrays_from_bytes(Arrays *file, const char *name, const void *bytes, size_t size, int64_t most,
                       Error *error);
void arrays_close(Arrays *file); /* {0} is fine */

/* The array of that name; NULL if there is none. */
const Array *arrays_find(const Arrays *file, const char *name);

/* "(2, 5, 4, 6)" into `text` [ARRAYS_SHAPE_TEXT]; "()" for a single number. */
enum { ARRAYS_SHAPE_TEXT = SHAPE_TEXT };
void arrays_shape_text(const Array *array, char *text);

/* "float32", "bfloat16", "a whole number", "text". */
const char *array_type_name(ArrayType type);

#endif
