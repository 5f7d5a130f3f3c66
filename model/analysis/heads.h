/* Statistics of what a head does: of one map, and means over the maps of many examples. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_HEADS_H
#define HEADSCOPE_MODEL_ANALYSIS_HEADS_H

#include <stddef.h>

#include "model/trace/trace.h"

/* Each is a mean over the informative rows of a map (heads_row_informative). w(k) are the weights
 * of row q, n is the number of keys that it sees. */
typedef enum Figure {
    FIGURE_ENTROPY,  /* -sum w(k) log2 w(k), in bits (Shannon 1948) */
    FIGURE_SPREAD,   /* entropy / log2 n: 0 for one key, 1 for equal weights */
    FIGURE_DISTANCE, /* sum w(k) |q - k|, in steps; self-attention only */
    FIGURE_LARGEST,  /* the largest w(k) */
    FIGURE_PREVIOUS, /* w(q - 1); self-attention, over rows that see the key (as the next two) */
    FIGURE_SELF,     /* w(q) */
    FIGURE_NEXT,     /* w(q + 1) */
    FIGURE_FIRST,    /* w(0) */
    FIGURE_LAST,     /* w(last), the last valid key that the row sees; not for causal maps */
    FIGURE_DIAGONAL, /* w(d), d = floor(q (S-1)/(T-1) + 1/2), of T valid queries and S valid keys:
                      * the cell nearest to the line from corner to corner, "key index = query
                      * index" where T = S; cross-attention, T of 2 or more */
    FIGURE_COUNT
} Figure;

/* "entropy", "previous", ... */
const char *figure_name(Figure figure);

/* Why a head has no figures. Over several examples without figures, the last reason in this list
 * wins. */
typedef enum HeadNoFigures {
    HEAD_INFORMATIVE,   /* it has figures: some row is informative */
    HEAD_NO_KEY,        /* no query sees a key */
    HEAD_NO_QUERY,      /* no query is real: the valid length is 0 */
    HEAD_ONE_KEY,       /* no query sees two keys */
    HEAD_KEYS_ALIKE,    /* all keys that a query sees have the same vector */
    HEAD_CELLS_MISSING, /* the first informative row lacks a cell */
    HEAD_NOT_NUMBERS,   /* the first informative row has a cell that is not a number */
} HeadNoFigures;

/* A figure is NaN where it is undefined (show a blank, not 0): at the wrong site; the next and the
 * last key of a causal map, whose rows see no later key; without informative rows. */
typedef struct HeadFigures {
    double mean[FIGURE_COUNT];
    double error[FIGURE_COUNT]; /* standard error over examples; NaN with fewer than two */
    int examples[FIGURE_COUNT]; /* examples that have the figure */
    long rows;                  /* informative rows of all examples */
    HeadNoFigures no_figures;   /* HEAD_INFORMATIVE if rows > 0 */
} HeadFigures;

/* True if a row can say something about its head: it is real (trace_set_real) and sees at least two
 * keys, whose key vectors are not all alike (trace_keys_alike). Padding belongs to no text, and
 * over a single key, or over keys that are alike, the weights are the same whatever the query is.
 * Figures, comparison and similarity all use this test. */
bool heads_row_informative(const Trace *trace, HeadId id, int query);

/* The figures of one map, over its informative rows without missing or NaN cells. Weights are taken
 * as they are, whether or not a row sums to 1. */
void head_figures_of(HeadFigures *figures, const Trace *trace, HeadId id);

/* Sums over examples (Welford 1962); {0} is none. */
typedef struct HeadTotals {
    int examples[FIGURE_COUNT];
    double mean[FIGURE_COUNT], squares[FIGURE_COUNT];
    long rows;
    HeadNoFigures no_figures;
} HeadTotals;

/* Adds the figures of one example. Each example counts the same, however many rows it has. The
 * order of additions affects rounding. */
void head_figures_add(HeadTotals *totals, const HeadFigures *one);

/* totals += more, as if its examples had been added one by one (Chan, Golub, LeVeque 1979). */
void head_figures_join(HeadTotals *totals, const HeadTotals *more);

/* The means, with standard errors: sqrt(sum (x - mean)^2 / (n - 1) / n). */
void head_figures_end(HeadFigures *figures, const HeadTotals *totals);

/* The minimum share, or spread, for a label. */
#define HEADS_LABEL_SHARE  0.5
#define HEADS_LABEL_SPREAD 0.9

/* Writes a label for the dominating pattern: "reads the previous token (81 %)", at a cross map
 * "reads the last source token (52 %)". A spread from HEADS_LABEL_SPREAD has precedence, since even
 * weights over two keys put half on each. Without informative rows the label is the reason, such as
 * "sees no key". Empty if no pattern dominates. 64 bytes hold every label. */
void head_label(const HeadFigures *figures, Site site, char *text, size_t size);

#endif
