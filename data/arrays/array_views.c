#define _DEFAULT_SOURCE /* madvise */
#include "data/arrays/array_views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/arrays/array_kind.h"
#include "data/arrays/array_views_parts.h"
#include "data/arrays/safetensors.h"
#include "data/files/input.h"

enum { VIEWS_MOST = 65536 };

/* --- one array -------------------------------------------------------------------------------- */

static char *copy_of(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

ArrayView *array_views_add(ArrayViews *file, const char *name, size_t length, Error *error) {
    if (file->count == VIEWS_MOST) {
        error_set(error, "more than %d arrays", VIEWS_MOST);
        return NULL;
    }
    if (file->count == file->room) {
        int room = file->room ? 2 * file->room : 16;
        ArrayView *views = realloc(file->views, (size_t)room * sizeof *views);
        if (views) file->views = views;
        if (views) file->room = room;
    }
    char *copy = file->count < file->room ? copy_of(name, length) : NULL;
    if (!copy) {
        error_set(error, "out of memory");
        return NULL;
    }
    ArrayView *view = &file->views[file->count++];
    *view = (ArrayView){.name = copy};
    return view;
}

bool array_views_add_text(ArrayViews *file, const char *name, size_t length, char *text,
                          Error *error) {
    if (file->text_count == file->text_room) {
        int room = file->text_room ? 2 * file->text_room : 16;
        ArrayText *texts = realloc(file->texts, (size_t)room * sizeof *texts);
        if (texts) file->texts = texts;
        if (texts) file->text_room = room;
    }
    char *copy = file->text_count < file->text_room ? copy_of(name, length) : NULL;
    if (!copy) {
        free(text);
        return error_set(error, "out of memory");
    }
    file->texts[file->text_count++] = (ArrayText){copy, text};
    return true;
}

/* Strides of a whole array in C or Fortran order. */
static void set_strides(ArrayView *view, bool fortran) {
    int64_t stride = 1;
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] == 0) return; /* nothing in it, however long the other axes are */
    for (int i = 0; i < view->rank; i++) {
        int axis = fortran ? i : view->rank - 1 - i;
        view->stride[axis] = stride;
        stride *= view->shape[axis];
    }
}

void array_view_set(ArrayView *view, const NpyHeader *header) {
    view->type = header->type;
    view->big_endian = header->big_endian;
    view->rank = header->rank;
    memcpy(view->shape, header->shape, sizeof view->shape);
    set_strides(view, header->fortran);
}

void array_view_shape(const ArrayView *view, char *text) {
    numbers_shape_text(view->shape, view->rank, text);
}

/* --- containers ------------------------------------------------------------------------------- */

static bool open_safetensors(ArrayViews *file, const char *name, Error *error) {
    Safetensors source;
    if (!safetensors_view(&source, name, file->bytes, file->size, error)) return false;
    bool good = true;
    for (int i = 0; good && i < source.tensor_count; i++) {
        const Tensor *tensor = &source.tensors[i];
        ArrayView *view = array_views_add(file, tensor->name, strlen(tensor->name), error);
        good = view != NULL;
        if (!view) break;
        view->type = tensor->type;
        view->rank = tensor->rank;
        memcpy(view->shape, tensor->shape, sizeof view->shape);
        view->bytes = tensor->bytes;
        set_strides(view, false);
    }
    for (int i = 0; good && i < source.text_count; i++) {
        const TensorText *text = &source.texts[i];
        char *copy = strdup(text->text);
        good = (copy || error_set(error, "out of memory")) &&
               array_views_add_text(file, text->key, strlen(text->key), copy, error);
    }
    safetensors_close(&source);
    return good;
}

size_t array_views_stream(void *from, void *bytes, size_t size) {
    BytesLeft *left = from;
    if (size > left->size) size = left->size;
    if (size) memcpy(bytes, left->at, size);
    left->at += size;
    left->size -= size;
    return size;
}

bool array_views_npy(ArrayViews *file, const unsigned char *bytes, size_t size, const char *name,
                     size_t length, const char *label, Error *error) {
    BytesLeft left = {bytes, size};
    NpyStream stream = {array_views_stream, &left, size};
    NpyHeader header;
    if (!npy_read_header(&header, &stream, label, error)) return false;
    if (header.is_text) {
        bool large =
            header.count > VIEW_TEXTS_MOST || (uint64_t)header.count * header.item > VIEW_TEXT_MOST;
        char *text = large ? NULL : npy_read_texts(&header, &stream, label, error);
        return (large || text) && array_views_add_text(file, name, length, text, error);
    }
    ArrayView *view = array_views_add(file, name, length, error);
    if (!view) return false;
    array_view_set(view, &header);
    view->bytes = left.at;
    return true;
}

static bool open_npy(ArrayViews *file, const char *name, Error *error) {
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    size_t length = strlen(last);
    if (length > 4 && strcmp(last + length - 4, ".npy") == 0) length -= 4;
    return array_views_npy(file, file->bytes, file->size, last, length, name, error);
}

static bool open_any(ArrayViews *file, const char *name, Error *error) {
    ArrayKind kind;
    if (!array_kind_of(&kind, name, file->bytes, file->size, error)) return false;
    if (kind == ARRAY_KIND_NPY) return open_npy(file, name, error);
    if (kind == ARRAY_KIND_NPZ) return array_views_npz(file, name, error);
    return open_safetensors(file, name, error);
}

/* --- the file --------------------------------------------------------------------------------- */

bool array_views_over(ArrayViews *file, const char *name, const void *bytes, size_t size,
                      Error *error) {
    *file = (ArrayViews){.bytes = (unsigned char *)(uintptr_t)bytes, .size = size};
    if (open_any(file, name, error)) return true;
    array_views_close(file);
    return false;
}

static bool map_file(ArrayViews *file, const char *path, Error *error) {
    Input input;
    if (!input_open(&input, path, error)) return false;
    void *bytes = MAP_FAILED;
    if (input.size > 0) bytes = mmap(NULL, input.size, PROT_READ, MAP_PRIVATE, input.descriptor, 0);
    int reason = errno;
    if (bytes != MAP_FAILED) {
        file->size = input.size;
        file->bytes = bytes;
        file->mapped = true;
        file->descriptor = input.descriptor;
        return true;
    }
    input_close(&input);
    if (input.size == 0) return error_set(error, "%s: the file is empty", path);
    return error_set(error, "%s: cannot be read: %s", path, strerror(reason));
}

bool array_views_open(ArrayViews *file, const char *path, Error *error) {
    *file = (ArrayViews){0};
    if (map_file(file, path, error) && open_any(file, path, error)) return true;
    array_views_close(file);
    return false;
}

void array_views_close(ArrayViews *file) {
    for (int i = 0; i < file->count; i++) {
        free(file->views[i].name);
        free(file->views[i].owned);
    }
    for (int i = 0; i < file->text_count; i++) {
        free(file->texts[i].name);
        free(file->texts[i].text);
    }
    free(file->views);
    free(file->texts);
    if (file->mapped) {
        munmap(file->bytes, file->size);
        close(file->descriptor);
    }
    *file = (ArrayViews){0};
}

void array_views_done(const ArrayViews *file) {
    if (file->mapped) madvise(file->bytes, file->size, MADV_DONTNEED);
}
