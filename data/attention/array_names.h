/* What the name of an array means: the one table for all files of arrays, of maps of attention, of
 * tensors of one call (docs/check.md, docs/files.md), and of what stands beside them. */
#ifndef HEADSCOPE_DATA_ATTENTION_ARRAY_NAMES_H
#define HEADSCOPE_DATA_ATTENTION_ARRAY_NAMES_H

#include <stdbool.h>

#include "model/trace/trace.h"

/* --- arrays that have a role ------------------------------------------------------------------ */

typedef enum ArrayRole {
    /* The tensors of one call of attention, in the order of DumpPart (model/doctor/doctor.h). */
    ROLE_X_QUERY,
    ROLE_X_KEY_VALUE,
    ROLE_W_Q,
    ROLE_W_K,
    ROLE_W_V,
    ROLE_W_O,
    ROLE_B_Q,
    ROLE_B_K,
    ROLE_B_V,
    ROLE_B_O,
    ROLE_QUERY,
    ROLE_KEY,
    ROLE_VALUE,
    ROLE_WEIGHTS,
    ROLE_CONTEXT,
    ROLE_OUTPUT,
    ROLE_TENSORS, /* as many as those */
    /* What is said of a call. */
    ROLE_HEADS = ROLE_TENSORS,
    ROLE_SITE,
    ROLE_CAUSAL,
    ROLE_LAYOUT,
    /* Valid lengths: of whatever tokens, of the encoder's, of the decoder's. */
    ROLE_LENS,
    ROLE_ENCODER_LENS,
    ROLE_DECODER_LENS,
    /* Tokens beside maps: of all, the encoder's, those the decoder reads and writes, those of the
     * queries and of the keys; and which token the first query is. */
    ROLE_TOKENS,
    ROLE_ENCODER_TOKENS,
    ROLE_DECODER_TOKENS,
    ROLE_WRITTEN_TOKENS,
    ROLE_QUERY_TOKENS,
    ROLE_KEY_TOKENS,
    ROLE_FIRST_QUERY,
} ArrayRole;

/* One name may have two roles: beside maps, `query` are tokens. */
typedef struct ArrayName {
    const char *name;
    ArrayRole role;
    int third; /* 1, 2, 3: of query, key and value that are stacked; 0: the whole */
} ArrayName;

/* All of them, those of one role in the order in which they are looked for; ended by one without a
 * name. */
extern const ArrayName array_names[];

/* The name under which this program writes a role: the first of the table. */
const char *array_name_of(ArrayRole role);

/* The entry of a name with a role from `first` to `last`; NULL if there is none. */
const ArrayName *array_name_find(const char *name, ArrayRole first, ArrayRole last);

/* Whether an array of that name says something about the maps beside it. */
bool array_name_beside_maps(const char *name);

/* --- maps of attention ------------------------------------------------------------------------ */

/* Maps whose names say no site. */
enum { SITE_UNKNOWN = SITE_COUNT, MAP_SLOTS };

/* What a map's name says: "cross_attentions.2", "decoder.step3.layer0", "cross.1.2.key_len". */
typedef struct MapName {
    int slot;              /* a Site, or SITE_UNKNOWN */
    int layer, head, step; /* -1: not said */
    bool key_len;          /* how many keys each query sees */
} MapName;

/* False where it names no attention. */
bool map_name_parse(const char *text, MapName *name);

/* The axes of so many dimensions, a letter each: L layers, B examples, H heads, Q queries, K keys.
 * Where one reading is of layers and one of examples, `batch` chooses. NULL: none is known. */
const char *map_axes(const MapName *name, int rank, bool batch);

#endif
