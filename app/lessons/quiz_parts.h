/* Functions that make the questions of app/lessons/quiz.h: for app/lessons/quiz*.c only. */
#ifndef HEADSCOPE_APP_LESSONS_QUIZ_PARTS_H
#define HEADSCOPE_APP_LESSONS_QUIZ_PARTS_H

#include "app/lessons/quiz.h"
#include "model/base/rng.h"
#include "model/kernels/mistakes.h"

typedef struct QuizDraft {
    QuizQuestion *question; /* with its shapes set */
    Rng rng;
} QuizDraft;

/* Makes one kind of question: its text, the right answer, wrong ones, and the explanation. */
typedef void QuizMake(QuizDraft *draft);

/* A random integer in min..max. */
int quiz_between(QuizDraft *draft, int min, int max);

/* Draws what depends on the steps: a query, and valid lengths of 1 to `keys`, not all equal. */
void quiz_draw_steps(QuizDraft *draft);

/* For self-attention, makes the numbers of queries and keys equal. */
void quiz_self_where_self(QuizDraft *draft);

/* A choice of these numbers. */
#define QUIZ_CHOICE(...)                                                                           \
    (QuizChoice) {                                                                                 \
        .numbers = {__VA_ARGS__},                                                                  \
        .count = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))                         \
    }

void quiz_text(QuizDraft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));
void quiz_why(QuizDraft *draft, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the right answer; then adds wrong ones, the most instructive first. quiz_offer ignores a
 * choice that is right or already there, and any past QUIZ_CHOICES. */
void quiz_right(QuizDraft *draft, QuizForm form, QuizChoice choice);
void quiz_offer(QuizDraft *draft, const char *note, QuizChoice choice);

/* Adds choices up to QUIZ_CHOICES, labels all and shuffles them. */
void quiz_finish(QuizDraft *draft);

/* "[3,2]" into a buffer of QUIZ_LINE. */
void quiz_list_text(char *text, const int *numbers, int count);

/* "encoder self-attention", "decoder self-attention", "cross-attention" */
const char *quiz_site_name(Site site);
const char *quiz_role_name(QuizRole role);

/* The sizes and the mask of the attention that the shapes describe. */
AttentionSizes quiz_sizes(const QuizShapes *shapes);
MaskSource quiz_mask(const QuizShapes *shapes);

/* A kind of question and its name. */
typedef struct QuizKind {
    const char *name;
    QuizMake *make;
} QuizKind;

/* The kinds, by subject; each list ends with {0}. */
extern const QuizKind quiz_kinds_of_shapes[], quiz_kinds_of_masks[];

#endif
