#include "data/attention/attention_lens.h"

#include <math.h>
#include <stdlib.h>

enum { LENS_MAX = 1 << 20 };

static bool bad(const AttentionLens *lens, const char *what, Error *error) {
    return error_usage(error, "%s: %s", lens->name, what);
}

AttentionLens *attention_lens_find(AttentionLens all[LENS_LISTS], const char *text) {
    const ArrayName *name = array_name_find(text, ROLE_LENS, ROLE_DECODER_LENS);
    if (!name) return NULL;
    AttentionLens *lens = &all[name->role - ROLE_LENS];
    if (!lens->values) lens->name = name->name;
    return lens;
}

static bool make_room(AttentionLens *lens, int64_t count, Error *error) {
    if (count < 0)
        return bad(lens, "its rows differ in length: give each example a list of the same length",
                   error);
    if (count < 1) return bad(lens, "it is empty: leave it out where all keys are valid", error);
    if (count > LENS_MAX) return bad(lens, "too many lengths", error);
    lens->values = malloc((size_t)count * sizeof *lens->values);
    return lens->values || error_set(error, "%s: out of memory", lens->name);
}

/* Whether it fits the maps is checked by attention_lens_apply. */
static bool add_value(AttentionLens *lens, double value, Error *error) {
    lens->values[lens->count++] = value;
    return (value >= 0 && value <= LENS_MAX && floor(value) == value) ||
           error_usage(error, "%s: %g: a valid length is a whole number from 0", lens->name, value);
}

/* The number of values in a list, or in a list of lists; -1 if those differ in length. */
static int64_t count_values(const cJSON *json, int *columns) {
    int64_t rows = cJSON_GetArraySize(json), each = cJSON_GetArraySize(json->child);
    *columns = 0;
    if (!cJSON_IsArray(json->child)) return rows;
    const cJSON *row;
    cJSON_ArrayForEach(row,
                       json) if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != each) return -1;
    *columns = (int)each;
    return rows * each;
}

static bool add_numbers(AttentionLens *lens, const cJSON *list, Error *error) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsNumber(item))
            return bad(lens, "a valid length must be a whole number from 0", error);
        if (!add_value(lens, item->valuedouble, error)) return false;
    }
    return true;
}

bool attention_lens_json(AttentionLens *lens, const cJSON *json, Error *error) {
    if (lens->values) return true;
    if (cJSON_IsNumber(json))
        return make_room(lens, 1, error) && add_value(lens, json->valuedouble, error);
    if (!cJSON_IsArray(json))
        return bad(lens, "it must be a number, a list of them, or a list for each example", error);
    int columns;
    if (!make_room(lens, count_values(json, &columns), error)) return false;
    lens->columns = columns;
    if (!columns) return add_numbers(lens, json, error);
    const cJSON *row;
    cJSON_ArrayForEach(row, json) if (!add_numbers(lens, row, error)) return false;
    return true;
}

bool attention_lens_array(AttentionLens *lens, const Array *array, Error *error) {
    if (lens->values) return true;
    if (array->rank > 2) return bad(lens, "it has more axes than examples and queries", error);
    int64_t rows = array->rank > 0 ? array->shape[0] : 1;
    int64_t columns = array->rank > 1 ? array->shape[1] : 1;
    if (rows > LENS_MAX || columns > LENS_MAX) return bad(lens, "too many lengths", error);
    if (!make_room(lens, rows * columns, error)) return false;
    lens->columns = array->rank > 1 ? (int)columns : 0;
    for (int64_t i = 0; i < rows * columns; i++)
        if (!add_value(lens, array_number(array, i), error)) return false;
    return true;
}

/* The lengths [queries] if *each, else [1] for all queries; NULL if they do not fit the maps. */
static const double *lens_of_site(const AttentionLens *lens, const AttentionMaps *all,
                                  const Maps *maps, bool *each) {
    int examples = all->examples, queries = maps->shape.queries;
    *each = lens->columns > 1 || (lens->columns == 1 && queries == 1);
    if (lens->columns) {
        int rows = lens->count / lens->columns;
        bool fits =
            (lens->columns == queries || lens->columns == 1) && (rows == examples || rows == 1);
        return fits ? lens->values + (rows > 1 ? all->example * lens->columns : 0) : NULL;
    }
    if (lens->count == 1) return lens->values;
    if (lens->count == examples) return lens->values + all->example;
    *each = lens->count == queries;
    return *each ? lens->values : NULL;
}

/* Checks the lengths of all examples, drawn or not. */
static bool check_max(const AttentionLens *lens, int keys, Error *error) {
    for (int i = 0; i < lens->count; i++)
        if (lens->values[i] > keys)
            return error_usage(error, "%s: %g, but there are %d keys", lens->name, lens->values[i],
                               keys);
    return true;
}

static void narrow(Maps *maps, const double *values, bool each) {
    for (int query = 0; query < maps->shape.queries; query++) {
        int valid = (int)values[each ? query : 0];
        if (valid >= maps->seen[query]) continue;
        maps->seen[query] = valid;
        maps->narrowed = true;
    }
}

/* True if the lengths concern a site: those of the encoder, encoder and cross-attention. */
static bool is_about(const AttentionLens *lens, int which, const AttentionMaps *all, int site) {
    if (which == LENS_ENCODER) return site != SITE_DECODER;
    if (which == LENS_DECODER) return site == SITE_DECODER;
    bool others = all->slots[SITE_ENCODER].count > 0 || all->slots[SITE_CROSS].count > 0;
    return (site == SITE_DECODER) != others && !lens[LENS_ENCODER].values;
}

bool attention_lens_apply(AttentionMaps *all, const AttentionLens lists[LENS_LISTS], Error *error) {
    for (int which = 0; which < LENS_LISTS; which++) {
        const AttentionLens *lens = &lists[which];
        int about = 0, fitting = 0, queries = 0;
        for (int site = 0; site < SITE_COUNT && lens->values; site++) {
            Maps *maps = &all->slots[site];
            bool each;
            if (maps->count == 0 || !is_about(lists, which, all, site)) continue;
            about++;
            queries = maps->shape.queries;
            const double *values = lens_of_site(lens, all, maps, &each);
            if (!values) continue;
            fitting++;
            if (!check_max(lens, maps->shape.keys, error)) return false;
            narrow(maps, values, each);
        }
        if (!lens->values || fitting) continue;
        if (!about && which == LENS_ANY && lists[LENS_ENCODER].values)
            return bad(lens, "enc_valid_lens is given as well: leave one of them out", error);
        if (!about && which != LENS_ANY)
            return bad(lens,
                       which == LENS_DECODER ? "there are no maps of decoder self-attention"
                                             : "there are no maps with the encoder's keys",
                       error);
        if (about)
            return error_usage(error,
                               "%s: %d lengths, but there %s %d example%s of %d queries: save one "
                               "for each example, or for each query%s",
                               lens->name, lens->count, all->examples == 1 ? "is" : "are",
                               all->examples, all->examples == 1 ? "" : "s", queries,
                               all->examples == 1
                                   ? "; if the first axis is a batch, choose one by --example N"
                                   : "");
    }
    return true;
}
