#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/lessons/quiz_parts.h"

int quiz_between(QuizDraft *draft, int min, int max) {
    return min + (int)rng_below(&draft->rng, (uint32_t)(max - min + 1));
}

void quiz_text(QuizDraft *draft, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(draft->question->text, QUIZ_TEXT, format, arguments);
    va_end(arguments);
}

void quiz_why(QuizDraft *draft, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(draft->question->why, QUIZ_TEXT, format, arguments);
    va_end(arguments);
}

/* --- names ------------------------------------------------------------------------------------ */

void quiz_list_text(char *text, const int *numbers, int count) {
    int length = snprintf(text, QUIZ_LINE, "[");
    for (int i = 0; i < count && length < QUIZ_LINE; i++)
        length +=
            snprintf(text + length, (size_t)(QUIZ_LINE - length), "%s%d", i ? "," : "", numbers[i]);
    if (length < QUIZ_LINE) snprintf(text + length, (size_t)(QUIZ_LINE - length), "]");
}

const char *quiz_site_name(Site site) {
    return site == SITE_ENCODER   ? "encoder self-attention"
           : site == SITE_DECODER ? "decoder self-attention"
                                  : "cross-attention";
}

const char *quiz_role_name(QuizRole role) {
    return role == QUIZ_QUERIES ? "queries" : role == QUIZ_KEYS ? "keys" : "values";
}

static const char *const source_names[QUIZ_SOURCES] = {
    "X, the encoder's state", "E, the encoder's output", "Y, the decoder's state"};

static void name_choice(QuizChoice *choice, QuizForm form) {
    if (form == QUIZ_WORDS) {
        snprintf(choice->label, QUIZ_LINE, "%s", source_names[choice->numbers[0]]);
        return;
    }
    const char *open = form == QUIZ_SHAPE ? "(" : form == QUIZ_LIST ? "[" : "";
    const char *close = form == QUIZ_SHAPE ? ")" : form == QUIZ_LIST ? "]" : "";
    const char *between = form == QUIZ_PAIR ? " and " : ",";
    int length = snprintf(choice->label, QUIZ_LINE, "%s", open);
    for (int i = 0; i < choice->count && length < QUIZ_LINE; i++)
        length += snprintf(choice->label + length, (size_t)(QUIZ_LINE - length), "%s%lld",
                           i ? between : "", (long long)choice->numbers[i]);
    if (length < QUIZ_LINE)
        snprintf(choice->label + length, (size_t)(QUIZ_LINE - length), "%s", close);
}

/* --- sizes ------------------------------------------------------------------------------------ */

AttentionSizes quiz_sizes(const QuizShapes *s) {
    return (AttentionSizes){s->batch, s->heads, s->queries, s->keys, s->head_width};
}

MaskSource quiz_mask(const QuizShapes *s) {
    return (MaskSource){.valid_lens = s->valid_lens, .causal = s->site == SITE_DECODER};
}

void quiz_draw_steps(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    s->step = quiz_between(draft, 0, s->queries - 1);
    bool differ = false;
    while (!differ)
        for (int b = 0; b < s->batch; b++) {
            s->valid_lens[b] = quiz_between(draft, 1, s->keys);
            differ = differ || s->valid_lens[b] != s->valid_lens[0];
        }
}

void quiz_self_where_self(QuizDraft *draft) {
    QuizShapes *s = &draft->question->shapes;
    if (s->site == SITE_ENCODER) s->queries = s->keys;
    if (s->site == SITE_DECODER) s->keys = s->queries;
    quiz_draw_steps(draft);
}

/* --- choices ---------------------------------------------------------------------------------- */

static bool same_numbers(const QuizChoice *a, const QuizChoice *b) {
    return a->count == b->count &&
           memcmp(a->numbers, b->numbers, (size_t)a->count * sizeof a->numbers[0]) == 0;
}

void quiz_right(QuizDraft *draft, QuizForm form, QuizChoice choice) {
    draft->question->form = form;
    draft->question->choices[0] = choice;
    draft->question->choice_count = 1;
    draft->question->right = 0;
}

void quiz_offer(QuizDraft *draft, const char *note, QuizChoice choice) {
    QuizQuestion *q = draft->question;
    if (q->choice_count == QUIZ_CHOICES) return;
    for (int i = 0; i < q->choice_count; i++)
        if (same_numbers(&q->choices[i], &choice)) return;
    choice.note = note;
    q->choices[q->choice_count++] = choice;
}

/* Adds wrong choices until there are QUIZ_CHOICES: the right one with one number changed. */
static void fill_up(QuizDraft *draft) {
    QuizQuestion *q = draft->question;
    for (int off = 1; q->choice_count < QUIZ_CHOICES; off++)
        for (int i = q->choices[0].count - 1; i >= 0; i--) {
            QuizChoice near = q->choices[0];
            near.numbers[i] += off;
            quiz_offer(draft, NULL, near);
        }
}

void quiz_finish(QuizDraft *draft) {
    QuizQuestion *q = draft->question;
    if (q->form != QUIZ_WORDS) fill_up(draft);
    for (int i = q->choice_count - 1; i > 0; i--) {
        int other = quiz_between(draft, 0, i);
        QuizChoice kept = q->choices[i];
        q->choices[i] = q->choices[other];
        q->choices[other] = kept;
        if (q->right == i)
            q->right = other;
        else if (q->right == other)
            q->right = i;
    }
    for (int i = 0; i < q->choice_count; i++)
        name_choice(&q->choices[i], q->form);
}
