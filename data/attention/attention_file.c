#include "data/attention/attention_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/array_formats.h"
#include "data/attention/attention_look.h"
#include "data/attention/attention_tokens.h"
#include "data/files/input.h"
#include "model/base/file_kind.h"

/* The state of opening a file. */
typedef struct Opening {
    AttentionFile *file;
    AttentionMaps *maps; /* owned by the trace once it is made */
    AttentionTokens tokens;
    const AttentionFileOptions *options;
    const char *name;
} Opening;

/* --- the trace's source ----------------------------------------------------------------------- */

static void source_read(const void *from, HeadId id, int query, int first, int count,
                        float *weights) {
    const AttentionMaps *maps = from;
    const Maps *site = &maps->slots[id.site];
    pthread_mutex_lock(&maps->shared->lock);
    attention_maps_read(site, &maps->shared->window, id.layer * site->shape.heads + id.head, query,
                        first, count, weights);
    pthread_mutex_unlock(&maps->shared->lock);
}

static bool source_has(const void *from, HeadId id) {
    const Maps *maps = &((const AttentionMaps *)from)->slots[id.site];
    return attention_maps_has(maps, id.layer * maps->shape.heads + id.head);
}

static void source_done(const void *from) {
    arrays_drop_pages(&((const AttentionMaps *)from)->file);
}

static void source_free(void *from) {
    attention_maps_free(from);
    free(from);
}

/* --- sites ------------------------------------------------------------------------------------ */

static bool parse_site(const Opening *opening, int *site, Error *error) {
    *site = SITE_UNKNOWN;
    if (!opening->options->site) return true;
    Site known;
    if (!site_parse(opening->options->site, &known))
        return error_usage(error, "--site %s: it takes encoder, decoder or cross",
                           opening->options->site);
    *site = (int)known;
    return true;
}

/* True if there are tokens for exactly these queries and keys. */
static bool tokens_are_cross(const AttentionTokens *tokens, TraceShape shape) {
    const TokenList *lists = tokens->lists;
    const TokenList *query = &lists[lists[TOKENS_QUERY].given ? TOKENS_QUERY : TOKENS_DECODER];
    const TokenList *key = &lists[lists[TOKENS_KEY].given ? TOKENS_KEY : TOKENS_ENCODER];
    return query->given && key->given && query->count == shape.queries && key->count == shape.keys;
}

static bool ask_for_site(const Opening *opening, TraceShape shape, Error *error) {
    const TokenList *query = &opening->tokens.lists[TOKENS_QUERY];
    const TokenList *key = &opening->tokens.lists[TOKENS_KEY];
    if (query->given && key->given && query->count == shape.keys && key->count == shape.queries &&
        !opening->options->transposed)
        return error_usage(error,
                           "%s: %d rows and %d columns, but tokens for %d queries and %d keys: the "
                           "axes are swapped; draw it with --transpose",
                           opening->name, shape.queries, shape.keys, query->count, key->count);
    return error_usage(error,
                       "%s: %d queries and %d keys: say --site cross for cross-attention, --site "
                       "decoder for the last queries of a decoder; a window of local attention is "
                       "no map of all keys and cannot be drawn",
                       opening->name, shape.queries, shape.keys);
}

/* Determines the site of maps whose names do not say it. */
static bool place_unknown(Opening *opening, Error *error) {
    Maps *unknown = &opening->maps->slots[SITE_UNKNOWN];
    int site;
    if (!parse_site(opening, &site, error)) return false;
    if (unknown->count == 0) return true;
    TraceShape shape = unknown->shape;
    if (site == SITE_UNKNOWN && shape.queries == shape.keys)
        site = unknown->causal && shape.queries > 1 ? SITE_DECODER : SITE_ENCODER;
    if (site == SITE_UNKNOWN && tokens_are_cross(&opening->tokens, shape)) site = SITE_CROSS;
    if (site == SITE_UNKNOWN && opening->tokens.first_query >= 0 && shape.queries < shape.keys)
        site = SITE_DECODER;
    if (site == SITE_UNKNOWN) return ask_for_site(opening, shape, error);
    Maps *place = &opening->maps->slots[site];
    if (place->count > 0)
        return error_usage(error, "%s: %s stands beside tensors that are named %s: name its site",
                           opening->name, unknown->pieces[0].view->name, site_name((Site)site));
    *place = *unknown;
    *unknown = (Maps){0};
    return true;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static bool check_shapes(const Opening *opening, Error *error) {
    TraceShape encoder = opening->maps->slots[SITE_ENCODER].shape;
    TraceShape decoder = opening->maps->slots[SITE_DECODER].shape;
    TraceShape cross = opening->maps->slots[SITE_CROSS].shape;
    const char *name = opening->name;
    if (encoder.queries != encoder.keys)
        return error_usage(error,
                           "%s: encoder self-attention of %d queries and %d keys: both are the "
                           "encoder's tokens; a window of local attention cannot be drawn",
                           name, encoder.queries, encoder.keys);
    if (decoder.queries > decoder.keys)
        return error_usage(error, "%s: decoder self-attention of %d queries but %d keys", name,
                           decoder.queries, decoder.keys);
    if (encoder.keys && cross.keys && encoder.keys != cross.keys)
        return error_usage(
            error,
            "%s: the encoder has %d tokens, but cross-attention %d keys: are they of "
            "one input?",
            name, encoder.keys, cross.keys);
    if (decoder.queries && cross.queries && decoder.queries != cross.queries)
        return error_usage(error,
                           "%s: the decoder has %d queries, but cross-attention %d: are they of "
                           "one output?",
                           name, decoder.queries, cross.queries);
    return true;
}

/* --- tokens ----------------------------------------------------------------------------------- */

/* Moves a list, or makes the numbers 0 to count - 1 if it is not given. */
static bool take_list(Opening *opening, TokenList *list, int count, const char *what, char ***texts,
                      Error *error) {
    if (list && list->given) {
        if (list->count != count)
            return error_usage(error,
                               "%s: %d %s, but %d tokens for them%s%s; leave the tokens out for "
                               "numbers, or save as many as there are",
                               opening->name, count, what, list->count,
                               opening->options->tokens ? " in " : "",
                               opening->options->tokens ? opening->options->tokens : "");
        *texts = list->texts;
        *list = (TokenList){0};
        return true;
    }
    *texts = calloc((size_t)count + 1, sizeof **texts);
    if (!*texts) return error_set(error, "out of memory");
    for (int i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (!((*texts)[i] = strdup(number))) return error_set(error, "out of memory");
    }
    return true;
}

/* The first given list of two, else the list of all tokens. */
static TokenList *first_given(AttentionTokens *tokens, int one, int other) {
    TokenList *lists = tokens->lists;
    return &lists[lists[one].given ? one : lists[other].given ? other : TOKENS_ALL];
}

static bool take_source(Opening *opening, Error *error) {
    AttentionFile *file = opening->file;
    AttentionTokens *tokens = &opening->tokens;
    TraceShape encoder = opening->maps->slots[SITE_ENCODER].shape;
    TraceShape cross = opening->maps->slots[SITE_CROSS].shape;
    int count = encoder.keys ? encoder.keys : cross.keys;
    if (count == 0) return true;
    bool ok = take_list(opening, first_given(tokens, TOKENS_ENCODER, TOKENS_KEY), count,
                        encoder.keys ? "encoder tokens" : "keys", &file->source, error);
    file->source_count = file->source ? count : 0;
    return ok;
}

/* The name of the file with the tokens. */
static const char *from_of(const Opening *opening) {
    return opening->options->tokens ? opening->options->tokens : opening->name;
}

static bool take_steps(Opening *opening, Error *error) {
    AttentionFile *file = opening->file;
    AttentionTokens *tokens = &opening->tokens;
    TraceShape decoder = opening->maps->slots[SITE_DECODER].shape;
    TraceShape cross = opening->maps->slots[SITE_CROSS].shape;
    int queries = decoder.keys ? decoder.queries : cross.queries;
    int count = decoder.keys ? decoder.keys : cross.queries;
    if (count == 0) return true;
    /* With `key` given, `query` are the queries; they may be the last of the decoder's keys. */
    TokenList *list = first_given(tokens, TOKENS_DECODER, decoder.keys ? TOKENS_KEY : TOKENS_QUERY);
    TokenList *written = &tokens->lists[TOKENS_WRITTEN];
    file->first_query =
        tokens->first_query >= 0 && decoder.keys ? tokens->first_query : count - queries;
    if (tokens->first_query >= 0 && !decoder.keys)
        return error_usage(error,
                           "%s: row_offset %d: it is about decoder self-attention, and there "
                           "is none",
                           from_of(opening), tokens->first_query);
    if (file->first_query + queries > count)
        return error_usage(error, "%s: row_offset %d: %d queries from there on, but %d tokens",
                           from_of(opening), file->first_query, queries, count);
    bool ok = take_list(opening, list, count, decoder.keys ? "decoder tokens" : "queries",
                        &file->reads, error);
    file->read_count = file->reads ? count : 0;
    if (!ok) return false;
    file->query_count = queries;
    return !written->given ||
           take_list(opening, written, queries, "steps of the decoder", &file->writes, error);
}

/* --- visible keys ----------------------------------------------------------------------------- */

/* An array "cross.1.2.key_len" [queries], as headscope itself writes it. */
static bool apply_key_len(const Opening *opening, const Array *view, Error *error) {
    MapName name;
    if (view->is_text || !map_name_parse(view->name, &name) || !name.key_len ||
        name.slot == SITE_UNKNOWN)
        return true;
    TraceShape shape = opening->maps->slots[name.slot].shape;
    HeadId id = {(Site)name.slot, name.layer, name.head};
    if (name.layer < 0 || name.layer >= shape.layers || name.head < 0 || name.head >= shape.heads ||
        view->rank != 1 || view->shape[0] != shape.queries)
        return error_usage(error, "%s: %s: there is no map of so many queries beside it",
                           opening->name, view->name);
    int *seen = malloc((size_t)shape.queries * sizeof *seen);
    bool good = seen || error_set(error, "%s: out of memory", opening->name);
    for (int query = 0; good && query < shape.queries; query++) {
        double count = array_number(view, query);
        if (!(count >= 0 && count <= shape.keys) || floor(count) != count)
            good = error_usage(error,
                               "%s: %s: %g for query %d: it must be a whole number from 0 to "
                               "%d, the number of keys",
                               opening->name, view->name, count, query, shape.keys);
        else
            seen[query] = (int)count;
    }
    if (good) trace_set_key_len(opening->file->trace, id, seen);
    free(seen);
    return good;
}

/* Sets the visible keys judged for the site; a decoding step sees none past its own keys. */
static bool set_seen(Trace *trace, const Maps *maps, HeadId id, Error *error) {
    int map = id.layer * maps->shape.heads + id.head;
    int first = maps->first[map], last = maps->first[map + 1] - 1;
    if (first == last) {
        trace_set_key_len(trace, id, maps->seen);
        return true;
    }
    int *seen = malloc((size_t)maps->shape.queries * sizeof *seen);
    if (!seen) return error_set(error, "out of memory");
    memcpy(seen, maps->seen, (size_t)maps->shape.queries * sizeof *seen);
    for (int i = first; i <= last; i++) {
        const Piece *piece = &maps->pieces[i];
        for (int query = piece->first_query; query < piece->first_query + piece->queries; query++)
            if (piece->keys < seen[query]) seen[query] = piece->keys;
    }
    trace_set_key_len(trace, id, seen);
    free(seen);
    return true;
}

static bool apply_seen(const Opening *opening, Error *error) {
    Trace *trace = opening->file->trace;
    if (!attention_lens_apply(opening->maps, opening->tokens.lens, error))
        return error_prefix(error, "%s", opening->name);
    for (int site = 0; site < SITE_COUNT; site++) {
        Maps *maps = &opening->maps->slots[site];
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++) {
            HeadId id = {(Site)site, map / maps->shape.heads, map % maps->shape.heads};
            if (source_has(opening->maps, id) && !set_seen(trace, maps, id, error)) return false;
        }
    }
    const Arrays *arrays = &opening->maps->file;
    bool good = true;
    for (int i = 0; good && i < arrays->count; i++)
        good = apply_key_len(opening, &arrays->arrays[i], error);
    return good;
}

/* True if the pyramid of a map, built from all its cells, also holds for the visible cells: the
 * masked ones are zeros beside numbers. */
static bool may_lend(const Maps *maps, const Trace *trace, HeadId id) {
    int map = id.layer * maps->shape.heads + id.head;
    if (maps->narrowed || maps->first[map] + 1 != maps->first[map + 1]) return false;
    for (int query = 0; query < maps->shape.queries; query++)
        if (trace_key_len(trace, id, query) < maps->seen[query]) return false;
    return maps->findings[map].numbers || !trace_shows(trace, id, CELL_MASKED);
}

static void lend_blocks(const Opening *opening) {
    Trace *trace = opening->file->trace;
    for (int site = 0; site < SITE_COUNT; site++) {
        Maps *maps = &opening->maps->slots[site];
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++) {
            HeadId id = {(Site)site, map / maps->shape.heads, map % maps->shape.heads};
            if (may_lend(maps, trace, id)) map_blocks_lend(&maps->blocks, trace, id);
        }
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool make_trace(Opening *opening, Error *error) {
    TraceShape shapes[SITE_COUNT];
    for (int site = 0; site < SITE_COUNT; site++)
        shapes[site] = opening->maps->slots[site].shape;
    TraceSource source = {opening->maps, source_read, source_has, source_done, source_free};
    opening->file->trace = trace_over(shapes, &source, error);
    return opening->file->trace != NULL;
}

static void note_missing(const Opening *opening) {
    for (int site = 0; site < SITE_COUNT; site++) {
        const Maps *maps = &opening->maps->slots[site];
        for (int map = 0; map < maps->shape.layers * maps->shape.heads; map++)
            if (!attention_maps_has(maps, map)) {
                attention_note(opening->file->note, sizeof opening->file->note,
                               "%s has no layer %d head %d: drawn as missing",
                               site_name((Site)site), map / maps->shape.heads,
                               map % maps->shape.heads);
                return;
            }
    }
}

static bool judge(Opening *opening, Error *error) {
    bool good = true;
    for (int slot = 0; good && slot < MAP_SLOTS; slot++)
        if (opening->maps->slots[slot].count > 0)
            good = attention_look(&opening->maps->slots[slot], &opening->maps->file, error);
    arrays_drop_pages(&opening->maps->file);
    return good;
}

static bool open_maps(Opening *opening, Error *error) {
    AttentionFile *file = opening->file;
    MapsRequest request = {opening->options->example, opening->options->transposed};
    if (!attention_tokens_read(&opening->tokens, &opening->maps->file, opening->name,
                               opening->options->tokens, error) ||
        !attention_maps_make(opening->maps, opening->name, &request, file->note, sizeof file->note,
                             error) ||
        !judge(opening, error) || !place_unknown(opening, error) || !check_shapes(opening, error) ||
        !take_source(opening, error) || !take_steps(opening, error) ||
        !make_trace(opening, error) || !apply_seen(opening, error))
        return false;
    lend_blocks(opening);
    note_missing(opening);
    attention_look_note_sums(opening->maps, file->trace, file->note, sizeof file->note);
    return true;
}

static bool share_window(AttentionMaps *maps) {
    maps->shared = calloc(1, sizeof *maps->shared);
    if (!maps->shared) return false;
    maps->shared->window.file = &maps->file;
    pthread_mutex_init(&maps->shared->lock, NULL);
    return true;
}

static bool open_views(AttentionFile *file, AttentionMaps *maps, const char *name,
                       const AttentionFileOptions *options, Error *error) {
    Opening opening = {.file = file, .maps = maps, .options = options, .name = name};
    bool good = share_window(maps) || error_set(error, "%s: out of memory", name);
    good = good && open_maps(&opening, error);
    attention_tokens_free(&opening.tokens);
    if (good) return true;
    if (!file->trace) source_free(maps);
    attention_file_free(file);
    return false;
}

bool attention_file_open(AttentionFile *file, const char *path, const AttentionFileOptions *options,
                         Error *error) {
    *file = (AttentionFile){0};
    AttentionMaps *maps = calloc(1, sizeof *maps);
    if (!maps) return error_set(error, "%s: out of memory", path);
    if (arrays_map(&maps->file, path, error)) return open_views(file, maps, path, options, error);
    free(maps);
    return false;
}

bool attention_file_from_bytes(AttentionFile *file, const char *name, const void *bytes,
                               size_t size, const AttentionFileOptions *options, Error *error) {
    *file = (AttentionFile){0};
    AttentionMaps *maps = calloc(1, sizeof *maps);
    if (!maps) return error_set(error, "%s: out of memory", name);
    if (arrays_over(&maps->file, name, bytes, size, error))
        return open_views(file, maps, name, options, error);
    free(maps);
    return false;
}

static void free_texts(char **texts, int count) {
    for (int i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

void attention_file_free(AttentionFile *file) {
    trace_free(file->trace);
    free_texts(file->source, file->source_count);
    free_texts(file->reads, file->read_count);
    free_texts(file->writes, file->query_count);
    *file = (AttentionFile){0};
}

/* Decides by the names of the arrays and texts whether the file is attention or a model. */
static bool judge_names(const Arrays *arrays, const char *path, bool *is_attention, Error *error) {
    int named = 0, others = 0, alone = 0;
    const char *format = arrays_find_text(arrays, "format");
    *is_attention = false;
    if (format && strncmp(format, "headscope-", 10) == 0) return true;
    for (int i = 0; i < arrays->count; i++) {
        MapName name;
        if (arrays->arrays[i].is_text) continue;
        named += map_name_parse(arrays->arrays[i].name, &name);
        if (array_name_beside_maps(arrays->arrays[i].name)) continue;
        others++;
        alone = i;
    }
    *is_attention = named > 0 || others == 0 || (others == 1 && arrays->arrays[alone].rank >= 2);
    return *is_attention ||
           error_usage(error,
                       "%s: neither a headscope model, whose metadata has format and config, nor "
                       "attention by the names of its tensors (docs/files.md has both)",
                       path);
}

bool attention_file_judge(const char *path, bool *is_attention, Error *error) {
    unsigned char begin[FILE_KIND_BYTES];
    size_t size;
    *is_attention = false;
    if (!input_begin(begin, &size, path, sizeof begin, error)) return false;
    const ArrayFormat *format = array_format_of(path, begin, size, NULL);
    if (!format)
        return error_set(error,
                         "%s: is %s, and neither a model (.safetensors) nor attention (.npz, .npy "
                         "or .safetensors)",
                         path, file_kind_words(begin, size));
    if (format != &array_format_safetensors) return *is_attention = true;
    Arrays arrays;
    if (!arrays_map(&arrays, path, error)) return false;
    bool good = judge_names(&arrays, path, is_attention, error);
    arrays_close(&arrays);
    return good;
}
