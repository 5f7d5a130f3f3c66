/* Blocks of the lesson shapes: one call of multi-head attention step by step, with every shape in
 * three conventions. */
#ifndef HEADSCOPE_APP_LESSONS_SHAPES_WALK_H
#define HEADSCOPE_APP_LESSONS_SHAPES_WALK_H

#include "app/page/lesson_maker.h"
#include "model/trace/trace.h"

typedef struct ShapesCall {
    int batch, queries, keys, width, heads, head_width;
    Site site;       /* keys = queries unless it is SITE_CROSS */
    const int *lens; /* [batch]; NULL: none */
} ShapesCall;

/* Which tensor supplies queries, keys and values at each of the three sites. */
void shapes_walk_sites(LessonMaker *maker, const ShapesCall *call);

/* The width of a head and its matrices, then the walk from the input to the output projection. */
void shapes_walk_steps(LessonMaker *maker, const ShapesCall *call);

/* How valid lengths of each example line up with the folded rows. */
void shapes_walk_lengths(LessonMaker *maker, const ShapesCall *call);

/* The decoder in training: lengths of each query, repeated for each head; and at prediction, where
 * the keys grow step by step. */
void shapes_walk_training(LessonMaker *maker, const ShapesCall *call);
void shapes_walk_prediction(LessonMaker *maker, const ShapesCall *call);

#endif
