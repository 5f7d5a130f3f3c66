#include "model/network/embedding.h"

#include "model/kernels/kernels.h"

static real embedding_factor(const Config *config) {
    return config->embedding_scale ? real_sqrt((real)config->width) : 1;
}

static void position_halves(real *row, double position, int width) {
    int half = width / 2;
    for (int j = 0; j < half; j++) {
        double angle = position * pow(10000, half > 1 ? -(double)j / (half - 1) : 0);
        row[j] = (real)sin(angle);
        row[half + j] = (real)cos(angle);
    }
}

void embedding_positions(real *table, int steps, const Config *config) {
    int width = config->width;
    for (int step = 0; step < steps; step++) {
        real *row = table + (long)step * width;
        double position = step + config->first_position;
        if (config->positions == POSITION_HALVES) {
            position_halves(row, position, width);
            continue;
        }
        for (int i = 0; i < width; i++) {
            double angle = position / pow(10000, (double)(i / 2 * 2) / width);
            bool none = config->positions == POSITION_NONE;
            row[i] = none ? 0 : (real)(i % 2 == 0 ? sin(angle) : cos(angle));
        }
    }
}

void embedding_forward(real *y, const int *ids, const real *embedding, const real *positions,
                       int first_step, int batch, int steps, const Config *config,
                       Dropout dropout) {
    int width = config->width;
    real factor = embedding_factor(config);
    for (long row = 0; row < (long)batch * steps; row++) {
        const real *token = embedding + (long)ids[row] * width;
        const real *position = positions + (first_step + row % steps) * width;
        for (int i = 0; i < width; i++)
            y[row * width + i] = token[i] * factor + position[i];
    }
    if (dropout.threshold) kernels_in_use()->drop(y, y, dropout, (long)batch * steps * width);
}

void embedding_backward(real *d_embedding, real *d_y, const int *ids, int batch, int steps,
                        const Config *config, Dropout dropout) {
    int width = config->width;
    real factor = embedding_factor(config);
    if (dropout.threshold) kernels_in_use()->drop(d_y, d_y, dropout, (long)batch * steps * width);
    for (long row = 0; row < (long)batch * steps; row++) {
        real *token = d_embedding + (long)ids[row] * width;
        for (int i = 0; i < width; i++)
            token[i] += d_y[row * width + i] * factor;
    }
}
