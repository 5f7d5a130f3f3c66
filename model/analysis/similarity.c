#include "model/analysis/similarity.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/analysis/compare.h"
#include "model/analysis/heads.h"
#include "model/base/floats.h"

/* Properties of a row: real, without missing or NaN cells; sees a key; informative. */
enum { ROW_WHOLE = 1, ROW_SEEN = 2, ROW_INFORMATIVE = 4 };

/* All maps of a site, packed. */
typedef struct PackedMaps {
    int count, queries, keys; /* n, Tq, keys up to a multiple of FLOATS_LANES */
    float *rows;              /* [n, Tq, keys], 0 past the keys that a row sees */
    float *entropy;           /* [n, Tq] bits */
    unsigned char *kinds;     /* [n, Tq] ROW_ bits */
} PackedMaps;

/* --- the maps --------------------------------------------------------------------------------- */

static void maps_free(PackedMaps *maps) {
    free(maps->rows);
    free(maps->entropy);
    free(maps->kinds);
}

/* Returns false if a cell is missing or not a number. A masked weight is 0. */
static bool pack_row(float *row, const Trace *trace, HeadId id, int query) {
    int key_len = trace_key_len(trace, id, query);
    for (int key = 0; key < key_len; key++) {
        CellState state;
        row[key] = trace_cell(trace, id, query, key, &state);
        if (state == CELL_NAN || state == CELL_MISSING) return false;
    }
    return true;
}

static bool maps_pack(PackedMaps *maps, const Trace *trace, const HeadId *heads, int count,
                      TraceShape shape, Error *error) {
    *maps = (PackedMaps){.count = count,
                         .queries = shape.queries,
                         .keys = (shape.keys + FLOATS_LANES - 1) / FLOATS_LANES * FLOATS_LANES};
    size_t rows = (size_t)count * (size_t)shape.queries;
    maps->rows = calloc(rows * (size_t)maps->keys + 1, sizeof *maps->rows);
    maps->entropy = calloc(rows + 1, sizeof *maps->entropy);
    maps->kinds = calloc(rows + 1, sizeof *maps->kinds);
    if (!maps->rows || !maps->entropy || !maps->kinds)
        return error_set(error, "out of memory for %d maps", count);
    for (size_t i = 0; i < rows; i++) {
        HeadId id = heads[i / (size_t)shape.queries];
        int query = (int)(i % (size_t)shape.queries), seen = trace_seen(trace, id, query);
        float *row = maps->rows + i * (size_t)maps->keys;
        if (query >= trace_real_queries(trace, id.site) || !pack_row(row, trace, id, query))
            continue;
        int informative = heads_row_informative(trace, id, query) ? ROW_INFORMATIVE : 0;
        maps->kinds[i] = (unsigned char)(ROW_WHOLE | (seen ? ROW_SEEN : 0) | informative);
        maps->entropy[i] = SIMD_PICK(floats_entropy)(row, maps->keys);
    }
    return true;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool same_row(const PackedMaps *maps, size_t a_row, size_t b_row) {
    size_t keys = (size_t)maps->keys;
    const float *p = maps->rows + a_row * keys, *q = maps->rows + b_row * keys;
    for (size_t key = 0; key < keys; key++)
        if (fabs((double)p[key] - (double)q[key]) > COMPARE_SAME) return false;
    return true;
}

/* As in compare_maps. */
static bool row_counts(const PackedMaps *maps, size_t a_row, size_t b_row) {
    unsigned char a = maps->kinds[a_row], b = maps->kinds[b_row];
    return (a & b & ROW_WHOLE) && (((a | b) & ROW_INFORMATIVE) || !same_row(maps, a_row, b_row));
}

static double divergence_of(const PackedMaps *maps, size_t a_row, size_t b_row) {
    if (!(maps->kinds[a_row] & maps->kinds[b_row] & ROW_SEEN)) return 1;
    size_t keys = (size_t)maps->keys;
    float mixed = SIMD_PICK(floats_entropy_of_mean)(maps->rows + a_row * keys,
                                                    maps->rows + b_row * keys, maps->keys);
    float divergence = mixed - (maps->entropy[a_row] + maps->entropy[b_row]) / 2;
    return divergence < 0 ? 0 : divergence > 1 ? 1 : (double)divergence;
}

static float similarity_of(const PackedMaps *maps, int a, int b) {
    size_t a_row = (size_t)a * (size_t)maps->queries, b_row = (size_t)b * (size_t)maps->queries;
    double sum = 0;
    int rows = 0;
    for (int query = 0; query < maps->queries; query++, a_row++, b_row++) {
        if (!row_counts(maps, a_row, b_row)) continue;
        sum += divergence_of(maps, a_row, b_row);
        rows++;
    }
    return rows ? (float)(1 - sum / rows) : NAN;
}

/* compare_identical on packed rows. */
static MapsSame identical(const PackedMaps *maps, int a, int b) {
    size_t a_row = (size_t)a * (size_t)maps->queries, b_row = (size_t)b * (size_t)maps->queries;
    MapsSame found = MAPS_UNINFORMATIVE;
    for (int query = 0; query < maps->queries; query++, a_row++, b_row++) {
        if (!(maps->kinds[a_row] & maps->kinds[b_row] & ROW_INFORMATIVE)) continue;
        if (!same_row(maps, a_row, b_row)) return MAPS_DIFFERENT;
        found = MAPS_SAME;
    }
    return found;
}

static bool add_same(Similarity *similarity, int a, int b, int *capacity, Error *error) {
    if (similarity->same_count == *capacity) {
        int more = *capacity ? 2 * *capacity : 16;
        HeadPair *grown = realloc(similarity->same, (size_t)more * sizeof *grown);
        if (!grown) return error_set(error, "out of memory for the pairs of heads");
        similarity->same = grown;
        *capacity = more;
    }
    similarity->same[similarity->same_count++] = (HeadPair){a, b};
    return true;
}

static bool compare_all(Similarity *similarity, const PackedMaps *maps, Error *error) {
    int n = similarity->count, capacity = 0;
    similarity->uninformative = true;
    for (int a = 0; a < n; a++) {
        for (int b = a; b < n; b++) {
            float value = similarity_of(maps, a, b);
            similarity->values[a * n + b] = similarity->values[b * n + a] = value;
            if (a == b) continue;
            MapsSame same = identical(maps, a, b);
            if (same != MAPS_UNINFORMATIVE) similarity->uninformative = false;
            if (same == MAPS_SAME && !add_same(similarity, a, b, &capacity, error)) return false;
        }
    }
    return true;
}

/* --- order ------------------------------------------------------------------------------------ */

/* A cluster of heads while the tree grows. */
typedef struct Cluster {
    int *leaves; /* [n] heads in order */
    int size;    /* 0 once it has joined another */
} Cluster;

/* NaN counts as 0. */
static float similarity_or_0(const Similarity *similarity, int a, int b) {
    float value = similarity->values[a * similarity->count + b];
    return isnan(value) ? 0 : value;
}

static void reverse(int *leaves, int size) {
    for (int i = 0, j = size - 1; i < j; i++, j--) {
        int kept = leaves[i];
        leaves[i] = leaves[j];
        leaves[j] = kept;
    }
}

/* Appends b to a, each flipped so that the two ends that meet are the most similar. */
static void join(Cluster *a, Cluster *b, const Similarity *similarity) {
    float best = -1;
    int flip = 0;
    for (int i = 0; i < 4; i++) { /* bit 0: flip a; bit 1: flip b */
        int a_end = a->leaves[i & 1 ? 0 : a->size - 1];
        int b_end = b->leaves[i & 2 ? b->size - 1 : 0];
        float value = similarity_or_0(similarity, a_end, b_end);
        if (value <= best) continue;
        best = value;
        flip = i;
    }
    if (flip & 1) reverse(a->leaves, a->size);
    if (flip & 2) reverse(b->leaves, b->size);
    memcpy(a->leaves + a->size, b->leaves, (size_t)b->size * sizeof *b->leaves);
    a->size += b->size;
    b->size = 0;
}

/* Returns the most similar pair of clusters, a < b. */
static HeadPair find_pair(const Cluster *clusters, const double *linkage, int n) {
    HeadPair best = {-1, -1};
    for (int a = 0; a < n; a++) {
        if (!clusters[a].size) continue;
        for (int b = a + 1; b < n; b++) {
            if (!clusters[b].size) continue;
            if (best.a < 0 || linkage[a * n + b] > linkage[best.a * n + best.b])
                best = (HeadPair){a, b};
        }
    }
    return best;
}

/* Sets the similarity of the joined cluster to each other one (average linkage). */
static void update(double *linkage, const Cluster *clusters, HeadPair pair, int n) {
    double a_size = clusters[pair.a].size, b_size = clusters[pair.b].size;
    for (int c = 0; c < n; c++) {
        if (!clusters[c].size || c == pair.a || c == pair.b) continue;
        double mean = (a_size * linkage[pair.a * n + c] + b_size * linkage[pair.b * n + c]) /
                      (a_size + b_size);
        linkage[pair.a * n + c] = linkage[c * n + pair.a] = mean;
    }
}

static void cluster_all(Similarity *similarity, Cluster *clusters, double *linkage) {
    int n = similarity->count;
    for (int a = 0; a < n; a++) {
        clusters[a].leaves[0] = a;
        clusters[a].size = 1;
        for (int b = 0; b < n; b++)
            linkage[a * n + b] = similarity_or_0(similarity, a, b);
    }
    for (int joined = 1; joined < n; joined++) {
        HeadPair pair = find_pair(clusters, linkage, n);
        update(linkage, clusters, pair, n);
        join(&clusters[pair.a], &clusters[pair.b], similarity);
    }
    /* All have joined cluster 0; the end with the lower index comes first. */
    if (clusters[0].leaves[0] > clusters[0].leaves[n - 1]) reverse(clusters[0].leaves, n);
    memcpy(similarity->order, clusters[0].leaves, (size_t)n * sizeof *similarity->order);
}

static bool order_heads(Similarity *similarity, Error *error) {
    size_t n = (size_t)similarity->count;
    Cluster *clusters = calloc(n, sizeof *clusters);
    int *leaves = calloc(n * n, sizeof *leaves);
    double *linkage = calloc(n * n, sizeof *linkage);
    bool made = clusters && leaves && linkage;
    for (size_t c = 0; made && c < n; c++)
        clusters[c].leaves = leaves + c * n;
    if (made) cluster_all(similarity, clusters, linkage);
    free(clusters);
    free(leaves);
    free(linkage);
    return made || error_set(error, "out of memory for the order of %d heads", similarity->count);
}

/* --- all -------------------------------------------------------------------------------------- */

static bool start(Similarity *similarity, Site site, TraceShape shape, Error *error) {
    long count = (long)shape.layers * shape.heads;
    if (count == 0) return error_usage(error, "there is no %s attention", site_name(site));
    if (count > SIMILARITY_HEADS_MAX)
        return error_usage(error, "%s has %ld heads; at most %d can be compared all with all",
                           site_name(site), count, SIMILARITY_HEADS_MAX);
    size_t n = (size_t)count;
    similarity->site = site;
    similarity->count = (int)count;
    similarity->heads = calloc(n, sizeof *similarity->heads);
    similarity->values = calloc(n * n, sizeof *similarity->values);
    similarity->order = calloc(n, sizeof *similarity->order);
    if (!similarity->heads || !similarity->values || !similarity->order)
        return error_set(error, "out of memory for %ld heads", count);
    for (int i = 0; i < similarity->count; i++)
        similarity->heads[i] = (HeadId){site, i / shape.heads, i % shape.heads};
    return true;
}

bool similarity_make(Similarity *similarity, const Trace *trace, Site site, Error *error) {
    *similarity = (Similarity){0};
    PackedMaps maps = {0};
    TraceShape shape = trace_shape(trace, site);
    bool made = start(similarity, site, shape, error) &&
                maps_pack(&maps, trace, similarity->heads, similarity->count, shape, error) &&
                compare_all(similarity, &maps, error) && order_heads(similarity, error);
    maps_free(&maps);
    if (!made) similarity_free(similarity);
    return made;
}

void similarity_free(Similarity *similarity) {
    free(similarity->heads);
    free(similarity->values);
    free(similarity->order);
    free(similarity->same);
    *similarity = (Similarity){0};
}

int similarity_place(const Similarity *similarity, HeadId id) {
    for (int i = 0; i < similarity->count; i++)
        if (head_id_same(similarity->heads[i], id)) return i;
    return -1;
}
