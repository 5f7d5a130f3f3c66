/* A reader over the attention maps of one example, wherever their numbers are stored: copied here,
 * or in a file of any number type. The viewer cannot tell which. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_H
#define HEADSCOPE_MODEL_TRACE_TRACE_H

#include "model/base/error.h"
#include "model/trace/trace_fold.h"

/* The three places in the network where attention stands. */
typedef enum Site { SITE_ENCODER, SITE_DECODER, SITE_CROSS, SITE_COUNT } Site;

/* One map is named by site, layer and head, written `cross.1.2`; all count from 0. */
typedef struct HeadId {
    Site site;
    int layer, head;
} HeadId;

/* What stands in a cell. */
typedef enum CellState {
    CELL_VALUE,
    CELL_MASKED,  /* the query does not see this key; the weight is exactly 0 */
    CELL_MISSING, /* the source has no such cell */
    CELL_NAN,
} CellState;

typedef struct TraceShape {
    int layers, heads, queries, keys; /* all 0 where the trace lacks the site */
} TraceShape;

typedef struct Trace Trace;

/* An owned trace with room for the given shapes (indexed by Site), all weights 0 and all cells
 * masked. NULL and *error for lack of memory. Free with trace_free. */
Trace *trace_make(const TraceShape shapes[SITE_COUNT], Error *error);
void trace_free(Trace *trace); /* NULL is fine */

/* Maps that are stored elsewhere and read on demand. */
typedef struct TraceSource {
    void *from;
    /* = the weights [count] of a query for the keys from `first` on, all of them within the shape.
     */
    void (*read)(const void *from, HeadId id, int query, int first, int count, float *weights);
    /* Whether the map exists: a file may lack a layer. NULL: all exist. */
    bool (*has)(const void *from, HeadId id);
    /* One map has been read to its end: its pages may be dropped. NULL: nothing to do. */
    void (*done)(const void *from);
    void (*free)(void *from); /* NULL: nothing to do */
} TraceSource;

/* A trace over such maps; every query sees all keys until trace_set_key_len or trace_set_visible is
 * called. Owns the source, whose `free` trace_free calls, except on failure (NULL and *error). */
Trace *trace_over(const TraceShape shapes[SITE_COUNT], const TraceSource *source, Error *error);

TraceShape trace_shape(const Trace *trace, Site site);

/* Which keys the queries of a map see. In most maps each sees a prefix of the keys, of which a
 * length [queries] says all: */
void trace_set_key_len(Trace *trace, HeadId id, const int *key_len);

/* Any other set: visible [queries, keys], 0 where the query does not see the key. Rows that see a
 * prefix cost no more than their length if all do. False and *error for lack of memory. */
bool trace_set_visible(Trace *trace, HeadId id, const unsigned char *visible, Error *error);

/* Whether the query sees the key, whatever set it is: the question by which a cell is masked. */
bool trace_sees(const Trace *trace, HeadId id, int query, int key);

/* How many keys the query sees. */
int trace_seen(const Trace *trace, HeadId id, int query);

/* One past the last key that the query sees: the rest of its row is masked. Equals trace_seen where
 * the query sees a prefix. */
int trace_key_len(const Trace *trace, HeadId id, int query);

/* Whether each query of the map sees a prefix. */
bool trace_is_prefix(const Trace *trace, HeadId id);

/* Writes map `id` of an owned trace, [queries, keys], from rows of `stride` floats, and how many
 * keys each query sees (key_len [queries], a prefix; NULL: all of them). Copies. Any other set is
 * said by trace_set_visible afterwards. */
void trace_write(Trace *trace, HeadId id, const float *weights, long stride, const int *key_len);

/* How many of the first keys have the same key vector in this head (all its components within 1e-6
 * of the first's largest): over a row that sees no more than these, the weights are equal whatever
 * the query is, and tell nothing about the head. 1 unless set: then any two keys may differ. */
void trace_set_keys_alike(Trace *trace, HeadId id, int keys);
int trace_keys_alike(const Trace *trace, HeadId id);

/* How many of the first queries and keys of a site's maps are real. The rest are padding or lie
 * past a valid length: they are drawn, but no figure counts them. All are real unless this is
 * called; numbers past the shape mean all. */
void trace_set_real(Trace *trace, Site site, int queries, int keys);
/* The same of all sites, from the valid lengths of source and target. */
void trace_set_real_lens(Trace *trace, int sources, int targets);
int trace_real_queries(const Trace *trace, Site site);
int trace_real_keys(const Trace *trace, Site site);

/* The weight of one cell (0 where masked, NaN where missing), and its state if `state` is not NULL.
 */
float trace_cell(const Trace *trace, HeadId id, int query, int key, CellState *state);

/* The weights [count] of a query for the keys from `first` on, all of which the map has: = what
 * trace_cell gives for each, in one call. */
void trace_cells(const Trace *trace, HeadId id, int query, int first, int count, float *weights);

/* folded[columns->count] = of some rows of a map, and of each of some spans of its columns, the
 * weight of the largest magnitude, the positive one of two that tie; NaN where no cell is a value.
 */
void trace_fold(const Trace *trace, HeadId id, TraceSpan rows, const TraceColumns *columns,
                float *folded);

/* The same for several spans of rows, [row_count, columns->count], cached for repeated drawing.
 * NULL on the first request (a map that is drawn only once is not worth the memory) and for lack of
 * memory. The last two sizes are kept until the trace is freed. Threads may ask for different maps
 * at the same time. */
const float *trace_folded(const Trace *trace, HeadId id, const TraceSpan *rows, int row_count,
                          const TraceColumns *columns);

/* Lends a level of a map's pyramid that was made elsewhere: for each block of 2^level x 2^level
 * cells (fewer at the lower and right edges) the value that trace_folded would give, row by row.
 * `blocks` must live as long as the trace; trace_folded returns it until the map changes. False for
 * lack of memory; trace_folded then computes the level itself. */
bool trace_lend(Trace *trace, HeadId id, int level, const float *blocks);

/* Whether a cell of the map is in this state (CELL_VALUE: whether any is seen at all). Looked up
 * once until the map changes. */
bool trace_shows(const Trace *trace, HeadId id, CellState state);

/* Tells whether all visible cells of a map are numbers, where the caller knows: saves a pass over
 * it. */
void trace_set_numbers(Trace *trace, HeadId id, bool all);

/* Tells the source that a map has been read, so that it need not keep the map in memory. */
void trace_done(const Trace *trace, HeadId id);

/* "encoder", "decoder", "cross". */
const char *site_name(Site site);

/* Whether both name the same head. */
bool head_id_same(HeadId a, HeadId b);

/* Reads "cross.1.2"; false for anything else. Does not check against a trace's shape. */
bool head_id_parse(const char *text, HeadId *id);

#endif
