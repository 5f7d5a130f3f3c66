/* Questions about shapes, heads and masks, each on fresh random shapes: the drill of `headscope
 * quiz` and of its page. A question follows from a seed and its index alone, and so does the order
 * of its choices. All answers and all wrong choices are computed from its shapes. */
#ifndef HEADSCOPE_APP_LESSONS_QUIZ_H
#define HEADSCOPE_APP_LESSONS_QUIZ_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace/trace.h"

enum { QUIZ_BATCH = 4, QUIZ_HEADS = 6, QUIZ_NUMBERS = QUIZ_BATCH * QUIZ_HEADS };
enum { QUIZ_CHOICES = 4, QUIZ_LINE = 160, QUIZ_TEXT = 900 };

/* What an answer looks like. */
typedef enum QuizForm {
    QUIZ_NUMBER, /* 20 */
    QUIZ_PAIR,   /* 8 and 40 */
    QUIZ_SHAPE,  /* (10,4,20); places are written so as well */
    QUIZ_LIST,   /* [3,3,2,2] */
    QUIZ_WORDS,  /* one of the choices, which are shown */
} QuizForm;

/* The tensors that feed attention. */
typedef enum QuizSource { QUIZ_X, QUIZ_E, QUIZ_Y, QUIZ_SOURCES } QuizSource;
typedef enum QuizRole { QUIZ_QUERIES, QUIZ_KEYS, QUIZ_VALUES } QuizRole;

/* What a question is about; what it does not speak of may be anything. */
typedef struct QuizShapes {
    int batch, queries, keys, width, heads, head_width; /* B, Tq, Tk, W, H, D */
    int heads_before;                                   /* of the question `flat` */
    Site site;
    QuizRole role;
    int valid_lens[QUIZ_BATCH]; /* 1..keys, not all the same */
    int example, step, column;  /* of a cell of [B,Tq,W]; step: of a query, too */
    int row, element;           /* of a folded row b*H+h, not the first, and in its head */
} QuizShapes;

typedef struct QuizChoice {
    int64_t numbers[QUIZ_NUMBERS]; /* of QUIZ_WORDS: one, the QuizSource */
    int count;
    char label[QUIZ_LINE]; /* as it is shown */
    const char *note;      /* of a wrong one: what it would be; NULL: nothing */
} QuizChoice;

typedef struct QuizQuestion {
    const char *kind; /* "folded-shape" */
    QuizForm form;
    QuizShapes shapes;
    char text[QUIZ_TEXT];
    char why[QUIZ_TEXT];              /* one sentence for the right answer */
    QuizChoice choices[QUIZ_CHOICES]; /* all different */
    int choice_count, right;          /* right: its index */
} QuizQuestion;

/* The kinds of question; NULL past the last. */
const char *quiz_kind(int index);

/* Question `index` (from 0) of the questions of `seed`. Each kind comes once before one comes
 * again. */
void quiz_ask(QuizQuestion *question, uint64_t seed, int index);

/* The question `index` of one kind. */
void quiz_ask_kind(QuizQuestion *question, uint64_t seed, int index, int kind);

typedef enum QuizVerdict {
    QUIZ_RIGHT,
    QUIZ_WRONG,
    QUIZ_UNREAD, /* it is no answer of this form */
} QuizVerdict;

/* Judges a typed answer. Brackets, commas, spaces and x part numbers alike, and a comma may also
 * part thousands; QUIZ_WORDS takes the choice's number, letter, name or the beginning of it.
 * *choice is the choice that it names, -1 if none. */
QuizVerdict quiz_read(const QuizQuestion *question, const char *typed, int *choice);

/* How the form is typed: "as (a,b,c)". */
const char *quiz_form_hint(QuizForm form);

#endif
