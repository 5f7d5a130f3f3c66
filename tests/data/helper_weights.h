/* Attention maps as another program might save them, for the tests of reading them. */
#ifndef HEADSCOPE_TESTS_DATA_HELPER_WEIGHTS_H
#define HEADSCOPE_TESTS_DATA_HELPER_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* weights[maps, side, side]: rows that sum to 1, none alike, of which the first `keys` (and with
 * `causal` no later ones) are seen. */
__attribute__((unused)) static void fill_weights(float *weights, int maps, int side, bool causal,
                                                 int keys) {
    for (int row = 0; row < maps * side; row++) {
        int seen = causal && row % side + 1 < keys ? row % side + 1 : keys;
        float sum = 0, *of_row = weights + (size_t)row * (size_t)side;
        for (int key = 0; key < side; key++) {
            of_row[key] = key < seen ? (float)(1 + (row * 31 + key * 17) % 97) : 0;
            sum += of_row[key];
        }
        for (int key = 0; key < side; key++)
            of_row[key] /= sum;
    }
}

#endif
