#include "model/trace/trace_fold.h"

#include "model/base/minmax.h"

/* Spans of a picture are about as wide as each other, but for the first and the last. */
TraceColumns trace_columns(const TraceSpan *spans, int count) {
    TraceColumns columns = {.spans = spans, .count = count, .step = 1};
    int narrow = TRACE_FOLD_COLUMNS, edges = count > 2;
    for (int i = edges; i < count - edges; i++)
        narrow = int_min(narrow, trace_span_width(spans[i]));
    while (2 * columns.step <= narrow)
        columns.step *= 2;
    for (int i = 0; i < count; i++) {
        int width = trace_span_width(spans[i]);
        columns.odd = columns.odd || width < columns.step || width > 2 * columns.step;
    }
    return columns;
}
