#include "data/arrays/array_kind.h"

#include <string.h>

#include "data/files/file_kind.h"

static bool begins(const unsigned char *bytes, size_t size, const char *start, size_t length) {
    return size >= length && memcmp(bytes, start, length) == 0;
}

bool array_kind_of(ArrayKind *kind, const char *name, const unsigned char *bytes, size_t size,
                   Error *error) {
    if (size == 0) return error_set(error, "%s: the file is empty", name);
    bool npy = begins(bytes, size, "\x93NUMPY", 6), npz = begins(bytes, size, "PK", 2);
    *kind = npy ? ARRAY_KIND_NPY : npz ? ARRAY_KIND_NPZ : ARRAY_KIND_SAFETENSORS;
    if (npy || npz || (size > 8 && bytes[8] == '{')) return true;
    if (bytes[0] == 0x80 && size > 1 && bytes[1] >= 2 && bytes[1] <= 5)
        return error_set(error,
                         "%s: saved with pickle, which can carry code and is never read: save it "
                         "with numpy.savez of plain arrays",
                         name);
    return error_set(error,
                     "%s: is %s, and neither safetensors nor .npz nor .npy: save the tensors with "
                     "numpy.savez",
                     name, file_kind_words(bytes, size));
}
