/* Attention of one head of one example. The products of a head are tiny (12x16 by 16x12): a general
 * matrix product would spend its time on packing, so these keep blocks of rows in registers. */
#include "model/base/minmax.h"
#include "model/kernels/kernels.h"
#include "model/kernels/vec_tile.h"

/* c[rows, vecs*LANES] = a b for one tile; the last vector has `last` lanes. */
VEC_INLINE void product_tile(real *c, long c_row, Factor a, const real *b, long b_row, int depth,
                             int rows, int vecs, int last) {
    vec sum[TILE_ROWS][2];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vecs; j++)
            sum[i][j] = vec_all(0);
    tile_sum(sum, a, b, b_row, depth, rows, vecs, last);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vecs; j++)
            tile_store(c + i * c_row + j * LANES, sum[i][j], j == vecs - 1 ? last : LANES);
}

#define PRODUCT_TILE(n) product_tile(c, c_row, a, b, b_row, depth, n, vecs, last)

/* The same for a number of rows that is known only at run time. */
VEC_INLINE void product_rows(real *c, long c_row, Factor a, const real *b, long b_row, int depth,
                             int rows, int vecs, int last) {
    TILE_FOR_ROWS(rows, PRODUCT_TILE);
}

/* c[rows, cols] = a b with b [depth, cols]; at most TILE_ROWS rows. */
static void product_strip(real *c, long c_row, Factor a, const real *b, long b_row, int rows,
                          int cols, int depth) {
    int j = 0;
    for (; j + 2 * LANES <= cols; j += 2 * LANES)
        product_rows(c + j, c_row, a, b + j, b_row, depth, rows, 2, LANES);
    for (; j + LANES <= cols; j += LANES)
        product_rows(c + j, c_row, a, b + j, b_row, depth, rows, 1, LANES);
    if (j < cols) product_rows(c + j, c_row, a, b + j, b_row, depth, rows, 1, cols - j);
}

/* The same for any number of rows. */
static void product(real *c, long c_row, Factor a, const real *b, long b_row, int rows, int cols,
                    int depth) {
    for (int i = 0; i < rows; i += TILE_ROWS) {
        Factor below = {a.data + i * a.row, a.row, a.col};
        int strip = int_min(rows - i, TILE_ROWS);
        product_strip(c + i * c_row, c_row, below, b, b_row, strip, cols, depth);
    }
}

/* Rounded up to whole vectors: softmax_row discards what lies past the visible keys. */
static int round_up(int visible) {
    return (visible + LANES - 1) / LANES * LANES;
}

static int longest(const int *key_len, int queries) {
    int max = 0;
    for (int t = 0; t < queries; t++)
        max = int_max(max, key_len[t]);
    return max;
}

static int shortest(const int *key_len, int queries) {
    int min = key_len[0];
    for (int t = 1; t < queries; t++)
        min = int_min(min, key_len[t]);
    return min;
}

/* True if no number of these rows is infinite or NaN: 0 times such a number is NaN. */
static bool all_finite(const real *x, long row, int rows, int cols) {
    vec sum = vec_all(0);
    for (int t = 0; t < rows; t++, x += row)
        for (int i = 0; i < cols; i += LANES)
            sum += tile_load(x + i, cols - i) * 0;
    return vec_sum_lanes(sum) == 0;
}

/* c[rows, cols] = factors x: each row of factors, 0 past its key_len, mixes the rows of x that its
 * query sees. All rows are computed together up to the longest key_len: a factor past a row's own
 * key_len is 0 and adds nothing. If it would multiply an infinity or NaN, each row is computed
 * alone. */
static void mix_strip(real *c, long c_row, const real *factors, long length, const real *x,
                      long x_row, const int *key_len, int rows, int cols) {
    int min = shortest(key_len, rows), max = longest(key_len, rows);
    if (min == max || all_finite(x + min * x_row, x_row, max - min, cols)) {
        product_strip(c, c_row, (Factor){factors, length, 1}, x, x_row, rows, cols, max);
        return;
    }
    for (int i = 0; i < rows; i++)
        product_strip(c + i * c_row, c_row, (Factor){factors + i * length, length, 1}, x, x_row, 1,
                      cols, key_len[i]);
}

/* c[keys, cols] = factors^T x: each key sums the rows of x whose queries see it. The factor
 * of a query that does not see the key is 0; infinities and NaN are avoided as in mix_strip. */
static void mix_queries(real *c, long c_row, const real *factors, long length, const real *x,
                        long x_row, const int *key_len, int queries, int keys, int cols) {
    if (shortest(key_len, queries) == keys || all_finite(x, x_row, queries, cols)) {
        product(c, c_row, (Factor){factors, 1, length}, x, x_row, keys, cols, queries);
        return;
    }
    for (int j = 0; j < keys; j++)
        memset(c + j * c_row, 0, (size_t)cols * sizeof *c);
    for (int t = 0; t < queries; t++, factors += length, x += x_row)
        for (int j = 0; j < key_len[t]; j++)
            for (int i = 0; i < cols; i++)
                c[j * c_row + i] += factors[j] * x[i];
}

/* row = softmax(scale * row) over its first `visible` numbers; exactly 0 in the rest of `length`, a
 * multiple of LANES. The maximum is subtracted before scaling, so that its exponential is
 * exactly 1. The maximum may skip a NaN, the sum does not. */
static void softmax_row(real *row, int visible, int length, real scale) {
    int whole = round_up(visible);
    int last = visible - (whole - LANES); /* lanes of the last vector in use */
    if (visible > 0) {
        const real low = -(real)INFINITY;
        vec max = vec_all(low);
        for (int j = 0; j < whole - LANES; j += LANES)
            max = vec_max(max, vec_load(row + j));
        max = vec_max(max, vec_first(vec_load(row + whole - LANES), low, last));
        vec top = vec_all(vec_max_lanes(max));
        vec total = vec_all(0), e = vec_all(0);
        for (int j = 0; j < whole; j += LANES) {
            e = vec_exp((vec_load(row + j) - top) * scale);
            if (j == whole - LANES) e = vec_first(e, 0, last);
            vec_store(row + j, e);
            total += e;
        }
        vec share = vec_all(1 / vec_sum_lanes(total));
        for (int j = 0; j < whole - LANES; j += LANES)
            vec_store(row + j, vec_load(row + j) * share);
        vec_store(row + whole - LANES, vec_first(e * share, 0, last)); /* the share may be NaN */
    }
    for (int j = whole; j < length; j += LANES)
        vec_store(row + j, vec_all(0));
}

static const real *head_of(HeadTensor tensor, int example, int head) {
    HeadFold fold = tensor.fold;
    return tensor.data + example * fold.example + (head / fold.group) * fold.head;
}

/* to = weights * dropout of `rows` rows; `index` is that of the first weight. */
static void drop_weights(real *to, const real *weights, Dropout dropout, long index, int rows,
                         int length) {
    for (long i = 0; i < (long)rows * length; i++)
        to[i] = weights[i] * dropout_factor(dropout, (uint32_t)(index + i));
}

/* x(0..count) y(0..count) */
VEC_INLINE real dot(const real *x, const real *y, int count) {
    int whole = count / LANES * LANES, rest = count - whole;
    vec sum = vec_all(0);
    for (int i = 0; i < whole; i += LANES)
        sum += vec_load(x + i) * vec_load(y + i);
    if (rest) sum += vec_load_part(x + whole, rest) * vec_load_part(y + whole, rest);
    return vec_sum_lanes(sum);
}

/* One query, as in decoding: the keys are read in place, since transposing them would cost more
 * than the product. */
static void attend_alone(const Attention *call, const real *query, const real *key,
                         const real *value, real *context, real *weights, real *dropped,
                         int visible, long map) {
    AttentionSizes n = call->sizes;
    int length = attention_row(n.keys);
    for (int j = 0; j < visible; j++)
        weights[j] = dot(query, key + j * call->key.fold.row, n.head_width);
    for (int j = visible; j < round_up(visible); j++)
        weights[j] = 0;
    softmax_row(weights, visible, length, call->scale);
    const real *mix = weights;
    if (call->dropout.threshold) {
        drop_weights(dropped, weights, call->dropout, map * length, 1, length);
        mix = dropped;
    }
    product_strip(context, call->context.fold.row, (Factor){mix, length, 1}, value,
                  call->value.fold.row, 1, n.head_width, visible);
}

void SIMD_NAME(kernel_attention_forward)(const Attention *call, int example, int head,
                                         real *scratch) {
    AttentionSizes n = call->sizes;
    int length = attention_row(n.keys);
    long map = ((long)example * n.heads + head) * n.queries;
    const int *key_len = call->key_len + map;
    const real *query = head_of(call->query, example, head);
    const real *key = head_of(call->key, example, head);
    const real *value = head_of(call->value, example, head);
    real *context = (real *)head_of(call->context, example, head);
    long query_row = call->query.fold.row, context_row = call->context.fold.row;

    real *key_columns = scratch; /* [D, length] */
    real *dropped = key_columns + (long)n.head_width * length;
    if (n.queries == 1) {
        attend_alone(call, query, key, value, context, call->weights + map * length, dropped,
                     key_len[0], map);
        return;
    }
    tile_transpose_rows(key_columns, length, key, call->key.fold.row, n.head_width,
                        longest(key_len, n.queries));
    for (int t = 0; t < n.queries; t += TILE_ROWS) {
        int rows = int_min(n.queries - t, TILE_ROWS);
        int visible = longest(key_len + t, rows);
        real *weights = call->weights + (map + t) * length;
        Factor queries = {query + t * query_row, query_row, 1};
        product_strip(weights, length, queries, key_columns, length, rows, round_up(visible),
                      n.head_width);
        for (int i = 0; i < rows; i++)
            softmax_row(weights + (long)i * length, key_len[t + i], length, call->scale);
        const real *mix = weights;
        if (call->dropout.threshold) {
            drop_weights(dropped, weights, call->dropout, (map + t) * length, rows, length);
            mix = dropped;
        }
        mix_strip(context + t * context_row, context_row, mix, length, value, call->value.fold.row,
                  key_len + t, rows, n.head_width);
    }
}

/* Replaces d_weights by d_score = weights * (d_weights - sum(weights * d_weights)) * scale, the
 * Jacobian of softmax (D2L problem of 11.3); 0 past the visible keys. */
static void softmax_row_backward(real *d_row, const real *weights, int visible, int length,
                                 real scale) {
    int whole = round_up(visible);
    vec total = vec_all(0);
    for (int j = 0; j < whole; j += LANES) {
        vec d = vec_load(d_row + j);
        if (j + LANES > visible) d = vec_first(d, 0, visible - j);
        vec_store(d_row + j, d);
        total += d * vec_load(weights + j);
    }
    vec mean = vec_all(vec_sum_lanes(total));
    for (int j = 0; j < whole; j += LANES) {
        vec d = vec_load(weights + j) * (vec_load(d_row + j) - mean) * scale;
        if (j + LANES > visible) d = vec_first(d, 0, visible - j); /* the mean may be NaN */
        vec_store(d_row + j, d);
    }
    for (int j = whole; j < length; j += LANES)
        vec_store(d_row + j, vec_all(0));
}

void SIMD_NAME(kernel_attention_backward)(HeadTensor d_query, HeadTensor d_key, HeadTensor d_value,
                                          HeadTensor d_context, const Attention *call, int example,
                                          int head, real *scratch) {
    AttentionSizes n = call->sizes;
    int length = attention_row(n.keys), width = n.head_width;
    long map = ((long)example * n.heads + head) * n.queries;
    const int *key_len = call->key_len + map;
    const real *weights = call->weights + map * length;
    const real *query = head_of(call->query, example, head);
    const real *key = head_of(call->key, example, head);
    const real *value = head_of(call->value, example, head);
    const real *above = head_of(d_context, example, head);
    real *d_q = (real *)head_of(d_query, example, head);
    real *d_k = (real *)head_of(d_key, example, head);
    real *d_v = (real *)head_of(d_value, example, head);
    long above_row = d_context.fold.row, key_row = call->key.fold.row;

    real *value_columns = scratch;                         /* [D, length] */
    real *d_scores = value_columns + (long)width * length; /* [Tq, length] */
    real *dropped = d_scores + (long)n.queries * length;   /* [Tq, length] */
    const real *mix = weights;
    if (call->dropout.threshold) {
        drop_weights(dropped, weights, call->dropout, map * length, n.queries, length);
        mix = dropped;
    }
    int seen = longest(key_len, n.queries);
    tile_transpose_rows(value_columns, length, value, call->value.fold.row, width, seen);
    for (int t = 0; t < n.queries; t += TILE_ROWS) {
        int rows = int_min(n.queries - t, TILE_ROWS);
        int visible = longest(key_len + t, rows);
        real *d_block = d_scores + (long)t * length;
        Factor d_rows = {above + t * above_row, above_row, 1};
        product_strip(d_block, length, d_rows, value_columns, length, rows, round_up(visible),
                      width);
        if (call->dropout.threshold)
            for (int i = 0; i < rows; i++)
                drop_weights(d_block + (long)i * length, d_block + (long)i * length, call->dropout,
                             (map + t + i) * length, 1, visible);
        for (int i = 0; i < rows; i++)
            softmax_row_backward(d_block + (long)i * length, weights + (long)(t + i) * length,
                                 key_len[t + i], length, call->scale);
        mix_strip(d_q + t * d_query.fold.row, d_query.fold.row, d_block, length, key, key_row,
                  key_len + t, rows, width);
    }
    mix_queries(d_k, d_key.fold.row, d_scores, length, query, call->query.fold.row, key_len,
                n.queries, n.keys, width);
    mix_queries(d_v, d_value.fold.row, mix, length, above, above_row, key_len, n.queries, n.keys,
                width);
}
