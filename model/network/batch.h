/* A padded batch of token ids with its valid lengths: what the network reads. */
#ifndef HEADSCOPE_MODEL_NETWORK_BATCH_H
#define HEADSCOPE_MODEL_NETWORK_BATCH_H

#include "model/base/error.h"

typedef struct Batch {
    int size;            /* B */
    int source_len;      /* S, the longest source of the batch */
    int target_len;      /* T, the longest target of the batch */
    int *source;         /* [B,S] ids; past the valid length, the pad id */
    int *target_in;      /* [B,T] decoder input: <s> y1 y2 ... */
    int *target_out;     /* [B,T] expected output: y1 y2 ... </s> */
    int *enc_valid_lens; /* [B] sources' lengths, in 0..S */
    int *dec_valid_lens; /* [B] targets' lengths, in 0..T */
    int *storage;        /* owned: holds the arrays above */
    long capacity;       /* ints in storage */
} Batch;

/* Makes room for [size, source_len] and [size, target_len], reusing the storage if it is large
 * enough. {0} is an empty batch. The contents are uninitialised. Fails only for lack of memory. */
bool batch_reserve(Batch *batch, int size, int source_len, int target_len, Error *error);

/* Fills *slice with examples order[0..count) of `whole`, padded to the longest of them. */
bool batch_slice(Batch *slice, const Batch *whole, const int *order, int count, Error *error);

void batch_free(Batch *batch);

#endif
