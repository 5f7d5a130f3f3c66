#include "model/trace/trace_lent.h"

/* Whether these are blocks of a level, one after the other, along a side of `side` cells. */
static bool are_blocks(const TraceSpan *spans, int count, int level, int side) {
    int first = spans[0].first >> level;
    for (int i = 0; i < count; i++) {
        int last = ((first + i + 1) << level) - 1;
        if (spans[i].first != (first + i) << level ||
            spans[i].last != (last < side ? last : side - 1))
            return false;
    }
    return true;
}

/* The level of a span at the beginning of a row, 0 for none. */
static int level_of(TraceSpan span) {
    int level = 1;
    while (level < TRACE_LENT_LEVELS && span.last >= 1 << level)
        level++;
    return level < TRACE_LENT_LEVELS ? level : 0;
}

const float *trace_lent_find(const TraceLent *lent, int map_rows, int map_columns,
                             const TraceSpan *rows, int row_count, const TraceColumns *columns) {
    int level = level_of(columns->spans[0]), width = columns->count;
    if (level == 0 || !lent->levels[level] || columns->spans[0].first != 0 ||
        columns->spans[width - 1].last != map_columns - 1 ||
        !are_blocks(columns->spans, width, level, map_columns) ||
        !are_blocks(rows, row_count, level, map_rows))
        return NULL;
    return lent->levels[level] + (long)(rows[0].first >> level) * width;
}
