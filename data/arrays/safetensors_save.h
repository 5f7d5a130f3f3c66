/* Writing tensors and texts as safetensors. */
#ifndef HEADSCOPE_DATA_ARRAYS_SAFETENSORS_SAVE_H
#define HEADSCOPE_DATA_ARRAYS_SAFETENSORS_SAVE_H

#include <stddef.h>
#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"

enum { TENSOR_RANK = 8 };

/* A tensor to be written. */
typedef struct Tensor {
    const char *name;
    TensorType type;
    int rank;
    int64_t shape[TENSOR_RANK];
    const void *bytes; /* little-endian, in C order */
} Tensor;

/* One entry of __metadata__. */
typedef struct TensorText {
    const char *key, *text;
} TensorText;

/* How many numbers a tensor has, and its size in the file. */
int64_t tensor_count(const Tensor *tensor);
size_t tensor_bytes(const Tensor *tensor);

/* The type that a `real` is written as. */
TensorType tensor_type_of_real(void);

/* Writes a file whole (data/files/output.h), tensors in the order given. */
bool safetensors_save(const char *path, const Tensor *tensors, int tensor_count,
                      const TensorText *texts, int text_count, Error *error);

enum { FILE_HASH = 65 };

/* The same, and the file's SHA-256 in hexadecimal (NULL: not wanted), taken of what is written: a
 * pipe cannot be read again. */
bool safetensors_save_hashed(const char *path, const Tensor *tensors, int tensor_count,
                             const TensorText *texts, int text_count, char hash[FILE_HASH],
                             Error *error);

#endif
