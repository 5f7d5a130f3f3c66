#include "data/attention/map_blocks.h"

#include "model/base/large_memory.h"
#include "model/base/minmax.h"

#include <math.h>
#include <stdlib.h>

/* Smaller maps are drawn from their cells. */
enum { CELLS_MIN = 1 << 14 };

/* The first level of all maps takes no more bytes than that; no level is made whose longer side is
 * less than SIDE_MIN. */
enum { BYTES_MAX = 1 << 24, SIDE_MIN = 32 };

static int side_of(int cells, int level) {
    return (cells + (1 << level) - 1) >> level;
}

static size_t size_of(TraceShape shape, int level) {
    return (size_t)side_of(shape.queries, level) * (size_t)side_of(shape.keys, level);
}

static int longer_side(TraceShape shape, int level) {
    return side_of(int_max(shape.queries, shape.keys), level);
}

static size_t maps_of(TraceShape shape) {
    return (size_t)shape.layers * (size_t)shape.heads;
}

static bool choose_levels(MapBlocks *blocks) {
    TraceShape shape = blocks->shape;
    if ((long)shape.queries * shape.keys < CELLS_MIN) return false;
    size_t most = BYTES_MAX / sizeof(float) / maps_of(shape);
    for (blocks->first = 1; size_of(shape, blocks->first) > most; blocks->first++)
        if (longer_side(shape, blocks->first) < SIDE_MIN) return false;
    blocks->last = blocks->first;
    while (longer_side(shape, blocks->last + 1) >= SIDE_MIN)
        blocks->last++;
    return true;
}

static bool make_room(MapBlocks *blocks) {
    size_t count = 0, width = 0, maps = maps_of(blocks->shape);
    for (int level = blocks->first; level <= blocks->last; level++) {
        count += maps * size_of(blocks->shape, level);
        width += (size_t)side_of(blocks->shape.keys, level);
    }
    blocks->size = count * sizeof *blocks->values;
    blocks->values = large_memory(blocks->size);
    blocks->spans = malloc(width * sizeof *blocks->spans);
    return blocks->values && blocks->spans;
}

/* Spans of `size` columns each, the last of what there is left. */
static int fill_spans(TraceSpan *spans, int columns, int size) {
    int count = 0;
    for (int first = 0; first < columns; first += size)
        spans[count++] =
            (TraceSpan){first, first + size < columns ? first + size - 1 : columns - 1};
    return count;
}

void map_blocks_make(MapBlocks *blocks, TraceShape shape) {
    *blocks = (MapBlocks){.shape = shape};
    if (!choose_levels(blocks) || !make_room(blocks)) {
        map_blocks_free(blocks);
        return;
    }
    float *values = blocks->values;
    TraceSpan *spans = blocks->spans;
    for (int level = blocks->first, width; level <= blocks->last; level++) {
        blocks->levels[level] = values;
        values += maps_of(shape) * size_of(shape, level);
        width = level == blocks->first ? fill_spans(spans, shape.keys, 1 << level)
                                       : fill_spans(spans, side_of(shape.keys, level - 1), 2);
        blocks->columns[level] = trace_columns(spans, width);
        spans += width;
    }
}

void map_blocks_free(MapBlocks *blocks) {
    large_memory_free(blocks->values, blocks->size);
    free(blocks->spans);
    *blocks = (MapBlocks){0};
}

int map_blocks_width(const MapBlocks *blocks) {
    return blocks->first ? side_of(blocks->shape.keys, blocks->first) : 0;
}

static float *level_of_map(const MapBlocks *blocks, int map, int level) {
    return blocks->levels[level] + (size_t)map * size_of(blocks->shape, level);
}

/* The one of the larger magnitude, the positive one of two that tie; one that is a number. */
static float stronger(float one, float other) {
    if (isnan(one) || fabsf(other) > fabsf(one)) return other;
    return other == -one ? fabsf(one) : one;
}

void map_blocks_add(MapBlocks *blocks, int map, int query, int count, const float *rows,
                    float *room) {
    int width = map_blocks_width(blocks), high = 1 << blocks->first;
    if (!blocks->first) return;
    TraceCells cells = {.values = rows, .stride = (size_t)blocks->shape.keys, .finite = true};
    float *values =
        level_of_map(blocks, map, blocks->first) + (size_t)(query >> blocks->first) * (size_t)width;
    for (int first = 0; first < count; first += high, values += width) {
        int past = first + high < count ? first + high : count;
        bool begins = ((query + first) & (high - 1)) == 0;
        SIMD_PICK(trace_fold_cells)
        (&cells, (TraceSpan){first, past - 1}, &blocks->columns[blocks->first],
         begins ? values : room);
        for (int i = 0; !begins && i < width; i++)
            values[i] = stronger(values[i], room[i]);
    }
}

void map_blocks_end(MapBlocks *blocks, int map) {
    for (int level = blocks->first + 1; level <= blocks->last; level++) {
        int rows = side_of(blocks->shape.queries, level - 1);
        const TraceColumns *columns = &blocks->columns[level];
        TraceCells finer = {.values = level_of_map(blocks, map, level - 1),
                            .stride = (size_t)side_of(blocks->shape.keys, level - 1)};
        float *values = level_of_map(blocks, map, level);
        for (int row = 0; row < rows; row += 2, values += columns->count)
            SIMD_PICK(trace_fold_cells)
        (&finer, (TraceSpan){row, row + 1 < rows ? row + 1 : row}, columns, values);
    }
}

/* Blocks behind what any of their rows sees. */
static void mask(float *values, const Trace *trace, HeadId id, int level) {
    TraceShape shape = trace_shape(trace, id.site);
    int width = side_of(shape.keys, level);
    for (int row = 0; row < side_of(shape.queries, level); row++, values += width) {
        int most = 0;
        for (int query = row << level; query < shape.queries && query >> level == row; query++)
            if (trace_key_len(trace, id, query) > most) most = trace_key_len(trace, id, query);
        for (int column = side_of(most, level); column < width; column++)
            values[column] = NAN;
    }
}

void map_blocks_lend(MapBlocks *blocks, Trace *trace, HeadId id) {
    int map = id.layer * blocks->shape.heads + id.head;
    bool masked = trace_shows(trace, id, CELL_MASKED);
    for (int level = blocks->first; blocks->first && level <= blocks->last; level++) {
        float *values = level_of_map(blocks, map, level);
        if (masked) mask(values, trace, id, level);
        if (!trace_lend(trace, id, level, values)) return;
    }
}
