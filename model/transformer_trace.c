/* From a workspace to a trace: the maps of one example, copied out after the pass. */
#include <stdlib.h>

#include "model/transformer.h"

typedef struct SiteSource {
    const real *weights; /* [B,H,Tq,row] of one layer */
    const int *key_len;  /* [B,H,Tq] */
    int steps;           /* Tq of the padded batch */
    int keys;            /* Tk of the padded batch */
} SiteSource;

static SiteSource site_source(const Workspace *ws, Site site, int layer) {
    const BlockContext *c = &ws->context;
    switch (site) {
    case SITE_ENCODER:
        return (SiteSource){ws->encoder[layer].self_attention.weights, c->encoder_key_len,
                            c->source_len, c->source_len};
    case SITE_DECODER:
        return (SiteSource){ws->decoder[layer].self_attention.weights, c->decoder_key_len,
                            c->target_len, c->target_len};
    default:
        return (SiteSource){ws->decoder[layer].cross_attention.weights, c->cross_key_len,
                            c->target_len, c->source_len};
    }
}

static void copy_map(Trace *trace, const Workspace *ws, HeadId id, int example, float *map) {
    SiteSource source = site_source(ws, id.site, id.layer);
    TraceShape shape = trace_shape(trace, id.site);
    int row = attention_row(source.keys);
    long first = ((long)example * shape.heads + id.head) * source.steps;
    for (int query = 0; query < shape.queries; query++)
        for (int key = 0; key < shape.keys; key++)
            map[query * shape.keys + key] = (float)source.weights[(first + query) * row + key];
    trace_write(trace, id, map, shape.keys, source.key_len + first);
}

Trace *transformer_trace(const Workspace *ws, const Batch *batch, int example, Error *error) {
    const Config *config = ws->context.config;
    int sources = batch->enc_valid_lens[example], targets = batch->dec_valid_lens[example];
    const TraceShape shapes[SITE_COUNT] = {
        [SITE_ENCODER] = {config->encoder_layers, config->heads, sources, sources},
        [SITE_DECODER] = {config->decoder_layers, config->heads, targets, targets},
        [SITE_CROSS] = {config->decoder_layers, config->heads, targets, sources},
    };
    int longest = sources > targets ? sources : targets;
    float *map = malloc(((size_t)longest * (size_t)longest + 1) * sizeof *map);
    Trace *trace = map ? trace_make(shapes, error) : NULL;
    if (!map) error_set(error, "out of memory for the attention maps");
    for (int site = 0; trace && site < SITE_COUNT; site++)
        for (int layer = 0; layer < shapes[site].layers; layer++)
            for (int head = 0; head < shapes[site].heads; head++)
                copy_map(trace, ws, (HeadId){(Site)site, layer, head}, example, map);
    free(map);
    return trace;
}
