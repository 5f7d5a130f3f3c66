/* A world: one run of a model over one or two examples under given masks and ablations, with all
 * that the window shows of it. Worlds over the same batch can be compared cell by cell. */
#ifndef HEADSCOPE_APP_PASS_WORLD_H
#define HEADSCOPE_APP_PASS_WORLD_H

#include "model/decoding/decode.h"
#include "model/network/transformer.h"
#include "model/trace/trace.h"

enum { WORLD_EXAMPLES = 2, WORLD_CANDIDATES = 5 };

/* The inputs of a world. Everything is borrowed. */
typedef struct WorldRequest {
    const Config *config;
    const Params *params;
    const Batch *batch;     /* one or two examples with targets, padded alike */
    ForwardOptions options; /* {0}: the model as trained */
    /* Of world_decode: */
    const Batch *sources;       /* the batch's sources, without targets */
    const ForcedTarget *forced; /* [examples] the tokens each target begins with; NULL: none */
} WorldRequest;

typedef struct Candidate {
    int token;
    double probability;
} Candidate;

typedef struct WorldExample {
    Trace *trace;          /* of all padded steps of the batch; owned */
    double *log_probs;     /* [target_len], owned: of each target token of the batch */
    Candidate *candidates; /* [target_len,WORLD_CANDIDATES], owned: the most probable first */
    int candidate_count;   /* of each step: fewer in a small vocabulary */
    Decoded decoded;       /* the target that this world writes (world_decode); else empty */
} WorldExample;

typedef struct World {
    int count;
    WorldExample examples[WORLD_EXAMPLES];
} World;

/* Runs the model in the workspace, which is fitted to the batch and keeps the activations. On
 * failure (lack of memory) *world is {0}. */
bool world_make(World *world, Workspace *workspace, const WorldRequest *request, Error *error);

/* Decodes the targets again, under the options of the request. */
bool world_decode(World *world, const WorldRequest *request, Error *error);

void world_free(World *world); /* {0} is fine */

/* The log-probability of the example's whole target: the sum over its first `steps` tokens. */
double world_log_prob(const World *world, int example, int steps);

#endif
