/* The weights of a trace as data: CSV, JSON, npz or safetensors by the path's ending. The layouts
 * are in docs/files.md. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_DATA_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_DATA_H

#include "model/trace/trace.h"

typedef struct AttentionData {
    const Trace *trace;
    const char *const *source; /* the encoder's tokens */
    const char *const *reads;  /* what the decoder reads at each step */
    const char *const *writes; /* what it writes there; NULL: not known */
    int first_query;           /* the decoder's query i is the step first_query + i */
    const HeadId *heads;       /* the maps to write, in order */
    int head_count;
} AttentionData;

/* True if the ending is one of the four; else ERROR_USAGE, which lists them. */
bool attention_data_check_path(const char *path, Error *error);

/* Writes the file whole or not at all. */
bool attention_data_save(const AttentionData *data, const char *path, Error *error);

#endif
