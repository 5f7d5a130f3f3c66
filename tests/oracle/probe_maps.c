/* Compares maps, for NumPy to compute again. Reads from standard input
 *   HEADS QUERIES KEYS REAL (rows that are no padding), then for each head the counts of keys
 * [QUERIES] and the weights and writes, for each pair of heads, a line: similarity, largest and
 * mean difference, correlation, divergence. */
#include <stdio.h>
#include <stdlib.h>

#include "model/analysis/compare.h"
#include "model/analysis/similarity.h"

/* The probe is a test: any failure ends it. */
static void require(bool done, const char *what) {
    if (done) return;
    fprintf(stderr, "probe_maps: %s\n", what);
    exit(1);
}

static void read_head(Trace *trace, int head, TraceShape shape) {
    float *weights = calloc((size_t)(shape.queries * shape.keys), sizeof *weights);
    int *key_len = calloc((size_t)shape.queries, sizeof *key_len);
    require(weights && key_len, "out of memory");
    for (int i = 0; i < shape.queries; i++)
        require(scanf("%d", &key_len[i]) == 1, "a count is missing");
    for (int i = 0; i < shape.queries * shape.keys; i++)
        require(scanf("%f", &weights[i]) == 1, "a weight is missing");
    trace_write(trace, (HeadId){SITE_CROSS, 0, head}, weights, shape.keys, key_len);
    free(weights);
    free(key_len);
}

int main(void) {
    TraceShape shapes[SITE_COUNT] = {0};
    TraceShape *shape = &shapes[SITE_CROSS];
    Error error;
    shape->layers = 1;
    int real;
    require(scanf("%d %d %d", &shape->heads, &shape->queries, &shape->keys) == 3, "no sizes");
    require(scanf("%d", &real) == 1, "it is not said how many rows are no padding");
    Trace *trace = trace_make(shapes, &error);
    require(trace != NULL, error.text);
    trace_set_real(trace, SITE_CROSS, real, shape->keys);
    for (int head = 0; head < shape->heads; head++)
        read_head(trace, head, *shape);
    Similarity similarity;
    require(similarity_make(&similarity, trace, SITE_CROSS, &error), error.text);
    for (int a = 0; a < similarity.count; a++)
        for (int b = 0; b < similarity.count; b++) {
            MapComparison pair;
            HeadId a_id = similarity.heads[a], b_id = similarity.heads[b];
            require(compare_maps(&pair, trace, a_id, trace, b_id, &error), error.text);
            printf("%.9g %.17g %.17g %.17g %.17g\n",
                   (double)similarity.values[a * similarity.count + b], pair.largest, pair.mean,
                   pair.correlation, pair.divergence);
            comparison_free(&pair);
        }
    similarity_free(&similarity);
    trace_free(trace);
    return 0;
}
