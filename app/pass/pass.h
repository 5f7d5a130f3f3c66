/* A state run through a model: its examples as a batch, the target that all worlds of it share, the
 * world that the state asks for, and, where that changes something, the world as trained. */
#ifndef HEADSCOPE_APP_PASS_PASS_H
#define HEADSCOPE_APP_PASS_PASS_H

#include <stdint.h>

#include "app/pass/state.h"
#include "app/pass/world.h"
#include "data/models/checkpoint.h"
#include "model/base/pool.h"
#include "model/network/ablation_means.h"

/* --- keys ---------------------------------------------------------------------------------------
 * A key says what a pass was made from; what is derived from a pass stores the key of that pass.
 * {0} is the key of nothing. */

/* Which weights of a network. */
typedef struct WeightsKey {
    unsigned long generation; /* of the model's own, from 1: it rises when other ones take their
                               * place */
    int snapshot;             /* NONE: the model's own */
} WeightsKey;

typedef struct PassKey {
    WeightsKey weights;
    uint8_t state[32]; /* SHA-256 of what the pass takes from the state, snapshot aside */
} PassKey;

/* States with the same key give the same pass: between them only looks differ. */
PassKey pass_key(const State *state, const Config *config, unsigned long generation);

bool weights_key_same(WeightsKey a, WeightsKey b);
bool pass_key_same(PassKey a, PassKey b);

/* --- the pass ----------------------------------------------------------------------------------
 */

typedef struct PassRequest {
    const Model *model;       /* its config and vocabularies */
    const Params *params;     /* its weights, or those of a snapshot */
    const State *state;       /* of that model */
    unsigned long generation; /* of the model's own weights, for the key; 0: nobody asks for it */
    const AblationMeans
        *head_means; /* for heads that are out by their mean; NULL: over the examples themselves */
    const ForcedTarget *forced; /* [examples] the targets, in place of the state's; NULL: those */
} PassRequest;

/* The labels and sizes of one example. */
typedef struct PassExample {
    int source_count, target_count; /* without padding; the target whole, whatever the step */
    int forced_count;               /* tokens of the target that were set, not written */
    int enc_len, dec_len;           /* the masks' lengths */
    const char **source;            /* [source_len] tokens, padding included */
    const char **reads, **writes;   /* [target_len] what the decoder reads and writes */
    const char **steps;             /* [target_len] "m→o" */
    SceneAxes axes[SITE_COUNT];
    const char *output; /* the target as text */
    Decoded target;     /* its tokens and their log-probabilities as trained */
} PassExample;

typedef struct Pass {
    PassKey key; /* what it was made from; head_means and forced targets follow from it */
    int count;   /* of examples; 0: there is no pass */
    int source_len, target_len; /* S and T with padding, T whole */
    int steps;                  /* of these T the decoder has read */
    PassExample examples[EXAMPLES];
    World world;
    bool changed; /* masks or heads are not as trained, */
    World plain;  /* and this is the world as trained; else empty */
    Batch sources, batch;
    Workspace workspace;
    Pool pool; /* all labels */
} Pass;

/* A pass as those see it who did not make it: lessons, the story of a weight. All is borrowed. */
typedef struct ShownPass {
    const Model *model;
    const State *state;        /* what is chosen now, ... */
    const Params *params;      /* ... and the weights that it asks for */
    const Pass *pass;          /* the newest that could be run; NULL: none */
    const State *made_for;     /* the state of that pass ... */
    const Params *pass_params; /* ... and its weights; NULL: they have changed since */
    int example;               /* of the pass: the one that is edited */
    const char *problem;       /* why `state` could not be run; NULL: it could, or was not tried */
} ShownPass;

/* Runs it. ERROR_USAGE for a text that the model cannot read. *pass is then {0}. */
bool pass_make(Pass *pass, const PassRequest *request, Error *error);
/* The rows and columns of a site's maps, padding and steps not read yet included. */
int pass_rows(const Pass *pass, Site site);
int pass_columns(const Pass *pass, Site site);

/* The log-probabilities that the world as trained and the one on show give to the target of an
 * example, as far as the decoder has read it. Only where something is changed. */
void pass_log_probs(const Pass *pass, int example, double *as_trained, double *shown);

/* The lengths of the masks, [count] each: of the sources, and of the targets as far as the decoder
 * has read them. */
void pass_lens(const Pass *pass, int *enc_lens, int *dec_lens);

/* Knocks out the heads that a state has out (their means are not stored). */
void pass_ablate(Ablation *ablation, const State *state, const Config *config);

void pass_free(Pass *pass); /* {0} is fine */

/* --- of a text, without a session --------------------------------------------------------------
 */

/* What a command is told. */
typedef struct PassTexts {
    const char *input;
    const char *target; /* teacher forced; NULL: the model writes it */
    const char *trap;   /* as state_set_trap takes it */
} PassTexts;

typedef struct TextPass {
    State state; /* the model's first one, with those texts */
    Pass pass;
    ShownPass shown; /* of it; points into this struct */
} TextPass;

/* ERROR_USAGE as pass_make and state_set_trap. The model must stay. On failure *text is {0}. */
bool text_pass_make(TextPass *text, const Model *model, const PassTexts *texts, Error *error);
void text_pass_free(TextPass *text); /* {0} is fine */

/* --- labels -------------------------------------------------------------------------------------
 */

/* "m→o": a step of the decoder that reads m and writes o; "m" where `writes` is NULL. */
const char *pass_step_label(Pool *pool, const char *reads, const char *writes);

/* The axes of every site from the labels; without `writes` the captions of decoder queries are
 * NULL. The labels must stay. */
void pass_axes(SceneAxes axes[SITE_COUNT], const char *const *source, const char *const *reads,
               const char *const *steps, bool writes);

#endif
