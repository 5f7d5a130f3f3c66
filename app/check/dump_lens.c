#include "app/check/dump_lens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next of "3,2"; false where it is none. */
static bool next_length(const char **text, int *length) {
    char *end;
    if (**text < '0' || **text > '9') return false;
    long number = strtol(*text, &end, 10);
    if (number > 1 << 20 || (*end && *end != ',') || (*end && !end[1])) return false;
    *length = (int)number;
    *text = *end ? end + 1 : end;
    return true;
}

bool dump_lens_check(const char *said, Error *error) {
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

/* As many as there are examples, or, for each query, examples x queries. */
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

bool dump_lens_fill(Dump *dump, int **lens, const Array *array, const AxesReading *reading,
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
