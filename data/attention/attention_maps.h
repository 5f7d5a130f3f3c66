/* The maps that a file holds, put in order. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_MAPS_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_MAPS_H

#include <pthread.h>
#include <stddef.h>

#include "data/arrays/array_window.h"
#include "data/attention/array_names.h"
#include "data/attention/map_blocks.h"

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
typedef struct MapFindings {
    int row; /* the first that does not sum to 1; -1: none */
    double sum;
    bool numbers; /* each cell is one, for certain */
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

/* Whole rows [count, keys] from `query` on, until the next call: where they lie, or in `room`
 * [count, keys]. */
const float *attention_maps_rows(const Maps *maps, ArrayWindow *window, int map, int query,
                                 int count, float *room);

/* "a; b": adds a sentence to a note. */
void attention_note(char *note, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
