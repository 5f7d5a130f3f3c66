#include "tests/model/helper_copies.h"

#include <stdlib.h>

int copies_between(Rng *rng, int min, int max) {
    return min + (int)rng_below(rng, (uint32_t)(max - min + 1));
}

void *copies_room(long count, size_t size) {
    void *room = calloc((size_t)count + 1, size);
    if (!room) abort();
    return room;
}

void copies_split(double *folded, const double *x, FoldKind kind, int batch, int steps, int heads,
                  int head_width) {
    int width = heads * head_width;
    long next = 0; /* of a reshape, which keeps the order of all numbers */
    for (int row = 0; row < batch * heads; row++)
        for (int t = 0; t < steps; t++)
            for (int i = 0; i < head_width; i++) {
                int b = row / heads, h = row % heads;
                const double *line = x + ((long)b * steps + t) * width;
                double *to = &folded[((long)row * steps + t) * head_width + i];
                if (kind == FOLD_SLICES) *to = line[h * head_width + i];
                if (kind == FOLD_INTERLEAVED) *to = line[i * heads + h];
                if (kind == FOLD_RESHAPE) *to = x[next++];
            }
}

void copies_join(double *x, const double *folded, FoldKind kind, int batch, int steps, int heads,
                 int head_width) {
    int width = heads * head_width;
    long next = 0;
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < steps; t++)
            for (int w = 0; w < width; w++) {
                int h = kind == FOLD_INTERLEAVED ? w % heads : w / head_width;
                int i = kind == FOLD_INTERLEAVED ? w / heads : w % head_width;
                long from = (((long)b * heads + h) * steps + t) * head_width + i;
                *x++ = folded[kind == FOLD_RESHAPE ? next++ : from];
            }
}

void copies_lengths(int *first, int *end, LengthsKind kind, const int *lens, int keys, int batch,
                    int heads) {
    for (int row = 0; row < batch * heads; row++) {
        int b = row / heads;
        first[row] = 0;
        end[row] = lens[b];
        if (kind == LENGTHS_TILED) end[row] = lens[row % batch];
        if (kind == LENGTHS_ONE_MORE) end[row] = lens[b] < keys ? lens[b] + 1 : keys;
        if (kind == LENGTHS_ONE_LESS) end[row] = lens[b] > 0 ? lens[b] - 1 : 0;
        if (kind == LENGTHS_NEXT) end[row] = lens[b + 1 < batch ? b + 1 : 0];
        if (kind == LENGTHS_PREVIOUS) end[row] = lens[b > 0 ? b - 1 : batch - 1];
        if (kind == LENGTHS_REVERSED) end[row] = lens[batch - 1 - b];
        if (kind == LENGTHS_IGNORED) end[row] = keys;
        if (kind == LENGTHS_INVERTED) {
            first[row] = lens[b];
            end[row] = keys;
        }
    }
}
