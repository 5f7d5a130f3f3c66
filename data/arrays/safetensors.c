#include "data/arrays/safetensors.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/files/file_kind.h"
#include "data/files/input.h"
#include "data/files/json_text.h"

enum { HEADER_MOST = 1 << 24, FIRST_BYTES = 64 };

static const char *const type_names[TENSOR_TYPES] = {
    [TENSOR_F32] = "F32",   [TENSOR_F64] = "F64", [TENSOR_F16] = "F16", [TENSOR_BF16] = "BF16",
    [TENSOR_I8] = "I8",     [TENSOR_I16] = "I16", [TENSOR_I32] = "I32", [TENSOR_I64] = "I64",
    [TENSOR_U8] = "U8",     [TENSOR_U16] = "U16", [TENSOR_U32] = "U32", [TENSOR_U64] = "U64",
    [TENSOR_BOOL] = "BOOL",
};

const char *tensor_type_name(TensorType type) {
    return type_names[type];
}

size_t tensor_bytes(const Tensor *tensor) {
    return (size_t)tensor_count(tensor) * number_size(tensor->type);
}

/* --- reading ---------------------------------------------------------------------------------- */

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

static bool read_shape(Tensor *tensor, const cJSON *shape, uint64_t *count) {
    if (!cJSON_IsArray(shape) || cJSON_GetArraySize(shape) > SAFETENSORS_RANK) return false;
    const cJSON *side;
    *count = 1;
    cJSON_ArrayForEach(side, shape) {
        uint64_t length;
        if (!whole_number(side, &length)) return false;
        if (length > 0 && *count > (UINT64_C(1) << 50) / length) return false;
        *count *= length;
        tensor->shape[tensor->rank++] = (int64_t)length;
    }
    return true;
}

static bool read_tensor(Safetensors *file, const cJSON *entry, size_t data_start, const char *name,
                        Error *error) {
    Tensor *tensor = &file->tensors[file->tensor_count];
    tensor->name = entry->string;
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "dtype"));
    if (!type_of_name(type, &tensor->type))
        return error_set(error, "%s: %s: number type %s is not read here; save it as F32", name,
                         tensor->name, type ? type : "(none)");
    uint64_t count, begin, end;
    if (!read_shape(tensor, cJSON_GetObjectItemCaseSensitive(entry, "shape"), &count))
        return error_set(error, "%s: %s: bad shape in the header", name, tensor->name);
    if (cJSON_GetArraySize(offsets) != 2 || !whole_number(cJSON_GetArrayItem(offsets, 0), &begin) ||
        !whole_number(cJSON_GetArrayItem(offsets, 1), &end) || begin > end ||
        end - begin != count * number_size(tensor->type))
        return error_set(error, "%s: %s: the header's offsets do not fit the shape", name,
                         tensor->name);
    uint64_t held = file->size - data_start;
    if (end > held) {
        uint64_t there = begin < held ? (held - begin) / number_size(tensor->type) : 0;
        return error_set(error, "%s: %s: %llu of %llu values; the file is cut short", name,
                         tensor->name, (unsigned long long)there, (unsigned long long)count);
    }
    tensor->bytes = file->bytes + data_start + begin;
    file->tensor_count++;
    return true;
}

static bool read_texts(Safetensors *file, cJSON *metadata, const char *name, Error *error) {
    cJSON *entry;
    file->texts = calloc((size_t)cJSON_GetArraySize(metadata) + 1, sizeof *file->texts);
    if (!file->texts) return error_set(error, "%s: out of memory", name);
    cJSON_ArrayForEach(entry, metadata) {
        /* The header owns the text with the entry. */
        if (!entry->valuestring) entry->valuestring = cJSON_PrintUnformatted(entry);
        if (!entry->valuestring) return error_set(error, "%s: out of memory", name);
        file->texts[file->text_count++] = (TensorText){entry->string, entry->valuestring};
    }
    return true;
}

static int by_place(const void *left, const void *right) {
    const Tensor *a = *(const Tensor *const *)left, *b = *(const Tensor *const *)right;
    if (a->bytes != b->bytes) return (const char *)a->bytes < (const char *)b->bytes ? -1 : 1;
    return tensor_count(a) < tensor_count(b) ? -1 : tensor_count(a) > tensor_count(b);
}

static int by_name(const void *left, const void *right) {
    return strcmp((*(const Tensor *const *)left)->name, (*(const Tensor *const *)right)->name);
}

/* The format allows neither overlaps nor holes nor a name twice. */
static bool check_layout(const Safetensors *file, size_t data_start, const char *name,
                         Error *error) {
    size_t count = (size_t)file->tensor_count;
    const Tensor **order = malloc((count + 1) * sizeof *order);
    if (!order) return error_set(error, "%s: out of memory", name);
    for (size_t i = 0; i < count; i++)
        order[i] = &file->tensors[i];
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
        next += tensor_bytes(order[i]);
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
    const char *words = file_kind_words(bytes, size < FIRST_BYTES ? size : FIRST_BYTES);
    if (size < 10)
        return error_set(error, "%s: is %s, too short for a safetensors file", name, words);
    for (int i = 7; i >= 0; i--)
        number = number << 8 | bytes[i];
    if (bytes[8] != '{' || number < 2)
        return error_set(error, "%s: is %s, not a safetensors file", name, words);
    /* A header is text about tensors; the bound keeps a hostile one from costing much more memory
     * than itself. */
    if (number > HEADER_MOST)
        return error_set(error, "%s: a header of more than 16 MB; not a safetensors file", name);
    if (number > size - 8)
        return error_set(error, "%s: the header ends past the file; the file is cut short", name);
    *length = (size_t)number;
    return true;
}

/* The header alone is looked at. */
static bool parse(Safetensors *file, const char *name, Error *error) {
    size_t length;
    if (!header_length(file->bytes, file->size, &length, name, error)) return false;
    const char *text = (const char *)file->bytes + 8, *end = text;
    if (!json_text_bounded(text, length))
        return error_set(error, "%s: a header of more than %d values; not a safetensors file", name,
                         JSON_TEXT_VALUES);
    cJSON *header = cJSON_ParseWithLengthOpts(text, length, &end, false);
    file->header = header;
    if (!cJSON_IsObject(header) || !only_spaces(end, text + length))
        return error_set(error, "%s: the header is no JSON object; the file is damaged", name);
    file->tensors = calloc((size_t)cJSON_GetArraySize(header) + 1, sizeof *file->tensors);
    if (!file->tensors) return error_set(error, "%s: out of memory", name);
    size_t data_start = 8 + length;
    cJSON *entry;
    bool metadata = false;
    cJSON_ArrayForEach(entry, header) {
        bool is_metadata = strcmp(entry->string, "__metadata__") == 0;
        if (is_metadata && metadata) return error_set(error, "%s: __metadata__: named twice", name);
        metadata = metadata || is_metadata;
        if (!cJSON_IsObject(entry))
            return error_set(error, "%s: %s: no object in the header", name, entry->string);
        if (is_metadata ? !read_texts(file, entry, name, error)
                        : !read_tensor(file, entry, data_start, name, error))
            return false;
    }
    return check_layout(file, data_start, name, error);
}

bool safetensors_from_bytes(Safetensors *file, const char *name, const void *bytes, size_t size,
                            Error *error) {
    /* The byte past the end is 0: no parser runs off it. */
    unsigned char *copy = calloc(size + 1, 1);
    *file = (Safetensors){.bytes = copy, .owned = copy, .size = size};
    if (!copy) return error_set(error, "%s: out of memory", name);
    if (size) memcpy(copy, bytes, size);
    if (parse(file, name, error)) return true;
    safetensors_close(file);
    return false;
}

bool safetensors_view(Safetensors *file, const char *name, const void *bytes, size_t size,
                      Error *error) {
    *file = (Safetensors){.bytes = bytes, .size = size};
    if (parse(file, name, error)) return true;
    safetensors_close(file);
    return false;
}

/* Reads the header, judges it, and only then the numbers: memory that is not written to costs
 * nothing. */
static bool read_judged(Safetensors *file, Input *input, SafetensorsJudge judge, void *context,
                        Error *error) {
    size_t start = input->size < FIRST_BYTES ? input->size : FIRST_BYTES, length;
    file->size = input->size;
    file->bytes = file->owned = calloc(file->size + 1, 1);
    if (!file->owned)
        return error_set(error, "%s: %zu bytes: out of memory", input->path, file->size);
    if (!input_take(input, file->owned, start, error) ||
        !header_length(file->bytes, file->size, &length, input->path, error))
        return false;
    size_t rest = 8 + length > start ? 8 + length - start : 0;
    return input_take(input, file->owned + start, rest, error) && parse(file, input->path, error) &&
           (!judge || judge(context, file, error)) &&
           input_take(input, file->owned + start + rest, file->size - start - rest, error);
}

bool safetensors_open(Safetensors *file, const char *path, SafetensorsJudge judge, void *context,
                      Error *error) {
    Input input;
    *file = (Safetensors){0};
    if (!input_open(&input, path, error)) return false;
    bool good = read_judged(file, &input, judge, context, error);
    input_close(&input);
    if (!good) safetensors_close(file);
    return good;
}

void safetensors_close(Safetensors *file) {
    cJSON_Delete(file->header);
    free(file->tensors);
    free(file->texts);
    free(file->owned);
    *file = (Safetensors){0};
}

const Tensor *safetensors_find(const Safetensors *file, const char *name) {
    for (int i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
    return NULL;
}

const char *safetensors_text(const Safetensors *file, const char *key) {
    for (int i = 0; i < file->text_count; i++)
        if (strcmp(file->texts[i].key, key) == 0) return file->texts[i].text;
    return NULL;
}

/* --- numbers ---------------------------------------------------------------------------------- */

int64_t tensor_count(const Tensor *tensor) {
    int64_t count = 1;
    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    return count;
}

bool tensor_read(const Tensor *tensor, real *out) {
    int64_t count = tensor_count(tensor);
    size_t size = number_size(tensor->type);
    const unsigned char *from = tensor->bytes;
    if (number_is_whole(tensor->type)) return false;
    if (sizeof *out == sizeof(float)) {
        numbers_read((float *)(void *)out, from, tensor->type, false, 1, (size_t)count);
        return true;
    }
    for (int64_t i = 0; i < count; i++)
        out[i] = (real)number_at(from + (size_t)i * size, tensor->type, false);
    return true;
}

void tensor_read_double(const Tensor *tensor, double *out) {
    int64_t count = tensor_count(tensor);
    size_t size = number_size(tensor->type);
    const unsigned char *from = tensor->bytes;
    for (int64_t i = 0; i < count; i++)
        out[i] = number_at(from + (size_t)i * size, tensor->type, false);
}

TensorType tensor_type_of_real(void) {
    return sizeof(real) == sizeof(double) ? TENSOR_F64 : TENSOR_F32;
}
