/* Valid lengths in a file of attention: which keys of its maps are padding. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_LENS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_LENS_H

#include <cjson/cJSON.h>

#include "data/attention/attention_maps.h"

/* Valid lengths as read. */
typedef struct AttentionLens {
    const char *name; /* in the file */
    double *values;   /* [count], owned; NULL: none are given */
    int count;
    int columns; /* queries, if there is a list for each example; 0: one list */
} AttentionLens;

/* What the lengths are of, in the order of the roles from ROLE_LENS on. */
enum { LENS_ANY, LENS_ENCODER, LENS_DECODER, LENS_LISTS };

/* The entry of `lens` with that name; NULL if it names no lengths. */
AttentionLens *attention_lens_find(AttentionLens lens[LENS_LISTS], const char *name);

/* Reads lengths, unless some were read already: a number, a list, or a list for each example.
 * ERROR_USAGE for anything else. */
bool attention_lens_json(AttentionLens *lens, const cJSON *json, Error *error);
bool attention_lens_array(AttentionLens *lens, const Array *array, Error *error);

/* Reduces Maps.seen of each site that they concern. ERROR_USAGE if they fit no maps. */
bool attention_lens_apply(AttentionMaps *maps, const AttentionLens lens[LENS_LISTS], Error *error);

#endif
