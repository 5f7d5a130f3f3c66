#include "tests/model/helper_copies.h"

#include <stdlib.h>

int copies_between(Rng *rng, int least, int most) {
    return least + (int)rng_below(rng, (uint32_t)(most - least + 1));
}

void *copies_room(long count, size_t size) {
    void *room = calloc((size_t)count + 1, size);
    if (!room) abort();
    return room;
}

void copies_split(double *folded, const double *x, FoldKind way, int batch, int steps, int heads,
                  int head_width) {
    int width = heads * head_width;
    long next = 0; /* of a reshape, which keeps the order of all numbers */
    for (int row = 0; row < batch * heads; row++)
        for (int t = 0; t < steps; t++)
            for (int i = 0; i < head_width; i++) {
                int b = row / heads, h = row % heads;
                const double *line = x + ((long)b * steps + t) * width;
                double *to = &folded[((long)row * steps + t) * head_width + i];
                if (way == FOLD_SLICES) *to = line[h * head_width + i];
                if (way == FOLD_INTERLEAVED) *to = line[i * heads + h];
                if (way == FOLD_RESHAPE) *to = x[next++];
            }
}

void copies_join(double *x, const double *folded, FoldKind way, int batch, int steps, int heads,
                 int head_width) {
    int width = heads * head_width;
    long next = 0;
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < steps; t++)
            for (int w = 0; w < width; w++) {
                int h = way == FOLD_INTERLEAVED ? w % heads : w / head_width;
                int i = way == FOLD_INTERLEAVED ? w / heads : w % head_width;
                long from = (((long)b * heads + h) * steps + t) * head_width + i;
                *x++ = folded[way == FOLD_RESHAPE ? next++ : from];
            }
}

void copies_lengths(int *first, int *end, LengthsKind way, const int *lens, int keys, int batch,
                    int heads) {
    for (int row = 0; row < batch * heads; row++) {
        int b = row / heads;
        first[row] = 0;
        end[row] = lens[b];
        if (way == LENGTHS_TILED) end[row] = lens[row % batch];
        if (way == LENGTHS_ONE_MORE) end[row] = lens[b] < keys ? lens[b] + 1 : keys;
        if (way == LENGTHS_ONE_LESS) end[row] = lens[b] > 0 ? lens[b] - 1 : 0;
        if (way == LENGTHS_NEXT) end[row] = lens[b + 1 < batch ? b + 1 : 0];
        if (way == LENGTHS_PREVIOUS) end[row] = lens[b > 0 ? b - 1 : batch - 1];
        if (way == LENGTHS_REVERSED) end[row] = lens[batch - 1 - b];
        if (way == LENGTHS_IGNORED) end[row] = keys;
        if (way == LENGTHS_INVERTED) {
            first[row] = lens[b];
            end[row] = keys;
        }
    }
}
