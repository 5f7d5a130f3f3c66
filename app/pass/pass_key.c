#include "app/pass/pass_key.h"

#include <sha256.h>
#include <string.h>

static void add(SHA2_CTX *hash, const void *bytes, size_t size) {
    SHA256Update(hash, bytes, size);
}

static void add_number(SHA2_CTX *hash, int number) {
    add(hash, &number, sizeof number);
}

/* Its length first, so that no two lists of texts run together alike; -1 for NULL. */
static void add_text(SHA2_CTX *hash, const char *text) {
    add_number(hash, text ? (int)strlen(text) : -1);
    if (text) add(hash, text, strlen(text));
}

static void add_example(SHA2_CTX *hash, const StateExample *example) {
    add_text(hash, example->input);
    add_text(hash, example->target);
    add_number(hash, example->whole);
    add_number(hash, example->enc_len);
    add_number(hash, example->dec_len);
}

PassKey pass_key(const State *state, const Config *config, unsigned long generation) {
    PassKey key = {.weights = {generation, state->snapshot}};
    SHA2_CTX hash;
    SHA256Init(&hash);
    for (int i = 0; i <= (int)state->companion; i++)
        add_example(&hash, &state->examples[i]);
    add_number(&hash, state->companion);
    add_number(&hash, state->not_causal);
    add_number(&hash, state->trap);
    add_number(&hash, state->step);
    add(&hash, state->knockouts, (size_t)state_heads(config));
    SHA256Final(key.state, &hash);
    return key;
}

bool weights_key_same(WeightsKey a, WeightsKey b) {
    return a.generation == b.generation && a.snapshot == b.snapshot;
}

bool pass_key_same(PassKey a, PassKey b) {
    return weights_key_same(a.weights, b.weights) && memcmp(a.state, b.state, sizeof a.state) == 0;
}
