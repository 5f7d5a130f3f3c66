#include "model/network/batch.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/minmax.h"

bool batch_reserve(Batch *batch, int size, int source_len, int target_len, Error *error) {
    long sources = (long)size * source_len, targets = (long)size * target_len;
    long needed = sources + 2 * targets + 2 * (long)size;
    if (needed > batch->capacity) {
        int *storage = malloc((size_t)needed * sizeof *storage);
        if (!storage) return error_set(error, "out of memory for a batch of %d examples", size);
        free(batch->storage);
        batch->storage = storage;
        batch->capacity = needed;
    }
    batch->size = size;
    batch->source_len = source_len;
    batch->target_len = target_len;
    batch->source = batch->storage;
    batch->target_in = batch->source + sources;
    batch->target_out = batch->target_in + targets;
    batch->enc_valid_lens = batch->target_out + targets;
    batch->dec_valid_lens = batch->enc_valid_lens + size;
    return true;
}

static void copy_row(int *to, int to_len, const int *from, int from_len, int to_row, int from_row) {
    memcpy(to + (long)to_row * to_len, from + (long)from_row * from_len,
           (size_t)to_len * sizeof *to);
}

bool batch_slice(Batch *slice, const Batch *whole, const int *order, int count, Error *error) {
    int source_len = 0, target_len = 0;
    for (int i = 0; i < count; i++) {
        int source = whole->enc_valid_lens[order[i]], target = whole->dec_valid_lens[order[i]];
        source_len = int_max(source_len, source);
        target_len = int_max(target_len, target);
    }
    if (!batch_reserve(slice, count, source_len, target_len, error)) return false;
    for (int i = 0; i < count; i++) {
        int from = order[i];
        copy_row(slice->source, source_len, whole->source, whole->source_len, i, from);
        copy_row(slice->target_in, target_len, whole->target_in, whole->target_len, i, from);
        copy_row(slice->target_out, target_len, whole->target_out, whole->target_len, i, from);
        slice->enc_valid_lens[i] = whole->enc_valid_lens[from];
        slice->dec_valid_lens[i] = whole->dec_valid_lens[from];
    }
    return true;
}

void batch_free(Batch *batch) {
    free(batch->storage);
    *batch = (Batch){0};
}
