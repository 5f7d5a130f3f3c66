/* Questions about valid lengths beside folded rows, about what each query sees, and about where
 * each number goes when heads are folded. */
#include "app/lessons/quiz_parts.h"

enum { MAX_STEPS = 9, MAX_RULE_ROOM = 2 * QUIZ_NUMBERS * MAX_STEPS };

/* --- lengths beside folded rows --------------------------------------------------------------- */

/* The valid length that each folded row reads under this kind of mistake. */
static QuizChoice lens_beside_rows(const QuizShapes *s, LengthsKind kind) {
    int room[MAX_RULE_ROOM];
    MaskSource mask = {.valid_lens = s->valid_lens};
    AttentionRule rule =
        attention_rule_make((AttentionMistakes){.lengths = kind}, mask, quiz_sizes(s), room);
    QuizChoice choice = {.count = s->batch * s->heads};
    for (int row = 0; row < choice.count; row++)
        choice.numbers[row] = rule.key_end[row * s->queries];
    return choice;
}

static void ask_lens_beside_rows(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    char lens[QUIZ_LINE];
    quiz_list_text(lens, s->valid_lens, s->batch);
    quiz_text(
        draft,
        "%d examples with valid_lens %s, %d heads folded into the batch: which length belongs "
        "beside each of the %d folded rows?",
        s->batch, lens, s->heads, s->batch * s->heads);
    quiz_right(draft, QUIZ_LIST, lens_beside_rows(s, LENGTHS_REPEATED));
    quiz_offer(draft, "That is tiled: row r reads the length of example r mod batch.",
               lens_beside_rows(s, LENGTHS_TILED));
    quiz_offer(draft, "Those are another example's lengths.", lens_beside_rows(s, LENGTHS_NEXT));
    quiz_offer(draft, "Those are another example's lengths.",
               lens_beside_rows(s, LENGTHS_REVERSED));
    quiz_offer(draft, "A valid length is a count of keys, not an index.",
               lens_beside_rows(s, LENGTHS_ONE_LESS));
    quiz_why(
        draft,
        "Row example x %d + head belongs to its example, so %d rows of one example lie side by "
        "side, and each length is repeated %d times (repeat_interleave).",
        s->heads, s->heads, s->heads);
}

static void ask_tiled_row(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    QuizChoice right = lens_beside_rows(s, LENGTHS_REPEATED);
    QuizChoice tiled = lens_beside_rows(s, LENGTHS_TILED);
    for (int i = 0; i < right.count && right.numbers[s->row] == tiled.numbers[s->row]; i++)
        s->row = (s->row + 1) % right.count;
    char lens[QUIZ_LINE];
    quiz_list_text(lens, s->valid_lens, s->batch);
    int example = s->row / s->heads, read = s->row % s->batch;
    quiz_text(
        draft,
        "valid_lens %s of %d examples are tiled over %d heads (valid_lens.repeat(%d)) instead "
        "of repeated per head. Which length does folded row %d, counted from 0, read?",
        lens, s->batch, s->heads, s->heads, s->row);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(tiled.numbers[s->row]));
    quiz_offer(draft, "That is what it should read, and would with repeat_interleave.",
               QUIZ_CHOICE(right.numbers[s->row]));
    for (int b = 0; b < s->batch; b++)
        quiz_offer(draft, "That is another example's length.", QUIZ_CHOICE(s->valid_lens[b]));
    quiz_offer(draft, "That is all keys, the padding with them.", QUIZ_CHOICE(s->keys));
    quiz_why(draft,
             "Tiled, row %d reads the length of example %d mod %d = %d, but it belongs to example "
             "%d / %d = %d: %lld keys are seen where %lld are valid, and no shape tells.",
             s->row, s->row, s->batch, read, s->row, s->heads, example,
             (long long)tiled.numbers[s->row], (long long)right.numbers[s->row]);
}

static void ask_tiled_count(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    QuizChoice right = lens_beside_rows(s, LENGTHS_REPEATED);
    QuizChoice tiled = lens_beside_rows(s, LENGTHS_TILED);
    int wrong = 0;
    for (int row = 0; row < right.count; row++)
        wrong += right.numbers[row] != tiled.numbers[row];
    char lens[QUIZ_LINE], right_text[QUIZ_LINE], tiled_text[QUIZ_LINE];
    int rows[2][QUIZ_NUMBERS];
    for (int row = 0; row < right.count; row++) {
        rows[0][row] = (int)right.numbers[row];
        rows[1][row] = (int)tiled.numbers[row];
    }
    quiz_list_text(lens, s->valid_lens, s->batch);
    quiz_list_text(right_text, rows[0], right.count);
    quiz_list_text(tiled_text, rows[1], right.count);
    quiz_text(
        draft,
        "valid_lens %s of %d examples are tiled over %d heads (valid_lens.repeat(%d)) instead "
        "of repeated per head. How many of the %d folded rows read a wrong length?",
        lens, s->batch, s->heads, s->heads, right.count);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(wrong));
    quiz_offer(draft, "All shapes agree, but the rows do not.", QUIZ_CHOICE(0));
    quiz_offer(draft, "Some rows meet the right length by chance.", QUIZ_CHOICE(right.count));
    quiz_offer(draft, "Those are the rows that meet the right length by chance.",
               QUIZ_CHOICE(right.count - wrong));
    quiz_why(draft, "Right is %s, tiled is %s: they differ in %d places.", right_text, tiled_text,
             wrong);
}

static void ask_no_repeat(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    int lengths = s->batch * s->queries, rows = lengths * s->heads;
    quiz_text(draft,
              "Batch %d, %d queries, %d keys, %d heads. The repeat of valid_lens per head is left "
              "out. D2L's masked softmax then repeats each length once a query, and sets them "
              "against scores flattened to rows of keys. How many lengths meet how many rows? (two "
              "numbers)",
              s->batch, s->queries, s->keys, s->heads);
    quiz_right(draft, QUIZ_PAIR, QUIZ_CHOICE(lengths, rows));
    quiz_offer(draft, "That is with the repeat per head, where they agree.",
               QUIZ_CHOICE(rows, rows));
    quiz_offer(draft, "That is before each length is repeated for the queries.",
               QUIZ_CHOICE(s->batch, s->batch * s->heads));
    quiz_offer(draft, "The scores still have a row for each head.", QUIZ_CHOICE(lengths, lengths));
    quiz_why(draft,
             "%d x %d = %d lengths cannot mask %d x %d x %d = %d rows, so this mistake fails "
             "loudly, where tiling runs.",
             s->batch, s->queries, lengths, s->batch, s->heads, s->queries, rows);
}

/* --- what a query sees ------------------------------------------------------------------------ */

typedef struct MaskMistake {
    AttentionMistakes mistakes;
    const char *note;
} MaskMistake;

static const MaskMistake mask_mistakes[] = {
    {{.causal = CAUSAL_MISSING}, "The causal mask is left out."},
    {{.causal = CAUSAL_ADDED}, "There is no causal mask at this site."},
    {{.lengths = LENGTHS_IGNORED}, "The valid length is left out."},
    {{.causal = CAUSAL_ONE_LESS}, "A query sees the key of its own step, too."},
    {{.lengths = LENGTHS_NEXT}, "That is with another example's length."},
    {{.causal = CAUSAL_ONE_MORE}, "That looks one step into the future."},
    {{.lengths = LENGTHS_INVERTED}, "That sees the padding and masks the rest."},
};
enum { MASK_MISTAKES = sizeof mask_mistakes / sizeof mask_mistakes[0] };

/* How many keys query t of example b sees. */
static int visible_keys(const QuizShapes *s, AttentionMistakes mistakes, int b, int t) {
    int room[MAX_RULE_ROOM];
    AttentionRule rule = attention_rule_make(mistakes, quiz_mask(s), quiz_sizes(s), room);
    int at = b * s->heads * s->queries + t;
    return rule.key_end[at] - rule.key_first[at];
}

/* Describes the masks of the site. */
static const char *mask_text(Site site) {
    return site == SITE_ENCODER   ? "the sources have valid_lens"
           : site == SITE_DECODER ? "the causal mask is on, and the targets have valid_lens"
                                  : "the sources have valid_lens";
}

static void ask_visible_keys(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_self_where_self(draft);
    char lens[QUIZ_LINE];
    quiz_list_text(lens, s->valid_lens, s->batch);
    quiz_text(draft,
              "In %s of %d queries and %d keys, %s %s. How many keys does query %d of example %d "
              "see, both counted from 0?",
              quiz_site_name(s->site), s->queries, s->keys, mask_text(s->site), lens, s->step,
              s->example);
    int right = visible_keys(s, (AttentionMistakes){0}, s->example, s->step);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(right));
    for (int i = 0; i < MASK_MISTAKES; i++)
        quiz_offer(draft, mask_mistakes[i].note,
                   QUIZ_CHOICE(visible_keys(s, mask_mistakes[i].mistakes, s->example, s->step)));
    int length = s->valid_lens[s->example];
    if (s->site == SITE_DECODER)
        quiz_why(draft,
                 "Query %d may look back at %d keys, its own among them, and the length of example "
                 "%d is %d: the smaller is %d.",
                 s->step, s->step + 1, s->example, length, right);
    else
        quiz_why(draft,
                 "No causal mask stands at %s: every query of example %d sees its %d valid "
                 "keys.",
                 quiz_site_name(s->site), s->example, length);
}

/* The masked cells of one map of example b. */
static int masked_cells(const QuizShapes *s, AttentionMistakes mistakes, int b) {
    int masked = 0;
    for (int t = 0; t < s->queries; t++)
        masked += s->keys - visible_keys(s, mistakes, b, t);
    return masked;
}

static void ask_masked_cells(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_self_where_self(draft);
    char lens[QUIZ_LINE];
    quiz_list_text(lens, s->valid_lens, s->batch);
    quiz_text(draft,
              "In %s of %d queries and %d keys with %d heads, %s %s. How many cells are masked in "
              "one head's map of example %d, counted from 0?",
              quiz_site_name(s->site), s->queries, s->keys, s->heads, mask_text(s->site), lens,
              s->example);
    int right = masked_cells(s, (AttentionMistakes){0}, s->example);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(right));
    for (int i = 0; i < MASK_MISTAKES; i++)
        quiz_offer(draft, mask_mistakes[i].note,
                   QUIZ_CHOICE(masked_cells(s, mask_mistakes[i].mistakes, s->example)));
    int length = s->valid_lens[s->example];
    if (s->site == SITE_DECODER)
        quiz_why(draft,
                 "Query t sees the smaller of t + 1 and %d keys, in all %d of the %d x %d = %d "
                 "cells; %d are masked, in every head the same.",
                 length, s->queries * s->keys - right, s->queries, s->keys, s->queries * s->keys,
                 right);
    else
        quiz_why(draft,
                 "Each of the %d queries sees %d of %d keys, so %d x %d = %d cells are masked, in "
                 "every head the same.",
                 s->queries, length, s->keys, s->queries, s->keys - length, right);
}

/* --- folds ------------------------------------------------------------------------------------ */

static void ask_row_owner(QuizDraft *draft) {
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
static QuizChoice folded_place(const QuizShapes *s, FoldKind kind, long place) {
    HeadFold fold = fold_of_kind(kind, s->queries, s->heads, s->head_width);
    for (int b = 0; b < s->batch; b++)
        for (int h = 0; h < s->heads; h++)
            for (int t = 0; t < s->queries; t++)
                for (int i = 0; i < s->head_width; i++)
                    if (head_fold_at(fold, b, h, t, i) == place)
                        return QUIZ_CHOICE(b * s->heads + h, t, i);
    return QUIZ_CHOICE(-1);
}

static void ask_fold_cell(QuizDraft *draft) {
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
static QuizChoice packed_place(const QuizShapes *s, FoldKind kind) {
    HeadFold fold = fold_of_kind(kind, s->queries, s->heads, s->head_width);
    long place = head_fold_at(fold, s->row / s->heads, s->row % s->heads, s->step, s->element);
    long step = place / s->width;
    return QUIZ_CHOICE(step / s->queries, step % s->queries, place % s->width);
}

static bool same_place(QuizChoice a, QuizChoice b) {
    for (int i = 0; i < 3; i++)
        if (a.numbers[i] != b.numbers[i]) return false;
    return true;
}

static void ask_reshape_cell(QuizDraft *draft) {
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

const QuizKind quiz_kinds_of_masks[] = {
    {"lens-beside-rows", ask_lens_beside_rows},
    {"tiled-row", ask_tiled_row},
    {"tiled-count", ask_tiled_count},
    {"no-repeat", ask_no_repeat},
    {"visible-keys", ask_visible_keys},
    {"masked-cells", ask_masked_cells},
    {"row-owner", ask_row_owner},
    {"fold-cell", ask_fold_cell},
    {"reshape-cell", ask_reshape_cell},
    {0},
};
