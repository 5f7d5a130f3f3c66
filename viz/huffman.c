#include "viz/huffman.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A symbol (a leaf) or two nodes joined. */
typedef struct Node {
    unsigned weight;
    int parent;
    int symbol; /* of a leaf */
} Node;

static int by_weight(const void *one, const void *other) {
    const Node *a = one, *b = other;
    if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
    return a->symbol - b->symbol;
}

static int gather(Node *nodes, const unsigned *frequencies, int count) {
    int leaves = 0;
    for (int symbol = 0; symbol < count; symbol++)
        if (frequencies[symbol]) nodes[leaves++] = (Node){frequencies[symbol], 0, symbol};
    qsort(nodes, (size_t)leaves, sizeof *nodes, by_weight);
    return leaves;
}

/* Joins the two lightest nodes until one is left. Both the leaves and the joined nodes stand in
 * order of weight, so the lightest is the first of one of them. Returns the number of all nodes. */
static int join(Node *nodes, int leaves) {
    int leaf = 0, joined = leaves, end = leaves;
    while (end < 2 * leaves - 1) {
        unsigned weight = 0;
        for (int side = 0; side < 2; side++) {
            bool take_leaf =
                leaf < leaves && (joined == end || nodes[leaf].weight <= nodes[joined].weight);
            Node *lightest = &nodes[take_leaf ? leaf++ : joined++];
            lightest->parent = end;
            weight += lightest->weight;
        }
        nodes[end++].weight = weight;
    }
    return end;
}

/* How deep the leaves lie; the deepest of them. */
static int measure(Node *nodes, int leaves, int end, uint8_t *lengths) {
    int deepest = 0, depth[2 * HUFFMAN_SYMBOLS];
    depth[end - 1] = leaves == 1; /* a lone symbol needs a bit as well */
    for (int node = end - 2; node >= 0; node--)
        depth[node] = depth[nodes[node].parent] + 1;
    for (int leaf = 0; leaf < leaves; leaf++) {
        lengths[nodes[leaf].symbol] = (uint8_t)depth[leaf];
        if (depth[leaf] > deepest) deepest = depth[leaf];
    }
    return deepest;
}

static uint16_t reversed(unsigned code, int length) {
    unsigned result = 0;
    for (int bit = 0; bit < length; bit++)
        result |= (code >> bit & 1) << (length - 1 - bit);
    return (uint16_t)result;
}

static void number(Huffman *huffman, int count, int longest) {
    unsigned code = 0;
    for (int length = 1; length <= longest; length++, code <<= 1)
        for (int symbol = 0; symbol < count; symbol++)
            if (huffman->lengths[symbol] == length)
                huffman->codes[symbol] = reversed(code++, length);
}

void huffman_make(Huffman *huffman, unsigned *frequencies, int count, int longest) {
    Node nodes[2 * HUFFMAN_SYMBOLS];
    memset(huffman, 0, sizeof *huffman);
    for (;;) {
        int leaves = gather(nodes, frequencies, count);
        if (leaves == 0) return;
        if (measure(nodes, leaves, join(nodes, leaves), huffman->lengths) <= longest) break;
        /* flatter, until the tree is no deeper than it may be: costs little, comes rarely */
        for (int symbol = 0; symbol < count; symbol++)
            if (frequencies[symbol]) frequencies[symbol] = frequencies[symbol] / 2 + 1;
    }
    number(huffman, count, longest);
}
