/* Tiles of matrix products in registers: blocks of rows by one or two vectors of columns. Only
 * files named *_simd.c include it. */
#ifndef HEADSCOPE_MODEL_KERNELS_VEC_TILE_H
#define HEADSCOPE_MODEL_KERNELS_VEC_TILE_H

#include "model/base/vec.h"

#define TILE_CASE(n, CALL)                                                                         \
    case n:                                                                                        \
        CALL(n);                                                                                   \
        break;
#define TILE_CASES_4(CALL)                                                                         \
    TILE_CASE(1, CALL) TILE_CASE(2, CALL) TILE_CASE(3, CALL) TILE_CASE(4, CALL)
#define TILE_CASES_6(CALL) TILE_CASES_4(CALL) TILE_CASE(5, CALL) TILE_CASE(6, CALL)
#define TILE_CASES_8(CALL) TILE_CASES_6(CALL) TILE_CASE(7, CALL) TILE_CASE(8, CALL)
#define TILE_CASES_12(CALL)                                                                        \
    TILE_CASES_8(CALL)                                                                             \
    TILE_CASE(9, CALL) TILE_CASE(10, CALL) TILE_CASE(11, CALL) TILE_CASE(12, CALL)

/* Rows of a tile. With 2 vectors of sums per row, 2 of columns and 1 of the factor, a tile fills
 * the 16 or 32 registers. At most as many rows as a vector has lanes, for tiles that are
 * transposed. */
#if defined(__AVX512F__) && !defined(HEADSCOPE_DOUBLE)
#define TILE_ROWS  12
#define TILE_CASES TILE_CASES_12
#elif defined(__AVX512F__)
#define TILE_ROWS  8
#define TILE_CASES TILE_CASES_8
#elif defined(__AVX2__) && defined(HEADSCOPE_DOUBLE)
#define TILE_ROWS  4
#define TILE_CASES TILE_CASES_4
#else
#define TILE_ROWS  6
#define TILE_CASES TILE_CASES_6
#endif

/* CALL(rows) with `rows` as a constant, 1 to TILE_ROWS. */
#define TILE_FOR_ROWS(rows, CALL)                                                                  \
    switch (rows) { TILE_CASES(CALL) }

/* A factor with two strides, so that its transpose uses the same code: element (i, p) is
 * data[i*row + p*col]. */
typedef struct Factor {
    const real *data;
    long row, col;
} Factor;

/* Loads up to LANES lanes, 0 in the others. */
VEC_INLINE vec tile_load(const real *from, int count) {
    return count < LANES ? vec_load_part(from, count) : vec_load(from);
}

/* Stores up to LANES lanes. */
VEC_INLINE void tile_store(real *to, vec value, int count) {
    if (count < LANES)
        vec_store_part(to, value, count);
    else
        vec_store(to, value);
}

/* sum[rows][vecs] += a[rows, depth] b[depth, columns]; the last vector of b has `last` lanes.
 * `rows` and `vecs` are constants at each call. Three rows of `a` share a pointer, since
 * there are fewer pointer registers than rows. */
VEC_INLINE void tile_sum(vec (*sum)[2], Factor a, const real *b, long b_row, int depth, int rows,
                         int vecs, int last) {
    const real *row[(TILE_ROWS + 2) / 3];
    for (int i = 0; i < rows; i += 3)
        row[i / 3] = a.data + i * a.row;
    for (int p = 0; p < depth; p++, b += b_row) {
        vec column[2];
        for (int j = 0; j < vecs; j++)
            column[j] = j == vecs - 1 ? tile_load(b + j * LANES, last) : vec_load(b + j * LANES);
        for (int i = 0; i < rows; i++) {
            vec factor = vec_all(row[i / 3][i % 3 * a.row]);
            for (int j = 0; j < vecs; j++)
                sum[i][j] += factor * column[j];
        }
        for (int i = 0; i < rows; i += 3)
            row[i / 3] += a.col;
    }
}

/* to[cols, to_row] = the transpose of from[rows, cols], in squares that are transposed in
 * registers; each row of `to` is padded with 0 to whole vectors. */
static inline void tile_transpose_rows(real *to, long to_row, const real *from, long from_row,
                                       int cols, int rows) {
    for (int j = 0; j < rows; j += LANES)
        for (int p = 0; p < cols; p += LANES) {
            vec square[LANES];
            for (int i = 0; i < LANES; i++)
                square[i] =
                    j + i < rows ? tile_load(from + (j + i) * from_row + p, cols - p) : vec_all(0);
            vec_transpose(square);
            for (int i = 0; i < LANES && p + i < cols; i++)
                vec_store(to + (p + i) * to_row + j, square[i]);
        }
}

#endif
