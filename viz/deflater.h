/* A deflate stream (RFC 1951) of literals and matches that the caller chooses: who knows its data
 * finds them faster than a general compressor. Blocks have Huffman codes of their own. */
#ifndef HEADSCOPE_VIZ_DEFLATER_H
#define HEADSCOPE_VIZ_DEFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DEFLATER_LITERALS = 286, /* literals, the end of a block, lengths */
    DEFLATER_DISTANCES = 30,
    DEFLATER_TOKENS = 1 << 14, /* of a block, at most */
    DEFLATER_CHUNK = 1 << 9,   /* after so many it may end */
    DEFLATER_LONGEST = 258,    /* match */
    DEFLATER_SHORTEST = 3,
    DEFLATER_WINDOW = 1 << 15, /* the farthest distance */
};

/* How often each symbol occurs. */
typedef struct DeflaterCounts {
    unsigned literals[DEFLATER_LITERALS], distances[DEFLATER_DISTANCES];
} DeflaterCounts;

/* {0} is one that has not begun. */
typedef struct Deflater {
    unsigned char *bytes; /* the stream; take it, or free it by deflater_free */
    size_t size, room;
    uint64_t bits; /* not yet in it */
    int bit_count;
    uint32_t *tokens;           /* [DEFLATER_TOKENS] of the block that is not yet in it */
    int count, chunk;           /* of them; where the last chunk begins */
    DeflaterCounts block, last; /* up to that; in it */
    bool failed;                /* memory ended */
} Deflater;

bool deflater_begin(Deflater *deflater); /* false for lack of memory */
void deflater_free(Deflater *deflater);

/* Writes all that waits and ends at a whole byte: the stream can go on, also with another one's. */
void deflater_flush(Deflater *deflater);

/* What ends a stream after that: an empty block, the last one. */
enum { DEFLATER_END = 0x03, DEFLATER_END_BYTES = 2 }; /* the second byte is 0 */

/* Begins anew in the same memory, as if nothing had come before. */
void deflater_restart(Deflater *deflater);

/* Ends a chunk: it joins the block, or begins one. Called by the two below. */
void deflater_chunk(Deflater *deflater);

/* The number of a code, and from it the first length or distance, less the shortest, that it stands
 * for. RFC 1951, 3.2.5: `value` of n bits beyond the first codes has a code for each half (of
 * distances) or quarter (of lengths) of its power of two. */
static inline unsigned deflater_distance_code(unsigned distance) {
    unsigned value = distance - 1;
    if (value < 4) return value;
    unsigned top = 31U - (unsigned)__builtin_clz(value);
    return 2 * top + (value >> (top - 1) & 1);
}

static inline unsigned deflater_length_code(unsigned length) {
    unsigned value = length - DEFLATER_SHORTEST;
    if (length == DEFLATER_LONGEST) return 28;
    if (value < 8) return value;
    unsigned top = 31U - (unsigned)__builtin_clz(value);
    return 4 * top - 4 + (value >> (top - 2) & 3);
}

static inline void deflater_literal(Deflater *deflater, unsigned char byte) {
    if (deflater->count - deflater->chunk == DEFLATER_CHUNK) deflater_chunk(deflater);
    deflater->tokens[deflater->count++] = byte;
    deflater->last.literals[byte]++;
}

/* `length` bytes (DEFLATER_SHORTEST to DEFLATER_LONGEST) as they stood `distance` before. */
static inline void deflater_match(Deflater *deflater, unsigned length, unsigned distance) {
    if (deflater->count - deflater->chunk == DEFLATER_CHUNK) deflater_chunk(deflater);
    deflater->tokens[deflater->count++] =
        1U << 31 | (length - DEFLATER_SHORTEST) << 16 | (distance - 1);
    deflater->last.literals[257 + deflater_length_code(length)]++;
    deflater->last.distances[deflater_distance_code(distance)]++;
}

/* Any number of such bytes, at least the shortest. */
void deflater_run(Deflater *deflater, size_t length, unsigned distance);

#endif
