/* Keys: what a pass was made from, so that what is derived from it can store for which one it was
 * made. Plain values; {0} is the key of nothing. */
#ifndef HEADSCOPE_APP_PASS_PASS_KEY_H
#define HEADSCOPE_APP_PASS_PASS_KEY_H

#include <stdint.h>

#include "app/pass/state.h"

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

#endif
