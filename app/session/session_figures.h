/* What is computed from the maps of a session's pass: figures of every head, likeness, and the two
 * sides of the comparison. For the session's own files. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_FIGURES_H
#define HEADSCOPE_APP_SESSION_SESSION_FIGURES_H

#include "app/pass/pass_story.h"
#include "app/session/session_parts.h"
#include "model/analysis/compare.h"
#include "model/analysis/heads.h"
#include "model/analysis/similarity.h"

typedef struct Figures {
    HeadFigures *heads; /* [state_heads], owned */
    int example;        /* that they are of */
    unsigned long pass; /* version that they are of; 0: none */
    Similarity similarity[SITE_COUNT];
    unsigned long similarity_pass[SITE_COUNT];
    int similarity_example[SITE_COUNT];
    MapComparison comparison;
} Figures;

bool figures_make(Session *session);
void figures_free(Session *session);

/* Of a head, in the example that is edited; NULL while there is no pass. */
const HeadFigures *session_head_figures(Session *session, HeadId id);

/* Of all heads of a site; NULL while there is no pass, or if the site has too many heads. */
const Similarity *session_similarity(Session *session, Site site);

/* The story of the state's cell, kept until pass or cell change; NULL while there is none, or it
 * lies beyond the pass. Owned by the session. */
const PassStory *session_cell_story(Session *session);
void session_cell_story_free(Session *session);

/* One side of the comparison. */
typedef struct Side {
    const Trace *trace;
    HeadId id;
    const SceneAxes *axes;
    int rows, columns;
} Side;

/* The two sides for head `id`, in an example. False where there is no second side,
 * with the reason. */
bool session_sides(Session *session, HeadId id, int example, Side *a, Side *b, const char **reason);

/* Whether A - B can be shown: both there, and of one size. Else the reason. */
bool session_can_subtract(Session *session, const Side *a, const Side *b, const char **reason);

#endif
