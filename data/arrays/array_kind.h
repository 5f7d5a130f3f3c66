/* What kind of file of arrays some bytes are, told by the first of them. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAY_KIND_H
#define HEADSCOPE_DATA_ARRAYS_ARRAY_KIND_H

#include <stddef.h>

#include "model/base/error.h"

typedef enum ArrayKind { ARRAY_KIND_NPY, ARRAY_KIND_NPZ, ARRAY_KIND_SAFETENSORS } ArrayKind;

/* False with one line that names the file where it is none of them: empty, pickled or else. */
bool array_kind_of(ArrayKind *kind, const char *name, const unsigned char *bytes, size_t size,
                   Error *error);

#endif
