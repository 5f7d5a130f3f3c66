/* The attention maps of one example: copied into the trace, or read on demand from a file of any
 * number type. */
#ifndef HEADSCOPE_MODEL_TRACE_TRACE_H
#define HEADSCOPE_MODEL_TRACE_TRACE_H

#include "model/base/error.h"
#include "model/trace/trace_fold.h"

/* The three kinds of attention in the network. */
typedef enum Site { SITE_ENCODER, SITE_DECODER, SITE_CROSS, SITE_COUNT } Site;

/* A map is named by site, layer and head, written `cross.1.2`; layers and heads count from 0. */
typedef struct HeadId {
    Site site;
    int layer, head;
} HeadId;

/* The state of a cell. */
typedef enum CellState {
    CELL_VALUE,
    CELL_MASKED,  /* the query does not see this key; the weight is 0 */
    CELL_MISSING, /* the source has no such cell */
    CELL_NAN,
} CellState;

typedef struct TraceShape {
    int layers, heads, queries, keys; /* all 0 if the trace lacks the site */
} TraceShape;

typedef struct Trace Trace;

/* Returns a trace that owns maps of the given shapes (indexed by Site), with all weights 0 and all
 * cells masked. NULL with *error for lack of memory. Free with trace_free. */
Trace *trace_make(const TraceShape shapes[SITE_COUNT], Error *error);
void trace_free(Trace *trace); /* NULL is fine */

/* Maps that are stored elsewhere and read on demand. */
typedef struct TraceSource {
    void *from;
    /* Writes the weights [count] of a query for the keys from `first` on, all within the shape. */
    void (*read)(const void *from, HeadId id, int query, int first, int count, float *weights);
    /* True if the map exists: a file may lack a layer. NULL: all exist. */
    bool (*has)(const void *from, HeadId id);
    /* Called when a map has been read completely: its pages may be dropped. May be NULL. */
    void (*done)(const void *from);
    void (*free)(void *from); /* may be NULL */
} TraceSource;

/* Returns a trace over such maps; every query sees all keys until trace_set_key_len or
 * trace_set_visible is called. The trace owns the source and calls its `free`. On failure it
 * returns NULL with *error and does not own the source. */
Trace *trace_over(const TraceShape shapes[SITE_COUNT], const TraceSource *source, Error *error);

TraceShape trace_shape(const Trace *trace, Site site);

/* Sets which keys the queries of a map see: each a prefix of the keys, of length key_len [queries].
 */
void trace_set_key_len(Trace *trace, HeadId id, const int *key_len);

/* Sets any visible set: visible [queries, keys], 0 where the query does not see the key. Stores
 * only lengths if every row sees a prefix. False with *error for lack of memory. */
bool trace_set_visible(Trace *trace, HeadId id, const unsigned char *visible, Error *error);

/* True if the query sees the key: the cell is not masked. */
bool trace_sees(const Trace *trace, HeadId id, int query, int key);

/* Returns how many keys the query sees. */
int trace_seen(const Trace *trace, HeadId id, int query);

/* Returns one past the last key that the query sees: the rest of its row is masked. Equals
 * trace_seen if the query sees a prefix. */
int trace_key_len(const Trace *trace, HeadId id, int query);

/* True if each query of the map sees a prefix of the keys. */
bool trace_is_prefix(const Trace *trace, HeadId id);

/* Copies map `id`, [queries, keys], from rows of `stride` floats, and how many keys each query sees
 * (key_len [queries], a prefix; NULL: all). For other visible sets call trace_set_visible
 * afterwards.
 */
void trace_write(Trace *trace, HeadId id, const float *weights, long stride, const int *key_len);

/* How many keys, from the first on, have the same key vector in this head (all components within
 * 1e-6 of the first's largest). A row that sees only these keys has equal weights whatever the
 * query is, and is not informative about the head. 1 by default. */
void trace_set_keys_alike(Trace *trace, HeadId id, int keys);
int trace_keys_alike(const Trace *trace, HeadId id);

/* Sets how many queries and keys of a site's maps are real, from the first on; values past the
 * shape mean all, the default. The rest are padding: they are drawn, but excluded from all figures.
 */
void trace_set_real(Trace *trace, Site site, int queries, int keys);
/* The same for all sites, from the valid lengths of source and target. */
void trace_set_real_lens(Trace *trace, int sources, int targets);
int trace_real_queries(const Trace *trace, Site site);
int trace_real_keys(const Trace *trace, Site site);

/* Returns the weight of a cell (0 if masked, NaN if missing); sets *state unless it is NULL. */
float trace_cell(const Trace *trace, HeadId id, int query, int key, CellState *state);

/* Writes the weights [count] of a query for the keys from `first` on, as trace_cell returns them.
 * The keys must be within the shape. */
void trace_cells(const Trace *trace, HeadId id, int query, int first, int count, float *weights);

/* folded[columns->count] = the weight of the largest magnitude in the rows and each span of
 * columns, the positive one of a tie; NaN if no cell is a value. */
void trace_fold(const Trace *trace, HeadId id, TraceSpan rows, const TraceColumns *columns,
                float *folded);

/* The same for several spans of rows, [row_count, columns->count], cached for repeated drawing.
 * NULL on the first request (a map that is drawn only once is not worth the memory) and for lack of
 * memory. The last two sizes are cached until the trace is freed. Threads may call this for
 * different maps at the same time. */
const float *trace_folded(const Trace *trace, HeadId id, const TraceSpan *rows, int row_count,
                          const TraceColumns *columns);

/* Adds a precomputed level of a map's pyramid: for each block of 2^level x 2^level cells (fewer at
 * the lower and right edges) the value that trace_folded would compute, row by row. `blocks` must
 * outlive the trace; trace_folded returns it until the map changes. False for lack of memory;
 * trace_folded then computes the level itself. */
bool trace_lend(Trace *trace, HeadId id, int level, const float *blocks);

/* True if some cell of the map is in this state (CELL_VALUE: if any query sees a key). NaN is
 * searched for once, until the map changes. */
bool trace_shows(const Trace *trace, HeadId id, CellState state);

/* Sets whether all visible cells of a map are numbers, if the caller knows: saves a search. */
void trace_set_numbers(Trace *trace, HeadId id, bool all);

/* Tells the source that a map has been read and need not stay in memory. */
void trace_done(const Trace *trace, HeadId id);

/* "encoder", "decoder", "cross". */
const char *site_name(Site site);

/* The site of that name; false if there is none. */
bool site_parse(const char *name, Site *site);

/* True if both name the same head. */
bool head_id_same(HeadId a, HeadId b);

/* Parses "cross.1.2"; false for anything else. Does not check the range of layer and head. */
bool head_id_parse(const char *text, HeadId *id);

#endif
