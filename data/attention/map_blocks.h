/* The pyramid of each map of a site, made while the maps are gone through: of each block of 2^level
 * x 2^level cells the weight of the largest magnitude. A sheet of many large maps is then drawn
 * without reading them anew. */
#ifndef HEADSCOPE_DATA_ATTENTION_MAP_BLOCKS_H
#define HEADSCOPE_DATA_ATTENTION_MAP_BLOCKS_H

#include "model/trace/trace.h"

/* So many rows are taken in at once; their number is a power of two. */
enum { BLOCKS_ROWS = 4 };

typedef struct MapBlocks {
    TraceShape shape;
    int first, last; /* levels; 0, 0: there are none */
    float *values;   /* all maps' first level, then the next, ...; owned */
    size_t size;     /* bytes of those */
    float *levels[TRACE_LENT_LEVELS];
    TraceSpan *spans; /* owned */
    TraceColumns
        columns[TRACE_LENT_LEVELS]; /* of the first level: cells; then: of the level before */
} MapBlocks;

/* Makes room where a pyramid is of use: for large maps, in so many levels as its memory allows, and
 * as are drawn. Without memory there is none. */
void map_blocks_make(MapBlocks *blocks, TraceShape shape);
void map_blocks_free(MapBlocks *blocks); /* {0} is fine */

/* Takes rows of a map in, [count, keys], from `query` on, which BLOCKS_ROWS divides; count is that
 * or what there is left. `room` [map_blocks_width] is for the while. Different maps may be taken in
 * in different threads. */
void map_blocks_add(MapBlocks *blocks, int map, int query, int count, const float *rows,
                    float *room);
int map_blocks_width(const MapBlocks *blocks);

/* All rows of a map are in: makes its other levels. */
void map_blocks_end(MapBlocks *blocks, int map);

/* Lends them to the trace, in which it is known what each query sees: blocks of which none is seen
 * become NaNs. Masked cells must be zeros, or all of them no numbers. */
void map_blocks_lend(MapBlocks *blocks, Trace *trace, HeadId id);

#endif
