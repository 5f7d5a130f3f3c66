#include "model/network/loss.h"

#include <string.h>

#include "model/kernels/kernels.h"

double loss_backward(real *logits, const Batch *batch, int vocabulary, real smoothing,
                     real weight) {
    const Kernels *kernels = kernels_in_use();
    double total = 0;
    for (int b = 0; b < batch->size; b++)
        for (int t = 0; t < batch->target_len; t++) {
            long step = (long)b * batch->target_len + t;
            real *row = logits + step * vocabulary;
            if (t < batch->dec_valid_lens[b])
                total +=
                    kernels->loss_row(row, vocabulary, batch->target_out[step], smoothing, weight);
            else
                memset(row, 0, (size_t)vocabulary * sizeof *row);
        }
    return total;
}

long loss_steps(const Batch *batch) {
    long steps = 0;
    for (int b = 0; b < batch->size; b++)
        steps += batch->dec_valid_lens[b];
    return steps;
}

void loss_log_softmax(real *row, int vocabulary) {
    real top = row[0], total = 0;
    for (int v = 1; v < vocabulary; v++)
        top = row[v] > top ? row[v] : top;
    for (int v = 0; v < vocabulary; v++)
        total += real_exp(row[v] - top);
    real log_total = real_log(total) + top;
    for (int v = 0; v < vocabulary; v++)
        row[v] -= log_total;
}
