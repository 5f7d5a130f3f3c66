#include "data/attention/attention_maps.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/minmax.h"
#include "model/base/visible.h"

enum { LAYERS_MAX = 1024, HEADS_MAX = 4096, MAPS_MAX = 1 << 16, SIDE_MAX = 1 << 17 };

/* Each missing map is drawn as such, and takes memory: a small file may name many. */
enum { MISSING_MAX = 1024 };

void attention_note(char *note, size_t size, const char *format, ...) {
    size_t used = strlen(note);
    if (used > 0) used += (size_t)snprintf(note + used, size - used, "; ");
    if (used >= size) return;
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible_text(note + used, size - used, text);
}

typedef struct Gathering {
    AttentionMaps *maps;
    const char *name;
    const MapsRequest *request;
    char *note;
    size_t note_size;
    bool noted_example;
} Gathering;

static bool says(const Gathering *gathering, const Array *view, const char *what, Error *error) {
    char shape[SHAPE_TEXT];
    array_shape_text(view, shape);
    return error_usage(error, "%s: %s %s: %s", gathering->name, view->name, shape, what);
}

/* --- from tensors to pieces ------------------------------------------------------------------- */

static bool add_piece(Maps *maps, Piece piece, const char *name, Error *error) {
    if (maps->count == maps->room) {
        int room = maps->room ? 2 * maps->room : 64;
        Piece *pieces =
            maps->room < MAPS_MAX ? realloc(maps->pieces, (size_t)room * sizeof *pieces) : NULL;
        if (!pieces) return error_set(error, "%s: too many maps, or out of memory", name);
        maps->pieces = pieces;
        maps->room = room;
    }
    maps->pieces[maps->count++] = piece;
    return true;
}

/* Which axis is what; -1: there is none. The last two are queries and keys. */
typedef struct Axes {
    int layer, example, head;
} Axes;

static int axis_of(const char *axes, char letter) {
    const char *at = strchr(axes, letter);
    return at ? (int)(at - axes) : -1;
}

static bool name_axes(const Gathering *gathering, const Array *view, const MapName *name,
                      Axes *axes, Error *error) {
    *axes = (Axes){-1, -1, -1};
    if (view->rank < 2)
        return says(gathering, view, "it has less than two axes; a map has queries and keys",
                    error);
    const char *letters = map_axes(name, view->rank, gathering->request->example >= 0);
    if (letters) {
        *axes = (Axes){axis_of(letters, 'L'), axis_of(letters, 'B'), axis_of(letters, 'H')};
        return true;
    }
    return says(gathering, view,
                name->head >= 0    ? "one head's map has too many axes"
                : name->layer >= 0 ? "one layer's maps have too many axes"
                                   : "too many axes for layers, examples, heads, queries and keys",
                error);
}

/* The example of a batch; the first where none is asked for, which is said. */
static bool choose_example(Gathering *gathering, const Array *view, int axis, int *example,
                           Error *error) {
    int64_t count = axis >= 0 ? view->shape[axis] : 1;
    *example = int_max(gathering->request->example, 0);
    if (count > gathering->maps->examples && count <= INT_MAX)
        gathering->maps->examples = (int)count;
    gathering->maps->example = *example;
    if (axis < 0 || *example >= count) {
        if (*example == 0) return true;
        char what[120];
        snprintf(what, sizeof what, "there is no example %d; they count from 0, and there %s %lld",
                 *example, count == 1 ? "is" : "are", (long long)count);
        return says(gathering, view, what, error);
    }
    if (count > 1 && gathering->request->example < 0 && !gathering->noted_example) {
        gathering->noted_example = true;
        attention_note(gathering->note, gathering->note_size,
                       "example 0 of %lld is drawn; --example N chooses another", (long long)count);
    }
    return true;
}

static bool add_maps(Gathering *gathering, const Array *view, const MapName *name, const Axes *axes,
                     int example, Error *error) {
    Maps *maps = &gathering->maps->slots[name->slot];
    bool turned = gathering->request->transposed;
    int query_axis = view->rank - (turned ? 1 : 2), key_axis = view->rank - (turned ? 2 : 1);
    int layers = axes->layer >= 0 ? (int)view->shape[axes->layer] : 1;
    int heads = axes->head >= 0 ? (int)view->shape[axes->head] : 1;
    for (int layer = 0; layer < layers; layer++)
        for (int head = 0; head < heads; head++) {
            Piece piece = {.view = view,
                           .query_stride = view->stride[query_axis],
                           .key_stride = view->stride[key_axis],
                           .layer = name->layer >= 0 ? name->layer : layer,
                           .head = name->head >= 0 ? name->head : head,
                           .step = int_max(name->step, 0),
                           .queries = (int)view->shape[query_axis],
                           .keys = (int)view->shape[key_axis]};
            if (axes->layer >= 0) piece.at += layer * view->stride[axes->layer];
            if (axes->head >= 0) piece.at += head * view->stride[axes->head];
            if (axes->example >= 0) piece.at += example * view->stride[axes->example];
            if (!add_piece(maps, piece, gathering->name, error)) return false;
        }
    return true;
}

static bool add_view(Gathering *gathering, const Array *view, const MapName *name, Error *error) {
    Axes axes;
    int example;
    if (number_is_whole(view->type))
        return says(gathering, view, "whole numbers are no weights; save it as float32", error);
    if (!name_axes(gathering, view, name, &axes, error)) return false;
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] == 0)
            return says(gathering, view, "it is empty: there is nothing to draw", error);
    for (int axis = 0; axis < view->rank; axis++)
        if (view->shape[axis] > (axis < view->rank - 2 ? HEADS_MAX : SIDE_MAX))
            return says(gathering, view, "an axis is too long to be drawn", error);
    if (!choose_example(gathering, view, axes.example, &example, error)) return false;
    if (axes.layer >= 0 && view->rank == 4 && view->shape[0] > 1 && name->slot == SITE_UNKNOWN)
        attention_note(gathering->note, gathering->note_size,
                       "%s is taken as %lld layers of %lld heads; if the first axis is a batch, "
                       "choose an example with --example N",
                       view->name, (long long)view->shape[0], (long long)view->shape[1]);
    return add_maps(gathering, view, name, &axes, example, error);
}

/* --- order ------------------------------------------------------------------------------------ */

static int by_place(const void *left, const void *right) {
    const Piece *a = left, *b = right;
    if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

static bool differs(const char *name, const Piece *one, const Piece *other, Error *error) {
    char first[SHAPE_TEXT], second[SHAPE_TEXT];
    array_shape_text(one->view, first);
    array_shape_text(other->view, second);
    return error_usage(error,
                       "%s: %s %s and %s %s do not fit together: the maps of a site are of "
                       "one size",
                       name, one->view->name, first, other->view->name, second);
}

/* Where each map begins, and how its pieces follow each other. */
static bool order(Maps *maps, const char *name, Error *error) {
    qsort(maps->pieces, (size_t)maps->count, sizeof *maps->pieces, by_place);
    TraceShape *shape = &maps->shape;
    for (int i = 0; i < maps->count; i++) {
        if (maps->pieces[i].layer >= shape->layers) shape->layers = maps->pieces[i].layer + 1;
        if (maps->pieces[i].head >= shape->heads) shape->heads = maps->pieces[i].head + 1;
    }
    if (shape->layers > LAYERS_MAX || shape->heads > HEADS_MAX ||
        shape->layers * shape->heads > MAPS_MAX)
        return error_usage(error, "%s: %d layers of %d heads are too many", name, shape->layers,
                           shape->heads);
    int count = shape->layers * shape->heads, piece = 0;
    if (count > MISSING_MAX + 16 * maps->count)
        return error_usage(error,
                           "%s: by its names %d layers of %d heads, but maps of no more than %d: "
                           "number both from 0",
                           name, shape->layers, shape->heads, maps->count);
    maps->first = calloc((size_t)count + 1, sizeof *maps->first);
    if (!maps->first) return error_set(error, "%s: out of memory", name);
    for (int map = 0; map < count; map++) {
        maps->first[map] = piece;
        int queries = 0, keys = 0, last = -1;
        for (; piece < maps->count; piece++) {
            Piece *at = &maps->pieces[piece];
            if (at->layer * shape->heads + at->head != map) break;
            if (at->step == last)
                return error_usage(error, "%s: %s and %s are the same map", name,
                                   maps->pieces[piece - 1].view->name, at->view->name);
            if (last >= 0 && at->step != last + 1)
                return error_usage(error, "%s: %s: step %d is missing before it", name,
                                   at->view->name, last + 1);
            last = at->step;
            at->first_query = queries;
            queries += at->queries;
            if (at->keys > keys) keys = at->keys;
            if (queries > SIDE_MAX) return differs(name, &maps->pieces[0], at, error);
        }
        if (last < 0) continue; /* missing */
        if (shape->queries == 0) shape->queries = queries, shape->keys = keys;
        if (shape->queries != queries || shape->keys != keys)
            return differs(name, &maps->pieces[0], &maps->pieces[piece - 1], error);
    }
    maps->first[count] = piece;
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The names of what is there, as many as a line holds. */
static bool names_none(const Gathering *gathering, Error *error) {
    char names[200] = "";
    size_t used = 0;
    const Arrays *arrays = &gathering->maps->file;
    if (arrays_count_numbers(arrays) == 0)
        return error_usage(error, "%s: it holds no arrays", gathering->name);
    for (int i = 0; i < arrays->count && used + 1 < sizeof names; i++)
        if (!arrays->arrays[i].is_text)
            used += (size_t)snprintf(names + used, sizeof names - used, used ? ", %s" : "%s",
                                     arrays->arrays[i].name);
    return error_usage(error,
                       "%s: holds no attention by name: name the tensors encoder_attentions, "
                       "decoder_attentions, cross_attentions (it has %s%s)",
                       gathering->name, names, used >= sizeof names ? " ..." : "");
}

bool attention_maps_make(AttentionMaps *maps, const char *name, const MapsRequest *request,
                         char *note, size_t note_size, Error *error) {
    Gathering gathering = {maps, name, request, note, note_size, false};
    const Arrays *arrays = &maps->file;
    bool good = true;
    int found = 0, taken = 0, others = 0, alone_at = 0;
    for (int i = 0; good && i < arrays->count; i++) {
        MapName parsed;
        if (arrays->arrays[i].is_text || array_name_beside_maps(arrays->arrays[i].name)) continue;
        others++;
        alone_at = i;
        if (!map_name_parse(arrays->arrays[i].name, &parsed)) continue;
        found++;
        if (parsed.key_len) continue;
        taken++;
        good = add_view(&gathering, &arrays->arrays[i], &parsed, error);
    }
    if (good && found == 0 && others == 1) {
        MapName alone = {.slot = SITE_UNKNOWN, .layer = -1, .head = -1, .step = -1};
        taken++;
        good = add_view(&gathering, &arrays->arrays[alone_at], &alone, error);
    }
    if (good && taken == 0) good = names_none(&gathering, error);
    for (int slot = 0; good && slot < MAP_SLOTS; slot++)
        if (maps->slots[slot].count > 0) good = order(&maps->slots[slot], name, error);
    return good;
}

void attention_maps_free(AttentionMaps *maps) {
    for (int slot = 0; slot < MAP_SLOTS; slot++) {
        free(maps->slots[slot].findings);
        map_blocks_free(&maps->slots[slot].blocks);
        free(maps->slots[slot].pieces);
        free(maps->slots[slot].first);
        free(maps->slots[slot].seen);
    }
    if (maps->shared) {
        array_window_free(&maps->shared->window);
        pthread_mutex_destroy(&maps->shared->lock);
    }
    free(maps->shared);
    arrays_close(&maps->file);
    *maps = (AttentionMaps){0};
}

/* --- reading ---------------------------------------------------------------------------------- */

bool attention_maps_has(const Maps *maps, int map) {
    return maps->first[map] < maps->first[map + 1];
}

/* The piece that holds a row; NULL where the map is missing. */
static const Piece *find_piece(const Maps *maps, int map, int query) {
    int low = maps->first[map], high = maps->first[map + 1];
    if (low == high) return NULL;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (maps->pieces[middle].first_query <= query)
            low = middle;
        else
            high = middle;
    }
    return &maps->pieces[low];
}

/* Where `count` numbers of a row stand, from key `first` on; they are piece->key_stride apart. */
static const unsigned char *find_numbers(const Piece *piece, ArrayWindow *window, int query,
                                         int first, int count) {
    int64_t at =
        piece->at + (query - piece->first_query) * piece->query_stride + first * piece->key_stride;
    int64_t span = (count - 1) * piece->key_stride + 1;
    int64_t size = (int64_t)number_size(piece->view->type);
    return array_window_at(window, piece->view->bytes + at * size, (size_t)(span * size));
}

void attention_maps_read(const Maps *maps, ArrayWindow *window, int map, int query, int first,
                         int count, float *weights) {
    const Piece *piece = find_piece(maps, map, query);
    int there = piece ? piece->keys - first : 0;
    if (there > count) there = count;
    if (there > 0)
        numbers_read(weights, find_numbers(piece, window, query, first, there), piece->view->type,
                     piece->view->big_endian, (ptrdiff_t)piece->key_stride, (size_t)there);
    for (int key = int_max(there, 0); key < count; key++)
        weights[key] = piece ? 0 : NAN;
}

/* Whether its rows are floats of this machine, side by side. */
static bool lie_ready(const Piece *piece, int keys) {
    return piece->view->type == TENSOR_F32 && piece->view->big_endian != numbers_host_is_little() &&
           piece->keys == keys && piece->key_stride == 1;
}

const float *attention_maps_rows(const Maps *maps, ArrayWindow *window, int map, int query,
                                 int count, float *room) {
    const Piece *piece = find_piece(maps, map, query);
    int keys = maps->shape.keys;
    bool together = piece && query + count <= piece->first_query + piece->queries &&
                    (count == 1 || piece->query_stride == keys);
    if (together && lie_ready(piece, keys)) {
        const unsigned char *bytes = find_numbers(piece, window, query, 0, count * keys);
        if ((uintptr_t)bytes % _Alignof(float) == 0) return (const float *)(const void *)bytes;
    }
    for (int row = 0; row < count; row++)
        attention_maps_read(maps, window, map, query + row, 0, keys,
                            room + (size_t)row * (size_t)keys);
    return room;
}
