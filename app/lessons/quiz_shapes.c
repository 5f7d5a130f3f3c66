/* Questions about the shapes on the way through multi-head attention and what feeds it; how wide
 * heads are, what they cost, and their scale. */
#include <math.h>
#include <stddef.h>

#include "app/lessons/quiz_parts.h"
#include "model/analysis/cost.h"

/* The steps of queries, or of keys and values. */
static int steps_of(const QuizShapes *s) {
    return s->role == QUIZ_QUERIES ? s->queries : s->keys;
}

static void ask_folded_shape(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    int steps = steps_of(s);
    const char *role = quiz_role_name(s->role);
    quiz_text(draft,
              "Projected %s of shape (%d,%d,%d) = (batch, steps, width) are split into %d heads, "
              "and the heads are folded into the batch, as D2L does. Which shape have they then?",
              role, s->batch, steps, s->width, s->heads);
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->batch * s->heads, steps, s->head_width));
    quiz_offer(draft, "Each head would have the full width; it has width / heads.",
               QUIZ_CHOICE(s->batch * s->heads, steps, s->width));
    quiz_offer(draft, "That puts steps of several heads below each other in one example.",
               QUIZ_CHOICE(s->batch, steps * s->heads, s->head_width));
    quiz_offer(draft, "Steps and the columns of a head have changed places.",
               QUIZ_CHOICE(s->batch * s->heads, s->head_width, steps));
    quiz_why(draft,
             "Each of %d examples gives %d rows, one a head: %d x %d = %d; the steps stay %d, and "
             "each head has %d / %d = %d columns.",
             s->batch, s->heads, s->batch, s->heads, s->batch * s->heads, steps, s->width, s->heads,
             s->head_width);
}

static void ask_own_axis_shape(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    int steps = steps_of(s);
    quiz_text(
        draft,
        "Projected %s of shape (%d,%d,%d) = (batch, steps, width) are split into %d heads with "
        "view(...).transpose(1, 2), so that heads have an axis of their own. Which shape have "
        "they then?",
        quiz_role_name(s->role), s->batch, steps, s->width, s->heads);
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->batch, s->heads, steps, s->head_width));
    quiz_offer(draft, "That is after the view, before the transpose.",
               QUIZ_CHOICE(s->batch, steps, s->heads, s->head_width));
    quiz_offer(draft, "That is the folded layout: examples and heads on one axis.",
               QUIZ_CHOICE(s->batch * s->heads, steps, s->head_width));
    quiz_offer(draft, "Examples stay outermost.",
               QUIZ_CHOICE(s->heads, s->batch, steps, s->head_width));
    quiz_why(draft,
             "The view gives (%d,%d,%d,%d), the %d columns cut into %d heads of %d; the transpose "
             "then moves the heads before the %d steps.",
             s->batch, steps, s->heads, s->head_width, s->width, s->heads, s->head_width, steps);
}

static void ask_weights_shape(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    int source = s->keys, target = s->queries;
    quiz_self_where_self(draft);
    quiz_text(draft,
              "%d sources of %d tokens, targets of %d tokens, width %d, %d heads: which shape have "
              "the attention weights of %s in the folded layout?",
              s->batch, source, target, s->width, s->heads, quiz_site_name(s->site));
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->batch * s->heads, s->queries, s->keys));
    quiz_offer(draft, "Queries are rows, keys are columns.",
               QUIZ_CHOICE(s->batch * s->heads, s->keys, s->queries));
    quiz_offer(draft, "Every head has weights of its own.",
               QUIZ_CHOICE(s->batch, s->queries, s->keys));
    quiz_offer(draft, "The products have summed over the columns of a head.",
               QUIZ_CHOICE(s->batch * s->heads, s->queries, s->head_width));
    quiz_offer(draft,
               s->site == SITE_ENCODER
                   ? "That is cross-attention: here the queries are the source's."
                   : "That is cross-attention: here the keys are the target's.",
               QUIZ_CHOICE(s->batch * s->heads, target, source));
    quiz_why(draft,
             "At %s there are %d queries and %d keys, so each of %d x %d = %d folded rows has one "
             "map of %d x %d.",
             quiz_site_name(s->site), s->queries, s->keys, s->batch, s->heads, s->batch * s->heads,
             s->queries, s->keys);
}

static void ask_concat_shape(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    quiz_text(
        draft,
        "After the mix of values, the heads' contexts have shape (%d,%d,%d) = (batch x heads, "
        "queries, head width), with %d heads. Which shape has their concatenation, before the "
        "output projection?",
        s->batch * s->heads, s->queries, s->head_width, s->heads);
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->batch, s->queries, s->width));
    quiz_offer(draft, "That adds or averages heads; they stand side by side.",
               QUIZ_CHOICE(s->batch, s->queries, s->head_width));
    quiz_offer(draft, "That puts heads below each other instead of side by side.",
               QUIZ_CHOICE(s->batch, s->heads * s->queries, s->head_width));
    quiz_offer(draft, "The examples have to come back out of the folded rows.",
               QUIZ_CHOICE(s->batch * s->heads, s->queries, s->width));
    quiz_why(draft,
             "%d folded rows are %d examples of %d heads, and %d heads of %d columns side by side "
             "are %d x %d = %d columns for each of %d queries.",
             s->batch * s->heads, s->batch, s->heads, s->heads, s->head_width, s->heads,
             s->head_width, s->width, s->queries);
}

static void ask_growing_keys(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    s->batch = 1;
    s->keys = s->step + 1; /* what the decoder has read when it is at this step */
    quiz_text(draft,
              "At prediction the decoder writes one token after another for 1 source (width %d, %d "
              "heads). At step %d, the first being step 1, which shape have the folded keys of its "
              "self-attention, those of the steps before included?",
              s->width, s->heads, s->keys);
    quiz_right(draft, QUIZ_SHAPE, QUIZ_CHOICE(s->heads, s->keys, s->head_width));
    quiz_offer(draft, "That is the key of this step alone; the query has that shape.",
               QUIZ_CHOICE(s->heads, 1, s->head_width));
    quiz_offer(draft, "The query sees the token of its own step, too.",
               QUIZ_CHOICE(s->heads, s->keys - 1, s->head_width));
    quiz_offer(draft, "Each head would have the full width; it has width / heads.",
               QUIZ_CHOICE(s->heads, s->keys, s->width));
    quiz_why(draft,
             "At step %d the decoder has read %d tokens, and each gives a key of %d / %d = %d "
             "columns in each of 1 x %d folded rows.",
             s->keys, s->keys, s->width, s->heads, s->head_width, s->heads);
}

/* Encoder (X,X,X), decoder (Y,Y,Y), cross (Y,E,E): model/network/multihead.h. */
static QuizSource source_of(Site site, QuizRole role) {
    if (site == SITE_ENCODER) return QUIZ_X;
    return site == SITE_CROSS && role != QUIZ_QUERIES ? QUIZ_E : QUIZ_Y;
}

static void ask_source(QuizDraft *draft) {
    const QuizShapes *s = &draft->question->shapes;
    const char *role = quiz_role_name(s->role), *site = quiz_site_name(s->site);
    QuizSource right = source_of(s->site, s->role);
    quiz_text(draft,
              "X, the encoder's state, and E, the encoder's output, have shape (%d,%d,%d); Y, the "
              "decoder's state, has (%d,%d,%d). Which of them is projected to the %s of %s?",
              s->batch, s->keys, s->width, s->batch, s->queries, s->width, role, site);
    quiz_right(draft, QUIZ_WORDS, QUIZ_CHOICE(right));
    for (int source = 0; source < QUIZ_SOURCES; source++)
        quiz_offer(draft, NULL, QUIZ_CHOICE(source));
    int steps = right == QUIZ_Y ? s->queries : s->keys;
    if (s->site == SITE_CROSS)
        quiz_why(
            draft,
            "In cross-attention the decoder asks and the encoder answers: queries come from Y, "
            "keys and values from E, so that the %s have %d steps.",
            role, steps);
    else
        quiz_why(draft,
                 "In %s queries, keys and values all come from one tensor, here of %d steps.", site,
                 steps);
}

/* --- widths and cost ---------------------------------------------------------------------------
 */

static CostCall call_of(const QuizShapes *s) {
    return (CostCall){s->batch, s->queries, s->keys, s->width, s->heads, s->head_width};
}

static void ask_head_width(QuizDraft *draft) {
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

static void ask_head_matrix(QuizDraft *draft) {
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

static void ask_parameters(QuizDraft *draft) {
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

static void ask_flat(QuizDraft *draft) {
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

static void ask_full_width(QuizDraft *draft) {
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

static void ask_scale(QuizDraft *draft) {
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

const QuizKind quiz_kinds_of_shapes[] = {
    {"folded-shape", ask_folded_shape},
    {"own-axis-shape", ask_own_axis_shape},
    {"weights-shape", ask_weights_shape},
    {"concat-shape", ask_concat_shape},
    {"growing-keys", ask_growing_keys},
    {"source", ask_source},
    {"head-width", ask_head_width},
    {"head-matrix", ask_head_matrix},
    {"parameters", ask_parameters},
    {"flat", ask_flat},
    {"full-width", ask_full_width},
    {"scale", ask_scale},
    {0},
};
