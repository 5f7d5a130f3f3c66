/* A safetensors file taken apart, to be changed and saved again. */
#ifndef HEADSCOPE_TESTS_DATA_HELPER_TENSORS_H
#define HEADSCOPE_TESTS_DATA_HELPER_TENSORS_H

#include "data/arrays/safetensors.h"
#include "data/arrays/safetensors_save.h"

typedef struct Foreign {
    Safetensors file; /* names, texts and numbers lie in it */
    Tensor tensors[64];
    TensorText texts[16];
    int tensor_count, text_count;
} Foreign;

static inline Foreign foreign_from(const char *path) {
    Foreign foreign = {0};
    Error error = {0};
    if (!safetensors_open(&foreign.file, path, &error) ||
        !safetensors_read_numbers(&foreign.file, &error))
        fail_msg("%s", error.text);
    const Arrays *arrays = &foreign.file.arrays;
    for (int i = 0; i < arrays->count; i++) {
        const Array *array = &arrays->arrays[i];
        if (array->is_text) {
            assert_in_range(foreign.text_count, 0, 15);
            foreign.texts[foreign.text_count++] = (TensorText){array->name, array->text};
            continue;
        }
        assert_in_range(foreign.tensor_count, 0, 63);
        Tensor *tensor = &foreign.tensors[foreign.tensor_count++];
        *tensor = (Tensor){
            .name = array->name, .type = array->type, .rank = array->rank, .bytes = array->bytes};
        memcpy(tensor->shape, array->shape, sizeof array->shape);
    }
    return foreign;
}

static inline void set_text(Foreign *foreign, const char *key, const char *text) {
    for (int i = 0; i < foreign->text_count; i++)
        if (strcmp(foreign->texts[i].key, key) == 0) foreign->texts[i].text = text;
}

static inline void drop_text(Foreign *foreign, const char *key) {
    for (int i = 0; i < foreign->text_count; i++)
        if (strcmp(foreign->texts[i].key, key) == 0)
            foreign->texts[i] = foreign->texts[--foreign->text_count];
}

static inline void save_foreign(const Foreign *foreign, const char *path) {
    Error error = {0};
    if (!safetensors_save(path, foreign->tensors, foreign->tensor_count, foreign->texts,
                          foreign->text_count, &error))
        fail_msg("%s", error.text);
}

#endif
