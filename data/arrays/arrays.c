#define _DEFAULT_SOURCE /* madvise */
#include "data/arrays/arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of a file that is loaded, and of one that is not. */
enum { LOADED_ARRAYS = 4096, ALL_ARRAYS = 65536 };

/* --- the file --------------------------------------------------------------------------------- */

static bool make_room(Arrays *file) {
    if (file->count < file->room) return true;
    int room = file->room ? 2 * file->room : 16;
    Array *arrays = realloc(file->arrays, (size_t)room * sizeof *arrays);
    if (!arrays) return false;
    file->arrays = arrays;
    file->room = room;
    return true;
}

Array *arrays_add(Arrays *file, const char *name, size_t length, Error *error) {
    bool loaded = file->left >= 0;
    int max = loaded ? LOADED_ARRAYS : ALL_ARRAYS;
    if (file->count == max) {
        error_set(error, "%s: more than %d arrays", file->file_name, max);
        return NULL;
    }
    char *copy = malloc(length + 1);
    if (!copy || !make_room(file)) {
        free(copy);
        error_set(error, "%s: out of memory", file->file_name);
        return NULL;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    if (loaded && arrays_find(file, copy)) {
        error_set(error, "%s: %s: named twice", file->file_name, copy);
        free(copy);
        return NULL;
    }
    Array *array = &file->arrays[file->count++];
    *array = (Array){.name = copy, .count = 1};
    return array;
}

bool arrays_take(Arrays *file, const Array *array, int64_t amount, Error *error) {
    if (file->left < 0) return true;
    if (amount <= file->left) {
        file->left -= amount;
        return true;
    }
    char shape[SHAPE_TEXT];
    array_shape_text(array, shape);
    return error_set(error, "%s: %s: %s is too large: %lld more values may be read",
                     file->file_name, array->name, shape, (long long)file->left);
}

void arrays_drop_pages(const Arrays *file) {
    if (file->held == ARRAYS_MAPPED) madvise(file->bytes, file->size, MADV_DONTNEED);
}

void arrays_close(Arrays *file) {
    for (int i = 0; i < file->count; i++) {
        const Array *array = &file->arrays[i];
        free((void *)(uintptr_t)array->name);
        free((void *)(uintptr_t)array->numbers);
        free((void *)(uintptr_t)array->text);
        free(array->owned);
    }
    free(file->arrays);
    if (file->held == ARRAYS_OWNED) free(file->bytes);
    if (file->held == ARRAYS_MAPPED) {
        munmap(file->bytes, file->size);
        close(file->descriptor);
    }
    *file = (Arrays){0};
}

const Array *arrays_find(const Arrays *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->arrays[i].name, name) == 0) return &file->arrays[i];
    return NULL;
}

const Array *arrays_find_numbers(const Arrays *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (!file->arrays[i].is_text && strcmp(file->arrays[i].name, name) == 0)
            return &file->arrays[i];
    return NULL;
}

const char *arrays_find_text(const Arrays *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (file->arrays[i].is_text && strcmp(file->arrays[i].name, name) == 0)
            return file->arrays[i].text;
    return NULL;
}

int arrays_count_numbers(const Arrays *file) {
    int count = 0;
    for (int i = 0; i < file->count; i++)
        count += !file->arrays[i].is_text;
    return count;
}

/* --- one array -------------------------------------------------------------------------------- */

void array_set_shape(Array *array, const int64_t *shape, int rank, bool fortran) {
    array->rank = rank;
    for (int axis = 0; axis < rank; axis++) {
        array->shape[axis] = shape[axis];
        array->count *= shape[axis];
    }
    if (array->count == 0) return; /* however long the other axes are */
    int64_t stride = 1;
    for (int i = 0; i < rank; i++) {
        int axis = fortran ? i : rank - 1 - i;
        array->stride[axis] = stride;
        stride *= shape[axis];
    }
}

void array_shape_text(const Array *array, char *text) {
    numbers_shape_text(array->shape, array->rank, text);
}

double *array_room(const Array *array) {
    return malloc((array->count ? (size_t)array->count : 1) * sizeof(double));
}

/* Where the first number of a row, along the last axis, lies. */
static const unsigned char *row_at(const Array *array, int64_t row) {
    int64_t at = 0;
    for (int axis = array->rank - 2; axis >= 0; axis--) {
        at += row % array->shape[axis] * array->stride[axis];
        row /= array->shape[axis];
    }
    return array->bytes + at * (int64_t)number_size(array->type);
}

static int64_t row_length(const Array *array) {
    return array->rank ? array->shape[array->rank - 1] : 1;
}

/* Bytes from one number of a row to the next. */
static int64_t step_of(const Array *array) {
    return (array->rank ? array->stride[array->rank - 1] : 1) * (int64_t)number_size(array->type);
}

bool array_whole_number(const Array *array, int min, int max, int *number) {
    double value = NAN;
    char *end = NULL;
    if (array->numbers && array->count == 1) value = array->numbers[0];
    if (array->text) value = strtod(array->text, &end);
    if (end && (end == array->text || *end)) value = NAN;
    if (!(value >= min && value <= max) || floor(value) != value) return false;
    *number = (int)value;
    return true;
}

double array_number(const Array *array, int64_t index) {
    int64_t length = row_length(array);
    return number_at(row_at(array, index / length) + index % length * step_of(array), array->type,
                     array->big_endian);
}

void array_read_double(const Array *array, double *out) {
    int64_t length = row_length(array), step = step_of(array);
    for (int64_t row = 0; row * length < array->count; row++) {
        const unsigned char *at = row_at(array, row);
        for (int64_t i = 0; i < length; i++, at += step)
            *out++ = number_at(at, array->type, array->big_endian);
    }
}

bool array_read_real(const Array *array, real *out) {
    int64_t length = row_length(array), step = step_of(array);
    if (number_is_whole(array->type)) return false;
    for (int64_t row = 0; row * length < array->count; row++, out += length) {
        const unsigned char *at = row_at(array, row);
        if (sizeof *out == sizeof(float))
            numbers_read((float *)(void *)out, at, array->type, array->big_endian,
                         (ptrdiff_t)(step / (int64_t)number_size(array->type)), (size_t)length);
        for (int64_t i = 0; sizeof *out != sizeof(float) && i < length; i++)
            out[i] = (real)number_at(at + i * step, array->type, array->big_endian);
    }
    return true;
}
