/* Attention that another program computed, as a Trace over its file: safetensors, npz or npy, f64,
 * f32, f16 or bf16. The numbers stay in the file and are converted when they are read. The names
 * and layouts are in docs/files.md. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_FILE_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_FILE_H

#include "model/trace/trace.h"

#include <stddef.h>

typedef struct AttentionFileOptions {
    const char *tokens; /* path of a JSON file; NULL: what the file itself says, or numbers */
    const char *site;   /* "encoder", "decoder" or "cross": of a tensor whose name does not say it;
                           NULL: inferred from shape, zeros and
                           tokens */
    int example;        /* of a batch; -1: the only one */
    bool transposed;    /* the last two axes are keys and queries */
} AttentionFileOptions;

typedef struct AttentionFile {
    Trace *trace; /* owned; may be taken out (then set it to NULL) */
    /* Tokens, UTF-8, owned; numbers from 0 where the file has none. */
    char **source; /* [source_count]: the encoder's, which are also the keys of cross-attention */
    char **reads;  /* [read_count]: the decoder's keys */
    char **writes; /* [query_count] or NULL: what the decoder writes at each query */
    int source_count, read_count, query_count;
    int first_query; /* the decoder's query i reads reads[first_query + i] */
    char note[640];  /* assumptions and oddities to report; "" for none */
} AttentionFile;

/* ERROR_USAGE if the call must say more (a site, an example, fitting tokens), else ERROR_FAILED. */
bool attention_file_open(AttentionFile *file, const char *path, const AttentionFileOptions *options,
                         Error *error);

/* The same over bytes, which must stay as long as the trace does. `name` stands in messages. */
bool attention_file_from_bytes(AttentionFile *file, const char *name, const void *bytes,
                               size_t size, const AttentionFileOptions *options, Error *error);
void attention_file_free(AttentionFile *file); /* {0} is fine */

/* Tells by the first bytes and the header whether a file is attention or a headscope model. False
 * if it is neither; *error names what it is. */
bool attention_file_judge(const char *path, bool *is_attention, Error *error);

#endif
