/* Valid lengths in a file of attention: which keys of its maps are padding. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_LENS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_LENS_H

#include <cjson/cJSON.h>

#include "data/attention/attention_maps.h"

/* Valid lengths as they were found. */
typedef struct AttentionLens {
    const char *name; /* in the file */
    double *values;   /* [count], owned; NULL: none are given */
    int count;
    int columns; /* queries, of a list for each example; 0: one list */
} AttentionLens;

/* Whose they are, in the order of the roles from ROLE_LENS on. */
enum { LENS_ANY, LENS_ENCODER, LENS_DECODER, LENS_LISTS };

/* The lengths of that name, for the three below; NULL where it names none. */
AttentionLens *attention_lens_find(AttentionLens lens[LENS_LISTS], const char *name);

/* Takes them up where none are yet: a number, a list, or a list for each example. ERROR_USAGE for
 * what is no valid length. */
bool attention_lens_json(AttentionLens *lens, const cJSON *json, Error *error);
bool attention_lens_array(AttentionLens *lens, const Array *array, Error *error);

/* Narrows Maps.seen of each site that they are about. ERROR_USAGE where they fit no maps. */
bool attention_lens_apply(AttentionMaps *maps, const AttentionLens lens[LENS_LISTS], Error *error);

#endif
