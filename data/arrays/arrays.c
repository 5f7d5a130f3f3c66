#include "data/arrays/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/array_kind.h"
#include "data/arrays/arrays_parts.h"
#include "data/arrays/safetensors.h"
#include "data/files/input.h"

enum { ARRAYS_MOST = 4096 };

/* --- one array -------------------------------------------------------------------------------- */

static bool make_room(Arrays *file) {
    if (file->count < file->memory->room) return true;
    int room = file->memory->room ? 2 * file->memory->room : 16;
    Array *arrays = realloc(file->arrays, (size_t)room * sizeof *arrays);
    if (!arrays) return false;
    file->arrays = arrays;
    file->memory->room = room;
    return true;
}

Array *arrays_add(Arrays *file, const char *name, size_t length, Error *error) {
    const char *file_name = file->memory->file_name;
    if (file->count == ARRAYS_MOST) {
        error_set(error, "%s: more than %d arrays", file_name, ARRAYS_MOST);
        return NULL;
    }
    char *copy = malloc(length + 1);
    if (!copy || !make_room(file)) {
        free(copy);
        error_set(error, "%s: out of memory", file_name);
        return NULL;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    if (arrays_find(file, copy)) {
        error_set(error, "%s: %s: named twice", file_name, copy);
        free(copy);
        return NULL;
    }
    Array *array = &file->arrays[file->count++];
    *array = (Array){.name = copy};
    return array;
}

/* Takes `count` from what may still be read. */
static bool take_of_most(Arrays *file, const Array *array, int64_t count, Error *error) {
    if (count <= file->memory->left) {
        file->memory->left -= count;
        return true;
    }
    char shape[ARRAYS_SHAPE_TEXT];
    arrays_shape_text(array, shape);
    return error_set(error, "%s: %s: %s is too large: %lld more values may be read",
                     file->memory->file_name, array->name, shape, (long long)file->memory->left);
}

double *arrays_numbers(Arrays *file, Array *array, Error *error) {
    if (!take_of_most(file, array, array->count, error)) return NULL;
    /* Of just its size, so that a read past its end is seen. */
    double *numbers = malloc((array->count ? (size_t)array->count : 1) * sizeof *numbers);
    if (!numbers) error_set(error, "%s: %s: out of memory", file->memory->file_name, array->name);
    array->numbers = numbers;
    return numbers;
}

static ArrayType array_type(TensorType type) {
    switch (type) {
    case TENSOR_F64:
        return ARRAY_F64;
    case TENSOR_F32:
        return ARRAY_F32;
    case TENSOR_F16:
        return ARRAY_F16;
    case TENSOR_BF16:
        return ARRAY_BF16;
    default:
        return ARRAY_WHOLE;
    }
}

/* --- npy -------------------------------------------------------------------------------------- */

static bool read_npy_texts(Arrays *file, Array *array, const NpyHeader *header, NpyStream *stream,
                           const char *label, Error *error) {
    array->type = ARRAY_TEXT;
    int64_t letters = (int64_t)header->letters + 1;
    int64_t all = header->count > INT64_MAX / letters ? INT64_MAX : header->count * letters;
    if (!take_of_most(file, array, all, error)) return false;
    array->text = npy_read_texts(header, stream, label, error);
    return array->text != NULL;
}

bool arrays_read_npy(Arrays *file, NpyStream *stream, const char *name, size_t length,
                     const char *label, Error *error) {
    Array *array = arrays_add(file, name, length, error);
    NpyHeader header;
    if (!array || !npy_read_header(&header, stream, label, error)) return false;
    array->rank = header.rank;
    memcpy(array->shape, header.shape, sizeof header.shape);
    array->count = header.count;
    if (header.is_text) return read_npy_texts(file, array, &header, stream, label, error);
    array->type = array_type(header.type);
    double *numbers = arrays_numbers(file, array, error);
    return numbers && npy_read_numbers(numbers, &header, stream, label, error);
}

typedef struct Bytes {
    const unsigned char *at;
    size_t left;
} Bytes;

static size_t read_bytes(void *from, void *bytes, size_t size) {
    Bytes *memory = from;
    if (size > memory->left) size = memory->left;
    memcpy(bytes, memory->at, size);
    memory->at += size;
    memory->left -= size;
    return size;
}

/* "folder/maps.npy" is named "maps". */
static bool read_npy(Arrays *file, const void *bytes, size_t size, Error *error) {
    const char *file_name = file->memory->file_name;
    const char *slash = strrchr(file_name, '/'), *name = slash ? slash + 1 : file_name;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".npy") == 0) length -= 4;
    Bytes memory = {bytes, size};
    NpyStream stream = {read_bytes, &memory, size};
    return arrays_read_npy(file, &stream, name, length, file_name, error);
}

/* --- safetensors ------------------------------------------------------------------------------ */

static bool take_tensor(Arrays *file, const Tensor *tensor, Error *error) {
    Array *array = arrays_add(file, tensor->name, strlen(tensor->name), error);
    if (!array) return false;
    array->type = array_type(tensor->type);
    array->rank = tensor->rank;
    memcpy(array->shape, tensor->shape, sizeof tensor->shape);
    array->count = tensor_count(tensor);
    double *numbers = arrays_numbers(file, array, error);
    if (!numbers) return false;
    tensor_read_double(tensor, numbers);
    return true;
}

/* A text that bears a tensor's name gives way to it. */
static bool take_text(Arrays *file, const TensorText *text, Error *error) {
    if (arrays_find(file, text->key)) return true;
    Array *array = arrays_add(file, text->key, strlen(text->key), error);
    if (!array) return false;
    array->type = ARRAY_TEXT;
    array->count = 1;
    char *copy = malloc(strlen(text->text) + 1);
    if (!copy) return error_set(error, "%s: out of memory", file->memory->file_name);
    array->text = strcpy(copy, text->text);
    return true;
}

static bool read_safetensors(Arrays *file, const void *bytes, size_t size, Error *error) {
    Safetensors source;
    if (!safetensors_from_bytes(&source, file->memory->file_name, bytes, size, error)) return false;
    bool good = true;
    for (int i = 0; good && i < source.tensor_count; i++)
        good = take_tensor(file, &source.tensors[i], error);
    for (int i = 0; good && i < source.text_count; i++)
        good = take_text(file, &source.texts[i], error);
    safetensors_close(&source);
    return good;
}

/* --- the file --------------------------------------------------------------------------------- */

static bool read_any(Arrays *file, const unsigned char *bytes, size_t size, Error *error) {
    ArrayKind kind;
    if (!array_kind_of(&kind, file->memory->file_name, bytes, size, error)) return false;
    if (kind == ARRAY_KIND_NPY) return read_npy(file, bytes, size, error);
    if (kind == ARRAY_KIND_NPZ) return arrays_read_npz(file, bytes, size, error);
    return read_safetensors(file, bytes, size, error);
}

bool arrays_from_bytes(Arrays *file, const char *name, const void *bytes, size_t size, int64_t most,
                       Error *error) {
    *file = (Arrays){.memory = calloc(1, sizeof *file->memory)};
    if (!file->memory) return error_set(error, "%s: out of memory", name);
    file->memory->file_name = name;
    file->memory->left = most > 0 ? most : INT64_C(1) << 28;
    if (read_any(file, bytes, size, error)) return true;
    arrays_close(file);
    return false;
}

bool arrays_open(Arrays *file, const char *path, int64_t most, Error *error) {
    *file = (Arrays){0};
    unsigned char *bytes, begin[64];
    size_t size;
    ArrayKind kind;
    if (!input_begin(begin, &size, path, sizeof begin, error) ||
        !array_kind_of(&kind, path, begin, size, error))
        return false;
    /* The numbers, and headers of at most 16 MB. */
    size_t most_bytes = (size_t)(most > 0 ? most : INT64_C(1) << 28) * 8 + (UINT64_C(1) << 24);
    if (!input_read(&bytes, &size, path, most_bytes, error)) return false;
    bool good = arrays_from_bytes(file, path, bytes, size, most, error);
    free(bytes);
    return good;
}

void arrays_close(Arrays *file) {
    for (int i = 0; i < file->count; i++) {
        free((void *)(uintptr_t)file->arrays[i].name);
        free((void *)(uintptr_t)file->arrays[i].numbers);
        free((void *)(uintptr_t)file->arrays[i].text);
    }
    free(file->arrays);
    free(file->memory);
    *file = (Arrays){0};
}

/* --- looking ---------------------------------------------------------------------------------- */

const Array *arrays_find(const Arrays *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->arrays[i].name, name) == 0) return &file->arrays[i];
    return NULL;
}

void arrays_shape_text(const Array *array, char *text) {
    numbers_shape_text(array->shape, array->rank, text);
}

const char *array_type_name(ArrayType type) {
    static const char *const names[] = {
        [ARRAY_F64] = "float64",   [ARRAY_F32] = "float32",          [ARRAY_F16] = "float16",
        [ARRAY_BF16] = "bfloat16", [ARRAY_WHOLE] = "a whole number", [ARRAY_TEXT] = "text",
    };
    return names[type];
}
