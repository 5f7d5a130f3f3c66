/* Safetensors files: 8 bytes of header length (little-endian), a JSON header, the numbers. The
 * format cannot carry code. Reading is strict: a cut or hostile file gives an Error. */
#ifndef HEADSCOPE_DATA_ARRAYS_SAFETENSORS_H
#define HEADSCOPE_DATA_ARRAYS_SAFETENSORS_H

#include "data/arrays/arrays.h"
#include "data/files/input.h"

/* A file whose header is judged before its numbers are read. */
typedef struct Safetensors {
    Arrays arrays; /* names, types, shapes and texts; numbers after safetensors_read_numbers */
    bool reading;  /* `input` is open */
    Input input;
    size_t read; /* bytes of the file that are in memory */
} Safetensors;

/* Reads the header of a file that must be safetensors. Memory is bounded by the file's size. What
 * another program put into __metadata__ instead of a text (a number) is read as its JSON text. */
bool safetensors_open(Safetensors *file, const char *path, Error *error);

/* Reads the numbers of it. */
bool safetensors_read_numbers(Safetensors *file, Error *error);

/* The same of bytes in memory, which must stay; `name` stands in messages. */
bool safetensors_over(Safetensors *file, const char *name, const void *bytes, size_t size,
                      Error *error);

void safetensors_close(Safetensors *file); /* {0} is fine */

/* The format's name of a type. */
const char *tensor_type_name(TensorType type);

#endif
