#include "app/lessons/toy_parts.h"

const double **toy_part(AcceptanceCall *call, DumpPart part) {
    if (part == DUMP_X_QUERY) return &call->x_query;
    if (part == DUMP_X_KEY_VALUE) return &call->x_key_value;
    if (part >= DUMP_B_Q) return &call->b[part - DUMP_B_Q];
    return &call->w[part - DUMP_W_Q];
}

int toy_part_shape(int64_t shape[3], const Toy *toy, DumpPart part) {
    AttentionSizes n = toy->call.sizes;
    int64_t width = (int64_t)n.heads * n.head_width;
    int64_t steps = part == DUMP_X_KEY_VALUE ? n.keys : n.queries;
    if (part >= DUMP_B_Q) {
        shape[0] = width;
        return 1;
    }
    if (part >= DUMP_W_Q || toy->columns) {
        shape[0] = width;
        shape[1] = part >= DUMP_W_Q ? width : steps;
        return 2;
    }
    shape[0] = n.batch;
    shape[1] = steps;
    shape[2] = width;
    return 3;
}
