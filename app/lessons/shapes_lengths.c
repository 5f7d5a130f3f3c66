/* Valid lengths and the decoder, of the lesson shapes. */
#include "app/lessons/call_shape.h"
#include "app/lessons/shapes_walk.h"
#include "model/kernels/mistakes.h"

enum { ROWS_MOST = 12, LIST = 40, STEPS_MOST = 8 };

/* How many keys each query of each folded row sees, [B*H,queries], as the kernel is told; NULL for
 * lack of memory. */
static const int *keys_seen(Pool *pool, AttentionSizes n, MaskSource mask, LengthsKind way) {
    int *room = pool_take(pool, (size_t)attention_rule_room(n) * sizeof *room);
    if (!room) return NULL;
    return attention_rule_make((AttentionMistakes){.lengths = way}, mask, n, room).key_end;
}

/* A row of the table that lines numbers up. */
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
    int shown = rows > ROWS_MOST ? ROWS_MOST - 1 : rows;
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
    int shown = target > STEPS_MOST ? STEPS_MOST - 1 : target;
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
