#include "app/lessons/shapes_walk.h"

#include "app/lessons/call_shape.h"

/* --- who supplies what --------------------------------------------------------------------------
 */

static void add_site(LessonMaker *maker, const ShapesCall *call, Site site, const char *name,
                     const char *from_query, const char *from_key, int queries, int keys,
                     const char *mask) {
    Pool *pool = lesson_pool(maker);
    const char *query = call_dims(pool, 3, call->batch, queries, call->width);
    const char *key = call_dims(pool, 3, call->batch, keys, call->width);
    const char *scores = call_dims(pool, 3, call->batch * call->heads, queries, keys);
    bool here = site == call->site;
    lesson_row(maker, here ? TONE_STRONG : TONE_PLAIN, "%s%s\t%s %s\t%s %s\t%s %s\t%s\t%s",
               here ? "> " : "  ", name, from_query, query, from_key, key, from_key, key, scores,
               mask);
}

void shapes_walk_sites(LessonMaker *maker, const ShapesCall *call) {
    int source = call->keys, target = call->queries;
    lesson_heading(maker, "Who supplies queries, keys and values");
    lesson_text(maker, TONE_PLAIN,
                "There are three sites. They differ only in where the three inputs come from, and "
                "in the mask. Here the source has %d steps and the target %d.",
                source, target);
    lesson_table(maker, NULL, "  site\t~queries\t~keys\t~values\tfolded scores\t~mask");
    add_site(maker, call, SITE_ENCODER, "self", "encoder's input", "encoder's input", source,
             source, "valid lengths of the source");
    add_site(maker, call, SITE_DECODER, "decoder", "decoder's input", "decoder's input", target,
             target, "query t sees keys 0 to t");
    add_site(maker, call, SITE_CROSS, "cross", "decoder", "encoder's output", target, source,
             "valid lengths of the source");
}

/* --- the walk -----------------------------------------------------------------------------------
 */

/* One row: what is done, and the shapes in the three conventions. */
static void step(LessonMaker *maker, const char *name, const char *done, const char *folded,
                 const char *own_axis, const char *columns) {
    lesson_row(maker, TONE_PLAIN, "%s\t%s\t%s\t%s\t%s", name, done, folded, own_axis, columns);
}

/* What all rows need. */
typedef struct Walk {
    LessonMaker *maker;
    Pool *pool;
    const ShapesCall *call;
    int rows;                /* B*H */
    const char *query, *key; /* (B,Tq,W), (B,Tk,W) */
} Walk;

static void walk_input(const Walk *walk) {
    const ShapesCall *c = walk->call;
    bool one = c->site != SITE_CROSS;
    const char *lens = c->lens ? call_dims(walk->pool, 1, c->batch) : "none";
    step(walk->maker, "input", one ? "all three read the same X" : "source of the queries",
         walk->query, walk->query, pool_format(walk->pool, "X: %d x %d", c->width, c->queries));
    if (!one)
        step(walk->maker, "", "source of keys and values", walk->key, walk->key,
             pool_format(walk->pool, "X: %d x %d", c->width, c->keys));
    step(walk->maker, "", "valid lengths", lens, lens,
         c->lens ? pool_format(walk->pool, "%d, of example 0", c->lens[0]) : "none");
}

static void walk_projections(const Walk *walk) {
    const ShapesCall *c = walk->call;
    Pool *pool = walk->pool;
    const char *matrix = call_dims(pool, 2, c->width, c->width);
    step(walk->maker, "projections", "W_q, W_k and W_v, each", matrix, matrix,
         pool_format(pool, "Ω_qh, Ω_kh, Ω_vh: %d x %d", c->head_width, c->width));
    step(walk->maker, "", "queries", walk->query, walk->query,
         pool_format(pool, "Q_h = β_qh 1ᵀ + Ω_qh X: %d x %d (12.10)", c->head_width, c->queries));
    step(walk->maker, "", "keys", walk->key, walk->key,
         pool_format(pool, "K_h = β_kh 1ᵀ + Ω_kh X: %d x %d (12.10)", c->head_width, c->keys));
    step(walk->maker, "", "values", walk->key, walk->key,
         pool_format(pool, "V_h = β_vh 1ᵀ + Ω_vh X: %d x %d (12.10)", c->head_width, c->keys));
}

static void walk_split(const Walk *walk) {
    const ShapesCall *c = walk->call;
    Pool *pool = walk->pool;
    const char *parted = call_dims(pool, 4, c->batch, c->queries, c->heads, c->head_width);
    const char *swapped = call_dims(pool, 4, c->batch, c->heads, c->queries, c->head_width);
    const char *keys = call_dims(pool, 4, c->batch, c->heads, c->keys, c->head_width);
    const char *folded_keys = call_dims(pool, 3, walk->rows, c->keys, c->head_width);
    step(walk->maker, "split", "reshape the width into heads", parted, parted,
         "nothing to do: each head has its own matrices");
    step(walk->maker, "", "swap steps and heads", swapped, swapped, "");
    step(walk->maker, "", "fold heads into the batch: queries",
         call_dims(pool, 3, walk->rows, c->queries, c->head_width), swapped,
         pool_format(pool, "Q_h: %d x %d", c->head_width, c->queries));
    step(walk->maker, "", "keys, in the same way", folded_keys, keys,
         pool_format(pool, "K_h: %d x %d", c->head_width, c->keys));
    step(walk->maker, "", "values, in the same way", folded_keys, keys,
         pool_format(pool, "V_h: %d x %d", c->head_width, c->keys));
}

static void walk_mask(const Walk *walk) {
    const ShapesCall *c = walk->call;
    Pool *pool = walk->pool;
    if (c->site == SITE_DECODER)
        step(walk->maker, "mask", "lengths of each query, repeated for each head",
             call_dims(pool, 2, walk->rows, c->queries),
             call_dims(pool, 4, c->lens ? c->batch : 1, 1, c->queries, c->keys),
             "below the diagonal (key > query): -inf");
    else if (c->lens)
        step(walk->maker, "mask", "one length for each folded row", call_dims(pool, 1, walk->rows),
             call_dims(pool, 4, c->batch, 1, 1, c->keys), "rows of keys past the length: -inf");
    else
        step(walk->maker, "mask", "no valid lengths: all keys are seen", "none", "none", "none");
}

static void walk_attention(const Walk *walk) {
    const ShapesCall *c = walk->call;
    Pool *pool = walk->pool;
    const char *folded = call_dims(pool, 3, walk->rows, c->queries, c->keys);
    const char *own_axis = call_dims(pool, 4, c->batch, c->heads, c->queries, c->keys);
    step(walk->maker, "scores", pool_format(pool, "queries times keysᵀ / √%d", c->head_width),
         folded, own_axis,
         pool_format(pool, "K_hᵀ Q_h / √%d: %d x %d (12.11)", c->head_width, c->keys, c->queries));
    walk_mask(walk);
    step(walk->maker, "softmax", "over the keys, the last axis", folded, own_axis,
         pool_format(pool, "over each column: %d x %d (12.11)", c->keys, c->queries));
    step(walk->maker, "mix", "weights times values",
         call_dims(pool, 3, walk->rows, c->queries, c->head_width),
         call_dims(pool, 4, c->batch, c->heads, c->queries, c->head_width),
         pool_format(pool, "Sa_h = V_h Softmax[...]: %d x %d (12.11)", c->head_width, c->queries));
}

static void walk_output(const Walk *walk) {
    const ShapesCall *c = walk->call;
    Pool *pool = walk->pool;
    const char *unfolded = call_dims(pool, 4, c->batch, c->heads, c->queries, c->head_width);
    const char *swapped = call_dims(pool, 4, c->batch, c->queries, c->heads, c->head_width);
    step(walk->maker, "concatenation", "unfold the batch", unfolded, unfolded, "");
    step(walk->maker, "", "swap heads and steps back", swapped, swapped, "");
    step(walk->maker, "", "reshape the heads into the width", walk->query, walk->query,
         pool_format(pool, "Sa_1 to Sa_%d stacked: %d x %d (12.12)", c->heads, c->width,
                     c->queries));
    step(walk->maker, "output", "the output projection W_o", walk->query, walk->query,
         pool_format(pool, "Ω_c times that: %d x %d (12.12)", c->width, c->queries));
}

void shapes_walk_steps(LessonMaker *maker, const ShapesCall *c) {
    Pool *pool = lesson_pool(maker);
    Walk walk = {
        .maker = maker,
        .pool = pool,
        .call = c,
        .rows = c->batch * c->heads,
        .query = call_dims(pool, 3, c->batch, c->queries, c->width),
        .key = call_dims(pool, 3, c->batch, c->keys, c->width),
    };
    lesson_heading(maker, "The walk");
    lesson_text(maker, TONE_PLAIN,
                "%d / %d = %d: each head is %d wide, %d from %d over %d heads. The matrix W_q is "
                "%d x %d. A head owns %d rows of it: its query matrix is %d x %d.",
                c->width, c->heads, c->head_width, c->head_width, c->head_width, c->width, c->heads,
                c->width, c->width, c->head_width, c->head_width, c->width);
    lesson_text(maker, TONE_PLAIN,
                "Three ways to write the same call. D2L folds the heads into the batch, so that "
                "%d x %d = %d small attentions run side by side. Others keep the heads on an axis "
                "of their own. UDL chapter 12 (equations 12.10 to 12.12) takes one example and one "
                "head at a time, and its tokens are columns: X is D x N.",
                c->batch, c->heads, walk.rows);
    lesson_table(maker, NULL,
                 "step\t~what is done\tfolded (D2L)\theads on an axis\t~columns (UDL 12)");
    walk_input(&walk);
    walk_projections(&walk);
    walk_split(&walk);
    walk_attention(&walk);
    walk_output(&walk);
}
