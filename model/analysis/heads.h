/* What a head does, in figures: over one map, and as means over the maps of many examples. */
#ifndef HEADSCOPE_MODEL_ANALYSIS_HEADS_H
#define HEADSCOPE_MODEL_ANALYSIS_HEADS_H

#include <stddef.h>

#include "model/trace/trace.h"

/* Each is a mean over the rows of a map that tell (heads_row_informative). With w(k) the weights of
 * row q and n the keys that it sees: */
typedef enum Figure {
    FIGURE_ENTROPY,  /* -sum w(k) log2 w(k), in bits (Shannon 1948) */
    FIGURE_SPREAD,   /* that entropy / log2 n: 0 one key alone, 1 all alike */
    FIGURE_DISTANCE, /* sum w(k) |q - k|, in steps; self-attention */
    FIGURE_LARGEST,  /* the largest w(k) */
    FIGURE_PREVIOUS, /* w(q - 1); self-attention, rows that see this key (as the next two) */
    FIGURE_SELF,     /* w(q) */
    FIGURE_NEXT,     /* w(q + 1) */
    FIGURE_FIRST,    /* w(0) */
    FIGURE_LAST,     /* w(last), the last valid key that the row sees; not in a causal map */
    FIGURE_DIAGONAL, /* w(d), d = floor(q (S-1)/(T-1) + 1/2), of T valid queries and S valid keys:
                      * the cell nearest to the line from corner to corner, "key index = query
                      * index" where T = S; cross-attention, T of 2 or more */
    FIGURE_COUNT
} Figure;

/* "entropy", "previous", ... */
const char *figure_name(Figure figure);

/* Why a head has no figures. Of several examples without figures, the reason that stands last in
 * this list is kept. */
typedef enum HeadNoFigures {
    HEAD_INFORMATIVE,   /* it has: some row tells */
    HEAD_NO_KEY,        /* no query sees a key */
    HEAD_NO_QUERY,      /* no query is real: the valid length is 0 */
    HEAD_ONE_KEY,       /* no query sees two keys */
    HEAD_KEYS_ALIKE,    /* all keys that a query sees have the same vector */
    HEAD_CELLS_MISSING, /* the first row that would tell lacks a cell */
    HEAD_NOT_NUMBERS,   /* the first row that would tell has a cell that is not a number */
} HeadNoFigures;

/* A figure is NaN where it means nothing (it is to be left blank, not 0): at the wrong site; the
 * next and the last key in a causal map, whose rows see no later key; no row that tells. */
typedef struct HeadFigures {
    double mean[FIGURE_COUNT];
    double error[FIGURE_COUNT]; /* standard error over examples; NaN with fewer than two */
    int examples[FIGURE_COUNT]; /* those that have the figure */
    long rows;                  /* that tell, of all examples */
    HeadNoFigures no_figures;   /* HEAD_INFORMATIVE if any example has such a row */
} HeadFigures;

/* Whether a row can tell anything about its head: it is real (trace_set_real), and sees two or more
 * keys, whose key vectors are not all alike (trace_keys_alike). A row of padding is of no text; and
 * of a single key, or of keys all alike, the weights are the same whatever the query is. All that
 * is said of maps (figures, comparison, similarity) asks this of their rows. */
bool heads_row_informative(const Trace *trace, HeadId id, int query);

/* Of one map, over the rows that tell. A row with a cell that is missing or no number does not
 * count. Weights are taken as they are: that a row sums to 1 is the source's business. */
void head_figures_of(HeadFigures *figures, const Trace *trace, HeadId id);

/* Sums over examples (Welford 1962); {0} is none. */
typedef struct HeadTotals {
    int examples[FIGURE_COUNT];
    double mean[FIGURE_COUNT], squares[FIGURE_COUNT];
    long rows;
    HeadNoFigures no_figures;
} HeadTotals;

/* Adds the figures of one example: each example counts the same, however many rows it has. Add in
 * the same order for the same bits. */
void head_figures_add(HeadTotals *totals, const HeadFigures *one);

/* totals += more, as if its examples had been added one by one (Chan, Golub, LeVeque 1979). */
void head_figures_join(HeadTotals *totals, const HeadTotals *more);

/* The means, with standard errors: sqrt(sum (x - mean)^2 / (n - 1) / n). */
void head_figures_end(HeadFigures *figures, const HeadTotals *totals);

/* The share from which one pattern, or evenness, is said to dominate. */
#define HEADS_LABEL_SHARE  0.5
#define HEADS_LABEL_SPREAD 0.9

/* In plain words, when one pattern dominates: "reads the previous token (81 %)". A spread from
 * HEADS_LABEL_SPREAD goes before any share (of two keys, even weights put half on each): "spreads
 * over all keys (entropy 97 % of the most)". At a cross map: "reads the last source token (52 %)".
 * Where no row tells it says why: "sees no key". Empty where nothing dominates. 64 bytes hold all.
 */
void head_label(const HeadFigures *figures, Site site, char *text, size_t size);

#endif
