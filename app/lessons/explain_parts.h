/* Between the files explain*.c alone: the parts of the page of a weight. */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_PARTS_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_PARTS_H

#include "app/lessons/explain_page.h"

/* What all parts of the page are given. */
typedef struct ExplainPage {
    LessonMaker *maker;
    Pool *pool;
    const SessionStory *told;
    const WeightStory *story;
} ExplainPage;

/* The row of the query through the softmax; and, for a key that the softmax left out, of which
 * nothing more is to be told, what the query sees instead. (explain_softmax.c) */
void explain_softmax(ExplainPage page);
void explain_hidden(ExplainPage page);

/* What weight times value adds to the context and to the stream. (explain_value.c) */
void explain_value(ExplainPage page);

/* The page of another cell, which is then also the one that is told beside the maps. */
const char *explain_action_to(ExplainPage page, HeadId id, int query, int key);

/* A weight: exactly 0 is "0", and a small one keeps its digits. */
const char *explain_weight(ExplainPage page, double weight);

/* Of a bar: 0 where there is nothing to be a share of. */
double explain_over(double part, double whole);

/* "32 to 47": where the elements of a head lie among all. */
const char *explain_range(ExplainPage page, int first, int stride);

#endif
