/* Huffman codes of limited length, in deflate's order (RFC 1951, 3.2.2). */
#ifndef HEADSCOPE_VIZ_HUFFMAN_H
#define HEADSCOPE_VIZ_HUFFMAN_H

#include <stdint.h>

enum { HUFFMAN_SYMBOLS = 288 };

typedef struct Huffman {
    uint16_t codes[HUFFMAN_SYMBOLS]; /* the first bit lowest */
    uint8_t lengths[HUFFMAN_SYMBOLS];
} Huffman;

/* The codes of `count` symbols, none longer than `longest` (7 to 15) bits. A symbol that does not
 * occur has a length of 0; a lone one has 1. Changes `frequencies`. */
void huffman_make(Huffman *huffman, unsigned *frequencies, int count, int longest);

#endif
