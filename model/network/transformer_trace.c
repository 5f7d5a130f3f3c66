/* Copies the maps of one example from a workspace into a trace. */
#include <assert.h>
#include <stdlib.h>

#include "model/network/transformer.h"

#include "model/base/minmax.h"

typedef struct SiteSource {
    const real *weights; /* [B,H,Tq,row] of one layer */
    const int *key_len;  /* [B,H,Tq] */
    int steps;           /* Tq of the padded batch */
    int keys;            /* Tk of the padded batch */
    HeadTensor key;      /* the key vectors */
    bool mistaken;       /* attention may read other key vectors than `key` */
} SiteSource;

static SiteSource source_of(MultiheadSaved saved, const BlockContext *c, Site site, int steps,
                            int keys) {
    MultiheadSizes sizes = {c->batch, steps, keys, c->config->width, c->config->heads};
    return (SiteSource){saved.weights,
                        c->key_len[site],
                        steps,
                        keys,
                        multihead_keys(saved, sizes, site != SITE_CROSS),
                        c->mistaken[site]};
}

static SiteSource site_source(const Workspace *ws, Site site, int layer) {
    const BlockContext *c = &ws->context;
    switch (site) {
    case SITE_ENCODER:
        return source_of(ws->encoder[layer].self_attention, c, site, c->source_len, c->source_len);
    case SITE_DECODER:
        return source_of(ws->decoder[layer].self_attention, c, site, c->target_len, c->target_len);
    default:
        return source_of(ws->decoder[layer].cross_attention, c, site, c->target_len, c->source_len);
    }
}

/* How many keys, from the first on, equal the first within 1e-6 of its largest component. */
static int keys_alike(SiteSource source, int example, int head, int keys, int head_width) {
    HeadFold fold = source.key.fold;
    const real *first = source.key.data + example * fold.example + head * fold.head;
    real allowed = 0;
    for (int i = 0; i < head_width; i++)
        if (real_fabs(first[i]) * (real)1e-6 > allowed) allowed = real_fabs(first[i]) * (real)1e-6;
    if (!isfinite(allowed)) return keys > 0; /* infinities are not compared */
    int alike = keys > 0;
    for (bool same = true; same && alike < keys; alike += same)
        for (int i = 0; same && i < head_width; i++)
            same = real_fabs(first[alike * fold.row + i] - first[i]) <= allowed;
    return alike;
}

static void copy_map(Trace *trace, const Workspace *ws, HeadId id, int example, float *map) {
    SiteSource source = site_source(ws, id.site, id.layer);
    TraceShape shape = trace_shape(trace, id.site);
    int row = attention_row(source.keys);
    long first = ((long)example * shape.heads + id.head) * source.steps;
    const real *weights = source.weights + first * row;
    if (sizeof(real) == sizeof(float)) {
        trace_write(trace, id, (const float *)(const void *)weights, row, source.key_len + first);
    } else {
        for (int query = 0; query < shape.queries; query++)
            for (int key = 0; key < shape.keys; key++)
                map[query * shape.keys + key] = (float)weights[query * row + key];
        trace_write(trace, id, map, shape.keys, source.key_len + first);
    }
    if (source.mistaken) return;
    trace_set_keys_alike(
        trace, id,
        keys_alike(source, example, id.head, shape.keys, config_head_width(ws->context.config)));
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
