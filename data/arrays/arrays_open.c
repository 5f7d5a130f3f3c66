/* Opening a file of arrays by the list of formats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "data/arrays/array_formats.h"
#include "data/files/input.h"
#include "model/base/file_kind.h"

static const ArrayFormat *const formats[] = {&array_format_safetensors, &array_format_npz,
                                             &array_format_npy};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const int64_t default_max = INT64_C(1) << 28;

/* Writes "neither safetensors nor .npz nor .npy". */
static void list_formats(char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < FORMATS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " nor " : "neither ",
                                 formats[i]->name);
}

const ArrayFormat *array_format_of(const char *name, const unsigned char *bytes, size_t size,
                                   Error *error) {
    char names[80];
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->sniff(bytes, size)) return formats[i];
    FileKind kind = file_kind(bytes, size);
    if (kind == FILE_EMPTY) {
        error_set(error, "%s: the file is empty", name);
    } else if (kind == FILE_PICKLE) {
        error_set(error,
                  "%s: saved with pickle, which can carry code and is never read: save it "
                  "with numpy.savez of plain arrays",
                  name);
    } else {
        list_formats(names, sizeof names);
        error_set(error, "%s: is %s, and %s: save the tensors with numpy.savez", name,
                  file_kind_words(bytes, size), names);
    }
    return NULL;
}

static bool open_any(Arrays *file, Error *error) {
    const ArrayFormat *format = array_format_of(file->file_name, file->bytes, file->size, error);
    if (format && format->open(file, error)) return true;
    arrays_close(file);
    return false;
}

/* --- numbers that stay in the file ------------------------------------------------------------ */

bool arrays_over(Arrays *file, const char *name, const void *bytes, size_t size, Error *error) {
    *file = (Arrays){
        .file_name = name, .left = -1, .bytes = (unsigned char *)(uintptr_t)bytes, .size = size};
    return open_any(file, error);
}

bool arrays_map(Arrays *file, const char *path, Error *error) {
    Input input;
    *file = (Arrays){0};
    if (!input_open(&input, path, error)) return false;
    void *bytes = MAP_FAILED;
    if (input.size > 0) bytes = mmap(NULL, input.size, PROT_READ, MAP_PRIVATE, input.descriptor, 0);
    int reason = errno;
    if (bytes != MAP_FAILED) {
        *file = (Arrays){.file_name = path,
                         .left = -1,
                         .bytes = bytes,
                         .size = input.size,
                         .held = ARRAYS_MAPPED,
                         .descriptor = input.descriptor};
        return open_any(file, error);
    }
    input_close(&input);
    if (input.size == 0) return error_set(error, "%s: the file is empty", path);
    return error_set(error, "%s: cannot be read: %s", path, strerror(reason));
}

/* --- numbers that are loaded ------------------------------------------------------------------ */

static bool load_numbers(Array *array, const char *file_name, Error *error) {
    if (array->is_text || array->numbers) return true;
    double *numbers = array_room(array);
    if (!numbers) return error_set(error, "%s: %s: out of memory", file_name, array->name);
    array_read_double(array, numbers);
    array->numbers = numbers;
    free(array->owned);
    array->owned = NULL;
    array->bytes = NULL;
    return true;
}

bool arrays_from_bytes(Arrays *file, const char *name, const void *bytes, size_t size, int64_t max,
                       Error *error) {
    *file = (Arrays){.file_name = name,
                     .left = max > 0 ? max : default_max,
                     .bytes = (unsigned char *)(uintptr_t)bytes,
                     .size = size};
    if (!open_any(file, error)) return false;
    bool good = true;
    for (int i = 0; good && i < file->count; i++)
        good = load_numbers(&file->arrays[i], name, error);
    file->bytes = NULL;
    file->size = 0;
    if (!good) arrays_close(file);
    return good;
}

bool arrays_open(Arrays *file, const char *path, int64_t max, Error *error) {
    *file = (Arrays){0};
    unsigned char *bytes, begin[FILE_KIND_BYTES];
    size_t size;
    if (!input_begin(begin, &size, path, sizeof begin, error) ||
        !array_format_of(path, begin, size, error))
        return false;
    /* The numbers, and headers of at most 16 MB. */
    size_t max_bytes = (size_t)(max > 0 ? max : default_max) * 8 + (UINT64_C(1) << 24);
    if (!input_read(&bytes, &size, path, max_bytes, error)) return false;
    bool good = arrays_from_bytes(file, path, bytes, size, max, error);
    free(bytes);
    return good;
}
