/* Loops over rows and over flat arrays: layer norm, loss, dropout, sums, Adam; and the table of
 * this set's kernels. */
#include "model/base/vec.h"
#include "model/kernels/kernels.h"

void SIMD_NAME(kernel_layernorm_forward)(real *y, real *mean, real *rstd, const real *x,
                                         const real *gain, const real *shift, int rows, int width,
                                         real epsilon) {
    int whole = width / LANES * LANES, rest = width - whole;
    for (int row = 0; row < rows; row++, x += width, y += width) {
        vec sum = vec_all(0), squares = vec_all(0);
        for (int i = 0; i < whole; i += LANES)
            sum += vec_load(x + i);
        if (rest) sum += vec_load_part(x + whole, rest);
        real average = vec_sum_lanes(sum) / (real)width;
        for (int i = 0; i < whole; i += LANES) {
            vec off = vec_load(x + i) - average;
            squares += off * off;
        }
        if (rest) {
            vec off = vec_first(vec_load_part(x + whole, rest) - average, 0, rest);
            squares += off * off;
        }
        real inverse = 1 / real_sqrt(vec_sum_lanes(squares) / (real)width + epsilon);
        for (int i = 0; i < width; i++)
            y[i] = (x[i] - average) * inverse * gain[i] + shift[i];
        mean[row] = average;
        rstd[row] = inverse;
    }
}

void SIMD_NAME(kernel_layernorm_backward)(real *dx, real *dgain, real *dshift, const real *dy,
                                          const real *mean, const real *rstd, const real *x,
                                          const real *gain, int rows, int width) {
    int whole = width / LANES * LANES;
    for (int row = 0; row < rows; row++, x += width, dx += width, dy += width) {
        real average = mean[row], inverse = rstd[row];
        vec sum_lanes = vec_all(0), product_lanes = vec_all(0);
        for (int i = 0; i < whole; i += LANES) {
            vec above = vec_load(dy + i), unit = (vec_load(x + i) - average) * inverse;
            vec d_unit = above * vec_load(gain + i);
            sum_lanes += d_unit;
            product_lanes += d_unit * unit;
            vec_store(dgain + i, vec_load(dgain + i) + above * unit);
            vec_store(dshift + i, vec_load(dshift + i) + above);
        }
        real sum = vec_sum_lanes(sum_lanes), product = vec_sum_lanes(product_lanes);
        for (int i = whole; i < width; i++) {
            real unit = (x[i] - average) * inverse, d_unit = dy[i] * gain[i];
            sum += d_unit;
            product += d_unit * unit;
            dgain[i] += dy[i] * unit;
            dshift[i] += dy[i];
        }
        sum /= (real)width;
        product /= (real)width;
        for (int i = 0; i < width; i++) {
            real unit = (x[i] - average) * inverse;
            dx[i] = (dy[i] * gain[i] - sum - unit * product) * inverse;
        }
    }
}

double SIMD_NAME(kernel_loss_row)(real *logits, int vocabulary, int target, real smoothing,
                                  real weight) {
    const real low = -(real)INFINITY;
    int whole = vocabulary / LANES * LANES, rest = vocabulary - whole;
    vec max = vec_all(low), logit_lanes = vec_all(0), total_lanes = vec_all(0);
    real target_logit = logits[target];
    for (int i = 0; i < whole; i += LANES) {
        max = vec_max(max, vec_load(logits + i));
        logit_lanes += vec_load(logits + i);
    }
    if (rest) {
        vec last = vec_load_part(logits + whole, rest);
        max = vec_max(max, vec_first(last, low, rest));
        logit_lanes += last;
    }
    real top = vec_max_lanes(max), logit_sum = vec_sum_lanes(logit_lanes);
    for (int i = 0; i < whole; i += LANES) {
        vec e = vec_exp(vec_load(logits + i) - top);
        vec_store(logits + i, e);
        total_lanes += e;
    }
    if (rest) {
        vec e = vec_first(vec_exp(vec_load_part(logits + whole, rest) - top), 0, rest);
        vec_store_part(logits + whole, e, rest);
        total_lanes += e;
    }
    real total = vec_sum_lanes(total_lanes), share = smoothing / (real)vocabulary;
    real log_total = real_log(total) + top;
    for (int i = 0; i < vocabulary; i++)
        logits[i] = (logits[i] / total - share) * weight;
    logits[target] -= (1 - smoothing) * weight;
    real loss = (1 - smoothing) * (log_total - target_logit);
    if (smoothing > 0) loss += share * ((real)vocabulary * log_total - logit_sum);
    return (double)loss;
}

void SIMD_NAME(kernel_add_dropped)(real *y, const real *a, const real *b, Dropout dropout, long n) {
    if (dropout.threshold == 0)
        for (long i = 0; i < n; i++)
            y[i] = a[i] + b[i];
    else
        for (long i = 0; i < n; i++)
            y[i] = a[i] + b[i] * dropout_factor(dropout, (uint32_t)i);
}

void SIMD_NAME(kernel_drop)(real *y, const real *x, Dropout dropout, long n) {
    if (dropout.threshold == 0)
        memmove(y, x, (size_t)n * sizeof *y);
    else
        for (long i = 0; i < n; i++)
            y[i] = x[i] * dropout_factor(dropout, (uint32_t)i);
}

void SIMD_NAME(kernel_add)(real *y, const real *x, long n) {
    for (long i = 0; i < n; i++)
        y[i] += x[i];
}

void SIMD_NAME(kernel_add_rows)(real *sum, const real *x, long rows, int cols) {
    for (long row = 0; row < rows; row++)
        for (int i = 0; i < cols; i++)
            sum[i] += x[row * cols + i];
}

void SIMD_NAME(kernel_relu_forward)(real *h, Dropout dropout, long n) {
    if (dropout.threshold == 0)
        for (long i = 0; i < n; i++)
            h[i] = h[i] <= 0 ? 0 : h[i]; /* NaN stays */
    else
        for (long i = 0; i < n; i++)
            h[i] = (h[i] <= 0 ? 0 : h[i]) * dropout_factor(dropout, (uint32_t)i);
}

void SIMD_NAME(kernel_relu_backward)(real *d, const real *h, real scale, long n) {
    for (long i = 0; i < n; i++)
        d[i] = h[i] <= 0 ? 0 : d[i] * scale;
}

double SIMD_NAME(kernel_sum_parts)(real *sum, const real *const *parts, int count, long n) {
    enum { STRETCH = 1024 }; /* squares are summed in `real` within a stretch, then in double */
    double squares = 0;
    for (long start = 0; start < n; start += STRETCH) {
        long end = start + STRETCH < n ? start + STRETCH : n, i = start;
        vec lanes = vec_all(0);
        for (; i + LANES <= end; i += LANES) {
            vec total = vec_load(parts[0] + i);
            for (int part = 1; part < count; part++)
                total += vec_load(parts[part] + i);
            vec_store(sum + i, total);
            lanes += total * total;
        }
        squares += (double)vec_sum_lanes(lanes);
        for (; i < end; i++) {
            real total = parts[0][i];
            for (int part = 1; part < count; part++)
                total += parts[part][i];
            sum[i] = total;
            squares += (double)(total * total);
        }
    }
    return squares;
}

void SIMD_NAME(kernel_adam)(real *value, real *first, real *second, const real *gradient,
                            real scale, real rate, real correction, real beta1, real beta2,
                            real epsilon, long n) {
    for (long i = 0; i < n; i++) {
        real g = gradient[i] * scale;
        first[i] = beta1 * first[i] + (1 - beta1) * g;
        second[i] = beta2 * second[i] + (1 - beta2) * g * g;
        value[i] -= rate * first[i] / (real_sqrt(second[i]) * correction + epsilon);
    }
}

/* Our own products, where they are faster than BLAS (bench/RESULTS.md). */
#ifdef __AVX512F__
#define PRODUCTS(ENTRY) KERNEL_PRODUCTS(ENTRY)
#else
#define PRODUCTS(ENTRY)
#endif
#define TEXT_(set)                         #set
#define TEXT(set)                          TEXT_(set)
#define IN_TABLE(result, name, parameters) .name = SIMD_NAME(kernel_##name),

const Kernels SIMD_NAME(kernels) = {.name = TEXT(SIMD_SET),
                                    .instructions = TEXT(SIMD_SET),
                                    KERNEL_LIST(IN_TABLE) PRODUCTS(IN_TABLE)};
