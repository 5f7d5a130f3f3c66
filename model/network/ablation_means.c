#include "model/network/ablation_means.h"

#include <stdlib.h>

struct AblationMeans {
    int width;
    int layers[SITE_COUNT];
    long steps[SITE_COUNT];   /* steps added so far */
    double *sums[SITE_COUNT]; /* [layers,W] */
};

AblationMeans *ablation_means_make(const Config *config, Error *error) {
    AblationMeans *means = calloc(1, sizeof *means);
    bool made = means != NULL;
    for (int site = 0; made && site < SITE_COUNT; site++) {
        int layers = site == SITE_ENCODER ? config->encoder_layers : config->decoder_layers;
        means->width = config->width;
        means->layers[site] = layers;
        means->sums[site] = calloc((size_t)layers * (size_t)config->width, sizeof(double));
        made = means->sums[site] != NULL;
    }
    if (made) return means;
    ablation_means_free(means);
    error_set(error, "out of memory for the means of the heads");
    return NULL;
}

void ablation_means_free(AblationMeans *means) {
    if (!means) return;
    for (int site = 0; site < SITE_COUNT; site++)
        free(means->sums[site]);
    free(means);
}

/* sums[W] += the rows of context[B*steps,W] within the valid lengths. */
static void add_rows(double *sums, const real *context, const int *valid_lens, int batch, int steps,
                     int width) {
    for (int b = 0; b < batch; b++)
        for (int t = 0; t < valid_lens[b]; t++) {
            const real *row = context + ((long)b * steps + t) * width;
            for (int i = 0; i < width; i++)
                sums[i] += (double)row[i];
        }
}

void ablation_means_add(AblationMeans *means, const Workspace *ws, const Batch *batch) {
    for (int site = 0; site < SITE_COUNT; site++) {
        bool encoder = site == SITE_ENCODER;
        const int *valid_lens = encoder ? batch->enc_valid_lens : batch->dec_valid_lens;
        int steps = encoder ? batch->source_len : batch->target_len;
        for (int layer = 0; layer < means->layers[site]; layer++)
            add_rows(means->sums[site] + (long)layer * means->width,
                     workspace_attention(ws, (Site)site, layer).context, valid_lens, batch->size,
                     steps, means->width);
        for (int b = 0; b < batch->size; b++)
            means->steps[site] += valid_lens[b];
    }
}

void ablation_means_store(const AblationMeans *means, Ablation *ablation) {
    for (int site = 0; site < SITE_COUNT; site++)
        for (int layer = 0; layer < means->layers[site]; layer++) {
            const double *sums = means->sums[site] + (long)layer * means->width;
            real *stored = ablation_mean(ablation, (Site)site, layer);
            long steps = means->steps[site];
            for (int i = 0; i < means->width; i++)
                stored[i] = steps ? (real)(sums[i] / (double)steps) : 0;
        }
}
