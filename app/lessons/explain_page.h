/* The page that tells one weight from the beginning: the story (model/explain/weight_story.h) in
 * words, tables and bars, each figure used by the next. */
#ifndef HEADSCOPE_APP_LESSONS_EXPLAIN_PAGE_H
#define HEADSCOPE_APP_LESSONS_EXPLAIN_PAGE_H

#include "app/page/lesson_maker.h"
#include "app/session/session_story.h"

/* Title, text and buttons of the whole page. */
void explain_page(LessonMaker *maker, const SessionStory *told);

/* --- what its parts share ----------------------------------------------------------------------
 */

/* The texts of the page, and those of the side column, live in `pool`. */

/* `3 "M"`: a key or query by number and token. */
const char *explain_key(Pool *pool, const SessionStory *told, int key);
const char *explain_query(Pool *pool, const SessionStory *told, int query);

/* "the decoder's stream after its self-attention, layer 1", ...; with pre-norm, what the norm made
 * of it. */
const char *explain_source(Pool *pool, const SessionStory *told, StoryRole role);

/* "decoder.layers.1.multihead_attn": the attention's parameters in the file. */
const char *explain_parameters(Pool *pool, HeadId id);

/* Why the query sees the key or does not, in one sentence. */
const char *explain_verdict(Pool *pool, const SessionStory *told);

/* The `most` numbers that are the largest in size, by index, in the order of their size: *chosen
 * [most]; returns how many there are. */
int explain_largest(const double *numbers, int count, int most, int *chosen);

#endif
