#include "viz/canvas/pixels_values.h"

#include "model/base/minmax.h"
#include "model/trace/trace_vector.h"

#include <math.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#define BLOCKS
#include <immintrin.h>
#endif

/* --- blocks of values ------------------------------------------------------------------------- */

/* A block of 64 values at a time, where the processor looks bytes up in a table of 128 (AVX-512
 * VBMI: Intel's since 2019, AMD's since 2022). */

#ifdef BLOCKS
enum { LANES = 16 };
#ifdef __clang__
#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#else
#define VECTORS __attribute__((target("avx512f,avx512bw,avx512vbmi"), optimize("O3")))
#endif

static bool blocks_usable(const CellMap *map) {
    return !map->diverging && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
}

/* What does not change from block to block. */
typedef struct Tables {
    __m512 share, entries, least, most;
    __m512i quarters[3][4]; /* of 64 entries: red, green, blue */
    __m512i red_green[3], blue[3];
} Tables;

VECTORS static inline __attribute__((always_inline)) Tables load_tables(const ValueColors *colors) {
    Tables tables = {.share = _mm512_set1_ps(colors->share),
                     .entries = _mm512_set1_ps(COLORMAP_ENTRIES),
                     .least = _mm512_set1_ps(colors->least),
                     .most = _mm512_set1_ps(colors->most)};
    for (int part = 0; part < 3; part++) {
        for (int quarter = 0; quarter < 4; quarter++)
            tables.quarters[part][quarter] =
                _mm512_loadu_si512(colors->parts[part] + quarter * VALUES_BLOCK);
        tables.red_green[part] = _mm512_loadu_si512(colors->red_green[part]);
        tables.blue[part] = _mm512_loadu_si512(colors->blue[part]);
    }
    return tables;
}

VECTORS static inline __attribute__((always_inline)) __m512i block_entries(const Tables *tables,
                                                                           __m512 value) {
    __m512 at = _mm512_mul_ps(_mm512_mul_ps(value, tables->share), tables->entries);
    return _mm512_cvttps_epi32(_mm512_min_ps(_mm512_max_ps(at, tables->least), tables->most));
}

/* Byte k of lane i is of the value 16 k + i. Says whether some are NaN, or all. */
VECTORS static inline __attribute__((always_inline)) __m512i
find_entries(const Tables *tables, const float *values, bool *some, bool *all) {
    __m512 value[4];
    __mmask16 none = 0, each = 0xffff;
    for (int i = 0; i < 4; i++) {
        value[i] = _mm512_loadu_ps(values + i * LANES);
        __mmask16 nan = _mm512_cmp_ps_mask(value[i], value[i], _CMP_UNORD_Q);
        none |= nan;
        each &= nan;
    }
    __m512i low = _mm512_or_si512(block_entries(tables, value[0]),
                                  _mm512_slli_epi32(block_entries(tables, value[1]), 8));
    __m512i high = _mm512_or_si512(block_entries(tables, value[2]),
                                   _mm512_slli_epi32(block_entries(tables, value[3]), 8));
    *some = none != 0;
    *all = each == 0xffff;
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

VECTORS static inline __attribute__((always_inline)) void
draw_block(const Tables *tables, uint8_t *pixel, __m512i entries) {
    __mmask64 upper = _mm512_movepi8_mask(entries); /* 128 and more */
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

/* Asks for what comes so many bytes later, be it there or not: the processor foresees nothing past
 * a page's end, and a row of values is about a page. */
enum { AHEAD = 4096, LINE = 64 };

VECTORS static inline __attribute__((always_inline)) void ask_ahead(const uint8_t *pixel,
                                                                    const float *values) {
    uintptr_t from = (uintptr_t)values + AHEAD, to = (uintptr_t)pixel + AHEAD / 4 * 3;
    for (uintptr_t line = 0; line < 4 * LINE; line += LINE)
        __builtin_prefetch((const void *)(from + line));
    for (uintptr_t line = 0; line < 3 * LINE; line += LINE)
        __builtin_prefetch((const void *)(to + line), 1);
}

/* As pixels_values_row, of the first blocks up to one in which some values are NaN and some are
 * not. Returns how many pixels are done. */
VECTORS static int blocks_row(const ValueColors *colors, uint8_t *pixel, const float *values,
                              int count) {
    if (count < VALUES_BLOCK) return 0;
    Tables tables = load_tables(colors);
    int done = 0;
    for (; done + VALUES_BLOCK <= count; done += VALUES_BLOCK) {
        ask_ahead(pixel + 3 * (size_t)done, values + done);
        bool some, all;
        __m512i entries = find_entries(&tables, values + done, &some, &all);
        if (all) continue;
        if (some) break;
        draw_block(&tables, pixel + 3 * (size_t)done, entries);
    }
    return done;
}
#else
static bool blocks_usable(const CellMap *map) {
    (void)map;
    return false;
}

static int blocks_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count) {
    (void)colors, (void)pixel, (void)values, (void)count;
    return 0;
}
#endif

/* --- rows of values --------------------------------------------------------------------------- */

static void prepare_color(ValueColors *colors, int entry, Color color) {
    uint8_t parts[3] = {color.r, color.g, color.b};
    memcpy(&colors->first[entry], parts, 3);
    memcpy((uint8_t *)&colors->second[entry] + 3, parts, 3);
    for (int part = 0; part < 3; part++)
        colors->parts[part][entry] = parts[part];
}

void pixels_values_prepare(ValueColors *colors, const CellMap *map) {
    *colors = (ValueColors){.map = map,
                            .share = map->top > 0 ? 1 / map->top : 0,
                            .most = COLORMAP_ENTRIES - 1,
                            .blocks = blocks_usable(map)};
    for (int entry = 0; entry < COLORMAP_ENTRIES; entry++)
        prepare_color(colors, entry, canvas_cell_color(map, entry));
    for (int place = 0; place < 3 * VALUES_BLOCK; place++) {
        int pixel = place / 3 / 16 + place / 3 % 16 * 4, part = place % 3;
        int vector = place / VALUES_BLOCK, byte = place % VALUES_BLOCK;
        colors->red_green[vector][byte] = (uint8_t)(part == 1 ? VALUES_BLOCK + pixel : pixel);
        colors->blue[vector][byte] = (uint8_t)(part == 2 ? VALUES_BLOCK + pixel : byte);
    }
}

/* The bounds are read from memory: of constants the compiler would make branches. */
VECTOR_CODE static int entries_of(const ValueColors *restrict colors, const float *restrict values,
                                  int count, uint8_t *restrict entries) {
    float share = colors->share, least = colors->least, most = colors->most;
    int none = 0;
    for (int i = 0; i < count; i++) {
        float at = values[i] * share * COLORMAP_ENTRIES;
        at = at > least ? at : least;
        at = at < most ? at : most;
        none += values[i] != values[i];
        entries[i] = (uint8_t)(int)at;
    }
    return none;
}

int pixels_values_entries(const ValueColors *colors, const float *values, int count,
                          uint8_t *entries) {
    if (!colors->map->diverging) return entries_of(colors, values, count, entries);
    int none = 0;
    for (int i = 0; i < count; i++) {
        entries[i] = (uint8_t)canvas_cell_entry(colors->map, values[i]);
        none += values[i] != values[i];
    }
    return none;
}

/* Two pixels at a time, of which eight bytes are written: the two too many are the next pixels',
 * which come later. The last ones are written by themselves. */
static void draw_pairs(const ValueColors *colors, uint8_t *pixel, const uint8_t *entries,
                       int count) {
    int i = 0;
    for (; i + 3 <= count; i += 2, pixel += 6) {
        uint64_t pair = colors->first[entries[i]] | colors->second[entries[i + 1]];
        memcpy(pixel, &pair, 8);
    }
    for (; i < count; i++, pixel += 3)
        memcpy(pixel, &colors->first[entries[i]], 3);
}

/* Values at a time: few stay in the cache, many take long to begin with but once. */
enum { SOME = 256 };

/* Each run of numbers by itself. */
static void draw_some(const ValueColors *colors, uint8_t *pixel, const float *values, int count) {
    uint8_t entries[SOME];
    int none = pixels_values_entries(colors, values, count, entries);
    if (none == 0) draw_pairs(colors, pixel, entries, count);
    if (none == 0 || none == count) return;
    for (int first = 0, past; first < count; first = past + 1) {
        for (past = first; past < count && !isnan(values[past]); past++) {
        }
        draw_pairs(colors, pixel + 3 * (size_t)first, entries + first, past - first);
    }
}

void pixels_values_row(const ValueColors *colors, uint8_t *pixel, const float *values, int count) {
    int most = colors->blocks ? VALUES_BLOCK : SOME;
    for (int done = 0; done < count;) {
        const float *rest = values + done;
        uint8_t *at = pixel + 3 * (size_t)done;
        int some = colors->blocks ? blocks_row(colors, at, rest, count - done) : 0;
        if (some == 0) {
            some = int_min(count - done, most);
            draw_some(colors, at, rest, some);
        }
        done += some;
    }
}
