#include "app/session/session_figures.h"

#include <stdlib.h>

bool figures_make(Session *session) {
    session->figures = calloc(1, sizeof *session->figures);
    if (!session->figures) return false;
    size_t heads = (size_t)state_heads(&session->model.config);
    session->figures->heads = calloc(heads, sizeof *session->figures->heads);
    return session->figures->heads != NULL;
}

void figures_free(Session *session) {
    if (!session->figures) return;
    for (int site = 0; site < SITE_COUNT; site++)
        similarity_free(&session->figures->similarity[site]);
    comparison_free(&session->figures->comparison);
    free(session->figures->heads);
    free(session->figures);
}

static void figures_refresh(Session *session) {
    Figures *figures = session->figures;
    const Config *config = &session->model.config;
    int example = session_example(session);
    if (figures->pass == session->pass_version && figures->example == example) return;
    for (int site = 0; site < SITE_COUNT; site++) {
        for (int layer = 0; layer < state_layers(config, (Site)site); layer++)
            for (int head = 0; head < config->heads; head++) {
                HeadId id = {(Site)site, layer, head};
                head_figures_of(&figures->heads[state_place(config, id)],
                                session->pass.world.examples[example].trace, id);
            }
    }
    figures->pass = session->pass_version;
    figures->example = example;
}

const HeadFigures *session_head_figures(Session *session, HeadId id) {
    session_refresh(session);
    if (!session->pass_valid) return NULL;
    figures_refresh(session);
    return &session->figures->heads[state_place(&session->model.config, id)];
}

const Similarity *session_similarity(Session *session, Site site) {
    session_refresh(session);
    if (!session->pass_valid) return NULL;
    Figures *figures = session->figures;
    Similarity *similarity = &figures->similarity[site];
    int example = session_example(session);
    if (figures->similarity_pass[site] != session->pass_version ||
        figures->similarity_example[site] != example) {
        similarity_free(similarity);
        if (!similarity_make(similarity, session->pass.world.examples[example].trace, site, NULL))
            *similarity = (Similarity){0};
        figures->similarity_pass[site] = session->pass_version;
        figures->similarity_example[site] = example;
    }
    return similarity->count ? similarity : NULL;
}

/* --- the state's cell ------------------------------------------------------------------------- */

/* A story and what it was told of. */
typedef struct CellStory {
    PassStory told;
    bool good;
    unsigned long pass;
    HeadId id;
    int example, row, column;
} CellStory;

static bool is_told(const Session *session, const CellStory *cell) {
    const State *state = &session->state;
    return cell->pass == session->pass_version && head_id_same(cell->id, state->head) &&
           cell->example == session_example(session) && cell->row == state->cell_row &&
           cell->column == state->cell_column;
}

const PassStory *session_cell_story(Session *session) {
    const State *state = &session->state;
    session_refresh(session);
    if (state->cell_row == NONE || !session->pass_valid) return NULL;
    if (!session->cell) session->cell = calloc(1, sizeof *session->cell);
    CellStory *cell = session->cell;
    if (!cell) return NULL;
    if (!is_told(session, cell)) {
        pass_story_free(&cell->told);
        *cell = (CellStory){.pass = session->pass_version,
                            .id = state->head,
                            .example = session_example(session),
                            .row = state->cell_row,
                            .column = state->cell_column};
        ShownPass shown = session_shown(session);
        cell->good = pass_story_make(&cell->told, &shown, cell->id, cell->row, cell->column, NULL);
    }
    return cell->good ? &cell->told : NULL;
}

void session_cell_story_free(Session *session) {
    if (session->cell) pass_story_free(&session->cell->told);
    free(session->cell);
    session->cell = NULL;
}
