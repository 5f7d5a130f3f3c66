#include "data/arrays/safetensors_save.h"

#include <cjson/cJSON.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/safetensors.h"
#include "data/files/output.h"
#include "model/base/real.h"

int64_t tensor_count(const Tensor *tensor) {
    int64_t count = 1;
    for (int i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    return count;
}

size_t tensor_bytes(const Tensor *tensor) {
    return (size_t)tensor_count(tensor) * number_size(tensor->type);
}

TensorType tensor_type_of_real(void) {
    return sizeof(real) == sizeof(double) ? TENSOR_F64 : TENSOR_F32;
}

/* {"__metadata__": {...}, "name": {"dtype", "shape", "data_offsets"}, ...}; NULL without memory. */
static char *header_text(const Tensor *tensors, int count, const TensorText *texts,
                         int text_count) {
    cJSON *header = cJSON_CreateObject();
    cJSON *metadata = cJSON_AddObjectToObject(header, "__metadata__");
    for (int i = 0; i < text_count; i++)
        cJSON_AddStringToObject(metadata, texts[i].key, texts[i].text);
    size_t begin = 0;
    for (int i = 0; i < count; i++) {
        size_t end = begin + tensor_bytes(&tensors[i]);
        cJSON *entry = cJSON_AddObjectToObject(header, tensors[i].name);
        cJSON_AddStringToObject(entry, "dtype", tensor_type_name(tensors[i].type));
        cJSON *shape = cJSON_AddArrayToObject(entry, "shape");
        for (int side = 0; side < tensors[i].rank; side++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensors[i].shape[side]));
        cJSON *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)begin));
        cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)end));
        begin = end;
    }
    char *text = header ? cJSON_PrintUnformatted(header) : NULL;
    cJSON_Delete(header);
    return text;
}

typedef struct HashedOutput {
    Output output;
    bool hashed;
    SHA2_CTX hash;
} HashedOutput;

static void put(HashedOutput *to, const void *bytes, size_t size) {
    fwrite(bytes, 1, size, to->output.stream);
    if (to->hashed) SHA256Update(&to->hash, bytes, size);
}

/* The length of the header, a multiple of eight, then the header with spaces up to it. */
static void put_header(HashedOutput *to, const char *header) {
    size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    unsigned char size[8];
    for (int i = 0; i < 8; i++)
        size[i] = (unsigned char)(padded >> (8 * i) & 255);
    put(to, size, sizeof size);
    put(to, header, length);
    put(to, "        ", padded - length);
}

bool safetensors_save_hashed(const char *path, const Tensor *tensors, int count,
                             const TensorText *texts, int text_count, char hash[FILE_HASH],
                             Error *error) {
    char *header = header_text(tensors, count, texts, text_count);
    if (!header) return error_set(error, "%s: out of memory", path);
    HashedOutput to = {.hashed = hash != NULL};
    bool begun = output_begin(&to.output, path, error);
    if (begun) {
        to.output.lasting = true;
        SHA256Init(&to.hash);
        put_header(&to, header);
        for (int i = 0; i < count; i++)
            put(&to, tensors[i].bytes, tensor_bytes(&tensors[i]));
    }
    cJSON_free(header);
    if (!begun || !output_commit(&to.output, error)) return false;
    if (hash) SHA256End(&to.hash, hash);
    return true;
}

bool safetensors_save(const char *path, const Tensor *tensors, int count, const TensorText *texts,
                      int text_count, Error *error) {
    return safetensors_save_hashed(path, tensors, count, texts, text_count, NULL, error);
}
