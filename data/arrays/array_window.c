#include "data/arrays/array_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block fits into the second-level cache together with what is computed from it. */
enum { BLOCK = 1 << 18, PAGE = 1 << 12 };

static bool make_room(ArrayWindow *window, size_t size) {
    if (size <= window->room) return true;
    size_t room = size > BLOCK ? (size + PAGE - 1) / PAGE * PAGE : BLOCK;
    unsigned char *bytes = aligned_alloc(PAGE, room);
    if (!bytes) return false;
    free(window->bytes);
    window->bytes = bytes;
    window->room = room;
    return true;
}

/* Reads as much as the file has; the rest becomes 0xFF. */
static bool read_block(ArrayWindow *window, size_t start, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t some = pread(window->file->descriptor, window->bytes + done, size - done,
                             (off_t)(start + done));
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return false;
        if (some == 0) break;
        done += (size_t)some;
    }
    memset(window->bytes + done, 0xFF, size - done);
    return true;
}

/* A single read loads only its pages; a second one nearby loads a block. */
static bool move_to(ArrayWindow *window, size_t at, size_t size) {
    bool going_on = at >= window->first && at <= window->past + BLOCK && window->past > 0;
    size_t start = at / PAGE * PAGE, past = at + size + PAGE - 1;
    if (going_on && past < start + BLOCK) past = start + BLOCK;
    past = past / PAGE * PAGE;
    if (past > window->file->size) past = window->file->size;
    window->first = window->past = 0;
    if (!make_room(window, past - start) || !read_block(window, start, past - start)) return false;
    window->first = start;
    window->past = past;
    return true;
}

const unsigned char *array_window_at(ArrayWindow *window, const unsigned char *at, size_t size) {
    const Arrays *file = window->file;
    uintptr_t offset = (uintptr_t)at - (uintptr_t)file->bytes;
    if (file->held != ARRAYS_MAPPED || offset >= file->size || size > file->size - offset)
        return at;
    if (size > ARRAY_WINDOW_MAX) return at;
    bool inside = offset >= window->first && offset + size <= window->past;
    if (!inside && !move_to(window, offset, size)) return at;
    return window->bytes + (offset - window->first);
}

void array_window_free(ArrayWindow *window) {
    free(window->bytes);
    *window = (ArrayWindow){.file = window->file};
}
