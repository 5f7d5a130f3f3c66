/* Questions about shapes, heads and masks, each on random shapes: for `headscope quiz` and its
 * page. A question and the order of its choices depend on a seed and an index alone. All answers,
 * right and wrong, are computed from the question's shapes. */
#ifndef HEADSCOPE_APP_LESSONS_QUIZ_H
#define HEADSCOPE_APP_LESSONS_QUIZ_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace/trace.h"

enum { QUIZ_BATCH = 4, QUIZ_HEADS = 6, QUIZ_NUMBERS = QUIZ_BATCH * QUIZ_HEADS };
enum { QUIZ_CHOICES = 4, QUIZ_LINE = 160, QUIZ_TEXT = 900 };

/* The form of an answer. */
typedef enum QuizForm {
    QUIZ_NUMBER, /* 20 */
    QUIZ_PAIR,   /* 8 and 40 */
    QUIZ_SHAPE,  /* (10,4,20); also a position in a tensor */
    QUIZ_LIST,   /* [3,3,2,2] */
    QUIZ_WORDS,  /* one of the choices that are printed */
} QuizForm;

/* The tensors that are projected to queries, keys and values. */
typedef enum QuizSource { QUIZ_X, QUIZ_E, QUIZ_Y, QUIZ_SOURCES } QuizSource;
typedef enum QuizRole { QUIZ_QUERIES, QUIZ_KEYS, QUIZ_VALUES } QuizRole;

/* What a question is about; fields that it does not use are arbitrary. */
typedef struct QuizShapes {
    int batch, queries, keys, width, heads, head_width; /* B, Tq, Tk, W, H, D */
    int heads_before;                                   /* used by the question "flat" */
    Site site;
    QuizRole role;
    int valid_lens[QUIZ_BATCH]; /* 1..keys, not all the same */
    int example, step, column;  /* a cell of [B,Tq,W]; step is also the query */
    int row, element;           /* a folded row b*H+h > 0, and a column of its head */
} QuizShapes;

typedef struct QuizChoice {
    int64_t numbers[QUIZ_NUMBERS]; /* for QUIZ_WORDS: one, the QuizSource */
    int count;
    char label[QUIZ_LINE]; /* as shown */
    const char *note;      /* why it is wrong; may be NULL */
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

/* Name of a kind of question; NULL past the last. */
const char *quiz_kind(int index);

/* Makes question `index` (from 0) of the sequence of `seed`. Every kind is used once before any is
 * used again. */
void quiz_ask(QuizQuestion *question, uint64_t seed, int index);

/* Makes question `index` of one kind. */
void quiz_ask_kind(QuizQuestion *question, uint64_t seed, int index, int kind);

typedef enum QuizVerdict {
    QUIZ_RIGHT,
    QUIZ_WRONG,
    QUIZ_UNREAD, /* not an answer of this form */
} QuizVerdict;

/* Checks a typed answer. Numbers are separated by brackets, commas, spaces or x; a comma may also
 * separate thousands. For QUIZ_WORDS, takes the number, letter, name or beginning of a choice.
 * *choice is the choice it matches, -1 if none. */
QuizVerdict quiz_read(const QuizQuestion *question, const char *typed, int *choice);

/* How to type an answer of this form: "as (a,b,c)". */
const char *quiz_form_hint(QuizForm form);

#endif
