#include "model/trace.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is known of the weights that are seen. */
typedef enum Shown { SHOWN_UNKNOWN, SHOWN_VALUES, SHOWN_NANS } Shown;

typedef struct SiteMaps {
    TraceShape shape;
    float *weights;       /* [layers, heads, queries, keys]; NULL: the source has them */
    int *key_len;         /* [layers, heads, queries] */
    int *keys_alike;      /* [layers, heads] */
    unsigned char *shown; /* [layers, heads]: a Shown */
    float **levels;       /* [layers, heads, TRACE_LEVELS]; NULL until one is asked for */
} SiteMaps;

struct Trace {
    SiteMaps sites[SITE_COUNT];
    TraceSource source;
};

static long row_index(const SiteMaps *maps, HeadId id, int query) {
    return ((long)id.layer * maps->shape.heads + id.head) * maps->shape.queries + query;
}

static bool make_site(SiteMaps *maps, TraceShape shape, bool owned) {
    size_t heads = (size_t)shape.layers * (size_t)shape.heads;
    size_t rows = heads * (size_t)shape.queries;
    size_t cells = rows * (size_t)shape.keys;
    maps->shape = shape;
    if (owned) maps->weights = calloc(cells ? cells : 1, sizeof *maps->weights);
    maps->key_len = calloc(rows ? rows : 1, sizeof *maps->key_len);
    maps->keys_alike = malloc((heads ? heads : 1) * sizeof *maps->keys_alike);
    maps->shown = calloc(heads ? heads : 1, 1);
    if ((owned && !maps->weights) || !maps->key_len || !maps->keys_alike || !maps->shown)
        return false;
    for (size_t head = 0; head < heads; head++)
        maps->keys_alike[head] = 1;
    for (size_t row = 0; !owned && row < rows; row++)
        maps->key_len[row] = shape.keys;
    return true;
}

static Trace *make(const TraceShape shapes[SITE_COUNT], bool owned, Error *error) {
    Trace *trace = calloc(1, sizeof *trace);
    bool made = trace != NULL;
    for (int site = 0; made && site < SITE_COUNT; site++)
        made = make_site(&trace->sites[site], shapes[site], owned);
    if (made) return trace;
    trace_free(trace);
    error_set(error, "out of memory for the attention maps");
    return NULL;
}

Trace *trace_make(const TraceShape shapes[SITE_COUNT], Error *error) {
    return make(shapes, true, error);
}

Trace *trace_over(const TraceShape shapes[SITE_COUNT], const TraceSource *source, Error *error) {
    Trace *trace = make(shapes, false, error);
    if (trace) trace->source = *source;
    return trace;
}

static void free_levels(SiteMaps *maps) {
    long count = maps->levels ? (long)maps->shape.layers * maps->shape.heads * TRACE_LEVELS : 0;
    for (long i = 0; i < count; i++)
        free(maps->levels[i]);
    free(maps->levels);
    maps->levels = NULL;
}

/* What is known of a map that changes. */
static void forget(SiteMaps *maps, HeadId id) {
    maps->shown[id.layer * maps->shape.heads + id.head] = SHOWN_UNKNOWN;
    if (maps->levels) free_levels(maps);
}

void trace_free(Trace *trace) {
    if (!trace) return;
    for (int site = 0; site < SITE_COUNT; site++) {
        free(trace->sites[site].weights);
        free(trace->sites[site].key_len);
        free(trace->sites[site].keys_alike);
        free(trace->sites[site].shown);
        free_levels(&trace->sites[site]);
    }
    if (trace->source.free) trace->source.free(trace->source.from);
    free(trace);
}

TraceShape trace_shape(const Trace *trace, Site site) {
    return trace->sites[site].shape;
}

void trace_set_key_len(Trace *trace, HeadId id, const int *key_len) {
    SiteMaps *maps = &trace->sites[id.site];
    memcpy(maps->key_len + row_index(maps, id, 0), key_len,
           (size_t)maps->shape.queries * sizeof *key_len);
    forget(maps, id);
}

void trace_write(Trace *trace, HeadId id, const float *weights, long stride, const int *key_len) {
    SiteMaps *maps = &trace->sites[id.site];
    int keys = maps->shape.keys;
    forget(maps, id);
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

static bool has_map(const Trace *trace, HeadId id) {
    return !trace->source.has || trace->source.has(trace->source.from, id);
}

/* Weights as they lie, masked or not. */
static void read_cells(const Trace *trace, HeadId id, int query, int first, int count,
                       float *weights) {
    const SiteMaps *maps = &trace->sites[id.site];
    if (count < 1) return;
    if (maps->weights) {
        const float *row = maps->weights + row_index(maps, id, query) * maps->shape.keys;
        memcpy(weights, row + first, (size_t)count * sizeof *weights);
    } else if (has_map(trace, id)) {
        trace->source.read(trace->source.from, id, query, first, count, weights);
    } else {
        for (int key = 0; key < count; key++)
            weights[key] = NAN;
    }
}

float trace_cell(const Trace *trace, HeadId id, int query, int key, CellState *state) {
    const SiteMaps *maps = &trace->sites[id.site];
    bool masked = key >= maps->key_len[row_index(maps, id, query)];
    float weight = 0;
    if (!masked) read_cells(trace, id, query, key, 1, &weight);
    if (!state) return weight;
    *state = masked ? CELL_MASKED : isfinite(weight) ? CELL_VALUE : CELL_NAN;
    if (*state == CELL_NAN && !has_map(trace, id)) *state = CELL_MISSING;
    return weight;
}

void trace_cells(const Trace *trace, HeadId id, int query, int first, int count, float *weights) {
    const SiteMaps *maps = &trace->sites[id.site];
    int seen = maps->key_len[row_index(maps, id, query)] - first;
    if (seen > count) seen = count;
    if (seen < 0) seen = 0;
    read_cells(trace, id, query, first, seen, weights);
    for (int key = seen; key < count; key++)
        weights[key] = 0;
}

/* The states of cells that are seen: whether each is a value, or not a number. */
static Shown look_at_weights(const Trace *trace, HeadId id) {
    TraceShape shape = trace_shape(trace, id.site);
    enum { SOME = 256 };
    float weights[SOME];
    Shown shown = SHOWN_VALUES;
    for (int query = 0; query < shape.queries; query++) {
        int seen = trace_key_len(trace, id, query);
        for (int first = 0; first < seen; first += SOME) {
            int count = seen - first < SOME ? seen - first : SOME, wrong = 0;
            read_cells(trace, id, query, first, count, weights);
            for (int key = 0; key < count; key++)
                wrong += !isfinite(weights[key]);
            if (wrong > 0) shown = SHOWN_NANS;
        }
    }
    trace_done(trace, id);
    return shown;
}

bool trace_shows(const Trace *trace, HeadId id, CellState state) {
    const SiteMaps *maps = &trace->sites[id.site];
    bool masked = false, seen = false;
    for (int query = 0; query < maps->shape.queries; query++) {
        int key_len = trace_key_len(trace, id, query);
        masked = masked || key_len < maps->shape.keys;
        seen = seen || key_len > 0;
    }
    if (state == CELL_MASKED) return masked;
    if (state == CELL_MISSING || !has_map(trace, id))
        return seen && (state == CELL_MISSING) == !has_map(trace, id);
    unsigned char *known = &maps->shown[id.layer * maps->shape.heads + id.head];
    Shown shown = *known ? (Shown)*known : look_at_weights(trace, id);
    *known = (unsigned char)shown;
    return state == CELL_NAN ? shown == SHOWN_NANS : seen;
}

void trace_set_numbers(Trace *trace, HeadId id, bool all) {
    const SiteMaps *maps = &trace->sites[id.site];
    maps->shown[id.layer * maps->shape.heads + id.head] = all ? SHOWN_VALUES : SHOWN_NANS;
}

/* GCC makes vector code of such loops only from -O3 on. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_CODE __attribute__((optimize("O3")))
#else
#define VECTOR_CODE
#endif

/* One row of blocks from two rows (the same one twice: from one) of `count`. A comparison with a
 * NaN is false: it is neither above nor below. */
VECTOR_CODE static void fold_rows(float *restrict blocks, const float *restrict upper,
                                  const float *restrict lower, int count) {
    for (int i = 0; i < count / 2; i++) {
        float high = -INFINITY, low = INFINITY;
        float a = upper[2 * i], b = upper[2 * i + 1], c = lower[2 * i], d = lower[2 * i + 1];
        high = a > high ? a : high;
        high = b > high ? b : high;
        high = c > high ? c : high;
        high = d > high ? d : high;
        low = a < low ? a : low;
        low = b < low ? b : low;
        low = c < low ? c : low;
        low = d < low ? d : low;
        float strong = high >= -low ? high : low;
        blocks[i] = high >= low ? strong : NAN;
    }
}

/* One row of cells, NaN where they are no values. */
static void read_values(const Trace *trace, HeadId id, int query, float *row) {
    int keys = trace_shape(trace, id.site).keys, seen = trace_key_len(trace, id, query);
    read_cells(trace, id, query, 0, seen, row);
    for (int key = 0; key < keys; key++)
        if (key >= seen || !isfinite(row[key])) row[key] = NAN;
}

/* Level `level` of a map from the one before it (NULL: its cells). A row or column too few counts
 * as one of NaNs. */
static float *fold_level(const Trace *trace, HeadId id, int level, const float *finer) {
    TraceShape shape = trace_shape(trace, id.site);
    int round = (1 << (level - 1)) - 1;
    int rows = (shape.queries + round) >> (level - 1);
    size_t columns = (size_t)((shape.keys + round) >> (level - 1)), width = (columns + 1) / 2;
    float *blocks = malloc((((size_t)rows + 1) / 2 * width + 1) * sizeof *blocks);
    float *pair = malloc(4 * (width + 1) * sizeof *pair);
    for (int query = 0; blocks && pair && query < rows; query++) {
        float *row = pair + (query % 2 ? 2 * width : 0);
        row[2 * width - 1] = NAN;
        if (finer)
            memcpy(row, finer + (size_t)query * columns, columns * sizeof *row);
        else
            read_values(trace, id, query, row);
        if (query % 2 == 0 && query + 1 < rows) continue;
        fold_rows(blocks + (size_t)(query / 2) * width, pair, row, (int)(2 * width));
    }
    if (!pair) {
        free(blocks);
        blocks = NULL;
    }
    free(pair);
    trace_done(trace, id);
    return blocks;
}

const float *trace_level(const Trace *trace, HeadId id, int level) {
    SiteMaps *maps = (SiteMaps *)(uintptr_t)&trace->sites[id.site]; /* what it keeps is no change */
    size_t heads = (size_t)maps->shape.layers * (size_t)maps->shape.heads;
    if (level < 1 || level >= TRACE_LEVELS) return NULL;
    if (!maps->levels) maps->levels = calloc(heads * TRACE_LEVELS, sizeof *maps->levels);
    if (!maps->levels) return NULL;
    float **levels = maps->levels + (id.layer * maps->shape.heads + id.head) * TRACE_LEVELS;
    for (int at = 1; at <= level; at++) {
        if (!levels[at]) levels[at] = fold_level(trace, id, at, at > 1 ? levels[at - 1] : NULL);
        if (!levels[at]) return NULL;
    }
    return levels[level];
}

void trace_done(const Trace *trace, HeadId id) {
    (void)id;
    if (trace->source.done) trace->source.done(trace->source.from);
}

int trace_key_len(const Trace *trace, HeadId id, int query) {
    const SiteMaps *maps = &trace->sites[id.site];
    return maps->key_len[row_index(maps, id, query)];
}

static float largest_of_map(const Trace *trace, HeadId id) {
    TraceShape shape = trace_shape(trace, id.site);
    float largest = 0;
    for (int query = 0; query < shape.queries; query++)
        for (int key = 0; key < trace_key_len(trace, id, query); key++) {
            float weight = trace_cell(trace, id, query, key, NULL);
            if (isfinite(weight) && weight > largest) largest = weight;
        }
    trace_done(trace, id);
    return largest;
}

float trace_largest(const Trace *trace) {
    float largest = 0;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        for (int map = 0; map < shape.layers * shape.heads; map++) {
            HeadId id = {(Site)site, map / shape.heads, map % shape.heads};
            float of_map = largest_of_map(trace, id);
            if (of_map > largest) largest = of_map;
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
