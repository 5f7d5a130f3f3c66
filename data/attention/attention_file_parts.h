/* What the files data/attention/attention_file*.c share: a file's maps put in order, and its
 * tokens. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_FILE_PARTS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_FILE_PARTS_H

#include <cjson/cJSON.h>
#include <pthread.h>

#include "data/arrays/array_window.h"
#include "data/arrays/arrays.h"
#include "data/attention/attention_file.h"
#include "data/attention/attention_file_blocks.h"

/* Maps whose names say no site. */
enum { SITE_UNKNOWN = SITE_COUNT, SLOTS };

/* What a tensor's name says: "cross_attentions.2", "decoder.step3.layer0", "cross.1.2.key_len". */
typedef struct AttentionName {
    int slot;              /* a Site, or SITE_UNKNOWN */
    int layer, head, step; /* -1: not said */
    bool key_len;          /* how many keys each query sees */
} AttentionName;

/* False where it names no attention. */
bool attention_name_parse(const char *text, AttentionName *name);

/* Rows of one map that lie together: of a whole map, or those of one step of decoding. */
typedef struct Piece {
    const Array *view;
    int64_t at; /* its first number */
    int64_t query_stride, key_stride;
    int layer, head;
    int step;
    int first_query, queries, keys;
} Piece;

/* What the pass over a map found. */
typedef struct MapLook {
    int row; /* the first that does not sum to 1; -1: none */
    double sum;
    bool numbers; /* each cell is one, for certain */
} MapLook;

/* What of the two masks the rows allow. */
typedef struct Verdict {
    bool causal; /* nothing after key query + keys - queries */
    int keys;    /* nothing from this key on */
} Verdict;

/* The maps of one site. */
typedef struct Maps {
    Piece *pieces; /* [count], by layer, head and step */
    int count, room;
    TraceShape shape;
    int *first;     /* [layers, heads + 1 in all]: each map's first piece */
    MapLook *looks; /* [layers, heads], owned */
    MapBlocks blocks;
    int *seen;     /* [queries], owned: judged, for all maps alike */
    bool narrowed; /* and made less by valid lengths: what is masked may be other than zeros */
    bool causal;
} Maps;

/* What the trace reads through: in one thread or in several, but one at a time. */
typedef struct SharedWindow {
    ArrayWindow window;
    pthread_mutex_t lock;
} SharedWindow;

typedef struct AttentionMaps {
    Arrays file;
    Maps slots[SLOTS];
    int examples, example; /* of the batch: how many, and the one that is drawn */
    SharedWindow *shared;  /* owned */
} AttentionMaps;

/* Finds the maps among the views and puts them in order. */
bool attention_maps_make(AttentionMaps *maps, const char *name, const AttentionFileOptions *options,
                         char *note, size_t note_size, Error *error);
void attention_maps_free(AttentionMaps *maps);

/* Whether the file has the map (layer * heads + head). */
bool attention_maps_has(const Maps *maps, int map);

/* Reads weights as TraceSource does. */
void attention_maps_read(const Maps *maps, ArrayWindow *window, int map, int query, int first,
                         int count, float *weights);

/* Whole rows [count, keys] from `query` on, until the next call: where they lie, or in `room`
 * [count, keys]. */
const float *attention_maps_rows(const Maps *maps, ArrayWindow *window, int map, int query,
                                 int count, float *room);

/* Reads all maps once, in two threads where they are large: fills Maps.looks, Maps.blocks and
 * the verdict. */
bool attention_maps_look(Maps *maps, const Arrays *arrays, Verdict *verdict, Error *error);

/* By how much the sum of a row may differ from 1. */
double attention_maps_tolerance(const Maps *maps, int map);

/* Looks at the maps and judges which keys the queries see (Maps.seen, Maps.causal): zeros that all
 * rows share. */
bool attention_maps_judge(Maps *maps, const Arrays *arrays, Error *error);

/* Adds to the note where a map's rows do not sum to 1, and tells the trace which maps hold NaNs. */
void attention_maps_note_sums(const AttentionMaps *maps, Trace *trace, char *note,
                              size_t note_size);

/* Tokens as they were found, each list owned. */
typedef struct TokenList {
    char **texts;
    int count;
    bool given;
} TokenList;

/* Valid lengths as they were found. */
typedef struct AttentionLens {
    const char *name; /* in the file */
    double *values;   /* [count], owned; NULL: none are given */
    int count;
    int columns; /* queries, of a list for each example; 0: one list */
} AttentionLens;

/* Those that say of which tokens they are, and those that do not. */
enum { LENS_ANY, LENS_ENCODER, LENS_DECODER, LENS_LISTS };

typedef struct AttentionTokens {
    TokenList all, encoder, decoder, writes, query, key;
    int first_query; /* -1: not said */
    AttentionLens lens[LENS_LISTS];
} AttentionTokens;

/* The lengths of that name, for the three below; NULL where it names none. */
AttentionLens *attention_lens_find(AttentionTokens *tokens, const char *name);

/* Takes them up where none are yet: a number, a list, or a list for each example. ERROR_USAGE for
 * what is no valid length. */
bool attention_lens_json(AttentionLens *lens, const cJSON *json, Error *error);
bool attention_lens_view(AttentionLens *lens, const Array *view, Error *error);

/* Narrows Maps.seen of each site that they are about. ERROR_USAGE where they fit no maps. */
bool attention_lens_apply(AttentionMaps *maps, const AttentionTokens *tokens, Error *error);

/* Whether an array of that name says something about the maps beside it. */
bool attention_tokens_name(const char *name);

/* From a JSON file, or (path NULL) from the texts of the file itself, which is `name` in messages;
 * lengths and the first query also from its arrays. */
bool attention_tokens_read(AttentionTokens *tokens, const Arrays *arrays, const char *name,
                           const char *path, Error *error);
void attention_tokens_free(AttentionTokens *tokens);

/* "a; b": adds a sentence to a note. */
void attention_note(char *note, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
