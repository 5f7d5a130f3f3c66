#include "model/trace_lent.h"

/* The level that has such blocks along one side of `side` cells, 0 for none. */
static int level_of(const TraceSpan *spans, int count, int side) {
    int level = 1;
    while (level < TRACE_LENT_LEVELS && spans[0].last + 1 > 1 << level)
        level++;
    if (level == TRACE_LENT_LEVELS || count != (side + (1 << level) - 1) >> level) return 0;
    for (int i = 0; i < count; i++) {
        int last = ((i + 1) << level) - 1;
        if (spans[i].first != i << level || spans[i].last != (last < side ? last : side - 1))
            return 0;
    }
    return level;
}

const float *trace_lent_find(const TraceLent *lent, int map_rows, int map_columns,
                             const TraceSpan *rows, int row_count, const TraceColumns *columns) {
    int level = level_of(columns->spans, columns->count, map_columns);
    return level == level_of(rows, row_count, map_rows) ? lent->levels[level] : NULL;
}
