#include "viz/deflater.h"

#include "viz/huffman.h"

#include <stdlib.h>
#include <string.h>

enum { END_OF_BLOCK = 256, LENGTH_SYMBOLS = 19, LONGEST_CODE = 15, LONGEST_LENGTH_CODE = 7 };

/* The most bytes that one token, and a block's head, can take. */
enum { TOKEN_BYTES = 6, HEAD_BYTES = 512 }; /* with what ends a stream */

bool deflater_begin(Deflater *deflater) {
    *deflater = (Deflater){.tokens = malloc(DEFLATER_TOKENS * sizeof *deflater->tokens)};
    return deflater->tokens != NULL;
}

void deflater_free(Deflater *deflater) {
    free(deflater->bytes);
    free(deflater->tokens);
    *deflater = (Deflater){0};
}

void deflater_run(Deflater *deflater, size_t length, unsigned distance) {
    while (length > DEFLATER_LONGEST) {
        /* what is left must be long enough for a match */
        unsigned part = length - DEFLATER_LONGEST < DEFLATER_SHORTEST
                            ? DEFLATER_LONGEST - DEFLATER_SHORTEST
                            : DEFLATER_LONGEST;
        deflater_match(deflater, part, distance);
        length -= part;
    }
    deflater_match(deflater, (unsigned)length, distance);
}

/* Room for so many bytes more. */
static bool reserve(Deflater *deflater, size_t more) {
    if (deflater->size + more > deflater->room) {
        size_t room = 2 * deflater->room + more;
        unsigned char *bytes = realloc(deflater->bytes, room);
        if (!bytes) {
            deflater->failed = true;
            return false;
        }
        deflater->bytes = bytes;
        deflater->room = room;
    }
    return true;
}

/* Writes whole bytes of the waiting bits. */
static inline void flush(Deflater *deflater) {
    while (deflater->bit_count >= 8) {
        deflater->bytes[deflater->size++] = (unsigned char)deflater->bits;
        deflater->bits >>= 8;
        deflater->bit_count -= 8;
    }
}

/* At most 57 bits wait between two flushes. */
static inline void put(Deflater *deflater, unsigned value, int bits) {
    deflater->bits |= (uint64_t)value << deflater->bit_count;
    deflater->bit_count += bits;
}

static inline void put_symbol(Deflater *deflater, const Huffman *huffman, unsigned symbol) {
    put(deflater, huffman->codes[symbol], huffman->lengths[symbol]);
}

/* --- the head of a block: the lengths of all codes, run by run (RFC 1951, 3.2.7) -----------------
 */

enum { REPEAT = 16, ZEROS = 17, MANY_ZEROS = 18 };

typedef struct LengthCodes {
    uint8_t symbols[DEFLATER_LITERALS + DEFLATER_DISTANCES];
    uint8_t extras[DEFLATER_LITERALS + DEFLATER_DISTANCES];
    int count;
} LengthCodes;

static void add_code(LengthCodes *codes, int symbol, int extra) {
    codes->symbols[codes->count] = (uint8_t)symbol;
    codes->extras[codes->count++] = (uint8_t)extra;
}

/* `run` times the same length. */
static void add_run(LengthCodes *codes, uint8_t length, int run) {
    while (length == 0 && run >= 3) {
        int some = run < 138 ? run : 138;
        add_code(codes, some < 11 ? ZEROS : MANY_ZEROS, some < 11 ? some - 3 : some - 11);
        run -= some;
    }
    if (length != 0 && run >= 4) {
        add_code(codes, length, 0);
        for (run--; run >= 3;) {
            int some = run < 6 ? run : 6;
            add_code(codes, REPEAT, some - 3);
            run -= some;
        }
    }
    for (; run > 0; run--)
        add_code(codes, length, 0);
}

static LengthCodes length_codes(const uint8_t *lengths, int count) {
    LengthCodes codes = {.count = 0};
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && lengths[end] == lengths[first];)
            end++;
        add_run(&codes, lengths[first], end - first);
    }
    return codes;
}

/* How many symbols there are up to the last one that occurs. */
static int used(const Huffman *huffman, int least, int most) {
    while (most > least && huffman->lengths[most - 1] == 0)
        most--;
    return most;
}

static void put_length_codes(Deflater *deflater, const LengthCodes *codes) {
    static const uint8_t order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t extra_bits[] = {2, 3, 7};
    unsigned frequencies[LENGTH_SYMBOLS] = {0};
    Huffman huffman;
    for (int i = 0; i < codes->count; i++)
        frequencies[codes->symbols[i]]++;
    huffman_make(&huffman, frequencies, LENGTH_SYMBOLS, LONGEST_LENGTH_CODE);
    int last = LENGTH_SYMBOLS;
    while (last > 4 && huffman.lengths[order[last - 1]] == 0)
        last--;
    put(deflater, (unsigned)last - 4, 4);
    for (int i = 0; i < last; i++, flush(deflater))
        put(deflater, huffman.lengths[order[i]], 3);
    for (int i = 0; i < codes->count; i++, flush(deflater)) {
        int symbol = codes->symbols[i];
        put_symbol(deflater, &huffman, (unsigned)symbol);
        if (symbol >= REPEAT) put(deflater, codes->extras[i], extra_bits[symbol - REPEAT]);
    }
}

static void put_head(Deflater *deflater, const Huffman *literals, const Huffman *distances) {
    uint8_t lengths[DEFLATER_LITERALS + DEFLATER_DISTANCES];
    int literal_count = used(literals, 257, DEFLATER_LITERALS);
    int distance_count = used(distances, 1, DEFLATER_DISTANCES);
    memcpy(lengths, literals->lengths, (size_t)literal_count);
    memcpy(lengths + literal_count, distances->lengths, (size_t)distance_count);
    LengthCodes codes = length_codes(lengths, literal_count + distance_count);
    put(deflater, 0, 1); /* not the last one */
    put(deflater, 2, 2); /* with codes of its own */
    put(deflater, (unsigned)literal_count - 257, 5);
    put(deflater, (unsigned)distance_count - 1, 5);
    put_length_codes(deflater, &codes);
}

/* --- its body ------------------------------------------------------------------------------------
 */

static inline void put_match(Deflater *deflater, const Huffman *literals, const Huffman *distances,
                             uint32_t token) {
    unsigned length = (token >> 16 & 0xFF) + DEFLATER_SHORTEST, distance = (token & 0xFFFF) + 1;
    unsigned code = deflater_length_code(length);
    put_symbol(deflater, literals, 257 + code);
    if (code >= 8 && code < 28) {
        int bits = (int)code / 4 - 1;
        put(deflater, (length - DEFLATER_SHORTEST) & ((1U << bits) - 1), bits);
    }
    code = deflater_distance_code(distance);
    put_symbol(deflater, distances, code);
    if (code >= 4) {
        int bits = (int)code / 2 - 1;
        put(deflater, (distance - 1) & ((1U << bits) - 1), bits);
    }
}

static void put_tokens(Deflater *deflater, int count, const Huffman *literals,
                       const Huffman *distances) {
    for (int i = 0; i < count; i++, flush(deflater)) {
        uint32_t token = deflater->tokens[i];
        if (token >> 31)
            put_match(deflater, literals, distances, token);
        else
            put_symbol(deflater, literals, token);
    }
}

/* Writes the first `count` tokens, of which there are so many of each, as a block. */
static void put_block(Deflater *deflater, int count, DeflaterCounts *counts) {
    Huffman literals, distances;
    if (deflater->failed || !reserve(deflater, HEAD_BYTES + TOKEN_BYTES * (size_t)count)) return;
    counts->literals[END_OF_BLOCK]++;
    huffman_make(&literals, counts->literals, DEFLATER_LITERALS, LONGEST_CODE);
    huffman_make(&distances, counts->distances, DEFLATER_DISTANCES, LONGEST_CODE);
    put_head(deflater, &literals, &distances);
    put_tokens(deflater, count, &literals, &distances);
    put_symbol(deflater, &literals, END_OF_BLOCK);
    flush(deflater);
}

/* --- where blocks end ----------------------------------------------------------------------------
 */

/* The binary logarithm in 256ths, straight between powers of two (0.09 too small at most); whole
 * numbers, so that all machines choose the same blocks. */
static uint64_t log_of(unsigned value) {
    unsigned top = 31U - (unsigned)__builtin_clz(value | 1);
    return top * 256 + (((uint64_t)value << 8 >> top) & 255);
}

/* About the bits, in 256ths, that the symbols of one or two chunks (NULL: none) take. */
static uint64_t cost(const unsigned *one, const unsigned *other, int count) {
    uint64_t bits = 0;
    unsigned total = 0;
    for (int symbol = 0; symbol < count; symbol++) {
        unsigned times = one[symbol] + (other ? other[symbol] : 0);
        if (times) bits += times * log_of(times);
        total += times;
    }
    return total * log_of(total) - bits;
}

static uint64_t cost_of(const DeflaterCounts *one, const DeflaterCounts *other) {
    return cost(one->literals, other ? other->literals : NULL, DEFLATER_LITERALS) +
           cost(one->distances, other ? other->distances : NULL, DEFLATER_DISTANCES);
}

/* Codes of its own save so much, and their description costs about so many bits. */
static bool is_of_another_kind(const Deflater *deflater) {
    enum { HEAD_BITS = 850 };
    return cost_of(&deflater->block, NULL) + cost_of(&deflater->last, NULL) + HEAD_BITS * 256 <
           cost_of(&deflater->block, &deflater->last);
}

static void join_chunk(Deflater *deflater) {
    for (int symbol = 0; symbol < DEFLATER_LITERALS; symbol++)
        deflater->block.literals[symbol] += deflater->last.literals[symbol];
    for (int symbol = 0; symbol < DEFLATER_DISTANCES; symbol++)
        deflater->block.distances[symbol] += deflater->last.distances[symbol];
    deflater->last = (DeflaterCounts){0};
    deflater->chunk = deflater->count;
}

void deflater_chunk(Deflater *deflater) {
    if (deflater->chunk > 0 && is_of_another_kind(deflater)) {
        put_block(deflater, deflater->chunk, &deflater->block);
        deflater->count -= deflater->chunk;
        memmove(deflater->tokens, deflater->tokens + deflater->chunk,
                (size_t)deflater->count * sizeof *deflater->tokens);
        deflater->block = (DeflaterCounts){0};
    }
    join_chunk(deflater);
    if (deflater->count + DEFLATER_CHUNK <= DEFLATER_TOKENS) return;
    put_block(deflater, deflater->count, &deflater->block);
    deflater->count = deflater->chunk = 0;
    deflater->block = (DeflaterCounts){0};
}

/* An empty stored block (RFC 1951, 3.2.4) ends at a whole byte. */
static void put_empty_block(Deflater *deflater) {
    put(deflater, 0, 3);
    deflater->bit_count += -deflater->bit_count & 7;
    flush(deflater);
    put(deflater, 0xFFFF0000U, 32); /* no bytes, and the complement of their number */
    flush(deflater);
}

void deflater_flush(Deflater *deflater) {
    deflater_chunk(deflater);
    put_block(deflater, deflater->count, &deflater->block);
    if (!deflater->failed) put_empty_block(deflater);
    deflater->count = deflater->chunk = 0;
    deflater->block = (DeflaterCounts){0};
}

void deflater_restart(Deflater *deflater) {
    unsigned char *bytes = deflater->bytes;
    size_t room = deflater->room;
    *deflater = (Deflater){.bytes = bytes, .room = room, .tokens = deflater->tokens};
}
