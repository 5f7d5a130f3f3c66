/* Safetensors files: 8 bytes of header length (little-endian), a JSON header, the numbers. The
 * format cannot carry code. Reading is strict: a cut or hostile file gives an Error. */
#ifndef HEADSCOPE_DATA_ARRAYS_SAFETENSORS_H
#define HEADSCOPE_DATA_ARRAYS_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"
#include "model/base/real.h"

enum { SAFETENSORS_RANK = 8 };

typedef struct Tensor {
    const char *name;
    TensorType type;
    int rank;
    int64_t shape[SAFETENSORS_RANK];
    const void *bytes; /* little-endian; not aligned when read from a file */
} Tensor;

/* One entry of the header's __metadata__. The format wants texts; what another program put there
 * instead (a number) is read as its JSON text. */
typedef struct TensorText {
    const char *key, *text;
} TensorText;

typedef struct Safetensors {
    Tensor *tensors;
    int tensor_count;
    TensorText *texts;
    int text_count;
    void *header;               /* owned */
    const unsigned char *bytes; /* the file */
    unsigned char *owned;       /* the same, where it is to be freed */
    size_t size;
} Safetensors;

/* Sees tensors and texts as the header has them, and must not look at numbers. */
typedef bool (*SafetensorsJudge)(void *context, const Safetensors *file, Error *error);

/* Reads a whole file, or nothing past the header if `judge` refuses it (NULL: it is not asked).
 * Memory is bounded by the file's size. */
bool safetensors_open(Safetensors *file, const char *path, SafetensorsJudge judge, void *context,
                      Error *error);

/* The same from memory, which is copied. `name` stands in messages. */
bool safetensors_from_bytes(Safetensors *file, const char *name, const void *bytes, size_t size,
                            Error *error);

/* The same where the bytes are: they are neither copied nor freed, and must stay. */
bool safetensors_view(Safetensors *file, const char *name, const void *bytes, size_t size,
                      Error *error);
void safetensors_close(Safetensors *file);

/* The tensor or text of that name, NULL if there is none. */
const Tensor *safetensors_find(const Safetensors *file, const char *name);
const char *safetensors_text(const Safetensors *file, const char *key);

/* How many numbers a tensor has. */
int64_t tensor_count(const Tensor *tensor);

/* Its size in the file, and the format's name of a type. */
size_t tensor_bytes(const Tensor *tensor);
const char *tensor_type_name(TensorType type);

/* All its numbers as `real`; false for a whole-number type. */
bool tensor_read(const Tensor *tensor, real *out);

/* All its numbers, of any type. */
void tensor_read_double(const Tensor *tensor, double *out);

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
