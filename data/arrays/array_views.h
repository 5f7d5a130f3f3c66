/* The arrays of a file where they lie: the file is mapped into memory, and of its numbers only what
 * is looked at is read. Of an npz, what is packed or small is unpacked into memory. */
#ifndef HEADSCOPE_DATA_ARRAYS_ARRAY_VIEWS_H
#define HEADSCOPE_DATA_ARRAYS_ARRAY_VIEWS_H

#include <stddef.h>
#include <stdint.h>

#include "data/files/numbers.h"
#include "model/base/error.h"

enum { VIEW_RANK = 8, VIEW_SHAPE_TEXT = SHAPE_TEXT };
enum { VIEW_TEXT_MOST = 1 << 24, VIEW_TEXTS_MOST = 1 << 20 };

typedef struct ArrayView {
    char *name; /* of an npy: the file's name without its ending */
    TensorType type;
    bool big_endian;
    int rank;
    int64_t shape[VIEW_RANK];
    int64_t stride[VIEW_RANK]; /* in numbers, from one index of the axis to the next */
    const unsigned char *bytes;
    unsigned char *owned; /* the same, where it was unpacked */
} ArrayView;

typedef struct ArrayText {
    char *name;
    char *text; /* an array's strings are parted by newlines; NULL: larger than VIEW_TEXT_MOST
                   bytes or VIEW_TEXTS_MOST strings, and not read */
} ArrayText;

typedef struct ArrayViews {
    ArrayView *views;
    int count;
    ArrayText *texts;
    int text_count;
    unsigned char *bytes; /* the file, mapped */
    size_t size;
    bool mapped;
    int descriptor; /* of the file, if it is mapped */
    int room, text_room;
} ArrayViews;

/* Opens safetensors, npy or npz, told by the first bytes; as strict as arrays_open. ERROR_FAILED
 * with one line. A file that is cut while it is open ends the program (SIGBUS) where its mapping is
 * looked at; data/arrays/array_window.h reads it without. */
bool array_views_open(ArrayViews *file, const char *path, Error *error);

/* The same over bytes that stay. */
bool array_views_over(ArrayViews *file, const char *name, const void *bytes, size_t size,
                      Error *error);
void array_views_close(ArrayViews *file); /* {0} is fine */

/* Lets go of the pages that were read; they come back when they are looked at again. */
void array_views_done(const ArrayViews *file);

/* "(2, 5, 4, 6)" into `text` [VIEW_SHAPE_TEXT]. */
void array_view_shape(const ArrayView *view, char *text);

#endif
