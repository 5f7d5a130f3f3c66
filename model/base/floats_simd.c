#include "model/base/floats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool SIMD_NAME(floats_finite)(const float *values, int count) {
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad |= !(fabsf(values[i]) < INFINITY);
    return !bad;
}

int SIMD_NAME(floats_clean)(float *values, int count) {
    int bad = 0;
    for (int i = 0; i < count; i++) {
        bool is_bad = !(fabsf(values[i]) < INFINITY);
        values[i] = is_bad ? NAN : values[i];
        bad += is_bad;
    }
    return bad;
}

/* Eight partial sums, which a compiler can vectorise. */
double SIMD_NAME(floats_sum)(const float *values, int count) {
    float parts[8] = {0};
    int i = 0;
    for (; i + 8 <= count; i += 8)
        for (int part = 0; part < 8; part++)
            parts[part] += values[i + part];
    double sum = 0;
    for (; i < count; i++)
        sum += (double)values[i];
    for (int part = 0; part < 8; part++)
        sum += (double)parts[part];
    return sum;
}

static bool all_zero(const float *values) {
    int nonzero = 0;
    for (int i = 0; i < 16; i++)
        nonzero += values[i] != 0;
    return nonzero == 0;
}

int SIMD_NAME(floats_end)(const float *values, int count, int min) {
    int end = count;
    while (end - min >= 16 && all_zero(values + end - 16))
        end -= 16;
    while (end > min && values[end - 1] == 0)
        end--;
    return end;
}

/* --- entropy ---------------------------------------------------------------------------------- */

/* -p log2 p for p in 0..1. p = 2^e m with m in [sqrt 1/2, sqrt 2), and
 * ln m = 2 (s + s^3/3 + s^5/5 + ...) with s = (m - 1) / (m + 1), |s| <= 0.172: the first omitted
 * term is below 2e-6 bits. At p = 0 the product is 0. */
static inline float surprise(float p) {
    const int32_t sqrt_half = 0x3f3504f3;                           /* the bits of that float */
    const float c1 = 2.8853900817779268F, c3 = c1 / 3, c5 = c1 / 5; /* 2/ln 2 */
    int32_t bits;
    memcpy(&bits, &p, sizeof bits);
    int32_t exponent = (bits - sqrt_half) >> 23;
    int32_t mantissa = (int32_t)((uint32_t)bits - ((uint32_t)exponent << 23));
    float m;
    memcpy(&m, &mantissa, sizeof m);
    float s = (m - 1.0F) / (m + 1.0F), s2 = s * s;
    return -p * ((float)exponent + s * (c1 + s2 * (c3 + s2 * c5)));
}

static float sum_lanes(const float *lanes) {
    float sum = 0;
    for (int lane = 0; lane < FLOATS_LANES; lane++)
        sum += lanes[lane];
    return sum;
}

float SIMD_NAME(floats_entropy)(const float *p, int count) {
    float sums[FLOATS_LANES] = {0};
    for (int i = 0; i < count; i += FLOATS_LANES)
        for (int lane = 0; lane < FLOATS_LANES; lane++)
            sums[lane] += surprise(p[i + lane]);
    return sum_lanes(sums);
}

float SIMD_NAME(floats_entropy_of_mean)(const float *p, const float *q, int count) {
    float sums[FLOATS_LANES] = {0};
    for (int i = 0; i < count; i += FLOATS_LANES)
        for (int lane = 0; lane < FLOATS_LANES; lane++)
            sums[lane] += surprise((p[i + lane] + q[i + lane]) * 0.5F);
    return sum_lanes(sums);
}

/* --- is_bad number types -----------------------------------------------------------------------
 */

/* The exponent of binary16 is 112 less than that of binary32; multiplying by 2^112 also
 * converts denormals correctly. Infinities and NaNs get an exponent of all ones. */
void SIMD_NAME(floats_from_halves)(float *restrict out, const unsigned char *restrict bytes,
                                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, bytes + 2 * i, sizeof half);
        uint32_t magnitude = (uint32_t)(half & 0x7FFF) << 13;
        float value;
        memcpy(&value, &magnitude, sizeof value);
        value *= 0x1p112F;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits |= (uint32_t)(half & 0x8000) << 16;
        bits |= (half & 0x7C00) == 0x7C00 ? UINT32_C(0x7F800000) : 0;
        memcpy(out + i, &bits, sizeof bits);
    }
}

void SIMD_NAME(floats_from_bfloats)(float *restrict out, const unsigned char *restrict bytes,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, bytes + 2 * i, sizeof half);
        uint32_t bits = (uint32_t)half << 16;
        memcpy(out + i, &bits, sizeof bits);
    }
}

void SIMD_NAME(floats_from_doubles)(float *restrict out, const unsigned char *restrict bytes,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, bytes + 8 * i, sizeof value);
        out[i] = (float)value;
    }
}
