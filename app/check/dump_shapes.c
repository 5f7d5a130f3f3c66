#include "app/check/dump_shapes.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FOUND = 16, LINE = 1000 };

static Axis axis_of(char character) {
    return (Axis)(strchr("BHQKWDF", character) - "BHQKWDF");
}

static const char *axis_name(Axis axis) {
    static const char *const names[AXES] = {
        "examples", "heads", "queries", "keys", "width", "width of a head", "examples x heads"};
    return names[axis];
}

/* --- the search ------------------------------------------------------------------------------- */

/* Passes over the readings; each allows more readings than the one before. */
typedef enum SearchPass { PASS_PLAIN, PASS_TRANSPOSED, PASS_TO_MEND, PASSES } SearchPass;

typedef struct Search {
    const Shaped *shaped;
    int heads;
    const char *heads_name, *layout;
    SearchPass pass;
    ShapesRead now;
    int from[AXES]; /* which tensor (-1: heads_name) each length was read from */
    ShapesRead found[MAX_FOUND];
    int found_count;
    bool lacks_heads;  /* some reading fits except that the number of heads is unknown */
    int deepest;       /* how many tensors agreed before `reason` */
    char reason[LINE]; /* why the best attempt failed */
} Search;

static void describe(const Search *search, Axis axis, char *text, size_t size) {
    int from = search->from[axis];
    if (from < 0)
        snprintf(text, size, "%s", search->heads_name);
    else
        snprintf(text, size, "%s %s", search->shaped[from].name, search->shaped[from].text);
}

/* Keeps the reason of the attempt that came farthest. */
static void keep_reason(Search *search, int depth, const char *text) {
    if (depth <= search->deepest || search->pass != PASS_PLAIN) return;
    search->deepest = depth;
    snprintf(search->reason, sizeof search->reason, "%s", text);
}

/* The reason: two tensors disagree on a length. */
static void keep_disagreement(Search *search, int depth, int tensor, const AxesReading *reading,
                              int place, Axis axis, int64_t length) {
    char other[240], text[LINE], hint[120] = "";
    const Shaped *shaped = &search->shaped[tensor];
    describe(search, axis, other, sizeof other);
    if (axis == AXIS_K && length == search->now.lengths[AXIS_Q])
        snprintf(hint, sizeof hint, "; are its keys those of the queries' source?");
    if (axis == AXIS_H && (tensor == DUMP_KEY || tensor == DUMP_VALUE) &&
        search->now.lengths[AXIS_H] % length == 0)
        snprintf(hint, sizeof hint, "; grouped key heads: repeat them for their queries first");
    if (tensor == SHAPED_LENS && axis == AXIS_B && length > search->now.lengths[AXIS_B])
        snprintf(hint, sizeof hint, "; save those of the examples, not repeated per head");
    snprintf(text, sizeof text,
             "%s %s and %s: axis %d of %s, read as [%s], is the %s: %lld, not %lld%s", shaped->name,
             shaped->text, other, place, shaped->name, reading->axes, axis_name(axis),
             (long long)length, (long long)search->now.lengths[axis], hint);
    keep_reason(search, depth, text);
}

/* Solves whole = left * right for the unknown one; returns false if the known ones disagree. */
static bool product(Search *search, int depth, Axis whole, Axis left, Axis right) {
    int64_t *lengths = search->now.lengths;
    char of_whole[240], of_part[240], text[LINE];
    if (lengths[left] && lengths[right] && !lengths[whole]) {
        lengths[whole] = lengths[left] * lengths[right];
        search->from[whole] = search->from[left];
        return true;
    }
    if (!lengths[whole] || (!lengths[left] && !lengths[right])) return true;
    Axis known = lengths[left] ? left : right, other = known == left ? right : left;
    if (lengths[whole] % lengths[known] == 0 &&
        (!lengths[other] || lengths[whole] / lengths[known] == lengths[other])) {
        if (!lengths[other]) search->from[other] = search->from[whole];
        lengths[other] = lengths[whole] / lengths[known];
        return true;
    }
    describe(search, whole, of_whole, sizeof of_whole);
    describe(search, known, of_part, sizeof of_part);
    if (lengths[other])
        snprintf(text, sizeof text, "%s and %s: the %s, %lld, must be %lld x %lld (%s and %s)",
                 of_whole, of_part, axis_name(whole), (long long)lengths[whole],
                 (long long)lengths[left], (long long)lengths[right], axis_name(left),
                 axis_name(right));
    else
        snprintf(text, sizeof text, "%s and %s: the %s, %lld, is no multiple of the %s, %lld",
                 of_whole, of_part, axis_name(whole), (long long)lengths[whole], axis_name(known),
                 (long long)lengths[known]);
    keep_reason(search, depth, text);
    return false;
}

/* Solves both products; twice, since each may need what the other found. */
static bool multiply(Search *search, int depth) {
    bool good = true;
    for (int i = 0; good && i < 2; i++)
        good = product(search, depth, AXIS_F, AXIS_B, AXIS_H) &&
               product(search, depth, AXIS_W, AXIS_H, AXIS_D);
    return good;
}

/* False if query, key or value of the same rank is read in another layout. */
static bool laid_out_alike(const Search *search, int tensor, const AxesReading *reading) {
    static const int alike[] = {DUMP_QUERY, DUMP_KEY, DUMP_VALUE};
    bool among = tensor == DUMP_QUERY || tensor == DUMP_KEY || tensor == DUMP_VALUE;
    for (int i = 0; among && i < 3; i++) {
        const AxesReading *other = search->now.readings[alike[i]];
        if (!other || strlen(other->axes) != strlen(reading->axes)) continue;
        if (other->split != reading->split || other->layout != reading->layout) return false;
    }
    return true;
}

/* Reads a tensor. Returns false if its lengths disagree with the known ones. */
static bool read_axes(Search *search, int depth, int tensor, const AxesReading *reading) {
    const Shaped *shaped = &search->shaped[tensor];
    for (int place = -1; place < shaped->rank; place++) {
        if (place < 0 && !reading->one) continue;
        Axis axis = place < 0 ? AXIS_B : axis_of(reading->axes[place]);
        int64_t length = place < 0 ? 1 : shaped->shape[place];
        int64_t *known = &search->now.lengths[axis];
        if (*known && *known != length) {
            keep_disagreement(search, depth, tensor, reading, place, axis, length);
            return false;
        }
        if (!*known) search->from[axis] = tensor;
        *known = length;
    }
    search->now.readings[tensor] = reading;
    return multiply(search, depth);
}

static bool same(const ShapesRead *left, const ShapesRead *right) {
    for (int axis = 0; axis < AXIS_F; axis++)
        if (left->lengths[axis] != right->lengths[axis]) return false;
    /* With one head, split, folded, packed and averaged are the same numbers in the same order. */
    if (left->lengths[AXIS_H] == 1) return true;
    for (int i = 0; i < SHAPED; i++) {
        const AxesReading *a = left->readings[i], *b = right->readings[i];
        if (a && (a->split != b->split || a->averaged != b->averaged)) return false;
    }
    return true;
}

static void keep(Search *search) {
    const int64_t *lengths = search->now.lengths;
    bool open = lengths[AXIS_F] && !lengths[AXIS_B];
    if (open || !lengths[AXIS_H]) search->lacks_heads = true;
    for (int i = 0; i < search->found_count; i++)
        if (same(&search->found[i], &search->now)) return;
    if (!open && search->found_count < MAX_FOUND)
        search->found[search->found_count++] = search->now;
}

static bool allowed(const Search *search, const AxesReading *reading) {
    if (reading->mend && search->pass != PASS_TO_MEND) return false;
    /* Weights are read as columns only if other tensors show how many queries or keys there are. */
    bool steps = search->now.lengths[AXIS_Q] || search->now.lengths[AXIS_K];
    if (reading->transposed && (search->pass != PASS_TRANSPOSED || !steps)) return false;
    /* [H,T,D] without a batch axis is the same as folded with one example, unless --layout asks. */
    if (reading->one && reading->layout)
        return search->layout && strcmp(search->layout, reading->layout) == 0;
    return true;
}

static void search_from(Search *search, int depth) {
    if (depth == SHAPED) {
        keep(search);
        return;
    }
    int tensor = dump_reading_order(depth);
    const Shaped *shaped = &search->shaped[tensor];
    if (!shaped->name) {
        search_from(search, depth + 1);
        return;
    }
    ShapesRead saved = search->now;
    int from[AXES];
    memcpy(from, search->from, sizeof from);
    for (const AxesReading *reading = dump_readings(tensor); reading->axes; reading++) {
        if ((int)strlen(reading->axes) != shaped->rank || !allowed(search, reading)) continue;
        if (laid_out_alike(search, tensor, reading) && read_axes(search, depth, tensor, reading))
            search_from(search, depth + 1);
        search->now = saved;
        memcpy(search->from, from, sizeof from);
    }
}

static void search_pass(Search *search, SearchPass pass) {
    search->pass = pass;
    search->now = (ShapesRead){0};
    search->now.lengths[AXIS_H] = search->heads;
    for (int i = 0; i < AXES; i++)
        search->from[i] = -1;
    search_from(search, 0);
}

/* --- choosing --------------------------------------------------------------------------------- */

/* "2 examples x 5 heads of width 20". */
static void describe_reading(const ShapesRead *reads, int tensor, char *text, size_t size) {
    const AxesReading *reading = reads->readings[tensor];
    long long examples = reads->lengths[AXIS_B], heads = reads->lengths[AXIS_H];
    long long width = reads->lengths[AXIS_W], head_width = reads->lengths[AXIS_D];
    if (tensor == DUMP_WEIGHTS && reading->averaged)
        snprintf(text, size, "%lld examples, averaged over heads", examples);
    else if (tensor == DUMP_WEIGHTS)
        snprintf(text, size, "%lld examples x %lld heads", examples, heads);
    else if (reading->split)
        snprintf(text, size, "%lld examples x %lld heads of width %lld", examples, heads,
                 head_width);
    else
        snprintf(text, size, "%lld examples of width %lld", examples, width);
}

/* The error of two readings: names the first tensor that they read differently. */
static bool refuse_ambiguous(const Search *search, const ShapesRead *left, const ShapesRead *right,
                             Error *error) {
    char one[120], other[120];
    for (int i = 0; i < SHAPED; i++) {
        int tensor = dump_reading_order(i);
        const AxesReading *a = left->readings[tensor], *b = right->readings[tensor];
        if (!a || a == b || !a->layout || !b->layout) continue;
        describe_reading(left, tensor, one, sizeof one);
        describe_reading(right, tensor, other, sizeof other);
        return error_usage(error,
                           "%s %s can be read in two ways: %s (--layout %s), or %s (--layout %s)",
                           search->shaped[tensor].name, search->shaped[tensor].text, one, a->layout,
                           other, b->layout);
    }
    return error_usage(error, "the shapes can be read in two ways: save 4 axes, [B,H,T,D]");
}

static bool refuse_without_heads(const Search *search, Error *error) {
    const Shaped *weights = &search->shaped[DUMP_WEIGHTS];
    if (weights->name && weights->rank == 3 && search->pass == PASS_PLAIN)
        return error_usage(error,
                           "%s %s: how many heads? Give --heads H (or --layout BHTD: the heads of "
                           "one example, --layout BTW: examples, averaged over their heads)",
                           weights->name, weights->text);
    for (int i = 0; i < SHAPED; i++) {
        const Shaped *shaped = &search->shaped[dump_reading_order(i)];
        if (shaped->name)
            return error_usage(error,
                               "%s %s: how many heads? Give --heads H, or save heads=H with the "
                               "tensors",
                               shaped->name, shaped->text);
    }
    return error_usage(error, "how many heads? Give --heads H");
}

/* The number of tensors that are read in that layout. */
static int count_layout(const ShapesRead *reads, const char *layout) {
    int count = 0;
    for (int i = 0; i < SHAPED; i++)
        if (reads->readings[i] && reads->readings[i]->layout)
            count += strcmp(reads->readings[i]->layout, layout) == 0;
    return count;
}

/* The rank of a reading among several: by the tensors in the requested layout; else a reading that
 * finds one head, which only a folded axis can suggest, ranks last. */
static int preference(const Search *search, const ShapesRead *reads) {
    if (search->layout) return count_layout(reads, search->layout);
    return search->heads || reads->lengths[AXIS_H] != 1;
}

static bool choose(ShapesRead *reads, const Search *search, Error *error) {
    int best = 0, second = -1;
    for (int i = 1; i < search->found_count; i++) {
        int here = preference(search, &search->found[i]);
        int there = preference(search, &search->found[best]);
        if (here >= there) second = i;
        if (here <= there) continue;
        best = i;
        second = -1;
    }
    if (second >= 0)
        return refuse_ambiguous(search, &search->found[best], &search->found[second], error);
    *reads = search->found[best];
    return true;
}

static bool refuse_to_mend(const Search *search, Error *error) {
    for (int i = 0; i < SHAPED; i++) {
        const AxesReading *reading = search->found[0].readings[dump_reading_order(i)];
        const Shaped *shaped = &search->shaped[dump_reading_order(i)];
        if (!reading || !reading->mend) continue;
        const char *hole = strstr(reading->mend, "%s");
        return error_usage(error, "%s %s: %.*s%s%s", shaped->name, shaped->text,
                           (int)(hole - reading->mend), reading->mend, shaped->name, hole + 2);
    }
    return error_usage(error, "%s", search->reason);
}

bool dump_shapes(ShapesRead *reads, const Shaped shaped[SHAPED], int heads, const char *heads_name,
                 bool computes, const char *layout, Error *error) {
    bool needs_heads = computes || (shaped[DUMP_WEIGHTS].name && shaped[DUMP_WEIGHTS].rank == 3);
    if (!dump_check_ranks(shaped, error)) return false;
    Search search = {.shaped = shaped,
                     .heads = heads,
                     .heads_name = heads_name,
                     .layout = layout,
                     .deepest = -1};
    search_pass(&search, PASS_PLAIN);
    if (!search.found_count && !search.lacks_heads) search_pass(&search, PASS_TRANSPOSED);
    bool chosen = false;
    for (int i = 0; layout && i < search.found_count; i++)
        chosen = chosen || count_layout(&search.found[i], layout) > 0;
    if (search.lacks_heads && !chosen && (needs_heads || !search.found_count))
        return refuse_without_heads(&search, error);
    if (search.found_count)
        return choose(reads, &search, error) &&
               (!computes || reads->lengths[AXIS_H] || refuse_without_heads(&search, error));
    search_pass(&search, PASS_TO_MEND);
    if (search.found_count) return refuse_to_mend(&search, error);
    return error_usage(error, "%s", search.reason);
}
