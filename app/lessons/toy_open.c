#include <math.h>
#include <string.h>

#include "app/lessons/toy.h"
#include "data/arrays/arrays.h"
#include "data/attention/array_names.h"

/* Limits: a larger file is a mistake, or would take minutes. */
enum { MAX_NUMBERS = 1 << 24, MAX_WIDTH = 2048, MAX_WEIGHTS = 1 << 22, MAX_ROWS = 1 << 14 };

/* The state of toy_open. */
typedef struct ToyReader {
    const char *path;
    Arrays arrays;
    Toy *toy;
    Error *error;
} ToyReader;

static bool wrong_shape(const ToyReader *reader, const Array *array, const char *wanted) {
    char shape[SHAPE_TEXT];
    array_shape_text(array, shape);
    return error_set(reader->error, "%s: %s is %s, not %s", reader->path, array->name, shape,
                     wanted);
}

/* Finds an array of finite numbers. NULL and *good if the file does not have it. */
static const Array *find(const ToyReader *reader, const char *name, bool *good) {
    const Array *array = arrays_find(&reader->arrays, name);
    *good = true;
    if (!array) return NULL;
    *good = array->numbers != NULL ||
            error_set(reader->error, "%s: %s holds text, not numbers", reader->path, name);
    for (int64_t i = 0; *good && i < array->count; i++)
        if (!isfinite(array->numbers[i]))
            *good =
                error_set(reader->error, "%s: %s holds a NaN or an infinity", reader->path, name);
    return *good ? array : NULL;
}

/* The same; a missing array is an error. */
static const Array *need(const ToyReader *reader, const char *name) {
    bool good;
    const Array *array = find(reader, name, &good);
    if (!array && good)
        error_set(reader->error,
                  "%s: there is no %s; `headscope toy` writes files that hold all of a call",
                  reader->path, name);
    return array;
}

/* Reads an integer, or text of one; leaves *value if the file does not have it. */
static bool read_whole(const ToyReader *reader, const char *name, int min, int max, int *value) {
    const Array *array = arrays_find(&reader->arrays, name);
    return !array || array_whole_number(array, min, max, value) ||
           error_set(reader->error, "%s: %s must be one whole number from %d to %d", reader->path,
                     name, min, max);
}

/* The sizes of a source: [B,steps,W], in columns [W,steps], else also [steps,W] of one example. */
static bool read_source(ToyReader *reader, const Array *array, int64_t *batch, int64_t *steps,
                        int64_t *width) {
    bool columns = reader->toy->columns;
    if (array->rank != 2 && (columns || array->rank != 3))
        return wrong_shape(reader, array, columns ? "(width, steps)" : "(batch, steps, width)");
    const int64_t *last = array->shape + array->rank - 2;
    *batch = array->rank == 3 ? array->shape[0] : 1;
    *steps = last[columns ? 1 : 0];
    *width = last[columns ? 0 : 1];
    if (*width < 1 || *width > MAX_WIDTH || *steps < 1 || *batch < 1)
        return wrong_shape(reader, array, "of a size that can be tried (width up to 2048)");
    return *batch * *steps <= MAX_ROWS ||
           wrong_shape(reader, array, "of a size that can be tried (up to 16384 steps in all)");
}

static bool read_sizes(ToyReader *reader) {
    int64_t batch, steps, width, key_batch, keys, key_width;
    int heads = 0;
    const Array *query = need(reader, dump_part_name(DUMP_X_QUERY));
    if (!query || !read_source(reader, query, &batch, &steps, &width)) return false;
    bool good;
    const Array *key_value = find(reader, dump_part_name(DUMP_X_KEY_VALUE), &good);
    if (!good) return false;
    key_batch = batch;
    keys = steps;
    key_width = width;
    if (key_value && !read_source(reader, key_value, &key_batch, &keys, &key_width)) return false;
    if (key_batch != batch || key_width != width)
        return wrong_shape(reader, key_value, "of the batch and width of x_query");
    if (!read_whole(reader, array_name_of(ROLE_HEADS), 1, MAX_WIDTH, &heads)) return false;
    if (heads == 0) return error_set(reader->error, "%s: there are no heads", reader->path);
    if (width % heads != 0)
        return error_set(reader->error, "%s: %d heads do not divide the width %lld", reader->path,
                         heads, (long long)width);
    if (batch * heads * steps * keys > MAX_WEIGHTS)
        return wrong_shape(reader, query, "of a size that can be tried");
    reader->toy->site = key_value ? SITE_CROSS : SITE_ENCODER;
    reader->toy->call.sizes =
        (AttentionSizes){(int)batch, heads, (int)steps, (int)keys, (int)width / heads};
    return true;
}

/* Copies a source, projection or bias after checking its shape. */
static bool read_part(ToyReader *reader, DumpPart part) {
    Toy *toy = reader->toy;
    const char *name = dump_part_name(part);
    bool good = true, must = part >= DUMP_W_Q && part <= DUMP_W_O;
    const Array *array = must ? need(reader, name) : find(reader, name, &good);
    if (!array) return !must && good;
    int64_t shape[3], count = 1;
    int rank = toy_part_shape(shape, toy, part);
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    bool fits = array->count == count;
    for (int i = 0; part >= DUMP_W_Q && i < rank; i++)
        fits = fits && array->rank == rank && array->shape[i] == shape[i];
    if (!fits)
        return wrong_shape(reader, array,
                           rank == 1 ? "(width,)" : "(width, width) of x_query's width");
    double *numbers = pool_take(&toy->pool, (size_t)count * sizeof *numbers);
    if (!numbers) return error_set(reader->error, "%s: out of memory", reader->path);
    bool transposed = toy->columns && part <= DUMP_X_KEY_VALUE;
    int64_t rows = transposed ? shape[0] : 1, columns = count / rows;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            numbers[transposed ? c * rows + r : c] = array->numbers[r * columns + c];
    *toy_part(&toy->call, part) = numbers;
    return true;
}

static bool read_lens(ToyReader *reader) {
    AttentionSizes n = reader->toy->call.sizes;
    MaskSource *mask = &reader->toy->call.mask;
    bool good;
    const Array *array = find(reader, array_name_of(ROLE_LENS), &good);
    if (!array) return good;
    mask->per_query = array->rank == 2;
    bool fits = (array->rank == 1 || array->rank == 2) && array->shape[0] == n.batch;
    if (!fits || (mask->per_query && array->shape[1] != n.queries))
        return wrong_shape(reader, array, "(batch,) or (batch, queries)");
    int *lens = pool_take(&reader->toy->pool, (size_t)array->count * sizeof *lens);
    if (!lens) return error_set(reader->error, "%s: out of memory", reader->path);
    for (int64_t i = 0; i < array->count; i++) {
        double len = array->numbers[i];
        if (len < 0 || len > n.keys || len != floor(len))
            return error_set(reader->error, "%s: valid_lens holds %g; they go from 0 to %d keys",
                             reader->path, len, n.keys);
        lens[i] = (int)len;
    }
    mask->valid_lens = lens;
    return true;
}

static bool read_toy(ToyReader *reader) {
    Toy *toy = reader->toy;
    const Array *layout = arrays_find(&reader->arrays, array_name_of(ROLE_LAYOUT));
    int causal = 0;
    toy->columns = layout && layout->text && strcmp(layout->text, "columns") == 0;
    if (!read_sizes(reader) || !read_whole(reader, array_name_of(ROLE_CAUSAL), 0, 1, &causal))
        return false;
    for (int part = 0; part < TOY_PARTS; part++)
        if (!read_part(reader, (DumpPart)part)) return false;
    toy->call.mask.causal = causal;
    if (toy->site == SITE_ENCODER) {
        toy->call.x_key_value = toy->call.x_query;
        if (causal) toy->site = SITE_DECODER;
    }
    return read_lens(reader);
}

bool toy_open(Toy *toy, const char *path, Error *error) {
    *toy = (Toy){0};
    ToyReader reader = {.path = path, .toy = toy, .error = error};
    if (!arrays_open(&reader.arrays, path, MAX_NUMBERS, error)) return false;
    bool good = read_toy(&reader);
    arrays_close(&reader.arrays);
    toy->name = pool_copy(&toy->pool, path);
    if (good && toy->pool.failed) good = error_set(error, "%s: out of memory", path);
    if (!good) toy_free(toy);
    return good;
}
