/* Questions about how wide heads are, what they cost, and their scale. */
#include <math.h>

#include "app/lessons/quiz_parts.h"
#include "model/analysis/cost.h"

static CostCall call_of(const QuizShapes *s) {
    return (CostCall){s->batch, s->queries, s->keys, s->width, s->heads, s->head_width};
}

void quiz_make_head_width(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_text(draft, "Width %d, %d heads, batch %d: how many columns has one head?", s->width,
              s->heads, s->batch);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(s->head_width));
    quiz_offer(
        draft,
        "With the full width in every head, parameters and operations would be multiplied by the "
        "heads.",
        QUIZ_CHOICE(s->width));
    quiz_offer(draft, "That is the number of heads.", QUIZ_CHOICE(s->heads));
    quiz_offer(draft, "The batch takes no part in it.", QUIZ_CHOICE(s->width / s->batch));
    quiz_why(draft, "The heads share the %d columns out among them: %d / %d = %d.", s->width,
             s->width, s->heads, s->head_width);
}

void quiz_make_head_matrix(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_text(draft,
              "Width %d, %d heads: which shape has the part of the query weight that makes one "
              "head's queries, stored [out, in] as nn.Linear does?",
              s->width, s->heads);
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->head_width, s->width));
    quiz_offer(draft, "That is the part of all heads together.", QUIZ_CHOICE(s->width, s->width));
    quiz_offer(draft, "A head reads all columns of the source, not its own slice of it.",
               QUIZ_CHOICE(s->head_width, s->head_width));
    quiz_offer(draft, "That is [in, out].", QUIZ_CHOICE(s->width, s->head_width));
    quiz_why(draft,
             "A head reads all %d columns of the source and makes its own %d / %d = %d of them, so "
             "its rows of the weight are %d x %d.",
             s->width, s->width, s->heads, s->head_width, s->head_width, s->width);
}

void quiz_make_parameters(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    CostCall call = call_of(s);
    int64_t square = (int64_t)s->width * s->width;
    quiz_text(draft,
              "Width %d, %d heads of width / heads each, no biases: how many parameters have the "
              "four projections (query, key, value, output) together?",
              s->width, s->heads);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(cost_parameters(call, false)));
    quiz_offer(draft, "That multiplies by the heads, which share the width out among them.",
               QUIZ_CHOICE(cost_parameters(cost_full_width(call), false)));
    quiz_offer(draft, "The output projection counts as well.", QUIZ_CHOICE(3 * square));
    quiz_offer(draft, "That is the share of one head.", QUIZ_CHOICE(4 * square / s->heads));
    quiz_why(draft, "Each of the four is %d x %d, whatever the heads: 4 x %lld = %ld.", s->width,
             s->width, (long long)square, cost_parameters(call, false));
}

void quiz_make_flat(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    int64_t before = (int64_t)s->width / s->heads_before * s->width;
    int64_t one = (int64_t)s->head_width * s->width, all = s->heads * one;
    quiz_text(draft,
              "Width %d. The heads go from %d to %d. How many parameters has the query matrix of "
              "one head then, and how many have those of all heads together? (two numbers)",
              s->width, s->heads_before, s->heads);
    quiz_right(draft, QUIZ_PAIR, QUIZ_CHOICE(one, all));
    quiz_offer(draft, "That gives every head the full width.", QUIZ_CHOICE(all, all * s->heads));
    quiz_offer(draft, "The head becomes narrower as heads become more.",
               QUIZ_CHOICE(before, before * s->heads));
    quiz_offer(draft, "There are more heads now than before.",
               QUIZ_CHOICE(one, one * s->heads_before));
    quiz_why(
        draft,
        "A head has %d / %d = %d columns, so %d x %d = %lld parameters, and %d of them have %d x "
        "%lld = %lld, as many as %d %s of %d / %d = %d columns had: more heads are narrower, and "
        "cost no parameters.",
        s->width, s->heads, s->head_width, s->head_width, s->width, (long long)one, s->heads,
        s->heads, (long long)one, (long long)all, s->heads_before,
        s->heads_before == 1 ? "head" : "heads", s->width, s->heads_before,
        s->width / s->heads_before);
}

void quiz_make_full_width(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    CostCall call = call_of(s);
    int64_t square = (int64_t)s->width * s->width;
    quiz_text(draft,
              "If each of %d heads had the full width %d instead of width / heads (UDL problem "
              "12.5), how many parameters would the four projections have, without biases?",
              s->heads, s->width);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(cost_parameters(cost_full_width(call), false)));
    quiz_offer(draft, "That is with width / heads in each head.",
               QUIZ_CHOICE(cost_parameters(call, false)));
    quiz_offer(draft, "The output projection would read the columns of all heads, too.",
               QUIZ_CHOICE((3 * s->heads + 1) * square));
    quiz_offer(draft, "Only one side of each matrix grows.",
               QUIZ_CHOICE(4 * s->heads * s->heads * square));
    quiz_why(draft,
             "The heads would have %d x %d = %d columns together, and each of the four matrices "
             "that many times %d: %d times as much as with width / heads.",
             s->heads, s->width, s->heads * s->width, s->width, s->heads);
}

void quiz_make_scale(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    int room[2 * QUIZ_NUMBERS * 9]; /* B, H and Tq at most 4, 6 and 9 */
    AttentionRule rule =
        attention_rule_make((AttentionMistakes){0}, quiz_mask(s), quiz_sizes(s), room);
    AttentionRule wide = attention_rule_make((AttentionMistakes){.scale = SCALE_ROOT_WIDTH},
                                             quiz_mask(s), quiz_sizes(s), room);
    quiz_text(draft,
              "Width %d, %d heads, %d queries, %d keys: scores are divided by the square root of "
              "which number?",
              s->width, s->heads, s->queries, s->keys);
    quiz_right(draft, QUIZ_NUMBER, QUIZ_CHOICE(lround(1 / (rule.scale * rule.scale))));
    quiz_offer(draft, "A product sums over the columns of one head, not over all.",
               QUIZ_CHOICE(lround(1 / (wide.scale * wide.scale))));
    quiz_offer(draft, "The number of heads takes no part in it but by their width.",
               QUIZ_CHOICE(s->heads));
    quiz_offer(draft, "The softmax is over the keys, but the product sums over columns.",
               QUIZ_CHOICE(s->keys));
    quiz_why(draft,
             "A score sums %d / %d = %d products, so its spread grows with the root of %d; scores "
             "are divided by that root, %.4g.",
             s->width, s->heads, s->head_width, s->head_width, 1 / rule.scale);
}
