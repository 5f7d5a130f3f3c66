#include "model/analysis/heads.h"

#include "model/base/minmax.h"

#include <math.h>
#include <stdio.h>

const char *figure_name(Figure figure) {
    static const char *const names[FIGURE_COUNT] = {
        [FIGURE_ENTROPY] = "entropy",   [FIGURE_SPREAD] = "spread",
        [FIGURE_DISTANCE] = "distance", [FIGURE_LARGEST] = "largest",
        [FIGURE_PREVIOUS] = "previous", [FIGURE_SELF] = "self",
        [FIGURE_NEXT] = "next",         [FIGURE_FIRST] = "first",
        [FIGURE_LAST] = "last",         [FIGURE_DIAGONAL] = "diagonal",
    };
    return names[figure];
}

bool heads_row_informative(const Trace *trace, HeadId id, int query) {
    return query < trace_real_queries(trace, id.site) && trace_seen(trace, id, query) >= 2 &&
           trace_key_len(trace, id, query) > trace_keys_alike(trace, id);
}

/* --- one map ---------------------------------------------------------------------------------- */

typedef struct Map {
    const Trace *trace;
    HeadId id;
    int queries, keys; /* valid */
    bool causal;
} Map;

typedef struct Sums {
    double sum[FIGURE_COUNT];
    long rows[FIGURE_COUNT];
    long all;
} Sums;

/* CELL_VALUE if all cells that a row sees are values; else the state of the first other one. */
static CellState state_of_row(const Map *map, int query) {
    int key_len = trace_key_len(map->trace, map->id, query);
    for (int key = 0; key < key_len; key++) {
        CellState state;
        trace_cell(map->trace, map->id, query, key, &state);
        if (state == CELL_NAN || state == CELL_MISSING) return state;
    }
    return CELL_VALUE;
}

static void add(Sums *sums, Figure figure, double value) {
    sums->sum[figure] += value;
    sums->rows[figure]++;
}

/* Adds the weight of a key if the row sees it. */
static void add_key(Sums *sums, Figure figure, const Map *map, int query, int key) {
    if (key < 0 || !trace_sees(map->trace, map->id, query, key)) return;
    add(sums, figure, trace_cell(map->trace, map->id, query, key, NULL));
}

/* A masked weight is 0 and adds nothing. */
static void add_whole_row(Sums *sums, const Map *map, int query) {
    double entropy = 0, distance = 0, largest = 0;
    int key_len = trace_key_len(map->trace, map->id, query);
    for (int key = 0; key < key_len; key++) {
        double weight = trace_cell(map->trace, map->id, query, key, NULL);
        if (weight > 0) entropy -= weight * log2(weight);
        if (weight > largest) largest = weight;
        distance += weight * fabs((double)query - key);
    }
    add(sums, FIGURE_ENTROPY, entropy);
    add(sums, FIGURE_SPREAD, entropy / log2(trace_seen(map->trace, map->id, query)));
    add(sums, FIGURE_LARGEST, largest);
    if (map->id.site != SITE_CROSS) add(sums, FIGURE_DISTANCE, distance);
}

/* The last valid key that a row sees; -1: none. */
static int last_key(const Map *map, int query) {
    int key_len = trace_key_len(map->trace, map->id, query);
    int key = int_min(key_len, map->keys) - 1;
    while (key >= 0 && !trace_sees(map->trace, map->id, query, key))
        key--;
    return key;
}

static void add_keys_of_row(Sums *sums, const Map *map, int query) {
    add_key(sums, FIGURE_FIRST, map, query, 0);
    if (!map->causal) add_key(sums, FIGURE_LAST, map, query, last_key(map, query));
    if (map->id.site != SITE_CROSS) {
        add_key(sums, FIGURE_PREVIOUS, map, query, query - 1);
        add_key(sums, FIGURE_SELF, map, query, query);
        add_key(sums, FIGURE_NEXT, map, query, query + 1);
    } else if (map->queries > 1) {
        double line = (double)query * (map->keys - 1) / (map->queries - 1);
        add_key(sums, FIGURE_DIAGONAL, map, query, (int)floor(line + 0.5));
    }
}

/* Why a map has no figures. */
static HeadNoFigures why_no_figures(const Map *map) {
    TraceShape shape = trace_shape(map->trace, map->id.site);
    int max_seen = 0, max_real = 0;
    for (int query = 0; query < shape.queries; query++) {
        int seen = trace_seen(map->trace, map->id, query);
        max_seen = int_max(max_seen, seen);
        if (query < map->queries) max_real = int_max(max_real, seen);
        if (heads_row_informative(map->trace, map->id, query))
            return state_of_row(map, query) == CELL_NAN ? HEAD_NOT_NUMBERS : HEAD_CELLS_MISSING;
    }
    if (max_seen == 0) return HEAD_NO_KEY;
    if (map->queries == 0) return HEAD_NO_QUERY;
    return max_real == 0 ? HEAD_NO_KEY : max_real == 1 ? HEAD_ONE_KEY : HEAD_KEYS_ALIKE;
}

void head_figures_of(HeadFigures *figures, const Trace *trace, HeadId id) {
    Map map = {.trace = trace,
               .id = id,
               .queries = trace_real_queries(trace, id.site),
               .keys = trace_real_keys(trace, id.site)};
    Sums sums = {0};
    /* The first row of a causal map sees only itself. */
    map.causal = id.site != SITE_CROSS && map.queries > 0 && trace_key_len(trace, id, 0) <= 1;
    for (int query = 0; query < map.queries; query++) {
        if (!heads_row_informative(trace, id, query) || state_of_row(&map, query) != CELL_VALUE)
            continue;
        sums.all++;
        add_whole_row(&sums, &map, query);
        add_keys_of_row(&sums, &map, query);
    }
    *figures = (HeadFigures){.rows = sums.all,
                             .no_figures = sums.all ? HEAD_INFORMATIVE : why_no_figures(&map)};
    for (int i = 0; i < FIGURE_COUNT; i++) {
        figures->mean[i] = sums.rows[i] ? sums.sum[i] / (double)sums.rows[i] : NAN;
        figures->error[i] = NAN;
        figures->examples[i] = sums.rows[i] > 0;
    }
}

/* --- many maps -------------------------------------------------------------------------------- */

void head_figures_add(HeadTotals *totals, const HeadFigures *one) {
    totals->rows += one->rows;
    if (one->no_figures > totals->no_figures) totals->no_figures = one->no_figures;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (isnan(one->mean[i])) continue;
        double off = one->mean[i] - totals->mean[i];
        totals->mean[i] += off / ++totals->examples[i];
        totals->squares[i] += off * (one->mean[i] - totals->mean[i]);
    }
}

void head_figures_join(HeadTotals *totals, const HeadTotals *more) {
    totals->rows += more->rows;
    if (more->no_figures > totals->no_figures) totals->no_figures = more->no_figures;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        double a = totals->examples[i], b = more->examples[i];
        if (b == 0) continue;
        double off = more->mean[i] - totals->mean[i];
        totals->mean[i] += off * b / (a + b);
        totals->squares[i] += more->squares[i] + off * off * a * b / (a + b);
        totals->examples[i] += more->examples[i];
    }
}

void head_figures_end(HeadFigures *figures, const HeadTotals *totals) {
    *figures = (HeadFigures){.rows = totals->rows,
                             .no_figures = totals->rows ? HEAD_INFORMATIVE : totals->no_figures};
    for (int i = 0; i < FIGURE_COUNT; i++) {
        int n = totals->examples[i];
        figures->examples[i] = n;
        figures->mean[i] = n ? totals->mean[i] : NAN;
        figures->error[i] = n > 1 ? sqrt(totals->squares[i] / (n - 1) / n) : NAN;
    }
}

/* --- labels ----------------------------------------------------------------------------------- */

void head_label(const HeadFigures *figures, Site site, char *text, size_t size) {
    /* The first of equal shares wins. */
    static const struct {
        Figure figure;
        const char *words, *at_cross;
    } patterns[] = {
        {FIGURE_DIAGONAL, "", "follows the diagonal"},
        {FIGURE_PREVIOUS, "reads the previous token", ""},
        {FIGURE_SELF, "stays on its own token", ""},
        {FIGURE_NEXT, "reads the next token", ""},
        {FIGURE_FIRST, "reads the first token", "reads the first source token"},
        {FIGURE_LAST, "reads the last token", "reads the last source token"},
    };
    static const char *const reasons[] = {
        [HEAD_INFORMATIVE] = "",
        [HEAD_NO_KEY] = "sees no key",
        [HEAD_NO_QUERY] = "no valid query",
        [HEAD_ONE_KEY] = "sees one key alone",
        [HEAD_KEYS_ALIKE] = "sees keys that are all alike",
        [HEAD_NOT_NUMBERS] = "not a number",
        [HEAD_CELLS_MISSING] = "has no complete row",
    };
    snprintf(text, size, "%s", reasons[figures->no_figures]);
    if (figures->no_figures != HEAD_INFORMATIVE) return;
    if (figures->mean[FIGURE_SPREAD] >= HEADS_LABEL_SPREAD) {
        snprintf(text, size, "spreads over all keys (entropy %.0f %% of the most)",
                 100 * figures->mean[FIGURE_SPREAD]);
        return;
    }
    double largest = 0;
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        double share = figures->mean[patterns[i].figure];
        if (!(share >= HEADS_LABEL_SHARE && share > largest)) continue; /* false for NaN */
        largest = share;
        snprintf(text, size, "%s (%.0f %%)",
                 site == SITE_CROSS ? patterns[i].at_cross : patterns[i].words, 100 * share);
    }
}
