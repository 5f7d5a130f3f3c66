/* The story of one weight of a pass (model/explain/weight_story.h), with the names of its tokens.
 */
#ifndef HEADSCOPE_APP_PASS_PASS_STORY_H
#define HEADSCOPE_APP_PASS_PASS_STORY_H

#include "app/pass/pass.h"
#include "model/doctor/traps.h"
#include "model/explain/weight_story.h"

/* A story and the tokens of its row and column, which belong to the pass. */
typedef struct PassStory {
    WeightStory story;
    const Config *config;
    const char *const *queries; /* [story.queries] "m→o" of the decoder, else a token */
    const char *const *keys;    /* [story.keys] */
    const MistakeKind *trap;    /* the mistake of the pass; NULL: none, or an unnamed one */
} PassStory;

/* Explains a weight of a head in shown->example. ERROR_USAGE if the model has no such head, the
 * query or key is out of range, there is no pass, or its weights have changed. Free with
 * pass_story_free before the pass changes. */
bool pass_story_make(PassStory *story, const ShownPass *shown, HeadId id, int query, int key,
                     Error *error);
void pass_story_free(PassStory *story); /* {0} is fine */

/* The queries and keys of a site's maps that have been computed. Both 0 if pass is {0}. */
void pass_story_size(const Pass *pass, Site site, int *queries, int *keys);

/* Returns the cell to start with: the largest weight among the rows that see at least two keys, or
 * cell 0 0 if there is no such row. */
void pass_story_first(const ShownPass *shown, HeadId id, int *query, int *key);

/* Parses the number of a query or key, or the text of its token if that is unique. ERROR_USAGE as
 * for pass_story_make. */
bool pass_story_place(const ShownPass *shown, HeadId id, bool is_query, const char *text,
                      int *place, Error *error);

#endif
