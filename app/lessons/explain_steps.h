/* The last steps of the page of a weight: softmax and value. */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_STEPS_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_STEPS_H

#include "app/lessons/explain_words.h"

/* The softmax over the row of the query. */
void explain_softmax(ExplainPage page);

/* In place of softmax and value, for a key that the softmax leaves out: what takes part. */
void explain_hidden(ExplainPage page);

/* What weight times value adds to the context and to the stream. */
void explain_value(ExplainPage page);

#endif
