/* A student's answer to a toy, as a file: any of output, weights and context. */
#ifndef HEADSCOPE_APP_LESSONS_ACCEPTANCE_DUMP_H
#define HEADSCOPE_APP_LESSONS_ACCEPTANCE_DUMP_H

#include "app/lessons/toy.h"

typedef enum AnswerPart { ANSWER_OUTPUT, ANSWER_WEIGHTS, ANSWER_CONTEXT, ANSWER_PARTS } AnswerPart;

/* One tensor of the file. */
typedef struct AnswerTensor {
    bool given;
    const char *shape;  /* as in the file: "(2, 4, 100)"; "" if not given */
    const char *wrong;  /* why it does not fit the toy; NULL if it fits */
    bool split, folded; /* heads on an axis of their own, (batch, heads, ...); or folded into the
                           batch, (batch x heads, ...) */
} AnswerTensor;

typedef struct AnswerFile {
    AcceptanceAnswer answer; /* the tensors that fit, in the pool */
    AnswerTensor tensors[ANSWER_PARTS];
} AnswerFile;

/* "output", "weights", "context". */
const char *answer_part_name(AnswerPart part);

/* Reads `path` as an answer to the toy. Shapes that fit, with B, H, Tq, Tk, W, D of the toy (B may
 * be left out where it is 1): output (B, Tq, W); weights (B, H, Tq, Tk) or (B*H, Tq, Tk); context
 * (B, Tq, W) or, still split, (B, H, Tq, D) or (B*H, Tq, D). In columns (UDL): output and context
 * (W, N), weights (H, N, N) as (keys, queries), context still split (H, D, N). Numbers stored as
 * float64 are taken to be computed in float32 at least. ERROR_FAILED with one line if it cannot
 * be read, ERROR_USAGE if it holds none of the three. */
bool answer_open(AnswerFile *file, Pool *pool, const Toy *toy, const char *path, Error *error);

#endif
