/* Questions about the shapes on the way through multi-head attention, and what feeds it. */
#include <stddef.h>

#include "app/lessons/quiz_parts.h"

/* The steps of queries, or of keys and values. */
static int steps_of(const QuizShapes *s) {
    return s->role == QUIZ_QUERIES ? s->queries : s->keys;
}

void quiz_make_folded_shape(QuizDraft *draft) {
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

void quiz_make_own_axis_shape(QuizDraft *draft) {
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

void quiz_make_weights_shape(QuizDraft *draft) {
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

void quiz_make_concat_shape(QuizDraft *draft) {
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

void quiz_make_growing_keys(QuizDraft *draft) {
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

void quiz_make_source(QuizDraft *draft) {
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
