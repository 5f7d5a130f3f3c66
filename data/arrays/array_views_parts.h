/* What the files data/arrays/array_views*.c share. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAY_VIEWS_PARTS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAY_VIEWS_PARTS_H

#include "data/arrays/array_views.h"
#include "data/arrays/npy.h"

/* What an NpyStream over memory reads from. */
typedef struct BytesLeft {
    const unsigned char *at;
    size_t size;
} BytesLeft;

size_t array_views_stream(void *from, void *bytes, size_t size);

/* A new view of that name (the first `length` bytes); NULL with *error. */
ArrayView *array_views_add(ArrayViews *file, const char *name, size_t length, Error *error);

/* Takes `text` over, also where it fails. */
bool array_views_add_text(ArrayViews *file, const char *name, size_t length, char *text,
                          Error *error);

/* Type, shape and strides as an npy's header says. */
void array_view_set(ArrayView *view, const NpyHeader *header);

/* The npy that begins there, as an array of that name; `label` stands for it in messages. */
bool array_views_npy(ArrayViews *file, const unsigned char *bytes, size_t size, const char *name,
                     size_t length, const char *label, Error *error);

/* All arrays of the zip that the file is. */
bool array_views_npz(ArrayViews *file, const char *name, Error *error);

#endif
