#include "model/analysis/compare.h"

#include <math.h>
#include <stdlib.h>

#include "model/analysis/heads.h"

/* The two maps that are compared. */
typedef struct MapPair {
    const Trace *a, *b;
    HeadId a_id, b_id;
} MapPair;

typedef enum CellsState { CELLS_MASKED, CELLS_VALID, CELLS_INVALID } CellsState;

static bool is_invalid(CellState state) {
    return state == CELL_NAN || state == CELL_MISSING;
}

/* Reads a cell of both maps; a masked weight is 0. */
static CellsState read_cells(const MapPair *pair, int query, int key, double *a, double *b) {
    CellState a_state, b_state;
    *a = trace_cell(pair->a, pair->a_id, query, key, &a_state);
    *b = trace_cell(pair->b, pair->b_id, query, key, &b_state);
    if (is_invalid(a_state) || is_invalid(b_state)) return CELLS_INVALID;
    return a_state == CELL_MASKED && b_state == CELL_MASKED ? CELLS_MASKED : CELLS_VALID;
}

/* --- rows that count -------------------------------------------------------------------------- */

static bool is_real(const MapPair *pair, int query) {
    return query < trace_real_queries(pair->a, pair->a_id.site) &&
           query < trace_real_queries(pair->b, pair->b_id.site);
}

static bool row_differs(const MapPair *pair, int query, int keys) {
    double a, b;
    for (int key = 0; key < keys; key++)
        if (read_cells(pair, query, key, &a, &b) == CELLS_VALID && fabs(a - b) > COMPARE_SAME)
            return true;
    return false;
}

static bool row_counts(const MapComparison *found, const MapPair *pair, int query) {
    return is_real(pair, query) && (heads_row_informative(pair->a, pair->a_id, query) ||
                                    heads_row_informative(pair->b, pair->b_id, query) ||
                                    row_differs(pair, query, found->keys));
}

/* --- cells ------------------------------------------------------------------------------------ */

typedef struct ValueStats {
    double sum, min, max;
} ValueStats;

static void stats_add(ValueStats *stats, double value, bool first) {
    stats->sum += value;
    if (first || value < stats->min) stats->min = value;
    if (first || value > stats->max) stats->max = value;
}

static bool stats_constant(const ValueStats *stats) {
    return stats->max - stats->min <= COMPARE_SAME;
}

static double correlate(const MapComparison *found, const MapPair *pair, double a_mean,
                        double b_mean) {
    double both = 0, a_square = 0, b_square = 0, a, b;
    for (int query = 0; query < found->queries; query++) {
        if (!row_counts(found, pair, query)) continue;
        for (int key = 0; key < found->keys; key++) {
            if (read_cells(pair, query, key, &a, &b) != CELLS_VALID) continue;
            both += (a - a_mean) * (b - b_mean);
            a_square += (a - a_mean) * (a - a_mean);
            b_square += (b - b_mean) * (b - b_mean);
        }
    }
    return both / sqrt(a_square * b_square);
}

static void compare_cells(MapComparison *found, const MapPair *pair) {
    ValueStats a_stats = {0}, b_stats = {0};
    double sum = 0, a, b;
    found->row_largest = found->key_largest = -1;
    for (int query = 0; query < found->queries; query++) {
        if (!row_counts(found, pair, query)) continue;
        for (int key = 0; key < found->keys; key++) {
            if (read_cells(pair, query, key, &a, &b) != CELLS_VALID) continue;
            bool first = found->cells++ == 0;
            double off = fabs(a - b);
            sum += off;
            stats_add(&a_stats, a, first);
            stats_add(&b_stats, b, first);
            if (!first && off <= found->largest) continue;
            found->largest = off;
            found->row_largest = query;
            found->key_largest = key;
        }
    }
    double cells = (double)found->cells;
    if (!found->cells) found->largest = NAN;
    found->mean = found->cells ? sum / cells : NAN;
    bool constant = !found->cells || stats_constant(&a_stats) || stats_constant(&b_stats);
    found->correlation =
        constant ? NAN : correlate(found, pair, a_stats.sum / cells, b_stats.sum / cells);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* -p log2 p */
static double entropy_term(double p) {
    return p > 0 ? -p * log2(p) : 0;
}

static double compare_row(const MapComparison *found, const MapPair *pair, int query) {
    bool a_empty = trace_seen(pair->a, pair->a_id, query) == 0;
    bool b_empty = trace_seen(pair->b, pair->b_id, query) == 0;
    double divergence = 0, a, b;
    if (!row_counts(found, pair, query)) return NAN;
    for (int key = 0; key < found->keys; key++) {
        if (read_cells(pair, query, key, &a, &b) == CELLS_INVALID) return NAN;
        divergence += entropy_term((a + b) / 2) - (entropy_term(a) + entropy_term(b)) / 2;
    }
    if (a_empty || b_empty) return 1;
    return divergence < 0 ? 0 : divergence > 1 ? 1 : divergence; /* rounding */
}

static void compare_rows(MapComparison *found, const MapPair *pair) {
    double sum = 0;
    for (int query = 0; query < found->queries; query++) {
        double divergence = compare_row(found, pair, query);
        found->row_divergence[query] = divergence;
        if (isnan(divergence)) continue;
        sum += divergence;
        found->rows++;
    }
    found->divergence = found->rows ? sum / found->rows : NAN;
}

/* --- maps ------------------------------------------------------------------------------------- */

static bool check_head(const Trace *trace, HeadId id, Error *error) {
    TraceShape shape = trace_shape(trace, id.site);
    return (id.layer >= 0 && id.layer < shape.layers && id.head >= 0 && id.head < shape.heads) ||
           error_usage(error,
                       "%s.%d.%d: no such head; %s has %d layers and %d heads, both counted "
                       "from 0",
                       site_name(id.site), id.layer, id.head, site_name(id.site), shape.layers,
                       shape.heads);
}

static bool check_sizes(const MapPair *pair, Error *error) {
    if (!check_head(pair->a, pair->a_id, error) || !check_head(pair->b, pair->b_id, error))
        return false;
    TraceShape a = trace_shape(pair->a, pair->a_id.site), b = trace_shape(pair->b, pair->b_id.site);
    HeadId a_id = pair->a_id, b_id = pair->b_id;
    return (a.queries == b.queries && a.keys == b.keys) ||
           error_usage(error,
                       "%s.%d.%d has %d queries and %d keys, %s.%d.%d %d and %d: only maps of the "
                       "same size can be compared cell by cell",
                       site_name(a_id.site), a_id.layer, a_id.head, a.queries, a.keys,
                       site_name(b_id.site), b_id.layer, b_id.head, b.queries, b.keys);
}

bool compare_maps(MapComparison *comparison, const Trace *a, HeadId a_id, const Trace *b,
                  HeadId b_id, Error *error) {
    MapPair pair = {a, b, a_id, b_id};
    *comparison = (MapComparison){0};
    if (!check_sizes(&pair, error)) return false;
    TraceShape shape = trace_shape(a, a_id.site);
    comparison->queries = shape.queries;
    comparison->keys = shape.keys;
    comparison->row_divergence =
        malloc(((size_t)shape.queries + 1) * sizeof *comparison->row_divergence);
    if (!comparison->row_divergence)
        return error_set(error, "out of memory for a row of %d queries", shape.queries);
    compare_cells(comparison, &pair);
    compare_rows(comparison, &pair);
    return true;
}

void comparison_free(MapComparison *comparison) {
    free(comparison->row_divergence);
    *comparison = (MapComparison){0};
}

/* Compares a row that is informative in both maps. */
static MapsSame identical_row(const MapPair *pair, int query, int keys) {
    bool same = true;
    for (int key = 0; key < keys; key++) {
        double a, b;
        if (read_cells(pair, query, key, &a, &b) == CELLS_INVALID) return MAPS_UNINFORMATIVE;
        same = same && fabs(a - b) <= COMPARE_SAME;
    }
    return same ? MAPS_SAME : MAPS_DIFFERENT;
}

MapsSame compare_identical(const Trace *a, HeadId a_id, const Trace *b, HeadId b_id) {
    MapPair pair = {a, b, a_id, b_id};
    if (!check_sizes(&pair, NULL)) return MAPS_DIFFERENT;
    TraceShape shape = trace_shape(a, a_id.site);
    MapsSame found = MAPS_UNINFORMATIVE;
    for (int query = 0; query < shape.queries; query++) {
        if (!heads_row_informative(a, a_id, query) || !heads_row_informative(b, b_id, query))
            continue;
        MapsSame row = identical_row(&pair, query, shape.keys);
        if (row == MAPS_DIFFERENT) return MAPS_DIFFERENT;
        if (row == MAPS_SAME) found = MAPS_SAME;
    }
    return found;
}
