/* One pass of a model over one or two examples under given masks and knocked out heads, and all
 * that the window shows of it. With another mask or another head out it is another world; worlds
 * over the same batch can be laid side by side, cell by cell. */
#ifndef HEADSCOPE_APP_PASS_WORLD_H
#define HEADSCOPE_APP_PASS_WORLD_H

#include "model/decoding/decode.h"
#include "model/network/transformer.h"
#include "model/trace/trace.h"

enum { WORLD_EXAMPLES = 2, WORLD_CANDIDATES = 5 };

/* What decides a world. Everything is borrowed. */
typedef struct WorldRequest {
    const Config *config;
    const Params *params;
    const Batch *batch;         /* one or two examples with targets, padded alike */
    ForwardOptions options;     /* {0}: the model as trained */
    bool decode;                /* write the target anew as well, ... */
    const Batch *sources;       /* ... from these, the batch's without targets, ... */
    const ForcedTarget *forced; /* ... each beginning with these tokens; NULL: with none */
} WorldRequest;

typedef struct Candidate {
    int token;
    double probability;
} Candidate;

typedef struct WorldExample {
    Trace *trace;          /* of all padded steps of the batch; owned */
    double *log_probs;     /* [target_len], owned: of each token that the batch says is written */
    Candidate *candidates; /* [target_len,WORLD_CANDIDATES], owned: the most probable first */
    int candidate_count;   /* of each step: fewer in a small vocabulary */
    Decoded decoded;       /* the target that this world writes (world_decode); else empty */
} WorldExample;

typedef struct World {
    int count;
    WorldExample examples[WORLD_EXAMPLES];
} World;

/* Runs the model. The workspace is fitted to the batch and holds the pass afterwards. On failure
 * (memory) *world is {0}. */
bool world_make(World *world, Workspace *workspace, const WorldRequest *request, Error *error);

/* Lets the world write its targets anew, under the options of the request. */
bool world_decode(World *world, const WorldRequest *request, Error *error);

void world_free(World *world); /* {0} is fine */

/* The log-probability of the example's whole target: the sum over its first `steps` tokens. */
double world_log_prob(const World *world, int example, int steps);

#endif
