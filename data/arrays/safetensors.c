#include "data/arrays/safetensors.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/array_formats.h"
#include "data/files/json_text.h"
#include "model/base/file_kind.h"
#include "model/base/minmax.h"

enum { HEADER_MAX = 1 << 24 };

static const char *const type_names[TENSOR_TYPES] = {
    [TENSOR_F32] = "F32",   [TENSOR_F64] = "F64", [TENSOR_F16] = "F16", [TENSOR_BF16] = "BF16",
    [TENSOR_I8] = "I8",     [TENSOR_I16] = "I16", [TENSOR_I32] = "I32", [TENSOR_I64] = "I64",
    [TENSOR_U8] = "U8",     [TENSOR_U16] = "U16", [TENSOR_U32] = "U32", [TENSOR_U64] = "U64",
    [TENSOR_BOOL] = "BOOL",
};

const char *tensor_type_name(TensorType type) {
    return type_names[type];
}

static bool type_of_name(const char *name, TensorType *type) {
    for (int i = 0; name && i < TENSOR_TYPES; i++)
        if (strcmp(name, type_names[i]) == 0) {
            *type = (TensorType)i;
            return true;
        }
    return false;
}

/* A whole number in [0, 2^53], where a double still holds each. */
static bool whole_number(const cJSON *item, uint64_t *number) {
    if (!cJSON_IsNumber(item)) return false;
    double value = item->valuedouble;
    if (!(value >= 0 && value <= 9007199254740992.0) || floor(value) != value) return false;
    *number = (uint64_t)value;
    return true;
}

static bool read_shape(const cJSON *shape, int64_t lengths[ARRAY_RANK], int *rank,
                       uint64_t *count) {
    if (!cJSON_IsArray(shape) || cJSON_GetArraySize(shape) > ARRAY_RANK) return false;
    const cJSON *side;
    *count = 1;
    *rank = 0;
    cJSON_ArrayForEach(side, shape) {
        uint64_t length;
        if (!whole_number(side, &length)) return false;
        if (length > 0 && *count > (UINT64_C(1) << 50) / length) return false;
        *count *= length;
        lengths[(*rank)++] = (int64_t)length;
    }
    return true;
}

static bool add_tensor(Arrays *file, const cJSON *entry, size_t data_start, Error *error) {
    const char *name = entry->string;
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "dtype"));
    Array *array = arrays_add(file, name, strlen(name), error);
    if (!array) return false;
    if (!type_of_name(type, &array->type))
        return error_set(error, "%s: %s: number type %s is not read here; save it as F32",
                         file->file_name, name, type ? type : "(none)");
    int64_t lengths[ARRAY_RANK];
    int rank;
    uint64_t count, begin, end, size = number_size(array->type);
    if (!read_shape(cJSON_GetObjectItemCaseSensitive(entry, "shape"), lengths, &rank, &count))
        return error_set(error, "%s: %s: bad shape in the header", file->file_name, name);
    if (cJSON_GetArraySize(offsets) != 2 || !whole_number(cJSON_GetArrayItem(offsets, 0), &begin) ||
        !whole_number(cJSON_GetArrayItem(offsets, 1), &end) || begin > end ||
        end - begin != count * size)
        return error_set(error, "%s: %s: the header's offsets do not fit the shape",
                         file->file_name, name);
    uint64_t held = file->size - data_start;
    if (end > held) {
        uint64_t there = begin < held ? (held - begin) / size : 0;
        return error_set(error, "%s: %s: %llu of %llu values; the file is cut short",
                         file->file_name, name, (unsigned long long)there,
                         (unsigned long long)count);
    }
    array_set_shape(array, lengths, rank, false);
    array->bytes = file->bytes + data_start + begin;
    return true;
}

/* Where a text bears a tensor's name and the file is loaded, whose names are different, the tensor
 * is kept. */
static bool add_texts(Arrays *file, const cJSON *metadata, Error *error) {
    const cJSON *entry;
    cJSON_ArrayForEach(entry, metadata) {
        if (file->left >= 0 && arrays_find(file, entry->string)) continue;
        Array *array = arrays_add(file, entry->string, strlen(entry->string), error);
        if (!array) return false;
        array->is_text = true;
        array->text =
            entry->valuestring ? strdup(entry->valuestring) : cJSON_PrintUnformatted(entry);
        if (!array->text) return error_set(error, "%s: out of memory", file->file_name);
    }
    return true;
}

static size_t bytes_of(const Array *array) {
    return (size_t)array->count * number_size(array->type);
}

static int by_place(const void *left, const void *right) {
    const Array *a = *(const Array *const *)left, *b = *(const Array *const *)right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

static int by_name(const void *left, const void *right) {
    return strcmp((*(const Array *const *)left)->name, (*(const Array *const *)right)->name);
}

/* The format allows neither overlaps nor holes nor a name twice. */
static bool check_layout(const Arrays *file, size_t data_start, Error *error) {
    size_t count = (size_t)file->count;
    const char *name = file->file_name;
    const Array **order = malloc((count + 1) * sizeof *order);
    if (!order) return error_set(error, "%s: out of memory", name);
    for (size_t i = 0; i < count; i++)
        order[i] = &file->arrays[i];
    qsort(order, count, sizeof *order, by_name);
    bool good = true;
    for (size_t i = 1; good && i < count; i++)
        if (strcmp(order[i - 1]->name, order[i]->name) == 0)
            good = error_set(error, "%s: %s: named twice", name, order[i]->name);
    if (good) qsort(order, count, sizeof *order, by_place);
    const unsigned char *next = file->bytes + data_start;
    for (size_t i = 0; good && i < count; i++) {
        if (order[i]->bytes != next)
            good = error_set(error, "%s: %s: overlaps another tensor or leaves a hole", name,
                             order[i]->name);
        next += bytes_of(order[i]);
    }
    if (good && next != file->bytes + file->size)
        good = error_set(error, "%s: bytes after the last tensor; the file is damaged", name);
    free(order);
    return good;
}

/* The format pads the header with spaces. */
static bool only_spaces(const char *text, const char *end) {
    while (text < end && *text == ' ')
        text++;
    return text == end;
}

/* The length of the header, from the first bytes of a file of `size`. */
static bool header_length(const unsigned char *bytes, size_t size, size_t *length, const char *name,
                          Error *error) {
    uint64_t number = 0;
    if (size == 0)
        return error_set(error, "%s: the file is empty, too short for safetensors", name);
    const char *words = file_kind_words(bytes, size_min(size, FILE_KIND_BYTES));
    if (size < 10)
        return error_set(error, "%s: is %s, too short for a safetensors file", name, words);
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    if (bytes[8] != '{' || number < 2)
        return error_set(error, "%s: is %s, not a safetensors file", name, words);
    /* A header is text about tensors; the bound keeps a hostile one from costing much more memory
     * than itself. */
    if (number > HEADER_MAX)
        return error_set(error, "%s: a header of more than 16 MB; not a safetensors file", name);
    if (number > size - 8)
        return error_set(error, "%s: the header ends past the file; the file is cut short", name);
    *length = (size_t)number;
    return true;
}

static bool add_entries(Arrays *file, const cJSON *header, size_t data_start, Error *error) {
    const char *name = file->file_name;
    const cJSON *entry, *metadata = NULL;
    cJSON_ArrayForEach(entry, header) {
        bool is_metadata = strcmp(entry->string, "__metadata__") == 0;
        if (is_metadata && metadata) return error_set(error, "%s: __metadata__: named twice", name);
        if (!cJSON_IsObject(entry))
            return error_set(error, "%s: %s: no object in the header", name, entry->string);
        if (is_metadata)
            metadata = entry;
        else if (!add_tensor(file, entry, data_start, error))
            return false;
    }
    if (!check_layout(file, data_start, error)) return false;
    for (int i = 0; i < file->count; i++)
        if (!arrays_take(file, &file->arrays[i], file->arrays[i].count, error)) return false;
    return add_texts(file, metadata, error);
}

/* Looks at the header alone. */
static bool parse(Arrays *file, Error *error) {
    size_t length;
    const char *name = file->file_name;
    if (!header_length(file->bytes, file->size, &length, name, error)) return false;
    const char *text = (const char *)file->bytes + 8, *end = text;
    if (!json_text_bounded(text, length))
        return error_set(error, "%s: a header of more than %d values; not a safetensors file", name,
                         JSON_TEXT_VALUES);
    cJSON *header = cJSON_ParseWithLengthOpts(text, length, &end, false);
    bool good = (cJSON_IsObject(header) && only_spaces(end, text + length)) ||
                error_set(error, "%s: the header is no JSON object; the file is damaged", name);
    good = good && add_entries(file, header, 8 + length, error);
    cJSON_Delete(header);
    return good;
}

/* --- a file whose numbers are read after its header ---------------------------------------------
 */

bool safetensors_over(Safetensors *file, const char *name, const void *bytes, size_t size,
                      Error *error) {
    *file = (Safetensors){.arrays = {.file_name = name,
                                     .left = -1,
                                     .bytes = (unsigned char *)(uintptr_t)bytes,
                                     .size = size},
                          .read = size};
    if (parse(&file->arrays, error)) return true;
    safetensors_close(file);
    return false;
}

/* Memory that is not written to costs nothing. */
static bool read_header(Safetensors *file, Error *error) {
    Arrays *arrays = &file->arrays;
    size_t first = size_min(arrays->size, FILE_KIND_BYTES), length;
    arrays->bytes = calloc(arrays->size + 1, 1);
    arrays->held = ARRAYS_OWNED;
    if (!arrays->bytes)
        return error_set(error, "%s: %zu bytes: out of memory", arrays->file_name, arrays->size);
    if (!input_take(&file->input, arrays->bytes, first, error) ||
        !header_length(arrays->bytes, arrays->size, &length, arrays->file_name, error))
        return false;
    file->read = 8 + length > first ? 8 + length : first;
    return input_take(&file->input, arrays->bytes + first, file->read - first, error) &&
           parse(arrays, error);
}

bool safetensors_open(Safetensors *file, const char *path, Error *error) {
    *file = (Safetensors){0};
    if (!input_open(&file->input, path, error)) return false;
    file->reading = true;
    file->arrays = (Arrays){.file_name = path, .left = -1, .size = file->input.size};
    if (read_header(file, error)) return true;
    safetensors_close(file);
    return false;
}

bool safetensors_read_numbers(Safetensors *file, Error *error) {
    size_t rest = file->arrays.size - file->read;
    if (!rest || !input_take(&file->input, file->arrays.bytes + file->read, rest, error))
        return !rest;
    file->read += rest;
    return true;
}

void safetensors_close(Safetensors *file) {
    arrays_close(&file->arrays);
    if (file->reading) input_close(&file->input);
    *file = (Safetensors){0};
}

/* --- the format ------------------------------------------------------------------------------- */

static bool sniff(const unsigned char *bytes, size_t size) {
    return file_kind(bytes, size) == FILE_SAFETENSORS;
}

const ArrayFormat array_format_safetensors = {"safetensors", sniff, parse};
