/* The number types of files, and their conversion to double and float. */
#ifndef HEADSCOPE_DATA_FILES_NUMBERS_H
#define HEADSCOPE_DATA_FILES_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TensorType {
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_F16,
    TENSOR_BF16, /* the upper half of an F32 */
    TENSOR_I8,
    TENSOR_I16,
    TENSOR_I32,
    TENSOR_I64,
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_U64,
    TENSOR_BOOL, /* a byte: 0 or not */
    TENSOR_TYPES,
} TensorType;

/* Bytes of one number. */
size_t number_size(TensorType type);

/* True for integers and booleans. */
bool number_is_whole(TensorType type);

/* True on a little-endian machine. */
bool numbers_host_is_little(void);

/* The number at `bytes`, which need not be aligned. Exact except for integers beyond 2^53. */
double number_at(const unsigned char *bytes, TensorType type, bool big_endian);

/* "(2, 5, 4, 6)" into `text` [SHAPE_TEXT], which must hold it; "()" for rank 0. */
enum { SHAPE_TEXT = 160 };
void numbers_shape_text(const int64_t *shape, int rank, char *text);

/* out[count] = the numbers as float, `stride` numbers apart (1, contiguous, is fastest). */
void numbers_read(float *out, const unsigned char *bytes, TensorType type, bool big_endian,
                  ptrdiff_t stride, size_t count);

#endif
