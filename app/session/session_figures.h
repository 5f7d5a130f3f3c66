/* What is computed from the maps of the pass on show: figures of every head, likeness, and the
 * story of one cell. For the session's own files. */
#ifndef HEADSCOPE_APP_SESSION_SESSION_FIGURES_H
#define HEADSCOPE_APP_SESSION_SESSION_FIGURES_H

#include "app/pass/pass_story.h"
#include "app/session/session.h"
#include "model/analysis/heads.h"
#include "model/analysis/similarity.h"

/* An example of a pass. */
typedef struct ExampleKey {
    PassKey pass;
    int example;
} ExampleKey;

typedef struct Figures {
    HeadFigures *heads; /* [state_heads], owned */
    ExampleKey heads_of;
    Similarity similarity[SITE_COUNT]; /* empty where the site has too many heads */
    ExampleKey similarity_of[SITE_COUNT];
} Figures;

/* The story of the state's cell. */
typedef struct CellStory {
    PassStory told;
    bool good; /* it lies in the pass */
    ExampleKey of;
    HeadId id;
    int row, column;
} CellStory;

bool session_figures_make(Session *session);
void session_figures_free(Session *session);

/* Makes anew what is on show: heads and likeness of the sites that are looked at, and the cell. */
void session_figures_refresh(Session *session);

/* Of a head, in the example that is edited; NULL while there is no pass. */
const HeadFigures *session_head_figures(const Session *session, HeadId id);

/* Of all heads of a site that is looked at: that of the selected head, and of one under the
 * pointer. NULL while there is no pass, or if the site has too many heads. */
const Similarity *session_similarity(const Session *session, Site site);

/* The story of the state's cell; NULL while there is none, or it lies beyond the pass. */
const PassStory *session_cell_story(const Session *session);

#endif
