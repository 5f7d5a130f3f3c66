/* Vectors of `real`: compiler vectors, as wide as the registers of the instruction set that the
 * file is compiled for. Only files named *_simd.c include it (model/base/simd.h). */
#ifndef HEADSCOPE_MODEL_BASE_VEC_H
#define HEADSCOPE_MODEL_BASE_VEC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "model/base/real.h"

#if defined(__AVX512F__)
#define VEC_BYTES 64
#elif defined(__AVX2__)
#define VEC_BYTES 32
#else
#define VEC_BYTES 16
#endif

typedef real vec __attribute__((vector_size(VEC_BYTES)));
typedef real vec_loose __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));
#ifdef HEADSCOPE_DOUBLE
typedef int64_t vec_bits __attribute__((vector_size(VEC_BYTES)));
#else
typedef int32_t vec_bits __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t vec_word __attribute__((vector_size(VEC_BYTES)));
#endif
enum { LANES = VEC_BYTES / (int)sizeof(real) };

#define VEC_INLINE static inline __attribute__((always_inline, unused))

VEC_INLINE vec vec_load(const real *from) {
    return *(const vec_loose *)from;
}

VEC_INLINE void vec_store(real *to, vec value) {
    *(vec_loose *)to = value;
}

VEC_INLINE vec vec_all(real value) {
    return value - (vec){0}; /* a sum would turn -0 into 0 */
}

/* Loads the first `count` lanes (1 to LANES) and sets the others to 0; memory past them is not
 * read. Masked instructions where they exist: a scalar loop over the tail costs more than a
 * softmax. */
VEC_INLINE vec vec_load_part(const real *from, int count) {
#if defined(__AVX512F__) && !defined(HEADSCOPE_DOUBLE)
    return (vec)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
#elif defined(__AVX2__) && !defined(HEADSCOPE_DOUBLE)
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return (vec)_mm256_maskload_ps(from, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane));
#else
    vec value = {0};
    memcpy(&value, from, (size_t)count * sizeof(real));
    return value;
#endif
}

VEC_INLINE void vec_store_part(real *to, vec value, int count) {
#if defined(__AVX512F__) && !defined(HEADSCOPE_DOUBLE)
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), (__m512)value);
#elif defined(__AVX2__) && !defined(HEADSCOPE_DOUBLE)
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    _mm256_maskstore_ps(to, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane), (__m256)value);
#else
    memcpy(to, &value, (size_t)count * sizeof(real));
#endif
}

/* `value` in the first `count` lanes, `other` in the rest. */
VEC_INLINE vec vec_first(vec value, real other, int count) {
#if defined(__AVX512F__) && !defined(HEADSCOPE_DOUBLE)
    return (vec)_mm512_mask_blend_ps((__mmask16)((1u << count) - 1), _mm512_set1_ps(other),
                                     (__m512)value);
#else
    for (int lane = 0; lane < LANES; lane++)
        value[lane] = lane < count ? value[lane] : other;
    return value;
#endif
}

/* The larger of a and b; b where either is NaN. */
VEC_INLINE vec vec_max(vec a, vec b) {
#if defined(__AVX512F__) && !defined(HEADSCOPE_DOUBLE)
    return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__) && !defined(HEADSCOPE_DOUBLE)
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
    vec_bits larger = a > b;
    return (vec)(((vec_bits)a & larger) | ((vec_bits)b & ~larger));
#endif
}

/* The sum and the maximum of all lanes: the upper half is added to the lower one, and so on, in
 * that order on every instruction set. Shuffles where they exist: a softmax over a dozen keys
 * spends most of its time here. */
#if defined(__AVX2__) && !defined(HEADSCOPE_DOUBLE)
#if defined(__AVX512F__)
#define VEC_LOWER(value) _mm512_castps512_ps256((__m512)(value))
#define VEC_UPPER(value) _mm512_extractf32x8_ps((__m512)(value), 1)
#endif

VEC_INLINE real vec_sum_lanes(vec value) {
#if defined(__AVX512F__)
    __m256 eight = _mm256_add_ps(VEC_LOWER(value), VEC_UPPER(value));
#else
    __m256 eight = (__m256)value;
#endif
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

VEC_INLINE real vec_max_lanes(vec value) {
#if defined(__AVX512F__)
    __m256 eight = _mm256_max_ps(VEC_LOWER(value), VEC_UPPER(value));
#else
    __m256 eight = (__m256)value;
#endif
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
#else
VEC_INLINE real vec_sum_lanes(vec value) {
    real part[LANES];
    vec_store(part, value);
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int lane = 0; lane < width; lane++)
            part[lane] += part[lane + width];
    return part[0];
}

VEC_INLINE real vec_max_lanes(vec value) {
    real part[LANES];
    vec_store(part, value);
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int lane = 0; lane < width; lane++)
            part[lane] = part[lane] > part[lane + width] ? part[lane] : part[lane + width];
    return part[0];
}
#endif

/* Interleaves the lanes of a and b: of their lower halves, and of their upper halves. */
#ifdef __clang__
#define VEC_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define VEC_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vec_bits){__VA_ARGS__})
#endif
#ifdef HEADSCOPE_DOUBLE
#define VEC_LANES (VEC_BYTES / 8)
#else
#define VEC_LANES (VEC_BYTES / 4)
#endif
#if VEC_LANES == 16
#define VEC_LOWER_PAIRS 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define VEC_UPPER_PAIRS 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif VEC_LANES == 8
#define VEC_LOWER_PAIRS 0, 8, 1, 9, 2, 10, 3, 11
#define VEC_UPPER_PAIRS 4, 12, 5, 13, 6, 14, 7, 15
#elif VEC_LANES == 4
#define VEC_LOWER_PAIRS 0, 4, 1, 5
#define VEC_UPPER_PAIRS 2, 6, 3, 7
#else
#define VEC_LOWER_PAIRS 0, 2
#define VEC_UPPER_PAIRS 1, 3
#endif

/* Transposes a square of LANES rows in place: interleaves rows i and i + LANES/2, log2(LANES)
 * times.
 */
VEC_INLINE void vec_transpose(vec square[LANES]) {
    for (int done = 1; done < LANES; done *= 2) {
        vec next[LANES];
        for (int i = 0; i < LANES / 2; i++) {
            vec upper = square[i], lower = square[i + LANES / 2];
            next[2 * i] = VEC_SHUFFLE(upper, lower, VEC_LOWER_PAIRS);
            next[2 * i + 1] = VEC_SHUFFLE(upper, lower, VEC_UPPER_PAIRS);
        }
        for (int i = 0; i < LANES; i++)
            square[i] = next[i];
    }
}

/* exp(x) for x <= 88; larger x give garbage (only scores of hidden keys are larger, and their
 * results are discarded). 0 below -104, where a float underflows; about 1e-38 from there to -87;
 * NaN for NaN. In float: range reduction by ln 2 in two parts and a polynomial (coefficients of
 * Moshier's Cephes, expf), within 2 ulp. In double: libm, lane by lane, since only tests build it.
 */
VEC_INLINE vec vec_exp(vec x) {
#ifdef HEADSCOPE_DOUBLE
    for (int lane = 0; lane < LANES; lane++)
        x[lane] = exp(x[lane]);
    return x;
#else
    const float round_bias = 12582912.0f; /* 1.5 * 2^23: adding it rounds to a whole number */
    vec_bits vanishes = x < -104.0f;
    x = vec_max(vec_all(-87.0f), x);
    vec biased = x * 1.44269504088896341f + round_bias;
    vec whole = biased - round_bias;
    vec r = x - whole * 0.693359375f;
    r = r + whole * 2.12194440e-4f;
    vec y = r * 1.9875691500e-4f + 1.3981999507e-3f;
    y = y * r + 8.3334519073e-3f;
    y = y * r + 4.1665795894e-2f;
    y = y * r + 1.6666665459e-1f;
    y = y * r + 5.0000001201e-1f;
    y = y * (r * r) + r + 1.0f;
    /* 2^whole by its exponent bits; those of the bias are shifted out. Multiplied rather than added
     * to y's exponent, so that NaN stays NaN. */
    vec power = (vec)(((vec_word)biased + 127) << 23);
    return (vec)((vec_bits)(y * power) & ~vanishes);
#endif
}

#endif
