#include "app/lessons/provenance_drawing.h"

enum { MAX_CELLS = 1600, MAX_COLUMNS = 120, MAX_ROWS = 64 };

ProvenanceShape provenance_drawing_part(ProvenanceShape n) {
    long width = (long)n.heads * n.head_width, line = (long)n.steps * n.head_width;
    if (provenance_count(n) <= MAX_CELLS && width <= MAX_COLUMNS && line <= MAX_COLUMNS &&
        n.batch * n.steps <= MAX_ROWS && n.batch * n.heads <= MAX_ROWS)
        return n;
    const ProvenanceShape max = {.batch = 2, .steps = 5, .heads = 5, .head_width = 2};
    if (n.batch > max.batch) n.batch = max.batch;
    if (n.steps > max.steps) n.steps = max.steps;
    if (n.heads > max.heads) n.heads = max.heads;
    if (n.head_width > max.head_width) n.head_width = max.head_width;
    return n;
}

static bool start(ProvenanceDrawing *drawing, Pool *pool, int rows, int columns) {
    size_t count = (size_t)rows;
    *drawing = (ProvenanceDrawing){
        .cells = pool_take(pool, count * (size_t)columns * sizeof *drawing->cells),
        .names = pool_take(pool, count * sizeof *drawing->names),
        .notes = pool_take(pool, count * sizeof *drawing->notes),
        .tones = pool_take(pool, count * sizeof *drawing->tones),
    };
    drawing->tensor = (LessonTensor){
        .rows = rows, .columns = columns, .cells = drawing->cells, .row_names = drawing->names};
    return !pool->failed;
}

static int common_divisor(int a, int b) {
    return b ? common_divisor(b, a % b) : a;
}

/* The i-th of `part` evenly spaced numbers in 0..all-1. The spacing is coprime to the heads, or a
 * fold that shuffles heads would show the same head again and again. */
static int spread(int all, int part, int heads, int i) {
    int step = part > 1 ? (all - 1) / (part - 1) : 1;
    while (common_divisor(heads, step) > 1)
        step--;
    return i * step;
}

static int step_of(ProvenanceShape n, ProvenanceShape part, int i) {
    return spread(n.steps, part.steps, n.heads, i);
}

static int element_of(ProvenanceShape n, ProvenanceShape part, int i) {
    return spread(n.head_width, part.head_width, n.heads, i);
}

int provenance_drawing_step(ProvenanceShape n, int index) {
    return step_of(n, provenance_drawing_part(n), index);
}

static LessonOrigin origin_of(Provenance from) {
    return (LessonOrigin){from.example, from.step, from.head, from.element};
}

/* [B,steps,W], one row per step; if joined, as written by `fold`. */
static bool draw_packed(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n, bool joined,
                        HeadFold fold) {
    ProvenanceShape part = provenance_drawing_part(n);
    int columns = part.heads * part.head_width;
    if (!start(drawing, pool, part.batch * part.steps, columns)) return false;
    HeadFold right = fold_of_kind(FOLD_SLICES, n.steps, n.heads, n.head_width);
    for (int row = 0; row < drawing->tensor.rows; row++) {
        int b = row / part.steps, t = step_of(n, part, row % part.steps);
        drawing->names[row] = pool_format(pool, "b%d t%d", b, t);
        for (int column = 0; column < columns; column++) {
            int h = column / part.head_width;
            int i = element_of(n, part, column % part.head_width);
            long index = head_fold_at(right, b, h, t, i);
            drawing->cells[row * columns + column] =
                origin_of(joined ? provenance_written(fold, n, index) : provenance_at(n, index));
        }
    }
    drawing->tensor.row_group = part.steps;
    drawing->tensor.column_group = part.head_width;
    return true;
}

bool provenance_drawing_unsplit(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n) {
    return draw_packed(drawing, pool, n, false, (HeadFold){0});
}

bool provenance_drawing_joined(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n,
                               HeadFold fold) {
    return draw_packed(drawing, pool, n, true, fold);
}

bool provenance_drawing_folded(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n,
                               HeadFold fold) {
    ProvenanceShape part = provenance_drawing_part(n);
    int columns = part.steps * part.head_width;
    if (!start(drawing, pool, part.batch * part.heads, columns)) return false;
    for (int row = 0; row < drawing->tensor.rows; row++) {
        int b = row / part.heads, h = row % part.heads;
        drawing->names[row] = pool_format(pool, "%d: b%d h%d", b * n.heads + h, b, h);
        for (int column = 0; column < columns; column++) {
            Provenance place = {b, h, step_of(n, part, column / part.head_width),
                                element_of(n, part, column % part.head_width)};
            drawing->cells[row * columns + column] = origin_of(provenance_read(fold, n, place));
        }
    }
    drawing->tensor.row_group = part.heads;
    drawing->tensor.column_group = part.head_width;
    return true;
}

/* Sets the ranges of the colours to the origins that are drawn, so that no shade is unused. */
static void begin_tensors(LessonMaker *maker, const ProvenanceDrawing *drawings, int count,
                          ProvenanceShape n) {
    ProvenanceShape part = provenance_drawing_part(n);
    int examples = part.batch, heads = part.heads;
    int steps = step_of(n, part, part.steps - 1) + 1;
    for (int i = 0; i < count; i++)
        for (int cell = 0; cell < drawings[i].tensor.rows * drawings[i].tensor.columns; cell++) {
            LessonOrigin origin = drawings[i].cells[cell];
            if (origin.example >= examples) examples = origin.example + 1;
            if (origin.step >= steps) steps = origin.step + 1;
            if (origin.head >= heads) heads = origin.head + 1;
        }
    lesson_tensors(maker, NULL, examples, steps, heads);
}

void provenance_drawing_add(LessonMaker *maker, const ProvenanceDrawing *drawings, int count,
                            ProvenanceShape n) {
    begin_tensors(maker, drawings, count, n);
    for (int i = 0; i < count; i++)
        lesson_tensor(maker, &drawings[i].tensor);
}
