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
    const MistakeKind *trap;    /* the mistake that the pass makes; NULL: none that has a name */
} PassStory;

/* Tells the weight of a head in shown->example. ERROR_USAGE for a head that the model does not
 * have, for a query or key past the end, where there is no pass, and where its weights are gone.
 * Free with pass_story_free, before the pass changes. */
bool pass_story_make(PassStory *story, const ShownPass *shown, HeadId id, int query, int key,
                     Error *error);
void pass_story_free(PassStory *story); /* {0} is fine */

/* The rows and columns of a site's maps that are computed: the queries and keys of a story. Both 0
 * where pass is {0}. */
void pass_story_size(const Pass *pass, Site site, int *queries, int *keys);

/* The cell to begin with: of the rows that see two keys or more, the one with the largest weight
 * (cell 0 0 where there is none). */
void pass_story_first(const ShownPass *shown, HeadId id, int *query, int *key);

/* Reads the number of a query or key, or the text of its token if only one has it. ERROR_USAGE as
 * pass_story_make. */
bool pass_story_place(const ShownPass *shown, HeadId id, bool is_query, const char *text,
                      int *place, Error *error);

#endif
