/* Toys: small calls of multi-head attention with all inputs, to test your own block with. A preset
 * gives the shapes; the numbers come from a seed or a file. */
#ifndef HEADSCOPE_APP_LESSONS_TOY_H
#define HEADSCOPE_APP_LESSONS_TOY_H

#include <stdint.h>

#include "model/base/pool.h"
#include "model/doctor/acceptance.h"

enum { TOY_BATCH = 4 };

typedef struct ToyPreset {
    const char *name;  /* of --preset */
    const char *title; /* where it comes from */
    AttentionSizes sizes;
    Site site; /* cross: keys and values have a source of their own */
    bool causal;
    bool in_biases, out_bias;  /* of query, key and value; of the output projection */
    bool columns;              /* in files a source is [W,N], a column an input (UDL 12) */
    int valid_lens[TOY_BATCH]; /* 0: there are none */
} ToyPreset;

/* NULL past the last. */
const ToyPreset *toy_preset_at(int index);

/* NULL with ERROR_USAGE that lists the names if there is no such preset. */
const ToyPreset *toy_preset_find(const char *name, Error *error);

typedef struct Toy {
    AcceptanceCall call; /* its numbers are in the pool */
    Site site;
    bool columns;
    const char *name; /* "d2l", "d2l, all ones", or the file's path */
    Pool pool;        /* owned */
} Toy;

/* Sources are normal numbers of the size of 1 or, with `ones`, all 1; projections are normal
 * numbers of the size of 1/sqrt(W), so that queries, keys and scores are of the size of 1; biases
 * of the size of 1/2. All are floats. The projections of a seed are the same with and without ones.
 * Free with toy_free. */
bool toy_make(Toy *toy, const ToyPreset *preset, bool ones, uint64_t seed, Error *error);
void toy_free(Toy *toy); /* {0} is fine */

/* ERROR_USAGE unless the path ends in .npz or .safetensors. */
bool toy_check_path(const char *path, Error *error);

/* Writes x_query, x_key_value (not in self-attention), valid_lens (where there are any), w_q to
 * w_o, b_q to b_o (where there are any) as float32, heads and causal as whole numbers, and the
 * texts site and layout ("rows" or "columns"). Whole or not at all. */
bool toy_save(Toy *toy, const char *path, Error *error);

/* Reads what toy_save wrote, or any file with the same names. ERROR_FAILED with one line for
 * a file that cannot be read or does not hold a call. */
bool toy_open(Toy *toy, const char *path, Error *error);

/* Lists its tensors, one per line: "  x_query      (2, 4, 100)". In the toy's pool. */
const char *toy_listing(Toy *toy);

/* --- the tensors of its file, one by one --------------------------------------------------------
 */

/* x_query to b_o, as model/doctor/doctor.h names them. */
enum { TOY_PARTS = DUMP_B_O + 1 };

/* The field of a call that holds a part. */
const double **toy_part(AcceptanceCall *call, DumpPart part);

/* Its shape in a file, of up to 3 sizes; returns how many. A source in columns has 2. */
int toy_part_shape(int64_t shape[3], const Toy *toy, DumpPart part);

#endif
