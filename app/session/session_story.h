/* One weight of the pass on show from the beginning, with the names of its tokens. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_STORY_H
#define HEADSCOPE_APP_SESSION_SESSION_STORY_H

#include "app/session/session.h"
#include "model/analysis/traps.h"
#include "model/explain/weight_story.h"

/* A story and the tokens of its row and column, which belong to the pass. */
typedef struct SessionStory {
    WeightStory story;
    const Config *config;
    const char *const *queries; /* [story.queries] "m→o" of the decoder, else a token */
    const char *const *keys;    /* [story.keys] */
    const Trap *trap;           /* the mistake that the pass makes; NULL: none that has a name */
} SessionStory;

/* Of the example that is edited, in the pass on show (refreshed). ERROR_USAGE for a head that the
 * model has not, for a query or key past the end, where nothing could be run, and where the weights
 * of that pass are gone. Free with session_story_free, before the session changes. */
bool session_story(SessionStory *told, Session *session, HeadId id, int query, int key,
                   Error *error);
void session_story_free(SessionStory *told); /* {0} is fine */

/* That of the state's cell, kept until pass or cell change; NULL while there is none, or it lies
 * beyond the pass. Owned by the session. */
const SessionStory *session_cell_story(Session *session);
void session_cell_story_free(Session *session);

/* The rows and columns of a head's map that are computed: the queries and keys of a story. Both 0
 * while there is no pass. */
void session_story_size(Session *session, Site site, int *queries, int *keys);

/* The cell to begin with: of the rows that see two keys or more, the one with the largest weight
 * (cell 0 0 where there is none). */
void session_story_first(Session *session, HeadId id, int *query, int *key);

/* Reads the number of a query or key, or the text of its token if only one has it. */
bool session_story_place(Session *session, HeadId id, bool is_query, const char *text, int *place,
                         Error *error);

#endif
