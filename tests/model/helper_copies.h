/* Mistakes with heads and lengths as people write them: copies made number by number, that know
 * nothing of HeadFold. */
#ifndef HEADSCOPE_TESTS_MODEL_HELPER_COPIES_H
#define HEADSCOPE_TESTS_MODEL_HELPER_COPIES_H

#include <stddef.h>

#include "model/base/rng.h"
#include "model/kernels/mistakes.h"

enum { FOLD_KINDS = FOLD_INTERLEAVED + 1, LENGTHS_KINDS = LENGTHS_INVERTED + 1 };

/* folded [B*H,steps,D] from x [B,steps,W]. */
void copies_split(double *folded, const double *x, FoldKind kind, int batch, int steps, int heads,
                  int head_width);

/* x [B,steps,W] from folded [B*H,steps,D]. */
void copies_join(double *x, const double *folded, FoldKind kind, int batch, int steps, int heads,
                 int head_width);

/* The keys first to end-1 that each row sees, [B*H] both: np.repeat(lens, H), np.tile(lens, H), and
 * so on. */
void copies_lengths(int *first, int *end, LengthsKind kind, const int *lens, int keys, int batch,
                    int heads);

/* A whole number from min to max. */
int copies_between(Rng *rng, int min, int max);

/* Zeroed room for `count` things and one more (free it). */
void *copies_room(long count, size_t size);

#endif
