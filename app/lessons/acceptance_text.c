#include <math.h>
#include <stdlib.h>

#include "app/lessons/acceptance_page.h"

const char *acceptance_shape(Pool *pool, int rank, const int *sizes) {
    const char *text = "(";
    for (int i = 0; i < rank; i++)
        text = pool_format(pool, "%s%s%d", text, i ? ", " : "", sizes[i]);
    return pool_format(pool, "%s)", text);
}

const char *acceptance_lens(Pool *pool, const AcceptanceCall *call) {
    if (!call->mask.valid_lens) return "none";
    if (call->mask.per_query) return "one for each query";
    const char *text = "[";
    for (int b = 0; b < call->sizes.batch; b++)
        text = pool_format(pool, "%s%s%d", text, b ? ", " : "", call->mask.valid_lens[b]);
    return pool_format(pool, "%s]", text);
}

const char *acceptance_describe(Pool *pool, const Toy *toy) {
    AttentionSizes n = toy->call.sizes;
    int width = n.heads * n.head_width;
    const char *queries = acceptance_shape(pool, 3, (int[]){n.batch, n.queries, width});
    const char *keys = acceptance_shape(pool, 3, (int[]){n.batch, n.keys, width});
    if (toy->columns) {
        queries = acceptance_shape(pool, 2, (int[]){width, n.queries});
        keys = acceptance_shape(pool, 2, (int[]){width, n.keys});
    }
    const char *sources =
        toy->call.x_query == toy->call.x_key_value
            ? pool_format(pool, "queries, keys and values from one source %s", queries)
            : pool_format(pool, "queries %s, keys and values %s", queries, keys);
    return pool_format(pool, "%s, %d %s of width %d, valid lengths %s%s%s", sources, n.heads,
                       n.heads == 1 ? "head" : "heads", n.head_width,
                       acceptance_lens(pool, &toy->call), toy->call.mask.causal ? ", causal" : "",
                       toy->columns ? "; each column is an input, and a softmax runs down a column"
                                    : "");
}

const char *acceptance_figure(Pool *pool, AcceptanceCheck check, const AcceptanceFinding *finding) {
    if (finding->state == ACCEPT_NOT_CHECKED) return "-";
    if (finding->why) return "wrong shape";
    if (finding->counts) return pool_format(pool, "%ld of %ld", finding->count, finding->of);
    if (check == ACCEPT_DISTINCT) return pool_format(pool, "%.2g apart", finding->value);
    return finding->value == 0 ? "0" : pool_format(pool, "%.1e", finding->value);
}

const char *acceptance_bound(Pool *pool, AcceptanceCheck check, const AcceptanceFinding *finding) {
    if (finding->state == ACCEPT_NOT_CHECKED || finding->why) return "";
    if (finding->counts) return "all";
    if (check == ACCEPT_DISTINCT) return pool_format(pool, "over %.0e", finding->allowed);
    return pool_format(pool, "%.0e", finding->allowed);
}

const char *acceptance_verdict(AcceptanceState state) {
    return state == ACCEPT_PASSED ? "passed" : state == ACCEPT_FAILED ? "FAILED" : "not checked";
}

LessonTone acceptance_tone(AcceptanceState state) {
    return state == ACCEPT_PASSED ? TONE_GOOD : state == ACCEPT_FAILED ? TONE_WRONG : TONE_FAINT;
}

void acceptance_map(LessonMaker *maker, const char *title, const char *note,
                    const AcceptanceCall *call, const AcceptanceReference *reference,
                    const double *weights, int example, int head) {
    AttentionSizes n = call->sizes;
    size_t cells = (size_t)n.queries * (size_t)n.keys;
    Pool *pool = lesson_pool(maker);
    float *values = pool_take(pool, cells * sizeof *values);
    unsigned char *states = pool_take(pool, cells);
    if (!values || !states) return; /* lesson_finish says so */
    const double *map = weights + (long)(example * n.heads + head) * n.queries * n.keys;
    for (int t = 0; t < n.queries; t++)
        for (int j = 0; j < n.keys; j++) {
            int at = t * n.keys + j;
            bool hidden = j >= reference->visible[example * n.queries + t];
            values[at] = (float)map[at];
            states[at] = !isfinite(map[at])       ? CELL_NAN
                         : hidden && map[at] == 0 ? CELL_MASKED
                                                  : CELL_VALUE;
        }
    lesson_map(maker, &(LessonMap){.title = title,
                                   .note = note,
                                   .rows = n.queries,
                                   .columns = n.keys,
                                   .values = values,
                                   .states = states,
                                   .top = 1,
                                   .marked_row = -1,
                                   .marked_column = -1});
}
