/* The bottom line: what is under the pointer, and the keys of the page; and the list of keys. */
#include <math.h>

#include "app/screen/keys.h"
#include "app/screen/screen_builder.h"

static const char *cell_text(ScreenBuilder *builder, const Trace *trace, HeadId id, int row,
                             int column) {
    TraceShape shape = trace_shape(trace, id.site);
    CellState state;
    if (row >= shape.queries || column >= shape.keys) return "not written yet";
    float weight = trace_cell(trace, id, row, column, &state);
    if (state == CELL_MASKED) return "masked: the query does not see this key";
    if (state == CELL_MISSING) return "missing in the source";
    if (state == CELL_NAN) return "not a number";
    return pool_format(builder->pool, "weight %.3g", (double)weight);
}

/* "row 4: reads m, writes o"; for the encoder "row 4: m". */
static const char *row_text(ScreenBuilder *builder, const PassExample *shown, Site site, int row) {
    if (site == SITE_ENCODER)
        return pool_format(builder->pool, "query %d: %s", row,
                           visible_token(builder->pool, shown->source[row]));
    return pool_format(builder->pool, "query %d: reads %s, writes %s", row,
                       visible_token(builder->pool, shown->reads[row]),
                       visible_token(builder->pool, shown->writes[row]));
}

static const char *column_text(ScreenBuilder *builder, const PassExample *shown, Site site,
                               int column) {
    const char **tokens = site == SITE_DECODER ? shown->reads : shown->source;
    return pool_format(builder->pool, "key %d: %s", column,
                       visible_token(builder->pool, tokens[column]));
}

/* The weights of both sides of a comparison; NULL if there are not two. */
static const char *compared(ScreenBuilder *builder, int row, int column) {
    Side a, b;
    const char *reason = NULL;
    Session *session = builder->session;
    if (!session_sides(session, builder->state->head, screen_example(builder), &a, &b, &reason) ||
        !session_can_subtract(session, &a, &b, &reason))
        return NULL;
    TraceShape shape = trace_shape(a.trace, a.id.site);
    if (a.id.site != builder->state->hover.site || row >= shape.queries || column >= shape.keys)
        return NULL;
    double first = (double)trace_cell(a.trace, a.id, row, column, NULL);
    double second = (double)trace_cell(b.trace, b.id, row, column, NULL);
    return pool_format(builder->pool, "A %.4f · B %.4f · A − B %+.4f", first, second,
                       first - second);
}

/* Describes a cell of the similarity matrix. */
static const char *pair_text(ScreenBuilder *builder) {
    const State *state = builder->state;
    const Similarity *similarity = session_similarity(builder->session, state->hover.site);
    if (!similarity) return NULL;
    int a = similarity_place(similarity, state->hover);
    int b = similarity_place(similarity, state->hover_with);
    if (a == NONE || b == NONE) return NULL;
    double alike = (double)similarity->values[a * similarity->count + b];
    return pool_format(
        builder->pool, "%s and %s · %s · a press compares them",
        screen_head_name(builder, state->hover), screen_head_name(builder, state->hover_with),
        isnan(alike) ? "no row to compare" : pool_format(builder->pool, "alike %.3f", alike));
}

/* Input and output of the current example: of the pass shown, while a newer one runs. */
static const char *outcome(ScreenBuilder *builder) {
    const Pass *pass = builder->pass;
    int example = screen_example(builder);
    const State *read = &builder->session->pass_state;
    const char *input = visible_label(builder->pool, read->examples[example].input);
    const char *trained = visible_label(builder->pool, pass->examples[example].output);
    if (session_problem(builder->session)) return "";
    if (!pass->changed) return pool_format(builder->pool, "%s → %s", input, trained);
    return pool_format(builder->pool, "%s → %s (the target on show: %s)", input,
                       screen_decoded(builder, example), trained);
}

static const char *pointed_at(ScreenBuilder *builder) {
    const State *state = builder->state;
    const Pass *pass = builder->pass;
    HeadId id = state->hover;
    if (!state->has_hover || state->hover_example >= pass->count) return NULL;
    if (state->hover_pair) return pair_text(builder);
    const PassExample *shown = &pass->examples[state->hover_example];
    int rows = pass_rows(pass, id.site), columns = pass_columns(pass, id.site);
    int row = state->hover_row, column = state->hover_column;
    bool has_row = row >= 0 && row < rows, has_column = column >= 0 && column < columns;
    const char *text = screen_head_name(builder, id);
    if (has_row)
        text = pool_format(builder->pool, "%s · %s", text, row_text(builder, shown, id.site, row));
    if (has_column)
        text = pool_format(builder->pool, "%s · %s", text,
                           column_text(builder, shown, id.site, column));
    if (!has_row || !has_column) return text;
    const char *both = state->page == PAGE_COMPARE ? compared(builder, row, column) : NULL;
    const Trace *trace = pass->world.examples[state->hover_example].trace;
    return pool_format(builder->pool, "%s · %s", text,
                       both ? both : cell_text(builder, trace, id, row, column));
}

void screen_build_status(ScreenBuilder *builder) {
    static const char *const keys[PAGE_COUNT] = {
        ("arrows head, layer · Tab site · click a cell: its weight · a ablate · "
         "c compare · l lines · space play · ? help"),
        "x swap · d difference · click a head for B · Esc back · ? help",
        "PageUp, PageDown snapshots · Esc back · ? help",
        "← → another lesson · ↑ ↓ PageUp, PageDown scroll · F2 or Esc back · ? help"};
    Screen *screen = builder->screen;
    const ScreenExtra *extra = builder->extra;
    const char *pointed = pointed_at(builder);
    bool waits = builder->session->working; /* maps and figures belong to the previous state */
    screen->status = waits     ? "the model is running; the maps are still those before"
                     : pointed ? pointed
                               : outcome(builder);
    screen->keys = extra->editing >= 0
                       ? "Enter or Esc ends the line · up, down the other line · Ctrl+Z undo"
                       : keys[builder->state->page];
    screen->tip = extra->tip;
    screen->pointer_x = extra->pointer_x;
    screen->pointer_y = extra->pointer_y;
}

/* --- the list of keys ------------------------------------------------------------------------- */

/* A heading is an entry of its own; alternative keys are left out. */
void screen_build_help(ScreenBuilder *builder) {
    ScreenKey *help = pool_take(builder->pool, 2 * (size_t)keys_count() * sizeof *help);
    if (!help) return;
    int count = 0;
    for (int i = 0; i < keys_count(); i++) {
        const Key *key = keys_at(i);
        if (key->heading) help[count++] = (ScreenKey){key->heading, NULL};
        if (key->keys) help[count++] = (ScreenKey){key->keys, key->what};
    }
    builder->screen->help = help;
    builder->screen->help_count = count;
}
