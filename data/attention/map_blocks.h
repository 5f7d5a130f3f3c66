/* The pyramid of each map of a site, built while the maps are read: for each block of 2^level x
 * 2^level cells the weight of the largest magnitude. A sheet of many large maps is then drawn
 * without reading the maps again. */
#ifndef HEADSCOPE_DATA_ATTENTION_MAP_BLOCKS_H
#define HEADSCOPE_DATA_ATTENTION_MAP_BLOCKS_H

#include "model/trace/trace.h"

/* Rows that are added at once; a power of two. */
enum { BLOCKS_ROWS = 4 };

typedef struct MapBlocks {
    TraceShape shape;
    int first, last; /* levels; 0, 0: there are none */
    float *values;   /* all maps' first level, then the next, ...; owned */
    size_t size;     /* bytes of those */
    float *levels[TRACE_PYRAMID_LEVELS];
    TraceSpan *spans; /* owned */
    TraceColumns
        columns[TRACE_PYRAMID_LEVELS]; /* of the first level: cells; then: of the level before */
} MapBlocks;

/* Allocates a pyramid if it is of use: for large maps, with as many levels as the memory limit
 * allows and as drawing needs. Without memory there is no pyramid. */
void map_blocks_make(MapBlocks *blocks, TraceShape shape);
void map_blocks_free(MapBlocks *blocks); /* {0} is fine */

/* Adds rows [count, keys] of a map from `query` on, a multiple of BLOCKS_ROWS; count is BLOCKS_ROWS
 * or the rest. `room` [map_blocks_width] is scratch memory. Threads may add to different maps at
 * the same time. */
void map_blocks_add(MapBlocks *blocks, int map, int query, int count, const float *rows,
                    float *room);
int map_blocks_width(const MapBlocks *blocks);

/* Computes the other levels of a map after its last row was added. */
void map_blocks_end(MapBlocks *blocks, int map);

/* Lends the levels to the trace, whose masks are set: blocks without a visible cell become NaN.
 * Masked cells must be zeros, or all of them NaN. */
void map_blocks_lend(MapBlocks *blocks, Trace *trace, HeadId id);

#endif
