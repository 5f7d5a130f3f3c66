#include "model/analysis/compare.h"

#include <math.h>
#include <stdlib.h>

#include "model/analysis/heads.h"

/* Both maps. */
typedef struct Maps {
    const Trace *a, *b;
    HeadId a_id, b_id;
} Maps;

typedef enum PairState { PAIR_UNSEEN, PAIR_SEEN, PAIR_BROKEN } PairState;

static bool is_broken(CellState state) {
    return state == CELL_NAN || state == CELL_MISSING;
}

/* One cell of both maps; a masked one is 0. */
static PairState read_pair(const Maps *maps, int query, int key, double *a, double *b) {
    CellState a_state, b_state;
    *a = trace_cell(maps->a, maps->a_id, query, key, &a_state);
    *b = trace_cell(maps->b, maps->b_id, query, key, &b_state);
    if (is_broken(a_state) || is_broken(b_state)) return PAIR_BROKEN;
    return a_state == CELL_MASKED && b_state == CELL_MASKED ? PAIR_UNSEEN : PAIR_SEEN;
}

/* --- rows that count -------------------------------------------------------------------------- */

static bool is_real(const Maps *maps, int query) {
    return query < trace_real_queries(maps->a, maps->a_id.site) &&
           query < trace_real_queries(maps->b, maps->b_id.site);
}

static bool row_differs(const Maps *maps, int query, int keys) {
    double a, b;
    for (int key = 0; key < keys; key++)
        if (read_pair(maps, query, key, &a, &b) == PAIR_SEEN && fabs(a - b) > COMPARE_SAME)
            return true;
    return false;
}

static bool row_counts(const MapComparison *found, const Maps *maps, int query) {
    return is_real(maps, query) && (heads_row_informative(maps->a, maps->a_id, query) ||
                                    heads_row_informative(maps->b, maps->b_id, query) ||
                                    row_differs(maps, query, found->keys));
}

/* --- cells ------------------------------------------------------------------------------------ */

typedef struct Side {
    double sum, least, most;
} Side;

static void side_add(Side *side, double value, bool first) {
    side->sum += value;
    if (first || value < side->least) side->least = value;
    if (first || value > side->most) side->most = value;
}

static bool side_is_constant(const Side *side) {
    return side->most - side->least <= COMPARE_SAME;
}

static double correlate(const MapComparison *found, const Maps *maps, double a_mean,
                        double b_mean) {
    double both = 0, a_square = 0, b_square = 0, a, b;
    for (int query = 0; query < found->queries; query++) {
        if (!row_counts(found, maps, query)) continue;
        for (int key = 0; key < found->keys; key++) {
            if (read_pair(maps, query, key, &a, &b) != PAIR_SEEN) continue;
            both += (a - a_mean) * (b - b_mean);
            a_square += (a - a_mean) * (a - a_mean);
            b_square += (b - b_mean) * (b - b_mean);
        }
    }
    return both / sqrt(a_square * b_square);
}

static void compare_cells(MapComparison *found, const Maps *maps) {
    Side a_side = {0}, b_side = {0};
    double sum = 0, a, b;
    found->row_largest = found->key_largest = -1;
    for (int query = 0; query < found->queries; query++) {
        if (!row_counts(found, maps, query)) continue;
        for (int key = 0; key < found->keys; key++) {
            if (read_pair(maps, query, key, &a, &b) != PAIR_SEEN) continue;
            bool first = found->cells++ == 0;
            double off = fabs(a - b);
            sum += off;
            side_add(&a_side, a, first);
            side_add(&b_side, b, first);
            if (!first && off <= found->largest) continue;
            found->largest = off;
            found->row_largest = query;
            found->key_largest = key;
        }
    }
    double cells = (double)found->cells;
    if (!found->cells) found->largest = NAN;
    found->mean = found->cells ? sum / cells : NAN;
    bool constant = !found->cells || side_is_constant(&a_side) || side_is_constant(&b_side);
    found->correlation =
        constant ? NAN : correlate(found, maps, a_side.sum / cells, b_side.sum / cells);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* -p log2 p */
static double surprise(double p) {
    return p > 0 ? -p * log2(p) : 0;
}

static double compare_row(const MapComparison *found, const Maps *maps, int query) {
    bool a_empty = trace_seen(maps->a, maps->a_id, query) == 0;
    bool b_empty = trace_seen(maps->b, maps->b_id, query) == 0;
    double divergence = 0, a, b;
    if (!row_counts(found, maps, query)) return NAN;
    for (int key = 0; key < found->keys; key++) {
        if (read_pair(maps, query, key, &a, &b) == PAIR_BROKEN) return NAN;
        divergence += surprise((a + b) / 2) - (surprise(a) + surprise(b)) / 2;
    }
    if (a_empty || b_empty) return 1;
    return divergence < 0 ? 0 : divergence > 1 ? 1 : divergence; /* by rounding */
}

static void compare_rows(MapComparison *found, const Maps *maps) {
    double sum = 0;
    for (int query = 0; query < found->queries; query++) {
        double divergence = compare_row(found, maps, query);
        found->row_divergence[query] = divergence;
        if (isnan(divergence)) continue;
        sum += divergence;
        found->rows++;
    }
    found->divergence = found->rows ? sum / found->rows : NAN;
}

/* --- both ------------------------------------------------------------------------------------- */

static bool check_head(const Trace *trace, HeadId id, Error *error) {
    TraceShape shape = trace_shape(trace, id.site);
    return (id.layer >= 0 && id.layer < shape.layers && id.head >= 0 && id.head < shape.heads) ||
           error_usage(error,
                       "%s.%d.%d: no such head; %s has %d layers and %d heads, both counted "
                       "from 0",
                       site_name(id.site), id.layer, id.head, site_name(id.site), shape.layers,
                       shape.heads);
}

static bool check_sizes(const Maps *maps, Error *error) {
    if (!check_head(maps->a, maps->a_id, error) || !check_head(maps->b, maps->b_id, error))
        return false;
    TraceShape a = trace_shape(maps->a, maps->a_id.site), b = trace_shape(maps->b, maps->b_id.site);
    HeadId a_id = maps->a_id, b_id = maps->b_id;
    return (a.queries == b.queries && a.keys == b.keys) ||
           error_usage(error,
                       "%s.%d.%d has %d queries and %d keys, %s.%d.%d %d and %d: only maps of the "
                       "same size can be compared cell by cell",
                       site_name(a_id.site), a_id.layer, a_id.head, a.queries, a.keys,
                       site_name(b_id.site), b_id.layer, b_id.head, b.queries, b.keys);
}

bool compare_maps(MapComparison *comparison, const Trace *a, HeadId a_id, const Trace *b,
                  HeadId b_id, Error *error) {
    Maps maps = {a, b, a_id, b_id};
    *comparison = (MapComparison){0};
    if (!check_sizes(&maps, error)) return false;
    TraceShape shape = trace_shape(a, a_id.site);
    comparison->queries = shape.queries;
    comparison->keys = shape.keys;
    comparison->row_divergence =
        malloc(((size_t)shape.queries + 1) * sizeof *comparison->row_divergence);
    if (!comparison->row_divergence)
        return error_set(error, "out of memory for a row of %d queries", shape.queries);
    compare_cells(comparison, &maps);
    compare_rows(comparison, &maps);
    return true;
}

void comparison_free(MapComparison *comparison) {
    free(comparison->row_divergence);
    *comparison = (MapComparison){0};
}

/* Of a row that tells about both. */
static MapsSame identical_row(const Maps *maps, int query, int keys) {
    bool same = true;
    for (int key = 0; key < keys; key++) {
        double a, b;
        if (read_pair(maps, query, key, &a, &b) == PAIR_BROKEN) return MAPS_UNINFORMATIVE;
        same = same && fabs(a - b) <= COMPARE_SAME;
    }
    return same ? MAPS_SAME : MAPS_DIFFERENT;
}

MapsSame compare_identical(const Trace *a, HeadId a_id, const Trace *b, HeadId b_id) {
    Maps maps = {a, b, a_id, b_id};
    if (!check_sizes(&maps, NULL)) return MAPS_DIFFERENT;
    TraceShape shape = trace_shape(a, a_id.site);
    MapsSame found = MAPS_UNINFORMATIVE;
    for (int query = 0; query < shape.queries; query++) {
        if (!heads_row_informative(a, a_id, query) || !heads_row_informative(b, b_id, query))
            continue;
        MapsSame row = identical_row(&maps, query, shape.keys);
        if (row == MAPS_DIFFERENT) return MAPS_DIFFERENT;
        if (row == MAPS_SAME) found = MAPS_SAME;
    }
    return found;
}
