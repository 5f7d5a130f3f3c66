#include "model/batch.h"

#include <stdlib.h>

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

void batch_free(Batch *batch) {
    free(batch->storage);
    *batch = (Batch){0};
}
