/* The products of a linear layer. BLAS packs both factors into blocks, which dominates the time for
 * small matrices (one example, a narrow network). Here one factor is packed, a panel at a time; the
 * other is read in place. */
#include "model/base/minmax.h"
#include "model/kernels/kernels.h"
#include "model/kernels/vec_tile.h"

enum { LINEAR_OUTS = 8 };

/* y[0..outs) of `outs` adjacent rows of weight, read side by side: as many streams as the hardware
 * prefetchers follow, and independent sums. `outs` is a constant at each call. */
VEC_INLINE void linear_outs(real *y, const real *x, const real *weight, const real *bias, int outs,
                            int in) {
    vec sum[LINEAR_OUTS];
    int whole = in / LANES * LANES, rest = in - whole;
    for (int o = 0; o < outs; o++)
        sum[o] = vec_all(0);
    for (int i = 0; i < whole; i += LANES) {
        vec column = vec_load(x + i);
        for (int o = 0; o < outs; o++)
            sum[o] += vec_load(weight + (long)o * in + i) * column;
    }
    if (rest) {
        vec column = vec_load_part(x + whole, rest);
        for (int o = 0; o < outs; o++)
            sum[o] += vec_load_part(weight + (long)o * in + whole, rest) * column;
    }
    for (int o = 0; o < outs; o++)
        y[o] = vec_sum_lanes(sum[o]) + (bias ? bias[o] : 0);
}

void SIMD_NAME(kernel_linear_row)(real *y, const real *x, const real *weight, const real *bias,
                                  int out, int in) {
    int o = 0;
    for (; o + LINEAR_OUTS <= out; o += LINEAR_OUTS)
        linear_outs(y + o, x, weight + (long)o * in, bias ? bias + o : bias, LINEAR_OUTS, in);
    for (; o < out; o++)
        linear_outs(y + o, x, weight + (long)o * in, bias ? bias + o : bias, 1, in);
}

#ifdef __AVX512F__

enum {
    PANEL_COLS = 2 * LANES,
    PANEL_DEPTH = 512,
};

/* Where a product is written: `+=` with keep, else `=`, with `bias` added if there is one. */
typedef struct Target {
    real *data;
    long row;
    const real *bias; /* NULL: none */
    bool keep;
} Target;

/* --- tiles ------------------------------------------------------------------------------------ */

VEC_INLINE void store_sum(real *to, vec sum, int lanes, bool keep) {
    tile_store(to, keep ? sum + tile_load(to, lanes) : sum, lanes);
}

/* c[rows, cols] = a panel; the bias is one per column. */
VEC_INLINE void tile(Target c, Factor a, const real *panel, int depth, int cols, int rows,
                     int vecs) {
    vec sum[TILE_ROWS][2];
    int last = cols - (vecs - 1) * LANES;
    for (int j = 0; j < vecs; j++) {
        vec start =
            c.bias ? tile_load(c.bias + j * LANES, j == vecs - 1 ? last : LANES) : vec_all(0);
        for (int i = 0; i < rows; i++)
            sum[i][j] = start;
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vecs; j++)
            __builtin_prefetch(c.data + i * c.row + j * LANES, 1);
    tile_sum(sum, a, panel, (long)vecs * LANES, depth, rows, vecs, LANES);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vecs; j++)
            store_sum(c.data + i * c.row + j * LANES, sum[i][j], j == vecs - 1 ? last : LANES,
                      c.keep);
}

/* c[cols, rows] = the transpose of (a panel); the bias is one per row of the tile. */
VEC_INLINE void tile_transposed(Target c, Factor a, const real *panel, int depth, int cols,
                                int rows, int vecs) {
    vec sum[LANES][2];
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < vecs; j++)
            sum[i][j] = vec_all(c.bias && i < rows ? c.bias[i] : 0);
    tile_sum(sum, a, panel, (long)vecs * LANES, depth, rows, vecs, LANES);
    for (int j = 0; j < vecs; j++) {
        vec square[LANES];
        for (int i = 0; i < LANES; i++)
            square[i] = sum[i][j];
        vec_transpose(square);
        for (int i = 0; i < LANES; i++)
            if (j * LANES + i < cols)
                store_sum(c.data + (j * LANES + i) * c.row, square[i], rows, c.keep);
    }
}

VEC_INLINE void tile_either(Target c, Factor a, const real *panel, int depth, int cols, int rows,
                            bool transposed) {
    if (transposed && cols > LANES)
        tile_transposed(c, a, panel, depth, cols, rows, 2);
    else if (transposed)
        tile_transposed(c, a, panel, depth, cols, rows, 1);
    else if (cols > LANES)
        tile(c, a, panel, depth, cols, rows, 2);
    else
        tile(c, a, panel, depth, cols, rows, 1);
}

#define TILE_EITHER(n) tile_either(c, a, panel, depth, cols, n, transposed)

/* The same for a number of rows that is known only at run time. */
VEC_INLINE void tile_of_rows(Target c, Factor a, const real *panel, int depth, int cols, int rows,
                             bool transposed) {
    TILE_FOR_ROWS(rows, TILE_EITHER);
}

/* --- prefetching ------------------------------------------------------------------------------ */

enum { LINE = 64 / (int)sizeof(real) };

/* The cache lines that the next panel is packed from. Its rows are too far apart for the hardware
 * prefetcher, so they are prefetched while the current panel is multiplied. */
typedef struct Prefetch {
    const real *row_start;
    long row;
    int length, at; /* of a row, and how far it has been prefetched */
    int rows;       /* left */
} Prefetch;

VEC_INLINE void prefetch_lines(Prefetch *next, int lines) {
    for (; lines > 0 && next->rows > 0; lines--) {
        __builtin_prefetch(next->row_start + next->at, 0, 2);
        next->at += LINE;
        if (next->at < next->length) continue;
        next->at = 0;
        next->row_start += next->row;
        next->rows--;
    }
}

/* --- products --------------------------------------------------------------------------------- */

/* All rows of a times one panel, in strips of nearly equal height: a last strip of one row would be
 * slow, having too few independent sums. */
VEC_INLINE void panel_product(Target c, Factor a, const real *panel, int depth, int rows, int cols,
                              bool transposed, Prefetch next) {
    if (rows == 0) return;
    int strips = (rows + TILE_ROWS - 1) / TILE_ROWS;
    int lines = (next.length + LINE - 1) / LINE * next.rows / strips + 1;
    for (int strip = 0; strip < strips; strip++) {
        prefetch_lines(&next, lines);
        int first = (int)((long)rows * strip / strips);
        int end = (int)((long)rows * (strip + 1) / strips);
        Target part = {c.data + (transposed ? first : first * c.row), c.row,
                       transposed && c.bias ? c.bias + first : c.bias, c.keep};
        Factor from = {a.data + first * a.row, a.row, a.col};
        tile_of_rows(part, from, panel, depth, cols, end - first, transposed);
    }
}

typedef void Pack(real *panel, long panel_row, const real *b, long b_row, int depth, int cols);

/* The factor that is packed: element (p, j) at data[p*depth + j*col], where one stride is 1, and
 * the function that packs it. */
typedef struct PanelSource {
    const real *data;
    long depth, col;
    Pack *pack;
} PanelSource;

/* The part of b that makes the panel of `cols` columns from (p, j) on. */
VEC_INLINE Prefetch prefetch_of(PanelSource b, int p, int j, int depth, int cols) {
    const real *first = b.data + p * b.depth + j * b.col;
    return b.depth == 1 ? (Prefetch){first, b.col, depth, 0, cols}
                        : (Prefetch){first, b.depth, cols, 0, depth};
}

/* c[rows,cols] = a[rows,depth] b[depth,cols], or c[cols,rows] its transpose. */
VEC_INLINE void product_either(Target c, Factor a, PanelSource b, int rows, int cols, int depth,
                               bool transposed) {
    _Alignas(VEC_BYTES) real panel[PANEL_DEPTH * PANEL_COLS];
    for (int j = 0; j < cols; j += PANEL_COLS) {
        int width = int_min(cols - j, PANEL_COLS);
        const real *bias = c.bias && !transposed ? c.bias + j : c.bias;
        for (int p = 0; p < depth; p += PANEL_DEPTH) {
            int stretch = int_min(depth - p, PANEL_DEPTH);
            b.pack(panel, width > LANES ? PANEL_COLS : LANES, b.data + p * b.depth + j * b.col,
                   b.depth == 1 ? b.col : b.depth, stretch, width);
            Target part = {c.data + (transposed ? j * c.row : j), c.row, p > 0 ? NULL : bias,
                           c.keep || p > 0};
            bool last = p + stretch == depth;
            int next_p = last ? 0 : p + stretch, next_j = last ? j + PANEL_COLS : j;
            Prefetch next =
                next_j < cols ? prefetch_of(b, next_p, next_j, int_min(depth - next_p, PANEL_DEPTH),
                                            int_min(cols - next_j, PANEL_COLS))
                              : (Prefetch){0};
            panel_product(part, (Factor){a.data + p * a.col, a.row, a.col}, panel, stretch, rows,
                          width, transposed, next);
        }
    }
}

/* Not inlined: each is a dozen tiles, twice. */
static __attribute__((noinline)) void product(Target c, Factor a, PanelSource b, int rows, int cols,
                                              int depth) {
    product_either(c, a, b, rows, cols, depth, false);
}

static __attribute__((noinline)) void product_transposed(Target c, Factor a, PanelSource b,
                                                         int rows, int cols, int depth) {
    product_either(c, a, b, rows, cols, depth, true);
}

void SIMD_NAME(kernel_linear_rows)(real *y, const real *x, const real *weight, const real *bias,
                                   int rows, int out, int in) {
    Target c = {y, out, bias, false};
    /* Transposes the weights, or x and the result, whichever is less work. */
    if ((long)rows * (in + out) < (long)out * in)
        product_transposed(c, (Factor){weight, in, 1}, (PanelSource){x, 1, in, tile_transpose_rows},
                           out, rows, in);
    else
        product(c, (Factor){x, in, 1}, (PanelSource){weight, 1, in, tile_transpose_rows}, rows, out,
                in);
}

/* panel[depth, panel_row] = the columns of b[depth, cols], and 0 past them. */
static void copy_rows(real *panel, long panel_row, const real *b, long b_row, int depth, int cols) {
    for (int p = 0; p < depth; p++, b += b_row, panel += panel_row)
        for (int j = 0; j < cols; j += LANES)
            vec_store(panel + j, tile_load(b + j, cols - j));
}

void SIMD_NAME(kernel_linear_rows_input)(real *d_x, bool keep, const real *d_y, const real *weight,
                                         int rows, int out, int in) {
    product((Target){d_x, in, NULL, keep}, (Factor){d_y, out, 1},
            (PanelSource){weight, in, 1, copy_rows}, rows, in, out);
}

void SIMD_NAME(kernel_linear_rows_weight)(real *d_weight, const real *d_y, const real *x, int rows,
                                          int out, int in) {
    product((Target){d_weight, in, NULL, true}, (Factor){d_y, 1, out},
            (PanelSource){x, in, 1, copy_rows}, out, in, rows);
}
#endif
