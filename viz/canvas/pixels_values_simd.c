#include "viz/canvas/pixels_values.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* The bounds are read from memory: with constants the compiler would emit branches. */
int SIMD_NAME(pixels_values_scaled)(const ValueColors *restrict colors,
                                    const float *restrict values, int count,
                                    uint8_t *restrict entries) {
    float share = colors->share, min = colors->min, max = colors->max;
    int none = 0;
    for (int i = 0; i < count; i++) {
        float at = values[i] * share * COLORMAP_ENTRIES;
        at = at > min ? at : min;
        at = at < max ? at : max;
        none += values[i] != values[i];
        entries[i] = (uint8_t)(int)at;
    }
    return none;
}

/* --- blocks ----------------------------------------------------------------------------------- */

#ifdef __AVX512F__
enum { LANES = 16 };
#define VBMI __attribute__((target("avx512vbmi")))

bool SIMD_NAME(pixels_values_has_blocks)(void) {
    return __builtin_cpu_supports("avx512vbmi");
}

/* What does not change from block to block. */
typedef struct Tables {
    __m512 share, entries, min, max;
    __m512i quarters[3][4]; /* of 64 entries: red, green, blue */
    __m512i red_green[3], blue[3];
} Tables;

VBMI static inline __attribute__((always_inline)) Tables load_tables(const ValueColors *colors) {
    Tables tables = {.share = _mm512_set1_ps(colors->share),
                     .entries = _mm512_set1_ps(COLORMAP_ENTRIES),
                     .min = _mm512_set1_ps(colors->min),
                     .max = _mm512_set1_ps(colors->max)};
    for (int part = 0; part < 3; part++) {
        for (int quarter = 0; quarter < 4; quarter++)
            tables.quarters[part][quarter] =
                _mm512_loadu_si512(colors->parts[part] + quarter * VALUES_BLOCK);
        tables.red_green[part] = _mm512_loadu_si512(colors->red_green[part]);
        tables.blue[part] = _mm512_loadu_si512(colors->blue[part]);
    }
    return tables;
}

VBMI static inline __attribute__((always_inline)) __m512i entries_of(const Tables *tables,
                                                                     __m512 value) {
    __m512 at = _mm512_mul_ps(_mm512_mul_ps(value, tables->share), tables->entries);
    return _mm512_cvttps_epi32(_mm512_min_ps(_mm512_max_ps(at, tables->min), tables->max));
}

/* Byte k of lane i is the entry of value 16 k + i. Sets whether some or all values are NaN. */
VBMI static inline __attribute__((always_inline)) __m512i
find_entries(const Tables *tables, const float *values, bool *some, bool *all) {
    __m512 value[4];
    __mmask16 none = 0, each = 0xffff;
    for (int i = 0; i < 4; i++) {
        value[i] = _mm512_loadu_ps(values + i * LANES);
        __mmask16 nan = _mm512_cmp_ps_mask(value[i], value[i], _CMP_UNORD_Q);
        none |= nan;
        each &= nan;
    }
    __m512i low = _mm512_or_si512(entries_of(tables, value[0]),
                                  _mm512_slli_epi32(entries_of(tables, value[1]), 8));
    __m512i high = _mm512_or_si512(entries_of(tables, value[2]),
                                   _mm512_slli_epi32(entries_of(tables, value[3]), 8));
    *some = none != 0;
    *all = each == 0xffff;
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

VBMI static inline __attribute__((always_inline)) void draw_block(const Tables *tables,
                                                                  uint8_t *pixel, __m512i entries) {
    __mmask64 upper = _mm512_movepi8_mask(entries); /* entries from 128 on */
    __m512i parts[3];
    for (int part = 0; part < 3; part++) {
        const __m512i *quarter = tables->quarters[part];
        parts[part] =
            _mm512_mask_blend_epi8(upper, _mm512_permutex2var_epi8(quarter[0], entries, quarter[1]),
                                   _mm512_permutex2var_epi8(quarter[2], entries, quarter[3]));
    }
    for (int vector = 0; vector < 3; vector++) {
        __m512i taken = _mm512_permutex2var_epi8(parts[0], tables->red_green[vector], parts[1]);
        taken = _mm512_permutex2var_epi8(taken, tables->blue[vector], parts[2]);
        _mm512_storeu_si512(pixel + vector * VALUES_BLOCK, taken);
    }
}

/* Prefetches AHEAD bytes further on, even past the end: hardware prefetching stops at the end of a
 * page, and a row of values is about a page. */
enum { AHEAD = 4096, LINE = 64 };

VBMI static inline __attribute__((always_inline)) void prefetch_ahead(const uint8_t *pixel,
                                                                      const float *values) {
    uintptr_t from = (uintptr_t)values + AHEAD, to = (uintptr_t)pixel + AHEAD / 4 * 3;
    for (uintptr_t line = 0; line < 4 * LINE; line += LINE)
        __builtin_prefetch((const void *)(from + line));
    for (uintptr_t line = 0; line < 3 * LINE; line += LINE)
        __builtin_prefetch((const void *)(to + line), 1);
}

VBMI int SIMD_NAME(pixels_values_blocks)(const ValueColors *colors, uint8_t *pixel,
                                         const float *values, int count) {
    if (count < VALUES_BLOCK) return 0;
    Tables tables = load_tables(colors);
    int done = 0;
    for (; done + VALUES_BLOCK <= count; done += VALUES_BLOCK) {
        prefetch_ahead(pixel + 3 * (size_t)done, values + done);
        bool some, all;
        __m512i entries = find_entries(&tables, values + done, &some, &all);
        if (all) continue;
        if (some) break;
        draw_block(&tables, pixel + 3 * (size_t)done, entries);
    }
    return done;
}
#else
bool SIMD_NAME(pixels_values_has_blocks)(void) {
    return false;
}

int SIMD_NAME(pixels_values_blocks)(const ValueColors *colors, uint8_t *pixel, const float *values,
                                    int count) {
    (void)colors, (void)pixel, (void)values, (void)count;
    return 0;
}
#endif
