#include "model/base/rng.h"

#include <math.h>

uint64_t rng_mix(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

Rng rng_make(uint64_t seed, uint64_t stream) {
    uint64_t key = rng_mix(seed + 0x9E3779B97F4A7C15u);
    return (Rng){.key = rng_mix(key ^ (stream + 0xD1B54A32D192ED03u))};
}

uint64_t rng_next(Rng *rng) {
    rng->counter += 0x9E3779B97F4A7C15u;
    return rng_mix(rng->key ^ rng_mix(rng->counter));
}

uint32_t rng_below(Rng *rng, uint32_t bound) {
    /* Lemire 2019: multiply, and reject the few products that would bias the result. */
    uint64_t product = (rng_next(rng) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t threshold = (0u - bound) % bound;
        while ((uint32_t)product < threshold)
            product = (rng_next(rng) >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

double rng_uniform(Rng *rng) {
    return (double)(rng_next(rng) >> 11) * 0x1.0p-53;
}

double rng_normal(Rng *rng) {
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2.0 * log(1.0 - rng_uniform(rng)));
    return radius * cos(two_pi * rng_uniform(rng));
}

uint64_t rng_hash_bytes(const void *bytes, uint64_t size) {
    const unsigned char *byte = bytes;
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001B3u;
    return rng_mix(hash);
}
