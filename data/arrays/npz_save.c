#include "data/arrays/npz_save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "data/files/output.h"
#include "data/files/zip_library.h"
#include "model/base/utf8.h"

/* The array's header: magic, version, length, a Python literal padded to 64 bytes. */
static size_t npy_header(char *header, const char *type, const char *shape) {
    char text[256];
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    size_t total = (10 + (size_t)length + 1 + 63) / 64 * 64;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - 10) & 255);
    header[9] = (char)((total - 10) >> 8);
    memset(header + 10, ' ', total - 10);
    memcpy(header + 10, text, (size_t)length);
    header[total - 1] = '\n';
    return total;
}

/* Adds one array to the archive; takes `bytes` over. */
static bool add_entry(zip_t *archive, const char *name, void *bytes, size_t size) {
    char file[128];
    snprintf(file, sizeof file, "%s.npy", name);
    zip_source_t *source = bytes ? zip_source_buffer(archive, bytes, size, 1) : NULL;
    if (!source) {
        free(bytes);
        return false;
    }
    zip_int64_t index = zip_file_add(archive, file, source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    /* Stored, not packed: the same bytes whatever the version of zlib. */
    if (zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0) return false;
    /* A fixed time (1980-01-01) keeps the bytes the same. */
    return zip_file_set_dostime(archive, (zip_uint64_t)index, 0, 33, 0) == 0;
}

static bool add_tensor(zip_t *archive, const Tensor *tensor) {
    static const char *const types[TENSOR_TYPES] = {
        [TENSOR_F32] = "<f4", [TENSOR_F64] = "<f8", [TENSOR_I32] = "<i4", [TENSOR_I64] = "<i8"};
    char shape[128] = "", header[512];
    for (int i = 0; i < tensor->rank; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%lld,",
                 (long long)tensor->shape[i]);
    size_t head = npy_header(header, types[tensor->type], shape), body = tensor_bytes(tensor);
    char *bytes = malloc(head + body);
    if (bytes) {
        memcpy(bytes, header, head);
        memcpy(bytes + head, tensor->bytes, body);
    }
    return add_entry(archive, tensor->name, bytes, head + body);
}

/* A text as an array of shape () of NumPy's fixed-width unicode, 4 bytes a code point. */
static bool add_text(zip_t *archive, const TensorText *text) {
    size_t length = strlen(text->text), points = 0;
    unsigned char *bytes = malloc(512 + 4 * length);
    if (!bytes) return false;
    unsigned char *wide = malloc(4 * length + 1);
    for (const char *rest = text->text; wide && *rest; points++) {
        uint32_t point = 0xFFFD;
        int used = utf8_next(rest, &point);
        rest += used > 0 ? used : 1;
        for (int i = 0; i < 4; i++)
            wide[4 * points + (size_t)i] = (unsigned char)(point >> (8 * i) & 255);
    }
    char type[32];
    snprintf(type, sizeof type, "<U%zu", points);
    size_t head = npy_header((char *)bytes, type, "");
    if (wide) memcpy(bytes + head, wide, 4 * points);
    bool good = wide != NULL;
    free(wide);
    return add_entry(archive, text->key, bytes, head + 4 * points) && good;
}

static bool build(zip_t *archive, const Tensor *tensors, int tensor_count, const TensorText *texts,
                  int text_count) {
    bool good = true;
    for (int i = 0; good && i < tensor_count; i++)
        good = add_tensor(archive, &tensors[i]);
    for (int i = 0; good && i < text_count; i++)
        good = add_text(archive, &texts[i]);
    return good;
}

bool npz_save(const char *path, const Tensor *tensors, int tensor_count, const TensorText *texts,
              int text_count, Error *error) {
    if (!zip_library_open(error)) return error_prefix(error, "%s", path);
    zip_source_t *buffer = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *archive = buffer ? zip_open_from_source(buffer, ZIP_TRUNCATE, NULL) : NULL;
    if (!archive) {
        if (buffer) zip_source_free(buffer);
        return error_set(error, "%s: the archive cannot be made", path);
    }
    zip_source_keep(buffer);
    bool good = build(archive, tensors, tensor_count, texts, text_count);
    if (!good || zip_close(archive) != 0) {
        zip_discard(archive);
        zip_source_free(buffer);
        return error_set(error, "%s: the archive cannot be made", path);
    }
    zip_stat_t status;
    void *bytes = NULL;
    if (zip_source_stat(buffer, &status) == 0 && zip_source_open(buffer) == 0) {
        bytes = malloc(status.size);
        if (bytes && zip_source_read(buffer, bytes, status.size) != (zip_int64_t)status.size) {
            free(bytes);
            bytes = NULL;
        }
        zip_source_close(buffer);
    }
    zip_source_free(buffer);
    if (!bytes) return error_set(error, "%s: the archive cannot be made", path);
    bool written = output_write(path, bytes, status.size, error);
    free(bytes);
    return written;
}
