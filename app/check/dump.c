#include "app/check/dump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/dump_lens.h"
#include "app/check/dump_shapes.h"
#include "data/attention/array_names.h"

/* Numbers in one file, and weights that are computed from it: half a gigabyte as double. */
enum { MAX_NUMBERS = 1 << 26 };

_Static_assert((int)ROLE_TENSORS == (int)DUMP_PARTS, "a role is the part of that number");

/* What is found in a file, before shapes are read. */
typedef struct Parts {
    const Arrays *arrays;
    const Array *array[DUMP_PARTS];
    int stacked[DUMP_PARTS];
    const Array *lens;
    Shaped shaped[SHAPED];
    int heads;
    char heads_name[40];
    const char *site; /* NULL: not said */
    int causal;       /* -1: not said */
} Parts;

/* --- the call's own words --------------------------------------------------------------------- */

static bool one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static const char *const sites[] = {"self", "encoder", "decoder", "cross", NULL};
static const char *const layouts[] = {"BTW", "BHTD", "FTD", NULL};

bool dump_options_check(const DumpOptions *options, Error *error) {
    if (options->site && !one_of(options->site, sites))
        return error_usage(error, "--site %s: it takes self, encoder, decoder or cross",
                           options->site);
    if (options->layout && !one_of(options->layout, layouts))
        return error_usage(error, "--layout %s: it takes BTW, BHTD or FTD", options->layout);
    if (options->causal && options->unmasked)
        return error_usage(error, "--causal or --no-causal, not both");
    return !options->valid_lens || dump_lens_check(options->valid_lens, error);
}

/* --- finding ---------------------------------------------------------------------------------- */

static bool take_part(Parts *parts, const Array *array, DumpPart part, int stacked, Error *error) {
    if (parts->array[part])
        return error_usage(error, "%s and %s: both are %s; save one of them",
                           parts->array[part]->name, array->name, dump_part_name(part));
    parts->array[part] = array;
    parts->stacked[part] = stacked;
    return true;
}

static bool read_whole(const Array *array, int min, int max, int *whole, Error *error) {
    return array_whole_number(array, min, max, whole) ||
           error_usage(error, "%s: it must be a whole number from %d to %d", array->name, min, max);
}

/* The first array of the names of a role; NULL if there is none. */
static const Array *find_role(const Arrays *arrays, ArrayRole role) {
    const Array *found = NULL;
    for (const ArrayName *name = array_names; name->name && !found; name++)
        if (name->role == role) found = arrays_find(arrays, name->name);
    return found;
}

static bool find_said(Parts *parts, const DumpOptions *options, Error *error) {
    const Array *heads = find_role(parts->arrays, ROLE_HEADS);
    const Array *site = find_role(parts->arrays, ROLE_SITE);
    const Array *causal = find_role(parts->arrays, ROLE_CAUSAL);
    parts->heads = options->heads;
    snprintf(parts->heads_name, sizeof parts->heads_name, "--heads %d", options->heads);
    if (!options->heads && heads) {
        if (!read_whole(heads, 1, 1 << 20, &parts->heads, error)) return false;
        snprintf(parts->heads_name, sizeof parts->heads_name, "heads %d", parts->heads);
    }
    parts->site = options->site;
    if (!options->site && site) {
        if (!site->text || !one_of(site->text, sites))
            return error_usage(error, "site: it must be self, encoder, decoder or cross");
        parts->site = site->text;
    }
    parts->causal = options->causal ? 1 : options->unmasked ? 0 : -1;
    return parts->causal >= 0 || !causal || read_whole(causal, 0, 1, &parts->causal, error);
}

/* The arrays that have numbers. */
static int count_numeric(const Arrays *arrays, const Array **last) {
    int count = 0;
    for (int i = 0; i < arrays->count; i++) {
        if (!arrays->arrays[i].numbers) continue;
        count++;
        *last = &arrays->arrays[i];
    }
    return count;
}

static bool none_found(const Arrays *arrays, Error *error) {
    char list[200] = "";
    size_t used = 0;
    for (int i = 0; i < arrays->count && used < 120; i++)
        if (arrays->arrays[i].numbers)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", used ? ", " : "",
                                     arrays->arrays[i].name);
    if (!used) return error_usage(error, "it holds no arrays of numbers");
    return error_usage(error,
                       "none of its arrays (%s) has a name that is read (x_query, w_q, query, key, "
                       "value, weights, context, output, ...); --weights NAME takes one as the "
                       "weights",
                       list);
}

static bool find_parts(Parts *parts, const DumpOptions *options, Error *error) {
    int found = 0;
    for (const ArrayName *name = array_names; name->name; name++) {
        if (name->role >= ROLE_TENSORS) continue;
        DumpPart part = (DumpPart)name->role;
        const Array *array = arrays_find(parts->arrays, name->name);
        if (!array || (options->weights && part == DUMP_WEIGHTS)) continue;
        if (!take_part(parts, array, part, name->third, error)) return false;
        found++;
    }
    const Array *weights = NULL;
    if (options->weights) {
        weights = arrays_find(parts->arrays, options->weights);
        if (!weights) return error_usage(error, "--weights %s: no such array", options->weights);
    } else if (!found && count_numeric(parts->arrays, &weights) != 1) {
        return none_found(parts->arrays, error);
    }
    if (weights && !take_part(parts, weights, DUMP_WEIGHTS, 0, error)) return false;
    if (!options->valid_lens) parts->lens = find_role(parts->arrays, ROLE_LENS);
    return true;
}

/* --- checking each by itself ------------------------------------------------------------------ */

static bool check_numbers(const Array *array, Error *error) {
    if (!array->numbers)
        return error_usage(error, "%s: it is text, not numbers: save it as an array of float32",
                           array->name);
    for (int64_t i = 0; i < array->count; i++)
        if (isfinite(array->numbers[i])) return true;
    if (!array->count) return true;
    return error_usage(error,
                       "%s: not one of its %lld numbers is finite (NaN or infinite everywhere): "
                       "look at what was computed before",
                       array->name, (long long)array->count);
}

/* One third of a stacked tensor has a third of its first axis. */
static bool shape_part(Shaped *shaped, const Array *array, int stacked, Error *error) {
    *shaped = (Shaped){.name = array->name, .rank = array->rank};
    memcpy(shaped->shape, array->shape, sizeof shaped->shape);
    array_shape_text(array, shaped->text);
    if (!stacked) return true;
    if (array->rank < 1 || array->shape[0] % 3 != 0)
        return error_usage(error,
                           "%s %s: query, key and value are stacked in it: its first axis must be "
                           "3 x width",
                           array->name, shaped->text);
    shaped->shape[0] /= 3;
    return true;
}

static bool shape_parts(Parts *parts, Error *error) {
    for (int i = 0; i < DUMP_PARTS; i++) {
        const Array *array = parts->array[i];
        if (array && (!check_numbers(array, error) ||
                      !shape_part(&parts->shaped[i], array, parts->stacked[i], error)))
            return false;
    }
    if (!parts->lens) return true;
    if (!check_numbers(parts->lens, error)) return false;
    return shape_part(&parts->shaped[SHAPED_LENS], parts->lens, 0, error);
}

/* Whether something of the dump is computed head by head. */
static bool computes(const Parts *parts) {
    const Array *const *array = parts->array;
    bool queries = array[DUMP_QUERY] || array[DUMP_X_QUERY];
    return (queries && (array[DUMP_WEIGHTS] || array[DUMP_CONTEXT] || array[DUMP_OUTPUT])) ||
           (array[DUMP_WEIGHTS] && (array[DUMP_VALUE] || array[DUMP_X_KEY_VALUE]));
}

/* --- sizes, site ------------------------------------------------------------------------------ */

static bool fill_sizes(Dump *dump, const Reads *reads, Error *error) {
    int64_t lengths[AXES];
    memcpy(lengths, reads->lengths, sizeof lengths);
    if (!lengths[AXIS_Q]) lengths[AXIS_Q] = lengths[AXIS_K];
    if (!lengths[AXIS_K]) lengths[AXIS_K] = lengths[AXIS_Q];
    if (!lengths[AXIS_B] || !lengths[AXIS_Q])
        return error_usage(error, "it holds parameters alone: save what was computed with them "
                                  "too (weights, context or output)");
    int64_t head_width = lengths[AXIS_D] ? lengths[AXIS_D] : lengths[AXIS_W];
    dump->sizes = (AttentionSizes){(int)lengths[AXIS_B], (int)lengths[AXIS_H], (int)lengths[AXIS_Q],
                                   (int)lengths[AXIS_K], (int)head_width};
    double heads = lengths[AXIS_H] ? (double)lengths[AXIS_H] : 1;
    double maps = (double)lengths[AXIS_B] * heads;
    double most = maps * (double)lengths[AXIS_Q] * (double)lengths[AXIS_K];
    if (most > MAX_NUMBERS)
        return error_usage(
            error,
            "%lld examples x %.0f heads x %lld queries x %lld keys are %.3g weights; "
            "at most %.3g are checked: save fewer examples or steps",
            (long long)lengths[AXIS_B], heads, (long long)lengths[AXIS_Q],
            (long long)lengths[AXIS_K], most, (double)MAX_NUMBERS);
    return true;
}

/* Without x_key_value keys and values are made from x_query, so that there are as many. Where the
 * file holds what they came to, nothing is made. */
static bool check_source(const Dump *dump, const Parts *parts, Error *error) {
    const Array *const *array = parts->array;
    int queries = dump->sizes.queries, keys = dump->sizes.keys;
    bool makes = (array[DUMP_W_K] && !array[DUMP_KEY]) || (array[DUMP_W_V] && !array[DUMP_VALUE]);
    if (!makes || !array[DUMP_X_QUERY] || array[DUMP_X_KEY_VALUE] || queries == keys) return true;
    static const DumpPart of_keys[] = {DUMP_WEIGHTS, DUMP_KEY, DUMP_VALUE};
    const Shaped *source = &parts->shaped[DUMP_X_QUERY], *other = source;
    for (int i = 2; i >= 0; i--)
        if (array[of_keys[i]]) other = &parts->shaped[of_keys[i]];
    bool may_be_added = keys == queries + 1 || keys == queries + 2;
    return error_usage(error,
                       "%s %s has %d keys, but %s %s, the only source of keys, has %d steps: save "
                       "what keys and values are made from as x_key_value%s",
                       other->name, other->text, keys, source->name, source->text, queries,
                       may_be_added ? "; keys added by add_zero_attn or add_bias_kv are not read"
                                    : "");
}

static bool same_source(const Parts *parts) {
    const Array *one = parts->array[DUMP_X_QUERY], *other = parts->array[DUMP_X_KEY_VALUE];
    return one && other && one->count == other->count &&
           memcmp(one->numbers, other->numbers, (size_t)one->count * sizeof *one->numbers) == 0;
}

static bool fill_site(Dump *dump, const Parts *parts, Error *error) {
    bool square = dump->sizes.queries == dump->sizes.keys;
    const char *site = parts->site;
    if (!site)
        site = !square || (parts->array[DUMP_X_KEY_VALUE] && !same_source(parts)) ? "cross"
               : parts->causal == 1                                               ? "decoder"
                                                                                  : "encoder";
    if (strcmp(site, "cross") != 0 && !square)
        return error_usage(error,
                           "--site %s: there queries and keys are of the same sequence, but there "
                           "are %d queries and %d keys; --site cross?",
                           site, dump->sizes.queries, dump->sizes.keys);
    bool decoder = strcmp(site, "decoder") == 0;
    if (strcmp(site, "self") == 0) decoder = parts->causal == 1;
    dump->site = strcmp(site, "cross") == 0 ? SITE_CROSS : decoder ? SITE_DECODER : SITE_ENCODER;
    dump->causal = parts->causal >= 0 ? parts->causal == 1 : decoder;
    return true;
}

/* --- the dump --------------------------------------------------------------------------------- */

/* Whole numbers are exact, like wide ones. */
static DumpPrecision precision_of(TensorType type) {
    switch (type) {
    case TENSOR_F32:
        return PRECISION_F32;
    case TENSOR_F16:
        return PRECISION_F16;
    case TENSOR_BF16:
        return PRECISION_BF16;
    default:
        return PRECISION_F64;
    }
}

static void fill_parts(Dump *dump, const Parts *parts, const Reads *reads) {
    bool any_weight = false, any_bias = false;
    for (int i = 0; i < DUMP_PARTS; i++) {
        const Array *array = parts->array[i];
        if (!array) continue;
        int third = parts->stacked[i] ? parts->stacked[i] - 1 : 0;
        dump->parts[i] = (DumpTensor){
            .numbers = array->numbers + third * (array->count / 3),
            .precision = precision_of(array->type),
            .split = reads->readings[i]->split,
            .averaged = reads->readings[i]->averaged && dump->sizes.heads != 1,
            .transposed = reads->readings[i]->transposed,
        };
        any_weight = any_weight || (i >= DUMP_W_Q && i <= DUMP_W_O);
        any_bias = any_bias || (i >= DUMP_B_Q && i <= DUMP_B_O);
    }
    dump->biases_unknown = any_weight && !any_bias;
}

static bool read_parts(DumpFile *file, const DumpOptions *options, Error *error) {
    Parts parts = {.arrays = &file->arrays};
    Reads reads;
    if (!find_said(&parts, options, error) || !find_parts(&parts, options, error) ||
        !shape_parts(&parts, error) ||
        !dump_shapes(&reads, parts.shaped, parts.heads, parts.heads_name, computes(&parts),
                     options->layout, error) ||
        !fill_sizes(&file->dump, &reads, error) || !check_source(&file->dump, &parts, error) ||
        !fill_site(&file->dump, &parts, error) ||
        !dump_lens_fill(&file->dump, &file->lens, parts.lens, reads.readings[SHAPED_LENS],
                        options->valid_lens, error))
        return false;
    fill_parts(&file->dump, &parts, &reads);
    return true;
}

bool dump_read(DumpFile *file, Arrays *arrays, const char *name, const DumpOptions *options,
               Error *error) {
    *file = (DumpFile){.arrays = *arrays};
    *arrays = (Arrays){0};
    if (read_parts(file, options, error)) return true;
    error_prefix(error, "%.300s", name);
    dump_close(file);
    return false;
}

bool dump_open(DumpFile *file, const char *path, const DumpOptions *options, Error *error) {
    Arrays arrays;
    *file = (DumpFile){0};
    if (arrays_open(&arrays, path, MAX_NUMBERS, error))
        return dump_read(file, &arrays, path, options, error);
    if (error) error->kind = ERROR_USAGE;
    return false;
}

void dump_close(DumpFile *file) {
    arrays_close(&file->arrays);
    free(file->lens);
    *file = (DumpFile){0};
}
