/* Attention of other programs under libFuzzer: the input but for its last byte, which chooses the
 * options, as a file; and as the npy behind a header whose length fits it. What is opened must hold
 * together: each cell can be read, and queries see no more keys than there are. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/attention/attention_file.h"
#include "tests/fuzz/helper_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool true_always) {
    if (!true_always) abort();
}

/* Blocks of 2 x 2 cells at once, and row by row. */
static void check_folds(const Trace *trace, HeadId id) {
    TraceShape shape = trace_shape(trace, id.site);
    int rows = (shape.queries + 1) / 2, width = (shape.keys + 1) / 2;
    TraceSpan *spans = malloc((size_t)(rows + width) * sizeof *spans);
    float *row = malloc((size_t)width * sizeof *row);
    must(spans && row);
    for (int i = 0; i < rows; i++)
        spans[i] = (TraceSpan){2 * i, 2 * i + 1 < shape.queries ? 2 * i + 1 : 2 * i};
    for (int i = 0; i < width; i++)
        spans[rows + i] = (TraceSpan){2 * i, 2 * i + 1 < shape.keys ? 2 * i + 1 : 2 * i};
    TraceColumns columns = trace_columns(spans + rows, width);
    trace_folded(trace, id, spans, rows, &columns); /* kept from the second time on */
    const float *folded = trace_folded(trace, id, spans, rows, &columns);
    for (int i = 0; i < rows && folded; i++) {
        trace_fold(trace, id, spans[i], &columns, row);
        for (int column = 0; column < width; column++) {
            float value = folded[i * width + column];
            must(value == row[column] || (isnan(value) && isnan(row[column])));
        }
    }
    free(spans);
    free(row);
}

/* What the trace says of one map, as far as there are cells left to look at. */
static void check_map(const Trace *trace, HeadId id, long *left) {
    TraceShape shape = trace_shape(trace, id.site);
    bool missing = trace_shows(trace, id, CELL_MISSING);
    for (int query = 0; query<shape.queries && * left> 0; query++) {
        int seen = trace_key_len(trace, id, query);
        must(seen >= 0 && seen <= shape.keys);
        for (int key = 0; key < shape.keys && (*left)-- > 0; key++) {
            CellState state;
            float weight = trace_cell(trace, id, query, key, &state);
            must((state == CELL_MASKED) == (key >= seen));
            must(state != CELL_MASKED || weight == 0);
            must((state == CELL_MISSING) == (missing && key < seen));
        }
    }
    if ((long)shape.queries * shape.keys < *left) {
        int nans = 0;
        for (int query = 0; query < shape.queries; query++)
            for (int key = 0; key < shape.keys; key++) {
                CellState state;
                trace_cell(trace, id, query, key, &state);
                nans += state == CELL_NAN;
            }
        must((nans > 0) == trace_shows(trace, id, CELL_NAN));
        *left -= (long)shape.queries * shape.keys;
        check_folds(trace, id);
    }
    trace_done(trace, id);
}

static void check_file(const AttentionFile *file) {
    size_t letters = 0;
    long left = 1 << 13;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(file->trace, (Site)site);
        must((shape.layers > 0) == (shape.keys > 0) && (shape.heads > 0) == (shape.queries > 0));
        for (int map = 0; map < shape.layers * shape.heads && left > 0; map++)
            check_map(file->trace, (HeadId){(Site)site, map / shape.heads, map % shape.heads},
                      &left);
    }
    for (int i = 0; i < file->source_count; i++)
        letters += strlen(file->source[i]);
    for (int i = 0; i < file->read_count; i++)
        letters += strlen(file->reads[i]);
    for (int i = 0; file->writes && i < file->query_count; i++)
        letters += strlen(file->writes[i]);
    must(letters < (size_t)1 << 30 && strlen(file->note) < sizeof file->note);
    must(file->first_query >= 0 && file->first_query + file->query_count <= file->read_count);
}

static void read_bytes(const uint8_t *data, size_t size, uint8_t choice) {
    static const char *const sites[] = {NULL, "encoder", "decoder", "cross"};
    AttentionFileOptions options = {
        .site = sites[choice & 3], .transposed = choice & 4, .example = (choice >> 3 & 3) - 1};
    AttentionFile file;
    Error error = {0};
    if (attention_file_from_bytes(&file, "fuzz", data, size, &options, &error)) {
        check_file(&file);
        attention_file_free(&file);
    } else {
        must(error.text[0] && !strchr(error.text, '\n') && !file.trace);
    }
}

static void read_framed(uint8_t *bytes, size_t size, uint8_t choice) {
    if (bytes) read_bytes(bytes, size, choice);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    uint8_t choice = data[--size];
    read_bytes(data, size, choice);
    if (size == 0 || data[0] != '{') return 0;
    size_t whole;
    uint8_t *bytes = frame_npy(data, size, &whole);
    read_framed(bytes, whole, choice);
    bytes = frame_safetensors(data, size, &whole);
    read_framed(bytes, whole, choice);
    return 0;
}
