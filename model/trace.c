#include "model/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SiteMaps {
    TraceShape shape;
    float *weights;  /* [layers, heads, queries, keys] */
    int *key_len;    /* [layers, heads, queries] */
    int *keys_alike; /* [layers, heads] */
} SiteMaps;

struct Trace {
    SiteMaps sites[SITE_COUNT];
};

static long row_index(const SiteMaps *maps, HeadId id, int query) {
    return ((long)id.layer * maps->shape.heads + id.head) * maps->shape.queries + query;
}

Trace *trace_make(const TraceShape shapes[SITE_COUNT], Error *error) {
    Trace *trace = calloc(1, sizeof *trace);
    bool made = trace != NULL;
    for (int site = 0; made && site < SITE_COUNT; site++) {
        SiteMaps *maps = &trace->sites[site];
        maps->shape = shapes[site];
        size_t heads = (size_t)maps->shape.layers * (size_t)maps->shape.heads;
        size_t rows = heads * (size_t)maps->shape.queries;
        size_t cells = rows * (size_t)maps->shape.keys;
        maps->weights = calloc(cells ? cells : 1, sizeof *maps->weights);
        maps->key_len = calloc(rows ? rows : 1, sizeof *maps->key_len);
        maps->keys_alike = malloc((heads ? heads : 1) * sizeof *maps->keys_alike);
        made = maps->weights && maps->key_len && maps->keys_alike;
        for (size_t head = 0; made && head < heads; head++)
            maps->keys_alike[head] = 1;
    }
    if (made) return trace;
    trace_free(trace);
    error_set(error, "out of memory for the attention maps");
    return NULL;
}

void trace_free(Trace *trace) {
    if (!trace) return;
    for (int site = 0; site < SITE_COUNT; site++) {
        free(trace->sites[site].weights);
        free(trace->sites[site].key_len);
        free(trace->sites[site].keys_alike);
    }
    free(trace);
}

TraceShape trace_shape(const Trace *trace, Site site) {
    return trace->sites[site].shape;
}

void trace_write(Trace *trace, HeadId id, const float *weights, long stride, const int *key_len) {
    SiteMaps *maps = &trace->sites[id.site];
    int keys = maps->shape.keys;
    for (int query = 0; query < maps->shape.queries; query++) {
        long row = row_index(maps, id, query);
        memcpy(maps->weights + row * keys, weights + query * stride,
               (size_t)keys * sizeof *weights);
        maps->key_len[row] = key_len ? key_len[query] : keys;
    }
}

void trace_set_keys_alike(Trace *trace, HeadId id, int keys) {
    SiteMaps *maps = &trace->sites[id.site];
    maps->keys_alike[id.layer * maps->shape.heads + id.head] = keys;
}

int trace_keys_alike(const Trace *trace, HeadId id) {
    const SiteMaps *maps = &trace->sites[id.site];
    return maps->keys_alike[id.layer * maps->shape.heads + id.head];
}

float trace_cell(const Trace *trace, HeadId id, int query, int key, CellState *state) {
    const SiteMaps *maps = &trace->sites[id.site];
    long row = row_index(maps, id, query);
    bool masked = key >= maps->key_len[row];
    float weight = masked ? 0 : maps->weights[row * maps->shape.keys + key];
    if (state) *state = masked ? CELL_MASKED : isfinite(weight) ? CELL_VALUE : CELL_NAN;
    return weight;
}

void trace_cells(const Trace *trace, HeadId id, int query, int first, int count, float *weights) {
    const SiteMaps *maps = &trace->sites[id.site];
    long row = row_index(maps, id, query);
    int seen = maps->key_len[row] - first;
    if (seen > count) seen = count;
    if (seen < 0) seen = 0;
    memcpy(weights, maps->weights + row * maps->shape.keys + first, (size_t)seen * sizeof *weights);
    for (int key = seen; key < count; key++)
        weights[key] = 0;
}

int trace_key_len(const Trace *trace, HeadId id, int query) {
    const SiteMaps *maps = &trace->sites[id.site];
    return maps->key_len[row_index(maps, id, query)];
}

float trace_largest(const Trace *trace) {
    float largest = 0;
    for (int site = 0; site < SITE_COUNT; site++) {
        const SiteMaps *maps = &trace->sites[site];
        TraceShape shape = maps->shape;
        long rows = (long)shape.layers * shape.heads * shape.queries;
        for (long row = 0; row < rows; row++)
            for (int key = 0; key < maps->key_len[row]; key++) {
                float weight = maps->weights[row * shape.keys + key];
                if (isfinite(weight) && weight > largest) largest = weight;
            }
    }
    return largest;
}

const char *site_name(Site site) {
    static const char *const names[SITE_COUNT] = {"encoder", "decoder", "cross"};
    return names[site];
}

bool head_id_same(HeadId a, HeadId b) {
    return a.site == b.site && a.layer == b.layer && a.head == b.head;
}

/* One to five digits after a dot; NULL if there is something else. sscanf would take spaces and
 * signs as well. */
static const char *parse_index(const char *text, int *index) {
    if (!text || *text++ != '.') return NULL;
    int digits = 0;
    for (*index = 0; *text >= '0' && *text <= '9'; text++, digits++)
        if (digits < 5) *index = *index * 10 + (*text - '0');
    return digits >= 1 && digits <= 5 ? text : NULL;
}

bool head_id_parse(const char *text, HeadId *id) {
    for (int site = 0; site < SITE_COUNT; site++) {
        size_t length = strlen(site_name((Site)site));
        if (strncmp(text, site_name((Site)site), length) != 0) continue;
        int layer = 0, head = 0;
        const char *rest = parse_index(parse_index(text + length, &layer), &head);
        if (!rest || *rest != '\0') return false;
        *id = (HeadId){.site = (Site)site, .layer = layer, .head = head};
        return true;
    }
    return false;
}
