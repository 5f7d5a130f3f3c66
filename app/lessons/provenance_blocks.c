#include "app/lessons/provenance_blocks.h"

#include "app/lessons/call_shape.h"
#include "app/lessons/provenance_drawing.h"

void provenance_blocks_crop(LessonMaker *maker, ProvenanceShape queries, ProvenanceShape keys) {
    ProvenanceShape q = provenance_drawing_part(queries), k = provenance_drawing_part(keys);
    if (provenance_count(q) == provenance_count(queries) &&
        provenance_count(k) == provenance_count(keys))
        return;
    lesson_text(maker, TONE_FAINT,
                "The tensors are too large to be drawn whole. Drawn are the first %d of %d "
                "examples and the first %d of %d heads, and of their %d steps and %d numbers a few "
                "evenly apart. The figures count all numbers.",
                q.batch, queries.batch, q.heads, queries.heads, queries.steps, queries.head_width);
}

/* --- the split ----------------------------------------------------------------------------------
 */

static const FoldKind folds[] = {FOLD_SLICES, FOLD_RESHAPE, FOLD_INTERLEAVED};
enum { FOLDS = sizeof folds / sizeof *folds };

/* Counts misplaced numbers under a fold: those of one example, times the batch. */
static ProvenanceCount count_fold(FoldKind kind, ProvenanceShape n) {
    HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
    int batch = n.batch;
    n.batch = 1;
    ProvenanceCount count = provenance_count_fold(fold, n);
    count.all *= batch;
    count.misplaced *= batch;
    count.wrong_head *= batch;
    count.wrong_step *= batch;
    count.wrong_element *= batch;
    return count;
}

static LessonTone tone_of(FoldKind kind, long misplaced) {
    return kind == FOLD_SLICES ? TONE_GOOD : misplaced ? TONE_WRONG : TONE_PLAIN;
}

/* Why a wrong fold changes nothing on this shape. */
static const char *why_harmless(FoldKind kind, ProvenanceShape n) {
    if (n.heads == 1) return "Nothing changes: one head is the whole width.";
    if (kind == FOLD_INTERLEAVED) return "Nothing changes: every head is one column wide.";
    return "Nothing changes: there is only one step.";
}

/* Counts the different heads and steps that end up in folded row 0. */
static void count_mixed(int *heads, int *steps, Pool *pool, FoldKind kind, ProvenanceShape n) {
    HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
    bool *met_head = pool_take(pool, (size_t)n.heads), *met_step = pool_take(pool, (size_t)n.steps);
    *heads = *steps = 0;
    for (int t = 0; t < n.steps && met_head && met_step; t++)
        for (int i = 0; i < n.head_width; i++) {
            Provenance from = provenance_read(fold, n, (Provenance){0, 0, t, i});
            *heads += !met_head[from.head];
            *steps += !met_step[from.step];
            met_head[from.head] = met_step[from.step] = true;
        }
}

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

static const char *seen_in_split(Pool *pool, FoldKind kind, ProvenanceShape n, long misplaced) {
    if (kind == FOLD_SLICES)
        return "Clean slabs: each row is one head of one example, and all its steps in order.";
    if (!misplaced) return why_harmless(kind, n);
    int heads, steps;
    count_mixed(&heads, &steps, pool, kind, n);
    if (kind == FOLD_RESHAPE)
        return pool_format(pool,
                           "Positions are shuffled into heads: row 0 should hold head 0 of all %d "
                           "steps, and holds %d head%s of %d step%s.",
                           n.steps, heads, plural(heads), steps, plural(steps));
    return pool_format(pool,
                       "Steps stay in order, but row 0 takes every column that is 0 modulo %d: "
                       "numbers of %d head%s.",
                       n.heads, heads, plural(heads));
}

static const char *split_code(Pool *pool, FoldKind kind, ProvenanceShape n) {
    const char *folded = call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width);
    const char *split = call_dims(pool, 4, n.batch, n.steps, n.heads, n.head_width);
    const char *interleaved = call_dims(pool, 4, n.batch, n.steps, n.head_width, n.heads);
    if (kind == FOLD_RESHAPE) return pool_format(pool, "reshape%s at once", folded);
    if (kind == FOLD_INTERLEAVED)
        return pool_format(pool, "reshape%s, permute(0,3,1,2), reshape%s", interleaved, folded);
    return pool_format(pool, "reshape%s, permute(0,2,1,3), reshape%s", split, folded);
}

static const char *const names[] = {
    [FOLD_SLICES] = "right", [FOLD_RESHAPE] = "one reshape", [FOLD_INTERLEAVED] = "interleaved"};

/* How add_folds shows each fold, after the tensor before it. */
typedef struct FoldBlocks {
    bool (*draw)(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n, HeadFold fold);
    const char *shape;   /* of what a fold gives */
    const char *columns; /* of the table */
    const char *(*code)(Pool *pool, FoldKind kind, ProvenanceShape n);
    const char *(*seen)(Pool *pool, FoldKind kind, ProvenanceShape n, long misplaced);
} FoldBlocks;

static void add_folds(LessonMaker *maker, ProvenanceDrawing before, const FoldBlocks *blocks,
                      ProvenanceShape n) {
    Pool *pool = lesson_pool(maker);
    ProvenanceDrawing drawings[1 + FOLDS] = {before};
    ProvenanceCount counts[FOLDS];
    for (int i = 0; i < FOLDS; i++) {
        FoldKind kind = folds[i];
        counts[i] = count_fold(kind, n);
        HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
        if (!blocks->draw(&drawings[1 + i], pool, n, fold)) return;
        LessonTensor *tensor = &drawings[1 + i].tensor;
        tensor->title = pool_format(pool, "%s, %s", blocks->shape, names[kind]);
        tensor->note =
            pool_format(pool, "%ld of %ld in a wrong head", counts[i].wrong_head, counts[i].all);
        tensor->tone = tone_of(kind, counts[i].misplaced);
    }
    provenance_drawing_add(maker, drawings, 1 + FOLDS, n);
    lesson_table(maker, NULL, blocks->columns);
    for (int i = 0; i < FOLDS; i++)
        lesson_row(maker, tone_of(folds[i], counts[i].misplaced), "%s\t%s\t%ld\t%ld\t%s",
                   names[folds[i]], blocks->code(pool, folds[i], n), counts[i].wrong_head,
                   counts[i].wrong_step, blocks->seen(pool, folds[i], n, counts[i].misplaced));
}

void provenance_blocks_split(LessonMaker *maker, ProvenanceShape n, const char *of) {
    Pool *pool = lesson_pool(maker);
    ProvenanceDrawing before;
    if (!provenance_drawing_unsplit(&before, pool, n)) return;
    int width = n.heads * n.head_width;
    before.tensor.title =
        pool_format(pool, "%s %s, not split", of, call_dims(pool, 3, n.batch, n.steps, width));
    FoldBlocks blocks = {
        .draw = provenance_drawing_folded,
        .shape = call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width),
        .columns = "split\t~as written\t>wrong head\t>wrong step\t~what is seen",
        .code = split_code,
        .seen = seen_in_split,
    };
    add_folds(maker, before, &blocks, n);
}

/* --- concatenation ------------------------------------------------------------------------------
 */

static const char *concat_code(Pool *pool, FoldKind kind, ProvenanceShape n) {
    const char *heads = call_dims(pool, 4, n.batch, n.heads, n.steps, n.head_width);
    const char *joined = call_dims(pool, 3, n.batch, n.steps, n.heads * n.head_width);
    if (kind == FOLD_RESHAPE) return pool_format(pool, "reshape%s at once", joined);
    const char *axes = kind == FOLD_INTERLEAVED ? "(0,2,3,1)" : "(0,2,1,3)";
    return pool_format(pool, "reshape%s, permute%s, reshape%s", heads, axes, joined);
}

static const char *seen_in_concat(Pool *pool, FoldKind kind, ProvenanceShape n, long misplaced) {
    if (kind == FOLD_SLICES)
        return "Each step has the contexts of all heads side by side, head 0 first.";
    if (!misplaced) return why_harmless(kind, n);
    if (kind == FOLD_INTERLEAVED)
        return pool_format(pool,
                           "Steps are right, but the heads are dealt out like cards: column 1 is "
                           "of head %d.",
                           1 % n.heads);
    /* The first line of the joined tensor, as the reshape fills it. */
    int width = n.heads * n.head_width;
    HeadFold fold = fold_of_kind(kind, n.steps, n.heads, n.head_width);
    Provenance last = provenance_written(fold, n, width - 1);
    return pool_format(pool,
                       "The line of step 0 ends with head %d at step %d instead of head %d at "
                       "step 0: heads and steps are mixed.",
                       last.head, last.step, n.heads - 1);
}

void provenance_blocks_concat(LessonMaker *maker, ProvenanceShape n) {
    Pool *pool = lesson_pool(maker);
    ProvenanceDrawing before;
    HeadFold right = fold_of_kind(FOLD_SLICES, n.steps, n.heads, n.head_width);
    if (!provenance_drawing_folded(&before, pool, n, right)) return;
    before.tensor.title = pool_format(pool, "contexts %s",
                                      call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width));
    FoldBlocks blocks = {
        .draw = provenance_drawing_joined,
        .shape = call_dims(pool, 3, n.batch, n.steps, n.heads * n.head_width),
        .columns = "concatenation\t~as written\t>wrong head\t>wrong step\t~what is seen",
        .code = concat_code,
        .seen = seen_in_concat,
    };
    add_folds(maker, before, &blocks, n);
}
