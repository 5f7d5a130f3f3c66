/* Ablated (knocked-out) heads: the output projection reads zeros or the head's mean output in place
 * of the head's output. The head's weights are still computed, so its map can still be viewed. */
#ifndef HEADSCOPE_MODEL_NETWORK_ABLATION_H
#define HEADSCOPE_MODEL_NETWORK_ABLATION_H

#include "model/base/real.h"
#include "model/network/config.h"
#include "model/trace/trace.h"

typedef enum Knockout {
    KNOCKOUT_NONE,
    KNOCKOUT_ZERO, /* zeros: the same as zeroing the head's columns of out_proj.weight */
    KNOCKOUT_MEAN, /* its mean output over example texts, at every step (mean ablation) */
} Knockout;

typedef struct Ablation Ablation;

/* No head knocked out, all means 0. NULL with *error for lack of memory. Free with ablation_free.
 */
Ablation *ablation_make(const Config *config, Error *error);
void ablation_free(Ablation *ablation); /* NULL is fine */

/* `id` must be a head of the config. */
void ablation_set(Ablation *ablation, HeadId id, Knockout knockout);
Knockout ablation_get(const Ablation *ablation, HeadId id);

/* How many heads are knocked out. */
int ablation_count(const Ablation *ablation);

/* The mean output of each head of one layer [W], head h in columns h*D and on, to read or to write
 * (see model/network/ablation_means.h). Owned by the ablation. */
real *ablation_mean(Ablation *ablation, Site site, int layer);

/* The ablation as seen by one attention layer. {0} knocks nothing out. */
typedef struct LayerAblation {
    const Ablation *ablation; /* or NULL */
    Site site;
    int layer;
} LayerAblation;

/* Overwrites the columns of the knocked-out heads in context [rows,W], the concatenated outputs of
 * the heads, with zeros or the head's mean. */
void ablation_apply(LayerAblation ablation, real *context, long rows);

#endif
