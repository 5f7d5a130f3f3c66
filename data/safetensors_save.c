#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "data/output.h"
#include "data/safetensors.h"

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

bool safetensors_save(const char *path, const Tensor *tensors, int count, const TensorText *texts,
                      int text_count, Error *error) {
    char *header = header_text(tensors, count, texts, text_count);
    if (!header) return error_set(error, "%s: out of memory", path);
    Output output;
    bool begun = output_begin(&output, path, error);
    if (begun) {
        output.lasting = true;
        size_t length = strlen(header), padded = (length + 7) / 8 * 8;
        for (int i = 0; i < 8; i++)
            fputc((int)(padded >> (8 * i) & 255), output.stream);
        fprintf(output.stream, "%-*s", (int)padded, header);
        for (int i = 0; i < count; i++)
            fwrite(tensors[i].bytes, 1, tensor_bytes(&tensors[i]), output.stream);
    }
    cJSON_free(header);
    return begun && output_commit(&output, error);
}
