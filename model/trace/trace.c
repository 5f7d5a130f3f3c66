#include "model/trace/trace.h"

#include "model/base/floats.h"
#include "model/base/large_memory.h"
#include "model/base/minmax.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Whether all visible weights of a map are finite. */
typedef enum Finite { FINITE_UNKNOWN, FINITE_ALL, FINITE_NOT_ALL } Finite;

typedef struct SiteMaps {
    TraceShape shape;
    int real_queries, real_keys;
    float *weights;         /* [layers, heads, queries, keys]; NULL: read from the source */
    int *key_len;           /* [layers, heads, queries] */
    uint64_t **hidden;      /* [layers, heads]: bits [queries, words_of(keys)] of hidden keys below
                               key_len; NULL: each query sees a prefix */
    int *keys_alike;        /* [layers, heads] */
    unsigned char *finite;  /* [layers, heads]: a Finite */
    TraceFoldCache *caches; /* [layers, heads] */
    TracePyramid *pyramids; /* [layers, heads]; NULL: none */
} SiteMaps;

struct Trace {
    SiteMaps sites[SITE_COUNT];
    TraceSource source;
};

static int map_index(const SiteMaps *maps, HeadId id) {
    return id.layer * maps->shape.heads + id.head;
}

static long row_index(const SiteMaps *maps, HeadId id, int query) {
    return (long)map_index(maps, id) * maps->shape.queries + query;
}

/* How many words hold the bits of a row. */
static size_t words_of(int keys) {
    return ((size_t)keys + 63) / 64;
}

/* The bytes of all maps of a site. */
static size_t weights_size(TraceShape shape) {
    size_t rows = (size_t)shape.layers * (size_t)shape.heads * (size_t)shape.queries;
    size_t cells = rows * (size_t)shape.keys;
    return (cells ? cells : 1) * sizeof(float);
}

static bool make_site(SiteMaps *maps, TraceShape shape, bool owned) {
    size_t heads = (size_t)shape.layers * (size_t)shape.heads;
    size_t rows = heads * (size_t)shape.queries;
    maps->shape = shape;
    maps->real_queries = shape.queries;
    maps->real_keys = shape.keys;
    if (owned) maps->weights = large_memory(weights_size(shape));
    maps->key_len = calloc(rows ? rows : 1, sizeof *maps->key_len);
    maps->keys_alike = malloc((heads ? heads : 1) * sizeof *maps->keys_alike);
    maps->finite = calloc(heads ? heads : 1, 1);
    maps->caches = calloc(heads ? heads : 1, sizeof *maps->caches);
    maps->hidden = calloc(heads ? heads : 1, sizeof *maps->hidden);
    if ((owned && !maps->weights) || !maps->key_len || !maps->keys_alike || !maps->finite ||
        !maps->caches || !maps->hidden)
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

/* Drops what is cached about a map that changes. */
static void invalidate(SiteMaps *maps, HeadId id) {
    int map = map_index(maps, id);
    maps->finite[map] = FINITE_UNKNOWN;
    trace_fold_cache_clear(&maps->caches[map]);
    if (maps->pyramids) maps->pyramids[map] = (TracePyramid){0};
}

void trace_free(Trace *trace) {
    if (!trace) return;
    for (int site = 0; site < SITE_COUNT; site++) {
        SiteMaps *maps = &trace->sites[site];
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++) {
            if (maps->caches) trace_fold_cache_free(&maps->caches[map]);
            if (maps->hidden) free(maps->hidden[map]);
        }
        free(maps->caches);
        free(maps->hidden);
        free(maps->pyramids);
        large_memory_free(maps->weights, weights_size(maps->shape));
        free(maps->key_len);
        free(maps->keys_alike);
        free(maps->finite);
    }
    if (trace->source.free) trace->source.free(trace->source.from);
    free(trace);
}

TraceShape trace_shape(const Trace *trace, Site site) {
    return trace->sites[site].shape;
}

void trace_set_real(Trace *trace, Site site, int queries, int keys) {
    SiteMaps *maps = &trace->sites[site];
    maps->real_queries = int_min(queries, maps->shape.queries);
    maps->real_keys = int_min(keys, maps->shape.keys);
}

void trace_set_real_lens(Trace *trace, int sources, int targets) {
    trace_set_real(trace, SITE_ENCODER, sources, sources);
    trace_set_real(trace, SITE_DECODER, targets, targets);
    trace_set_real(trace, SITE_CROSS, targets, sources);
}

int trace_real_queries(const Trace *trace, Site site) {
    return trace->sites[site].real_queries;
}

int trace_real_keys(const Trace *trace, Site site) {
    return trace->sites[site].real_keys;
}

static void drop_hidden(SiteMaps *maps, HeadId id) {
    free(maps->hidden[map_index(maps, id)]);
    maps->hidden[map_index(maps, id)] = NULL;
}

void trace_set_key_len(Trace *trace, HeadId id, const int *key_len) {
    SiteMaps *maps = &trace->sites[id.site];
    memcpy(maps->key_len + row_index(maps, id, 0), key_len,
           (size_t)maps->shape.queries * sizeof *key_len);
    drop_hidden(maps, id);
    invalidate(maps, id);
}

bool trace_set_visible(Trace *trace, HeadId id, const unsigned char *visible, Error *error) {
    SiteMaps *maps = &trace->sites[id.site];
    int queries = maps->shape.queries, keys = maps->shape.keys;
    size_t words = words_of(keys), hidden_count = 0;
    uint64_t *hidden = calloc((size_t)queries * words + 1, sizeof *hidden);
    if (!hidden) return error_set(error, "out of memory for a mask of %d x %d", queries, keys);
    for (int query = 0; query < queries; query++, visible += keys) {
        int length = keys;
        while (length > 0 && !visible[length - 1])
            length--;
        maps->key_len[row_index(maps, id, query)] = length;
        for (int key = 0; key < length; key++) {
            if (visible[key]) continue;
            hidden[(size_t)query * words + (size_t)key / 64] |= UINT64_C(1) << (key % 64);
            hidden_count++;
        }
    }
    drop_hidden(maps, id);
    invalidate(maps, id);
    if (hidden_count)
        maps->hidden[map_index(maps, id)] = hidden;
    else
        free(hidden);
    return true;
}

/* The bits of the row's hidden keys; NULL if all rows of the map see prefixes. */
static const uint64_t *hidden_of(const SiteMaps *maps, HeadId id, int query) {
    const uint64_t *hidden = maps->hidden[map_index(maps, id)];
    return hidden ? hidden + (size_t)query * words_of(maps->shape.keys) : NULL;
}

static bool is_hidden(const uint64_t *hidden, int key) {
    return hidden && (hidden[key / 64] >> (key % 64) & 1);
}

bool trace_sees(const Trace *trace, HeadId id, int query, int key) {
    const SiteMaps *maps = &trace->sites[id.site];
    return key < maps->key_len[row_index(maps, id, query)] &&
           !is_hidden(hidden_of(maps, id, query), key);
}

int trace_key_len(const Trace *trace, HeadId id, int query) {
    const SiteMaps *maps = &trace->sites[id.site];
    return maps->key_len[row_index(maps, id, query)];
}

int trace_seen(const Trace *trace, HeadId id, int query) {
    const SiteMaps *maps = &trace->sites[id.site];
    const uint64_t *hidden = hidden_of(maps, id, query);
    int seen = trace_key_len(trace, id, query);
    for (size_t word = 0; hidden && word < words_of(maps->shape.keys); word++)
        seen -= __builtin_popcountll(hidden[word]);
    return seen;
}

bool trace_is_prefix(const Trace *trace, HeadId id) {
    return !hidden_of(&trace->sites[id.site], id, 0);
}

void trace_write(Trace *trace, HeadId id, const float *weights, long stride, const int *key_len) {
    SiteMaps *maps = &trace->sites[id.site];
    int keys = maps->shape.keys;
    drop_hidden(maps, id);
    invalidate(maps, id);
    for (int query = 0; query < maps->shape.queries; query++) {
        long row = row_index(maps, id, query);
        memcpy(maps->weights + row * keys, weights + query * stride,
               (size_t)keys * sizeof *weights);
        maps->key_len[row] = key_len ? key_len[query] : keys;
    }
}

void trace_set_keys_alike(Trace *trace, HeadId id, int keys) {
    SiteMaps *maps = &trace->sites[id.site];
    maps->keys_alike[map_index(maps, id)] = keys;
}

int trace_keys_alike(const Trace *trace, HeadId id) {
    const SiteMaps *maps = &trace->sites[id.site];
    return maps->keys_alike[map_index(maps, id)];
}

static bool has_map(const Trace *trace, HeadId id) {
    return !trace->source.has || trace->source.has(trace->source.from, id);
}

/* Reads stored weights, masked or not. */
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
    bool masked = !trace_sees(trace, id, query, key);
    float weight = 0;
    if (!masked) read_cells(trace, id, query, key, 1, &weight);
    if (!state) return weight;
    *state = masked ? CELL_MASKED : isfinite(weight) ? CELL_VALUE : CELL_NAN;
    if (*state == CELL_NAN && !has_map(trace, id)) *state = CELL_MISSING;
    return weight;
}

void trace_cells(const Trace *trace, HeadId id, int query, int first, int count, float *weights) {
    const SiteMaps *maps = &trace->sites[id.site];
    int seen = int_clamp(maps->key_len[row_index(maps, id, query)] - first, 0, count);
    read_cells(trace, id, query, first, seen, weights);
    for (int key = seen; key < count; key++)
        weights[key] = 0;
    const uint64_t *hidden = hidden_of(maps, id, query);
    for (int key = 0; hidden && key < seen; key++)
        if (is_hidden(hidden, first + key)) weights[key] = 0;
}

static Finite scan_finite(const Trace *trace, HeadId id) {
    const SiteMaps *maps = &trace->sites[id.site];
    enum { SOME = 1024 };
    float room[SOME];
    Finite finite = FINITE_ALL;
    for (int query = 0; query < maps->shape.queries; query++) {
        int seen = trace_key_len(trace, id, query);
        for (int first = 0; first < seen; first += SOME) {
            int count = int_min(seen - first, SOME);
            const float *weights = room;
            if (hidden_of(maps, id, query))
                trace_cells(trace, id, query, first, count, room);
            else if (maps->weights)
                weights = maps->weights + row_index(maps, id, query) * maps->shape.keys + first;
            else
                read_cells(trace, id, query, first, count, room);
            if (!SIMD_PICK(floats_finite)(weights, count)) finite = FINITE_NOT_ALL;
        }
    }
    trace_done(trace, id);
    return finite;
}

static bool has_nans(const Trace *trace, HeadId id) {
    const SiteMaps *maps = &trace->sites[id.site];
    unsigned char *known = &maps->finite[map_index(maps, id)];
    if (*known == FINITE_UNKNOWN) *known = (unsigned char)scan_finite(trace, id);
    return *known == FINITE_NOT_ALL;
}

bool trace_shows(const Trace *trace, HeadId id, CellState state) {
    const SiteMaps *maps = &trace->sites[id.site];
    bool masked = false, seen = false, has = has_map(trace, id);
    if (state == CELL_NAN) return has && has_nans(trace, id);
    if (state == CELL_MISSING && has) return false;
    for (int query = 0; query < maps->shape.queries; query++) {
        int key_len = trace_key_len(trace, id, query);
        masked = masked || key_len < maps->shape.keys || !trace_is_prefix(trace, id);
        seen = seen || key_len > 0;
    }
    if (state == CELL_MASKED) return masked;
    return seen && (state == CELL_MISSING) == !has;
}

void trace_set_numbers(Trace *trace, HeadId id, bool all) {
    const SiteMaps *maps = &trace->sites[id.site];
    maps->finite[map_index(maps, id)] = all ? FINITE_ALL : FINITE_NOT_ALL;
}

typedef struct MapReader {
    const Trace *trace;
    HeadId id;
} MapReader;

static void read_of(const void *from, int row, int first, int count, float *values) {
    const MapReader *reader = from;
    read_cells(reader->trace, reader->id, row, first, count, values);
}

static TraceCells cells_of(const MapReader *reader) {
    const SiteMaps *maps = &reader->trace->sites[reader->id.site];
    long row = row_index(maps, reader->id, 0);
    return (TraceCells){.values = maps->weights ? maps->weights + row * maps->shape.keys : NULL,
                        .stride = (size_t)maps->shape.keys,
                        .seen = maps->key_len + row,
                        .hidden = hidden_of(maps, reader->id, 0),
                        .hidden_stride = words_of(maps->shape.keys),
                        .finite = true,
                        .read = read_of,
                        .from = reader};
}

void trace_fold(const Trace *trace, HeadId id, TraceSpan rows, const TraceColumns *columns,
                float *folded) {
    MapReader reader = {trace, id};
    TraceCells cells = cells_of(&reader);
    SIMD_PICK(trace_fold_cells)(&cells, rows, columns, folded);
}

static const float *find_pyramid(const SiteMaps *maps, HeadId id, const TraceSpan *rows,
                                 int row_count, const TraceColumns *columns) {
    TraceShape shape = maps->shape;
    if (!maps->pyramids) return NULL;
    return trace_pyramid_find(&maps->pyramids[map_index(maps, id)], shape.queries, shape.keys, rows,
                              row_count, columns);
}

const float *trace_folded(const Trace *trace, HeadId id, const TraceSpan *rows, int row_count,
                          const TraceColumns *columns) {
    const SiteMaps *maps = &trace->sites[id.site];
    const float *level = find_pyramid(maps, id, rows, row_count, columns);
    if (level) return level;
    MapReader reader = {trace, id};
    TraceCells cells = cells_of(&reader);
    return trace_fold_cached(&maps->caches[map_index(maps, id)], &cells, rows, row_count, columns);
}

bool trace_lend(Trace *trace, HeadId id, int level, const float *blocks) {
    SiteMaps *maps = &trace->sites[id.site];
    size_t heads = (size_t)maps->shape.layers * (size_t)maps->shape.heads;
    if (!maps->pyramids) maps->pyramids = calloc(heads, sizeof *maps->pyramids);
    if (!maps->pyramids) return false;
    maps->pyramids[map_index(maps, id)].levels[level] = blocks;
    return true;
}

void trace_done(const Trace *trace, HeadId id) {
    (void)id;
    if (trace->source.done) trace->source.done(trace->source.from);
}

const char *site_name(Site site) {
    static const char *const names[SITE_COUNT] = {"encoder", "decoder", "cross"};
    return names[site];
}

bool site_parse(const char *name, Site *site) {
    for (int i = 0; i < SITE_COUNT; i++)
        if (strcmp(name, site_name((Site)i)) == 0) {
            *site = (Site)i;
            return true;
        }
    return false;
}

bool head_id_same(HeadId a, HeadId b) {
    return a.site == b.site && a.layer == b.layer && a.head == b.head;
}

/* Parses a dot and one to five digits; NULL for anything else. sscanf would accept spaces and
 * signs. */
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
