/* Counter-based random numbers: the n-th number of a stream is a hash of (seed, stream, n). So a
 * run resumes from its step alone, and no result depends on which thread drew first. */
#ifndef HEADSCOPE_MODEL_BASE_RNG_H
#define HEADSCOPE_MODEL_BASE_RNG_H

#include <stdint.h>

typedef struct Rng {
    uint64_t key;
    uint64_t counter;
} Rng;

/* Avalanche of 64 bits (the finaliser of splitmix64; Steele, Lea, Flood 2014). */
uint64_t rng_mix(uint64_t bits);

/* A generator for one stream of a seed; streams are independent of each other. */
Rng rng_make(uint64_t seed, uint64_t stream);

uint64_t rng_next(Rng *rng);

/* Uniform integer in [0, bound), without bias; bound > 0. */
uint32_t rng_below(Rng *rng, uint32_t bound);

/* Uniform in [0, 1), 53 bits. */
double rng_uniform(Rng *rng);

/* Standard normal (Box and Muller 1958; one value per call). */
double rng_normal(Rng *rng);

/* 64-bit FNV-1a of the bytes, then rng_mix: splits examples into training and held-out. */
uint64_t rng_hash_bytes(const void *bytes, uint64_t size);

#endif
