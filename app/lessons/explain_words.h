/* Texts and figures shared by the page of the lesson explain and the side column of the window. All
 * returned texts are in the pool. */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_WORDS_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_WORDS_H

#include "app/page/lesson_maker.h"
#include "app/pass/pass_story.h"

/* A key or query by number and token: `3 "M"`. */
const char *explain_key(Pool *pool, const PassStory *pass, int key);
const char *explain_query(Pool *pool, const PassStory *pass, int query);

/* The tensor that a slice was projected from: "the decoder's stream after its self-attention, layer
 * 1"; with pre-norm, that tensor after the norm. */
const char *explain_source(Pool *pool, const PassStory *pass, StoryRole role);

/* The prefix of the attention's parameter names: "decoder.layers.1.multihead_attn". */
const char *explain_parameters(Pool *pool, HeadId id);

/* One sentence: why the query sees the key, or why not. */
const char *explain_verdict(Pool *pool, const PassStory *pass);

/* chosen[max] = the indices of the `max` largest |numbers|, largest first. Returns how many, at
 * most `count`. */
int explain_largest(const double *numbers, int count, int max, int *chosen);

/* --- the page --------------------------------------------------------------------------------- */

/* The arguments of all functions that add to the page. */
typedef struct ExplainPage {
    LessonMaker *maker;
    Pool *pool;
    const PassStory *pass;
    const WeightStory *story;
} ExplainPage;

/* "cross.1.2" */
const char *explain_head(ExplainPage page, HeadId id);

/* The actions that select another cell and open its page. */
const char *explain_action_to(ExplainPage page, HeadId id, int query, int key);

/* A weight as text: "0" if it is exactly 0, in scientific notation if it is small. */
const char *explain_weight(ExplainPage page, double weight);

/* The length of a bar: part / whole; 0 if whole is 0. */
double explain_over(double part, double whole);

/* The range of a head's columns: "32 to 47". */
const char *explain_range(ExplainPage page, int first, int stride);

/* --- the last steps of the page: explain_steps.c --- */

/* The softmax over the row of the query. */
void explain_softmax(ExplainPage page);

/* For a hidden key, in place of softmax and value: the keys that the softmax sees. */
void explain_hidden(ExplainPage page);

/* What weight times value adds to the context and to the stream. */
void explain_value(ExplainPage page);

#endif
