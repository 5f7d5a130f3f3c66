#include "app/session/session_figures.h"

#include <stdlib.h>

#include "app/session/session_inside.h"

bool session_figures_make(Session *session) {
    size_t heads = (size_t)state_heads(&session->model.config);
    session->figures.heads = calloc(heads, sizeof *session->figures.heads);
    return session->figures.heads != NULL;
}

void session_figures_free(Session *session) {
    for (int site = 0; site < SITE_COUNT; site++)
        similarity_free(&session->figures.similarity[site]);
    free(session->figures.heads);
    pass_story_free(&session->cell.told);
}

/* What the figures on show are of. */
static ExampleKey wanted(const Session *session) {
    return (ExampleKey){session->pass.key, session_example(session)};
}

static bool same(ExampleKey a, ExampleKey b) {
    return pass_key_same(a.pass, b.pass) && a.example == b.example;
}

static const Trace *trace_of(const Session *session) {
    return session->pass.world.examples[session_example(session)].trace;
}

static void heads_refresh(Session *session) {
    const Config *config = &session->model.config;
    Figures *figures = &session->figures;
    if (same(figures->heads_of, wanted(session))) return;
    for (int place = 0; place < state_heads(config); place++)
        head_figures_of(&figures->heads[place], trace_of(session), state_head(config, place));
    figures->heads_of = wanted(session);
}

static void similarity_refresh(Session *session, Site site) {
    Similarity *similarity = &session->figures.similarity[site];
    ExampleKey *of = &session->figures.similarity_of[site];
    if (same(*of, wanted(session))) return;
    similarity_free(similarity);
    if (!similarity_make(similarity, trace_of(session), site, NULL)) *similarity = (Similarity){0};
    *of = wanted(session);
}

static bool cell_is_current(const Session *session) {
    const CellStory *cell = &session->cell;
    const State *state = &session->state;
    return same(cell->of, wanted(session)) && head_id_same(cell->id, state->head) &&
           cell->row == state->cell_row && cell->column == state->cell_column;
}

static void cell_refresh(Session *session) {
    CellStory *cell = &session->cell;
    const State *state = &session->state;
    if (state->cell_row == NONE || cell_is_current(session)) return;
    ShownPass shown = session_shown(session);
    pass_story_free(&cell->told);
    *cell = (CellStory){.of = wanted(session),
                        .id = state->head,
                        .row = state->cell_row,
                        .column = state->cell_column};
    cell->good = pass_story_make(&cell->told, &shown, cell->id, cell->row, cell->column, NULL);
}

void session_figures_refresh(Session *session) {
    const State *state = &session->state;
    if (!session_has_pass(session)) return;
    if (state->has_hover && state->hover_pair) similarity_refresh(session, state->hover.site);
    if (state->page == PAGE_LESSONS) return;
    heads_refresh(session);
    similarity_refresh(session, state->head.site);
    cell_refresh(session);
}

const HeadFigures *session_head_figures(const Session *session, HeadId id) {
    if (!session_has_pass(session) || !same(session->figures.heads_of, wanted(session)))
        return NULL;
    return &session->figures.heads[state_place(&session->model.config, id)];
}

const Similarity *session_similarity(const Session *session, Site site) {
    const Figures *figures = &session->figures;
    bool there = session_has_pass(session) && same(figures->similarity_of[site], wanted(session)) &&
                 figures->similarity[site].count;
    return there ? &figures->similarity[site] : NULL;
}

const PassStory *session_cell_story(const Session *session) {
    bool there = session_has_pass(session) && session->state.cell_row != NONE &&
                 cell_is_current(session) && session->cell.good;
    return there ? &session->cell.told : NULL;
}
