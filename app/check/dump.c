#include "app/check/dump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/check/dump_shapes.h"
#include "data/attention/array_names.h"

/* The most numbers of a file, and the most weights computed from it: half a gigabyte as double. */
enum { MAX_NUMBERS = 1 << 26 };

_Static_assert((int)ROLE_TENSORS == (int)DUMP_PARTS, "roles and parts have the same numbers");

/* What a file holds, before shapes are read. */
typedef struct Parts {
    const Arrays *arrays;
    const Array *array[DUMP_PARTS];
    int stacked[DUMP_PARTS]; /* which third of the array, 1 to 3; 0: all of it */
    const Array *lens;
    Shaped shaped[SHAPED];
    int heads;
    char heads_name[40];
    const char *site; /* NULL: not given */
    int causal;       /* -1: not given */
} Parts;

/* --- valid lengths ---------------------------------------------------------------------------- */

/* Reads the next length of "3,2". Returns false if it is not a number. */
static bool next_length(const char **text, int *length) {
    char *end;
    if (**text < '0' || **text > '9') return false;
    long number = strtol(*text, &end, 10);
    if (number > 1 << 20 || (*end && *end != ',') || (*end && !end[1])) return false;
    *length = (int)number;
    *text = *end ? end + 1 : end;
    return true;
}

static bool check_lens(const char *said, Error *error) {
    const char *rest = said;
    int length;
    do {
        if (!next_length(&rest, &length))
            return error_usage(
                error, "--valid-lens %s: it takes one whole number for each example: 3,2", said);
    } while (*rest);
    return true;
}

static bool take_length(int *length, double value, int example, int keys, const char *name,
                        Error *error) {
    if (!(value >= 0 && value <= keys) || floor(value) != value)
        return error_usage(error,
                           "%s: %g for example %d: a valid length is a whole number from 0 to %d, "
                           "the number of keys",
                           name, value, example, keys);
    *length = (int)value;
    return true;
}

/* From the option: one for each example, or one for each query of each example. */
static bool lens_of_call(Dump *dump, int *lens, const char *text, Error *error) {
    AttentionSizes sizes = dump->sizes;
    int64_t count = 1, all = (int64_t)sizes.batch * sizes.queries;
    for (const char *at = text; *at; at++)
        count += *at == ',';
    if (count != sizes.batch && count != all)
        return error_usage(error,
                           "--valid-lens %s: %lld length%s, but the file holds %d example%s (%lld "
                           "queries in all)",
                           text, (long long)count, count == 1 ? "" : "s", sizes.batch,
                           sizes.batch == 1 ? "" : "s", (long long)all);
    dump->per_query = count != sizes.batch;
    int per = dump->per_query ? sizes.queries : 1;
    for (int i = 0; i < count; i++) {
        int length;
        if (!next_length(&text, &length) ||
            !take_length(&lens[i], length, i / per, sizes.keys, "--valid-lens", error))
            return false;
    }
    return true;
}

/* Fills the lengths of a dump whose sizes are known: from the option, else from the array; without
 * either all keys are valid. *lens is allocated for the caller. */
static bool fill_lens(Dump *dump, int **lens, const Array *array, const AxesReading *reading,
                      const char *said, Error *error) {
    if (!array && !said) return true;
    *lens = calloc((size_t)dump->sizes.batch * (size_t)dump->sizes.queries, sizeof **lens);
    if (!*lens) return error_set(error, "out of memory");
    dump->valid_lens = *lens;
    if (said) return lens_of_call(dump, *lens, said, error);
    dump->per_query = strcmp(reading->axes, "BQ") == 0;
    int per = dump->per_query ? dump->sizes.queries : 1;
    for (int64_t i = 0; i < array->count; i++)
        if (!take_length(*lens + i, array->numbers[i], (int)(i / per), dump->sizes.keys,
                         array->name, error))
            return false;
    return true;
}

/* --- options ---------------------------------------------------------------------------------- */

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
    return !options->valid_lens || check_lens(options->valid_lens, error);
}

/* --- finding arrays --------------------------------------------------------------------------- */

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

/* The first array with a name of that role; NULL if there is none. */
static const Array *find_role(const Arrays *arrays, ArrayRole role) {
    const Array *found = NULL;
    for (const ArrayName *name = array_names; name->name && !found; name++)
        if (name->role == role) found = arrays_find(arrays, name->name);
    return found;
}

/* Heads, site and causality: from the options, else from the file. */
static bool find_settings(Parts *parts, const DumpOptions *options, Error *error) {
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

/* Counts the arrays that hold numbers; *last is the last of them. */
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

/* --- checking each array ---------------------------------------------------------------------- */

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

/* The shape of a tensor. The first axis of a stacked array is divided by 3. */
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

/* True if the doctor will compute something head by head. */
static bool computes(const Parts *parts) {
    const Array *const *array = parts->array;
    bool queries = array[DUMP_QUERY] || array[DUMP_X_QUERY];
    return (queries && (array[DUMP_WEIGHTS] || array[DUMP_CONTEXT] || array[DUMP_OUTPUT])) ||
           (array[DUMP_WEIGHTS] && (array[DUMP_VALUE] || array[DUMP_X_KEY_VALUE]));
}

/* --- sizes, site ------------------------------------------------------------------------------ */

static bool fill_sizes(Dump *dump, const ShapesRead *reads, Error *error) {
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
    double weights = maps * (double)lengths[AXIS_Q] * (double)lengths[AXIS_K];
    if (weights > MAX_NUMBERS)
        return error_usage(
            error,
            "%lld examples x %.0f heads x %lld queries x %lld keys are %.3g weights; "
            "at most %.3g are checked: save fewer examples or steps",
            (long long)lengths[AXIS_B], heads, (long long)lengths[AXIS_Q],
            (long long)lengths[AXIS_K], weights, (double)MAX_NUMBERS);
    return true;
}

/* Without x_key_value, keys and values that are not in the file are projected from x_query: then Tk
 * must be Tq. */
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

/* Integers are exact, like float64. */
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

static void fill_parts(Dump *dump, const Parts *parts, const ShapesRead *reads) {
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
    ShapesRead reads;
    if (!find_settings(&parts, options, error) || !find_parts(&parts, options, error) ||
        !shape_parts(&parts, error) ||
        !dump_shapes(&reads, parts.shaped, parts.heads, parts.heads_name, computes(&parts),
                     options->layout, error) ||
        !fill_sizes(&file->dump, &reads, error) || !check_source(&file->dump, &parts, error) ||
        !fill_site(&file->dump, &parts, error) ||
        !fill_lens(&file->dump, &file->lens, parts.lens, reads.readings[SHAPED_LENS],
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
