#include "model/network/ablation.h"

#include <stdlib.h>

struct Ablation {
    int heads, width;
    int layers;            /* of all sites together */
    int first[SITE_COUNT]; /* index of each site's first layer */
    Knockout *knockouts;   /* [layers,H] */
    real *means;           /* [layers,W] */
};

Ablation *ablation_make(const Config *config, Error *error) {
    int layers = config->encoder_layers + 2 * config->decoder_layers;
    Ablation *ablation = calloc(1, sizeof *ablation);
    if (ablation) {
        *ablation = (Ablation){
            .heads = config->heads,
            .width = config->width,
            .layers = layers,
            .first = {[SITE_ENCODER] = 0,
                      [SITE_DECODER] = config->encoder_layers,
                      [SITE_CROSS] = config->encoder_layers + config->decoder_layers},
            .knockouts = calloc((size_t)layers * (size_t)config->heads, sizeof(Knockout)),
            .means = calloc((size_t)layers * (size_t)config->width, sizeof(real)),
        };
        if (ablation->knockouts && ablation->means) return ablation;
    }
    ablation_free(ablation);
    error_set(error, "out of memory for the heads that are knocked out");
    return NULL;
}

void ablation_free(Ablation *ablation) {
    if (!ablation) return;
    free(ablation->knockouts);
    free(ablation->means);
    free(ablation);
}

static Knockout *knockouts_of(const Ablation *ablation, Site site, int layer) {
    return ablation->knockouts + (ablation->first[site] + layer) * ablation->heads;
}

void ablation_set(Ablation *ablation, HeadId id, Knockout knockout) {
    knockouts_of(ablation, id.site, id.layer)[id.head] = knockout;
}

Knockout ablation_get(const Ablation *ablation, HeadId id) {
    return knockouts_of(ablation, id.site, id.layer)[id.head];
}

int ablation_count(const Ablation *ablation) {
    int count = 0;
    for (int i = 0; i < ablation->layers * ablation->heads; i++)
        count += ablation->knockouts[i] != KNOCKOUT_NONE;
    return count;
}

real *ablation_mean(Ablation *ablation, Site site, int layer) {
    return ablation->means + (long)(ablation->first[site] + layer) * ablation->width;
}

static void overwrite(real *context, const real *mean, long rows, int head_width, int width) {
    for (long row = 0; row < rows; row++)
        for (int i = 0; i < head_width; i++)
            context[row * width + i] = mean ? mean[i] : 0;
}

void ablation_apply(LayerAblation at, real *context, long rows) {
    const Ablation *ablation = at.ablation;
    if (!ablation) return;
    const Knockout *knockouts = knockouts_of(ablation, at.site, at.layer);
    const real *means =
        ablation->means + (long)(ablation->first[at.site] + at.layer) * ablation->width;
    int head_width = ablation->width / ablation->heads;
    for (int head = 0; head < ablation->heads; head++) {
        int column = head * head_width;
        if (knockouts[head] != KNOCKOUT_NONE)
            overwrite(context + column, knockouts[head] == KNOCKOUT_MEAN ? means + column : NULL,
                      rows, head_width, ablation->width);
    }
}
