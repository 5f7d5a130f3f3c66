#include "app/lessons/shapes_walk.h"

#include "app/lessons/call_shape.h"
#include "model/kernels/mistakes.h"

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

/* Adds a row: an operation and its shape in the three conventions. */
static void step(LessonMaker *maker, const char *name, const char *done, const char *folded,
                 const char *own_axis, const char *columns) {
    lesson_row(maker, TONE_PLAIN, "%s\t%s\t%s\t%s\t%s", name, done, folded, own_axis, columns);
}

/* The arguments of all functions that add rows. */
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
    const char *split = call_dims(pool, 4, c->batch, c->queries, c->heads, c->head_width);
    const char *swapped = call_dims(pool, 4, c->batch, c->heads, c->queries, c->head_width);
    const char *keys = call_dims(pool, 4, c->batch, c->heads, c->keys, c->head_width);
    const char *folded_keys = call_dims(pool, 3, walk->rows, c->keys, c->head_width);
    step(walk->maker, "split", "reshape the width into heads", split, split,
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

/* --- valid lengths -------------------------------------------------------------------------------
 */

enum { MAX_ROWS = 12, LIST = 40, MAX_STEPS = 8 };

/* Returns the number of keys that each query of each folded row sees, [B*H,queries]; NULL if out of
 * memory. */
static const int *keys_seen(Pool *pool, AttentionSizes n, MaskSource mask, LengthsKind kind) {
    int *room = pool_take(pool, (size_t)attention_rule_room(n) * sizeof *room);
    if (!room) return NULL;
    return attention_rule_make((AttentionMistakes){.lengths = kind}, mask, n, room).key_end;
}

/* Adds a row to the table of lengths. */
static void list(LessonMaker *maker, LessonTone tone, const char *name, const char *dims,
                 const int *numbers, long count) {
    lesson_row(maker, tone, "%s\t%s\t%s", name, dims,
               call_list(lesson_pool(maker), numbers, count, LIST));
}

void shapes_walk_lengths(LessonMaker *maker, const ShapesCall *c) {
    Pool *pool = lesson_pool(maker);
    lesson_heading(maker, "How the valid lengths line up with the folded rows");
    if (!c->lens) {
        lesson_text(maker, TONE_PLAIN, "There are none here: every query sees all %d keys.",
                    c->keys);
        return;
    }
    int rows = c->batch * c->heads;
    AttentionSizes of_rows = {c->batch, c->heads, 1, c->keys, c->head_width};
    AttentionSizes of_queries = of_rows;
    of_queries.queries = c->queries;
    MaskSource mask = {.valid_lens = c->lens};
    const int *repeated = keys_seen(pool, of_rows, mask, LENGTHS_REPEATED);
    const int *tiled = keys_seen(pool, of_rows, mask, LENGTHS_TILED);
    const int *flat = keys_seen(pool, of_queries, mask, LENGTHS_REPEATED);
    if (!repeated || !tiled || !flat) return;
    bool differs = false;
    for (int row = 0; row < rows; row++)
        differs = differs || repeated[row] != tiled[row];
    if (c->heads == 1)
        lesson_text(maker, TONE_PLAIN,
                    "With one head a folded row is an example: nothing to repeat.");
    else
        lesson_text(
            maker, TONE_PLAIN,
            "Folded rows 0 to %d are the %d heads of example 0%s. So each length is repeated "
            "%d times. Without the repeat there %s %d length%s for %d rows, and the program "
            "stops. Tiled by mistake, the shape is right and the lengths are %s.",
            c->heads - 1, c->heads,
            c->batch > 1 ? pool_format(pool, ", the next %d those of the next example", c->heads)
                         : "",
            c->heads, c->batch == 1 ? "is" : "are", c->batch, c->batch == 1 ? "" : "s", rows,
            differs ? "not" : "right all the same: of one example, or of equal lengths");
    lesson_table(maker, NULL, "\tshape\tnumbers");
    list(maker, TONE_PLAIN, "valid_lens", call_dims(pool, 1, c->batch), c->lens, c->batch);
    list(maker, TONE_GOOD, "repeated for each head", call_dims(pool, 1, rows), repeated, rows);
    list(maker, differs ? TONE_WRONG : TONE_PLAIN,
         differs ? "tiled by mistake" : "tiled by mistake (the same here)",
         call_dims(pool, 1, rows), tiled, rows);
    long queries = (long)rows * c->queries;
    list(maker, TONE_PLAIN, "then for each query", call_dims(pool, 1, (int)queries), flat, queries);
}

/* --- the decoder --------------------------------------------------------------------------------
 */

void shapes_walk_training(LessonMaker *maker, const ShapesCall *c) {
    Pool *pool = lesson_pool(maker);
    int target = c->queries, rows = c->batch * c->heads;
    AttentionSizes n = {c->batch, c->heads, target, target, c->head_width};
    AttentionSizes unfolded = n;
    unfolded.heads = 1;
    MaskSource mask = {.valid_lens = c->site == SITE_DECODER ? c->lens : NULL, .causal = true};
    const int *lens = keys_seen(pool, unfolded, mask, LENGTHS_REPEATED);
    if (!lens) return;
    MaskSource per_query = {.valid_lens = lens, .per_query = true};
    const int *folded = keys_seen(pool, n, per_query, LENGTHS_REPEATED);
    if (!folded) return;
    lesson_heading(maker, "The decoder in training: a length for each query");
    lesson_text(maker, TONE_PLAIN,
                "All %d target steps are read at once, and query t may see keys 0 to t%s. So the "
                "decoder's lengths have two axes: dec_valid_lens is %s. Repeated for each head it "
                "is %s: the %d rows of an example are alike. Flat, for the scores, it is %s.",
                target, mask.valid_lens ? ", and none past the valid length" : "",
                call_dims(pool, 2, c->batch, target), call_dims(pool, 2, rows, target), c->heads,
                call_dims(pool, 1, (int)((long)rows * target)));
    lesson_table(maker, NULL, ">folded row\t>example\t>head\tlengths of its queries");
    int shown = rows > MAX_ROWS ? MAX_ROWS - 1 : rows;
    for (int row = 0; row < rows; row++) {
        if (row >= shown && row < rows - 1) continue;
        if (row >= shown) lesson_row(maker, TONE_FAINT, "...\t\t\t%d rows in all", rows);
        lesson_row(maker, TONE_PLAIN, "%d\t%d\t%d\t%s", row, row / c->heads, row % c->heads,
                   call_list(pool, folded + (long)row * target, target, LIST));
    }
}

void shapes_walk_prediction(LessonMaker *maker, const ShapesCall *c) {
    Pool *pool = lesson_pool(maker);
    int target = c->queries, source = c->keys, rows = c->batch * c->heads;
    lesson_heading(maker, "The decoder at prediction: the keys grow");
    lesson_text(maker, TONE_PLAIN,
                "Now one step is written at a time. There is one query, and its keys and values "
                "are all steps so far. Nothing of the future is there, so there is nothing to "
                "mask. In cross-attention the keys stay the %d of the source.",
                source);
    lesson_table(maker, NULL,
                 ">step\tquery\tkeys, values\tfolded query\tfolded keys\tweights\tcross weights");
    int shown = target > MAX_STEPS ? MAX_STEPS - 1 : target;
    for (int t = 1; t <= target; t++) {
        if (t > shown && t < target) continue;
        if (t > shown) lesson_row(maker, TONE_FAINT, "...");
        lesson_row(
            maker, TONE_PLAIN, "%d\t%s\t%s\t%s\t%s\t%s\t%s", t - 1,
            call_dims(pool, 3, c->batch, 1, c->width), call_dims(pool, 3, c->batch, t, c->width),
            call_dims(pool, 3, rows, 1, c->head_width), call_dims(pool, 3, rows, t, c->head_width),
            call_dims(pool, 3, rows, 1, t), call_dims(pool, 3, rows, 1, source));
    }
}
