/* A pass runs a state through a model: its examples as a batch, the target that all its worlds
 * share, the world of the state and, if that differs, the world as trained. */
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
    unsigned long generation; /* of the model's own, from 1; rises when they are replaced */
    int snapshot;             /* NONE: the model's own */
} WeightsKey;

typedef struct PassKey {
    WeightsKey weights;
    uint8_t state[32]; /* SHA-256 of what a pass depends on in the state, except the snapshot */
} PassKey;

/* States with the same key give the same pass. */
PassKey pass_key(const State *state, const Config *config, unsigned long generation);

bool weights_key_same(WeightsKey a, WeightsKey b);
bool pass_key_same(PassKey a, PassKey b);

/* --- the pass ----------------------------------------------------------------------------------
 */

typedef struct PassRequest {
    const Model *model;       /* its config and vocabularies */
    const Params *params;     /* its weights, or those of a snapshot */
    const State *state;       /* of that model */
    unsigned long generation; /* of the model's own weights, for the key; 0: not needed */
    const AblationMeans
        *head_means; /* for heads replaced by their mean; NULL: the mean over the examples */
    const ForcedTarget *forced; /* [examples] the targets; NULL: the state's */
} PassRequest;

/* The labels and sizes of one example. */
typedef struct PassExample {
    int source_count, target_count; /* without padding; the target whole, whatever the step */
    int forced_count;               /* target tokens that were given, not decoded */
    int enc_len, dec_len;           /* the masks' lengths */
    const char **source;            /* [source_len] tokens, padding included */
    const char **reads, **writes;   /* [target_len] what the decoder reads and writes */
    const char **steps;             /* [target_len] "m→o" */
    SceneAxes axes[SITE_COUNT];
    const char *output; /* the target as text */
    Decoded target;     /* its tokens and their log-probabilities as trained */
} PassExample;

typedef struct Pass {
    PassKey key;                /* its inputs; head_means and forced targets follow from them */
    int count;                  /* of examples; 0: there is no pass */
    int source_len, target_len; /* S and T with padding, T whole */
    int steps;                  /* of these T the decoder has read */
    PassExample examples[EXAMPLES];
    World world;
    bool changed; /* masks, heads or mistakes are not as trained */
    World plain;  /* the world as trained, if `changed`; else empty */
    Batch sources, batch;
    Workspace workspace;
    Pool pool; /* all labels */
} Pass;

/* A pass with its context, for lessons and explanations. Everything is borrowed. */
typedef struct ShownPass {
    const Model *model;
    const State *state;        /* the current state, */
    const Params *params;      /* and its weights */
    const Pass *pass;          /* the newest that could be run; NULL: none */
    const State *made_for;     /* the state of that pass, */
    const Params *pass_params; /* and its weights; NULL: they have changed since */
    int example;               /* of the pass: the edited one */
    const char *problem;       /* why `state` could not be run; NULL: it could, or was not tried */
} ShownPass;

/* Runs it. ERROR_USAGE for a text that the model cannot read. *pass is then {0}. */
bool pass_make(Pass *pass, const PassRequest *request, Error *error);

/* The rows and columns of a site's maps, including padding and steps not read yet. */
int pass_rows(const Pass *pass, Site site);
int pass_columns(const Pass *pass, Site site);

/* The log-probabilities of an example's target, as far as the decoder has read it, in the world as
 * trained and in the shown one. Requires pass->changed. */
void pass_log_probs(const Pass *pass, int example, double *as_trained, double *shown);

/* The valid lengths [count] of the sources, and of the targets as far as the decoder has read them.
 */
void pass_lens(const Pass *pass, int *enc_lens, int *dec_lens);

/* Knocks out the heads that a state knocks out (does not store their means). */
void pass_ablate(Ablation *ablation, const State *state, const Config *config);

void pass_free(Pass *pass); /* {0} is fine */

/* --- of a text, without a session --------------------------------------------------------------
 */

/* The texts of a command. */
typedef struct PassTexts {
    const char *input;
    const char *target; /* teacher forced; NULL: the model writes it */
    const char *trap;   /* as state_set_trap takes it */
} PassTexts;

typedef struct TextPass {
    State state; /* the default state with those texts */
    Pass pass;
    ShownPass shown; /* points into this struct */
} TextPass;

/* ERROR_USAGE as pass_make and state_set_trap. The model must stay. On failure *text is {0}. */
bool text_pass_make(TextPass *text, const Model *model, const PassTexts *texts, Error *error);
void text_pass_free(TextPass *text); /* {0} is fine */

/* --- labels -------------------------------------------------------------------------------------
 */

/* "m→o": a step of the decoder that reads m and writes o; "m" where `writes` is NULL. */
const char *pass_step_label(Pool *pool, const char *reads, const char *writes);

/* Makes the axes of every site from the labels, which are borrowed. Without `writes` the captions
 * of decoder queries are NULL. */
void pass_axes(SceneAxes axes[SITE_COUNT], const char *const *source, const char *const *reads,
               const char *const *steps, bool writes);

#endif
