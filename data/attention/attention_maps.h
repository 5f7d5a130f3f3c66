/* The attention maps of a file, ordered by site, layer, head and step. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_MAPS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_MAPS_H

#include <pthread.h>
#include <stddef.h>

#include "data/arrays/array_window.h"
#include "data/attention/array_names.h"
#include "data/attention/map_blocks.h"

/* Rows of one map that stand in one array: the whole map, or one step of decoding. */
typedef struct Piece {
    const Array *view;
    int64_t at; /* its first number */
    int64_t query_stride, key_stride;
    int layer, head;
    int step;
    int first_query, queries, keys;
} Piece;

/* What a pass over a map found. */
typedef struct MapFindings {
    int row; /* the first that does not sum to 1; -1: none */
    double sum;
    bool numbers; /* all cells are certainly numbers */
} MapFindings;

/* The maps of one site. */
typedef struct Maps {
    Piece *pieces; /* [count], by layer, head and step */
    int count, room;
    TraceShape shape;
    int *first;            /* [layers, heads + 1 in all]: each map's first piece */
    MapFindings *findings; /* [layers, heads], owned */
    MapBlocks blocks;
    int *seen;     /* [queries], owned: judged, for all maps alike */
    bool narrowed; /* valid lengths reduced `seen`: masked cells may be other than zero */
    bool causal;
} Maps;

/* The window through which the trace reads; the lock admits one thread at a time. */
typedef struct SharedWindow {
    ArrayWindow window;
    pthread_mutex_t lock;
} SharedWindow;

typedef struct AttentionMaps {
    Arrays file;
    Maps slots[MAP_SLOTS];
    int examples, example; /* of the batch: how many, and the one that is drawn */
    SharedWindow *shared;  /* owned */
} AttentionMaps;

/* How a file's axes are to be read. */
typedef struct MapsRequest {
    int example;     /* of a batch; -1: the only one */
    bool transposed; /* the last two axes are keys and queries */
} MapsRequest;

/* Finds the maps among the arrays and puts them in order. */
bool attention_maps_make(AttentionMaps *maps, const char *name, const MapsRequest *request,
                         char *note, size_t note_size, Error *error);
void attention_maps_free(AttentionMaps *maps);

/* Whether the file has the map (layer * heads + head). */
bool attention_maps_has(const Maps *maps, int map);

/* Reads weights as TraceSource does. */
void attention_maps_read(const Maps *maps, ArrayWindow *window, int map, int query, int first,
                         int count, float *weights);

/* Returns whole rows [count, keys] from `query` on, valid until the next call: in place, or
 * converted into `room` [count, keys]. */
const float *attention_maps_rows(const Maps *maps, ArrayWindow *window, int map, int query,
                                 int count, float *room);

/* Appends a sentence to a note: "a; b". */
void attention_note(char *note, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
