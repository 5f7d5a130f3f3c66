/* The maps of the screen: all heads small, one layer's heads large, one head alone. */
#include <math.h>
#include <string.h>

#include "app/screen/screen_builder.h"

static const char *site_title(Site site) {
    static const char *const titles[SITE_COUNT] = {"encoder self-attention",
                                                   "decoder self-attention", "cross-attention"};
    return titles[site];
}

/* --- one map ---------------------------------------------------------------------------------- */

static void set_marks(const ScreenBuilder *builder, ScreenMap *map) {
    const State *state = builder->state;
    map->lit_row = map->lit_column = NONE;
    if (state->has_hover && state->hover.site == map->id.site &&
        state->hover_example == map->example) {
        map->lit_row = state->hover_row < map->rows ? state->hover_row : NONE;
        map->lit_column = state->hover_column < map->columns ? state->hover_column : NONE;
    }
    int row = map->id.site == SITE_ENCODER ? state->pinned_source : state->pinned_target;
    int column = map->id.site == SITE_DECODER ? state->pinned_target : state->pinned_source;
    bool has_cell = state->cell_row != NONE && map->id.site == state->head.site &&
                    map->example == screen_example(builder);
    if (has_cell && row == NONE && column == NONE) {
        row = state->cell_row;
        column = state->cell_column;
    }
    map->pinned_row = row < map->rows ? row : NONE;
    map->pinned_column = column < map->columns ? column : NONE;
    /* If nothing is pinned: the row that wrote the newest token. */
    if (state->step > 0 && row == NONE && map->id.site != SITE_ENCODER)
        map->pinned_row = trace_shape(map->trace, map->id.site).queries - 1;
}

ScreenMap screen_side_map(ScreenBuilder *builder, const Side *side) {
    ScreenMap map = {.trace = side->trace,
                     .id = side->id,
                     .axes = side->axes,
                     .rows = side->rows,
                     .columns = side->columns,
                     .example = screen_example(builder)};
    set_marks(builder, &map);
    return map;
}

/* The map of a head in an example, with its marks. */
static ScreenMap head_map(ScreenBuilder *builder, HeadId id, int example) {
    const Pass *pass = builder->pass;
    ScreenMap map = {.trace = pass->world.examples[example].trace,
                     .id = id,
                     .axes = &pass->examples[example].axes[id.site],
                     .rows = pass_rows(pass, id.site),
                     .columns = pass_columns(pass, id.site),
                     .first = head_id_same(id, builder->state->head),
                     .struck = screen_is_ablated(builder, id),
                     .example = example,
                     .action =
                         pool_format(builder->pool, "select %s", screen_head_name(builder, id))};
    set_marks(builder, &map);
    return map;
}

/* --- the overview ----------------------------------------------------------------------------- */

static void build_overview(ScreenBuilder *builder) {
    const Config *config = &builder->session->model.config;
    const State *state = builder->state;
    ScreenOverview *overview = &builder->screen->overview;
    *overview =
        (ScreenOverview){.trace = builder->pass->world.examples[screen_example(builder)].trace,
                         .first = state->head,
                         .second = state->other_head,
                         .has_second = state->mode == COMPARE_HEADS &&
                                       (state->page == PAGE_COMPARE || state->difference),
                         .site = state->head.site,
                         .layer = state->head.layer,
                         .lit = state->hover,
                         .has_lit = state->has_hover};
    for (int site = 0; site < SITE_COUNT; site++) {
        int layers = state_layers(config, (Site)site), heads = config->heads;
        bool *struck = pool_take(builder->pool, (size_t)(layers * heads) * sizeof *struck);
        for (int i = 0; struck && i < layers * heads; i++)
            struck[i] = screen_is_ablated(builder, (HeadId){(Site)site, i / heads, i % heads});
        overview->struck[site] = struck;
        overview->rows[site] = pass_rows(builder->pass, (Site)site);
        overview->columns[site] = pass_columns(builder->pass, (Site)site);
    }
}

/* --- the panels ------------------------------------------------------------------------------- */

static const char *panel_note(ScreenBuilder *builder, HeadId id) {
    char label[64];
    const HeadFigures *figures = session_head_figures(builder->session, id);
    if (!figures) return NULL;
    head_label(figures, id.site, label, sizeof label);
    return label[0] ? pool_copy(builder->pool, label) : NULL;
}

/* Describes A - B of the panels, or why it cannot be computed. */
static const char *difference_caption(ScreenBuilder *builder, const char *refusal, float largest) {
    static const char *const others[COMPARE_MODES] = {
        [COMPARE_PLAIN] = "the model as trained",
        [COMPARE_INPUTS] = "the same head on the other input",
        [COMPARE_MODELS] = "the same head of the other model",
        [COMPARE_SNAPSHOTS] = "the same head at the other snapshot"};
    if (refusal)
        return pool_format(builder->pool, "no difference: %s",
                           visible_label(builder->pool, refusal));
    const char *other = builder->state->mode == COMPARE_HEADS
                            ? screen_head_name(builder, builder->state->other_head)
                            : others[builder->state->mode];
    return pool_format(builder->pool, "A − B: each head less %s%s", other,
                       largest > 0 ? "" : "; no map of this layer differs");
}

/* Makes *map a difference. Returns why that is impossible; NULL if it is not. */
static const char *subtract(ScreenBuilder *builder, ScreenMap *map) {
    Side a, b;
    const char *reason = NULL;
    if (!session_sides(builder->session, map->id, map->example, &a, &b, &reason) ||
        !session_can_subtract(builder->session, &a, &b, &reason))
        return reason;
    map->minus = b.trace;
    map->minus_id = b.id;
    return NULL;
}

float screen_round_reach(float reach) {
    static const float ends[] = {0.001F, 0.002F, 0.005F, 0.01F, 0.02F, 0.05F, 0.1F, 0.2F, 0.5F};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (reach <= ends[i]) return ends[i];
    return reach <= 1 ? 1 : ceilf(reach);
}

float screen_largest_difference(const ScreenMap *map) {
    float largest = 0;
    TraceShape shape = trace_shape(map->trace, map->id.site);
    for (int query = 0; map->minus && query < shape.queries; query++)
        for (int key = 0; key < shape.keys; key++)
            largest =
                fmaxf(largest, fabsf(trace_cell(map->trace, map->id, query, key, NULL) -
                                     trace_cell(map->minus, map->minus_id, query, key, NULL)));
    return largest;
}

static void build_panels(ScreenBuilder *builder) {
    const State *state = builder->state;
    const Pass *pass = builder->pass;
    int heads = builder->session->model.config.heads;
    const char *refusal = NULL;
    float reach = 0;
    ScreenMap *maps = pool_take(builder->pool, (size_t)(heads * pass->count) * sizeof *maps);
    ScreenPanels *panels = &builder->screen->panels;
    if (!maps) return;
    for (int i = 0; i < heads * pass->count; i++) {
        int example = i / heads;
        HeadId id = {state->head.site, state->head.layer, i % heads};
        maps[i] = head_map(builder, id, example);
        maps[i].title =
            pool_format(builder->pool, example ? "head %d, example 2" : "head %d", id.head);
        if (example == screen_example(builder)) maps[i].note = panel_note(builder, id);
        if (maps[i].struck)
            maps[i].note =
                state->knockouts[state_place(&builder->session->model.config, id)] == KNOCKOUT_MEAN
                    ? "out (mean output)"
                    : "out (zero)";
        if (state->difference) refusal = subtract(builder, &maps[i]);
        reach = fmaxf(reach, screen_largest_difference(&maps[i]));
    }
    const SceneAxes *axes = &pass->examples[0].axes[state->head.site];
    panels->title =
        pool_format(builder->pool, "%s, layer %d", site_title(state->head.site), state->head.layer);
    panels->caption = state->difference ? difference_caption(builder, refusal, reach)
                                        : pool_format(builder->pool, "rows: %s · columns: %s",
                                                      axes->row_caption, axes->column_caption);
    builder->screen->compare.reach = reach > 0 ? screen_round_reach(reach) : 1;
    panels->maps = maps;
    panels->count = heads * pass->count;
}

/* --- one head --------------------------------------------------------------------------------- */

static void build_focus(ScreenBuilder *builder) {
    static const ScreenButton as_lines[] = {
        {.label = "large", .tip = "this head alone (Enter)", .action = "focus"},
        {.label = "heat map", .tip = "lines or heat map (l)", .action = "lines off"}};
    static const ScreenButton as_map[] = {
        {.label = "large", .tip = "this head alone (Enter)", .action = "focus"},
        {.label = "lines", .tip = "lines or heat map (l)", .action = "lines on"}};
    const State *state = builder->state;
    bool lines = state->lines || !state->focus_open;
    const char *name = screen_head_name(builder, state->head);
    ScreenButton *buttons = pool_take(builder->pool, sizeof as_lines);
    if (!buttons) return;
    memcpy(buttons, state->lines ? as_lines : as_map, sizeof as_lines);
    buttons[0].on = state->focus_open;
    builder->screen->focus =
        (ScreenFocus){.map = head_map(builder, state->head, screen_example(builder)),
                      .open = state->focus_open,
                      .lines = lines,
                      .threshold = state->threshold,
                      .zoom = state->zoom,
                      .left = state->left,
                      .top = state->top,
                      .title = lines ? pool_format(builder->pool, "%s as lines", name) : name,
                      .buttons = buttons,
                      .button_count = state->focus_open ? 2 : 1};
    builder->screen->focus.map.action = NULL;
}

/* The largest weight among queries that see at least two keys: the weight of a single key is
 * always 1. */
static float largest_weight(const Trace *trace, HeadId id) {
    float largest = 0;
    TraceShape shape = trace_shape(trace, id.site);
    for (int query = 0; query < shape.queries; query++)
        for (int key = 0; trace_key_len(trace, id, query) > 1 && key < shape.keys; key++) {
            float weight = trace_cell(trace, id, query, key, NULL);
            if (weight > largest && weight <= 1) largest = weight;
        }
    return largest;
}

/* The top of the scale of all maps: 1, or the largest weight of the current site. */
static float scale_top(const ScreenBuilder *builder) {
    const Config *config = &builder->session->model.config;
    Site site = builder->state->head.site;
    float largest = 0;
    if (!builder->state->scale_largest) return 1;
    for (int i = 0; i < builder->pass->count; i++)
        for (int place = 0; place < state_layers(config, site) * config->heads; place++) {
            HeadId id = {site, place / config->heads, place % config->heads};
            largest = fmaxf(largest, largest_weight(builder->pass->world.examples[i].trace, id));
        }
    return largest > 0 ? largest : 1;
}

void screen_build_maps(ScreenBuilder *builder) {
    builder->screen->top = scale_top(builder);
    build_overview(builder);
    build_panels(builder);
    build_focus(builder);
}
