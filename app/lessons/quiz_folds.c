/* Questions about where each number goes when heads are folded: found by following indices. */
#include "app/lessons/quiz_parts.h"

void quiz_make_row_owner(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_text(
        draft,
        "%d examples and %d heads are folded to %d rows, as D2L does. Which example and which "
        "head is row %d, all counted from 0? (two numbers)",
        s->batch, s->heads, s->batch * s->heads, s->row);
    int64_t example = -1, head = -1;
    for (int b = 0, row = 0; b < s->batch; b++)
        for (int h = 0; h < s->heads; h++, row++)
            if (row == s->row) {
                example = b;
                head = h;
            }
    quiz_right(draft, QUIZ_PAIR, QUIZ_CHOICE(example, head));
    quiz_offer(draft, "That is as if the heads were outermost; then tiled lengths would be right.",
               QUIZ_CHOICE(s->row % s->batch, s->row / s->batch));
    quiz_offer(draft, "The example comes first.", QUIZ_CHOICE(head, example));
    quiz_offer(draft, "There are as many rows of an example as heads, not as examples.",
               QUIZ_CHOICE(s->row / s->batch, s->row % s->batch));
    quiz_why(draft, "Rows are example x %d + head: %d = %lld x %d + %lld.", s->heads, s->row,
             (long long)example, s->heads, (long long)head);
}

/* The folded row, step and element of the number at `place` of a packed [B,Tq,W]. */
static QuizChoice folded_place(const QuizShapes *s, FoldKind way, long place) {
    HeadFold fold = fold_of_kind(way, s->queries, s->heads, s->head_width);
    for (int b = 0; b < s->batch; b++)
        for (int h = 0; h < s->heads; h++)
            for (int t = 0; t < s->queries; t++)
                for (int i = 0; i < s->head_width; i++)
                    if (head_fold_at(fold, b, h, t, i) == place)
                        return QUIZ_CHOICE(b * s->heads + h, t, i);
    return QUIZ_CHOICE(-1);
}

void quiz_make_fold_cell(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    long place = ((long)s->example * s->queries + s->step) * s->width + s->column;
    int head = s->column / s->head_width;
    quiz_text(
        draft,
        "Queries of shape (%d,%d,%d) are split into %d heads and folded, right. Where does the "
        "number of example %d, step %d, column %d go: to which row, step and place in the "
        "head, all counted from 0?",
        s->batch, s->queries, s->width, s->heads, s->example, s->step, s->column);
    quiz_right(draft, QUIZ_SHAPE, folded_place(s, FOLD_SLICES, place));
    quiz_offer(draft, "There it goes with one reshape, which shuffles steps into heads.",
               folded_place(s, FOLD_RESHAPE, place));
    quiz_offer(draft, "There it goes where heads take every so-many-th column.",
               folded_place(s, FOLD_INTERLEAVED, place));
    quiz_offer(draft, "That row is of heads outermost.",
               QUIZ_CHOICE(head * s->batch + s->example, s->step, s->column % s->head_width));
    quiz_why(
        draft,
        "Column %d is head %d / %d = %d, place %d; row = %d x %d + %d = %d; the step stays %d.",
        s->column, s->column, s->head_width, head, s->column % s->head_width, s->example, s->heads,
        head, s->example * s->heads + head, s->step);
}

/* The example, step and column of [B,Tq,W] that a fold reads at the row, step and element. */
static QuizChoice packed_place(const QuizShapes *s, FoldKind way) {
    HeadFold fold = fold_of_kind(way, s->queries, s->heads, s->head_width);
    long place = head_fold_at(fold, s->row / s->heads, s->row % s->heads, s->step, s->element);
    long step = place / s->width;
    return QUIZ_CHOICE(step / s->queries, step % s->queries, place % s->width);
}

static bool same_place(QuizChoice a, QuizChoice b) {
    for (int i = 0; i < 3; i++)
        if (a.numbers[i] != b.numbers[i]) return false;
    return true;
}

void quiz_make_reshape_cell(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    for (int i = 0; i < s->queries; i++)
        if (same_place(packed_place(s, FOLD_RESHAPE), packed_place(s, FOLD_SLICES)))
            s->step = (s->step + 1) % s->queries;
    QuizChoice found = packed_place(s, FOLD_RESHAPE), right = packed_place(s, FOLD_SLICES);
    int head = s->row % s->heads;
    long within = ((long)head * s->queries + s->step) * s->head_width + s->element;
    quiz_text(
        draft,
        "Queries of shape (%d,%d,%d) are split into %d heads with one reshape to (%d,%d,%d), a "
        "mistake. The number that lands in row %d, step %d, place %d: of which example, step "
        "and column was it, all counted from 0?",
        s->batch, s->queries, s->width, s->heads, s->batch * s->heads, s->queries, s->head_width,
        s->row, s->step, s->element);
    quiz_right(draft, QUIZ_SHAPE, found);
    quiz_offer(draft, "That is what belongs there, and what view and transpose would bring.",
               right);
    quiz_offer(draft, "That comes where heads take every so-many-th column.",
               packed_place(s, FOLD_INTERLEAVED));
    quiz_why(
        draft,
        "A reshape moves nothing: in example %lld the place is number (%d x %d + %d) x %d + %d "
        "= %ld, which is step %ld / %d = %lld, column %lld; step %lld, column %lld belongs "
        "there.",
        (long long)found.numbers[0], head, s->queries, s->step, s->head_width, s->element, within,
        within, s->width, (long long)found.numbers[1], (long long)found.numbers[2],
        (long long)right.numbers[1], (long long)right.numbers[2]);
}
