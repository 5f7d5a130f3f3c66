/* Questions about valid lengths beside folded rows, and about what each query sees. */
#include "app/lessons/quiz_parts.h"

enum { MOST_STEPS = 9, MOST_ROOM = 2 * QUIZ_NUMBERS * MOST_STEPS };

/* --- lengths beside folded rows --------------------------------------------------------------- */

/* The length that each folded row reads, when lengths are lined up in this way. */
static QuizChoice lens_beside_rows(const QuizShapes *s, LengthsKind way) {
    int room[MOST_ROOM];
    MaskSource mask = {.valid_lens = s->valid_lens};
    AttentionRule rule =
        attention_rule_make((AttentionMistakes){.lengths = way}, mask, quiz_sizes(s), room);
    QuizChoice choice = {.count = s->batch * s->heads};
    for (int row = 0; row < choice.count; row++)
        choice.numbers[row] = rule.key_end[row * s->queries];
    return choice;
}

void quiz_make_lens_beside_rows(QuizDraft *draft) {
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

void quiz_make_tiled_row(QuizDraft *draft) {
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

void quiz_make_tiled_count(QuizDraft *draft) {
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

void quiz_make_no_repeat(QuizDraft *draft) {
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
    int room[MOST_ROOM];
    AttentionRule rule = attention_rule_make(mistakes, quiz_mask(s), quiz_sizes(s), room);
    int at = b * s->heads * s->queries + t;
    return rule.key_end[at] - rule.key_first[at];
}

/* How the masks of the site are told. */
static const char *mask_text(Site site) {
    return site == SITE_ENCODER   ? "the sources have valid_lens"
           : site == SITE_DECODER ? "the causal mask is on, and the targets have valid_lens"
                                  : "the sources have valid_lens";
}

void quiz_make_visible_keys(QuizDraft *draft) {
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

void quiz_make_masked_cells(QuizDraft *draft) {
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
