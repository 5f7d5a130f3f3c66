/* Copies the maps of one example from a workspace into a trace. */
#include <assert.h>
#include <stdlib.h>

#include "model/network/transformer.h"

#include "model/base/minmax.h"

/* How many keys, from the first on, equal the first within 1e-6 of its largest component. */
static int keys_alike(HeadTensor key, int example, int head, int keys, int head_width) {
    const real *first = key.data + example * key.fold.example + head * key.fold.head;
    real allowed = 0;
    for (int i = 0; i < head_width; i++)
        if (real_fabs(first[i]) * (real)1e-6 > allowed) allowed = real_fabs(first[i]) * (real)1e-6;
    if (!isfinite(allowed)) return keys > 0; /* infinities are not compared */
    int alike = keys > 0;
    for (bool same = true; same && alike < keys; alike += same)
        for (int i = 0; same && i < head_width; i++)
            same = real_fabs(first[alike * key.fold.row + i] - first[i]) <= allowed;
    return alike;
}

static void copy_map(Trace *trace, const Workspace *ws, HeadId id, int example, float *map) {
    const BlockContext *context = &ws->context;
    MultiheadSizes sizes = block_sizes(context, id.site);
    MultiheadSaved saved = workspace_attention(ws, id.site, id.layer);
    TraceShape shape = trace_shape(trace, id.site);
    int row = attention_row(sizes.keys);
    long first = ((long)example * shape.heads + id.head) * sizes.queries;
    const real *weights = saved.weights + first * row;
    const int *key_len = context->key_len[id.site] + first;
    if (sizeof(real) == sizeof(float)) {
        trace_write(trace, id, (const float *)(const void *)weights, row, key_len);
    } else {
        for (int query = 0; query < shape.queries; query++)
            for (int key = 0; key < shape.keys; key++)
                map[query * shape.keys + key] = (float)weights[query * row + key];
        trace_write(trace, id, map, shape.keys, key_len);
    }
    if (context->mistaken[id.site]) return; /* attention may read other key vectors */
    HeadTensor key = multihead_keys(saved, sizes, id.site != SITE_CROSS);
    int alike = keys_alike(key, example, id.head, shape.keys, config_head_width(context->config));
    trace_set_keys_alike(trace, id, alike);
}

Trace *transformer_trace(const Workspace *ws, const Batch *batch, int example, int sources,
                         int targets, Error *error) {
    assert(sources <= batch->source_len && targets <= batch->target_len);
    const Config *config = ws->context.config;
    const TraceShape shapes[SITE_COUNT] = {
        [SITE_ENCODER] = {config->encoder_layers, config->heads, sources, sources},
        [SITE_DECODER] = {config->decoder_layers, config->heads, targets, targets},
        [SITE_CROSS] = {config->decoder_layers, config->heads, targets, sources},
    };
    int longest = int_max(sources, targets);
    float *map = malloc(((size_t)longest * (size_t)longest + 1) * sizeof *map);
    Trace *trace = map ? trace_make(shapes, error) : NULL;
    if (!map) error_set(error, "out of memory for the attention maps");
    if (trace)
        trace_set_real_lens(trace, batch->enc_valid_lens[example], batch->dec_valid_lens[example]);
    for (int site = 0; trace && site < SITE_COUNT; site++)
        for (int layer = 0; layer < shapes[site].layers; layer++)
            for (int head = 0; head < shapes[site].heads; head++)
                copy_map(trace, ws, (HeadId){(Site)site, layer, head}, example, map);
    free(map);
    return trace;
}
