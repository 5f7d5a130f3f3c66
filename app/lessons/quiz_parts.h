/* How the questions of app/lessons/quiz.h are made: for app/lessons/quiz*.c alone. */
#ifndef HEADSCOPE_APP_LESSONS_QUIZ_PARTS_H
#define HEADSCOPE_APP_LESSONS_QUIZ_PARTS_H

#include "app/lessons/quiz.h"
#include "model/base/rng.h"
#include "model/kernels/mistakes.h"

typedef struct QuizDraft {
    QuizQuestion *question; /* its shapes are drawn already */
    Rng rng;
} QuizDraft;

/* Makes one kind of question: its text, the right answer, offers of wrong ones, and why. */
typedef void QuizMake(QuizDraft *draft);

/* One number of least..most. */
int quiz_between(QuizDraft *draft, int least, int most);

/* What depends on the steps: the step of a query, and lengths of 1 to `keys`, not all the same. */
void quiz_draw_steps(QuizDraft *draft);

/* Queries and keys at the site: those of self-attention are the same tokens. */
void quiz_self_where_self(QuizDraft *draft);

/* A choice of these numbers. */
#define QUIZ_CHOICE(...)                                                                           \
    (QuizChoice) {                                                                                 \
        .numbers = {__VA_ARGS__},                                                                  \
        .count = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))                         \
    }

void quiz_text(QuizDraft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void quiz_why(QuizDraft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The right answer, first; then wrong ones, the most telling first. One that is right after all, or
 * there already, or one too many, is passed over. */
void quiz_right(QuizDraft *draft, QuizForm form, QuizChoice choice);
void quiz_offer(QuizDraft *draft, const char *note, QuizChoice choice);

/* Fills up the choices, names them and brings them into a random order. */
void quiz_finish(QuizDraft *draft);

/* "[3,2]" into a buffer of QUIZ_LINE. */
void quiz_list_text(char *text, const int *numbers, int count);

/* "encoder self-attention", "decoder self-attention", "cross-attention" */
const char *quiz_site_name(Site site);
const char *quiz_role_name(QuizRole role);

/* What the attention of these shapes is made from, at its site. */
AttentionSizes quiz_sizes(const QuizShapes *shapes);
MaskSource quiz_mask(const QuizShapes *shapes);

/* A kind of question and its name. */
typedef struct QuizKind {
    const char *name;
    QuizMake *make;
} QuizKind;

/* The kinds, by subject; {0} ends a list. */
extern const QuizKind quiz_kinds_of_shapes[], quiz_kinds_of_masks[];

#endif
