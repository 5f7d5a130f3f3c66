/* The words and figures that the page of a weight and the side column share. Texts live in the
 * pool.
 */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_WORDS_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_WORDS_H

#include "app/page/lesson_maker.h"
#include "app/pass/pass_story.h"

/* `3 "M"`: a key or query by number and token. */
const char *explain_key(Pool *pool, const PassStory *told, int key);
const char *explain_query(Pool *pool, const PassStory *told, int query);

/* "the decoder's stream after its self-attention, layer 1", ...; with pre-norm, what the norm made
 * of it. */
const char *explain_source(Pool *pool, const PassStory *told, StoryRole role);

/* "decoder.layers.1.multihead_attn": the attention's parameters in the file. */
const char *explain_parameters(Pool *pool, HeadId id);

/* Why the query sees the key or does not, in one sentence. */
const char *explain_verdict(Pool *pool, const PassStory *told);

/* The `most` numbers that are the largest in size, by index, in the order of their size: *chosen
 * [most]; returns how many there are. */
int explain_largest(const double *numbers, int count, int most, int *chosen);

/* --- of a page ---------------------------------------------------------------------------------
 */

/* What all parts of the page are given. */
typedef struct ExplainPage {
    LessonMaker *maker;
    Pool *pool;
    const PassStory *told;
    const WeightStory *story;
} ExplainPage;

/* "cross.1.2" */
const char *explain_head(ExplainPage page, HeadId id);

/* The action that opens the page of another cell and selects the cell beside the maps. */
const char *explain_action_to(ExplainPage page, HeadId id, int query, int key);

/* A weight: exactly 0 is "0", and a small one keeps its digits. */
const char *explain_weight(ExplainPage page, double weight);

/* The length of a bar: part / whole, 0 where the whole is 0. */
double explain_over(double part, double whole);

/* "32 to 47": where the elements of a head lie among all. */
const char *explain_range(ExplainPage page, int first, int stride);

#endif
