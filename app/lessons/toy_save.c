#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/lessons/toy.h"
#include "data/arrays/npz_save.h"
#include "data/attention/array_names.h"

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcasecmp(path + length - size, ending) == 0;
}

bool toy_check_path(const char *path, Error *error) {
    return ends_in(path, ".npz") || ends_in(path, ".safetensors") ||
           error_usage(error, "%s: end the name in .npz or .safetensors", path);
}

/* Every part, valid lengths, heads, causal. */
enum { TENSORS = TOY_PARTS + 3 };

typedef struct ToyFile {
    Tensor tensors[TENSORS];
    int count;
    int64_t lens[TOY_BATCH], heads, causal;
} ToyFile;

static bool add_part(ToyFile *file, Toy *toy, Pool *pool, DumpPart part) {
    const double *numbers = *toy_part(&toy->call, part);
    if (!numbers || (part == DUMP_X_KEY_VALUE && toy->site != SITE_CROSS)) return true;
    Tensor *tensor = &file->tensors[file->count++];
    *tensor = (Tensor){.name = dump_part_name(part), .type = TENSOR_F32};
    tensor->rank = toy_part_shape(tensor->shape, toy, part);
    int64_t count = tensor_count(tensor);
    float *floats = pool_take(pool, (size_t)count * sizeof *floats);
    if (!floats) return false;
    /* In columns, [N,W] is written as [W,N]. */
    bool transposed = toy->columns && part <= DUMP_X_KEY_VALUE;
    int64_t rows = transposed ? tensor->shape[0] : 1, columns = count / rows;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            floats[r * columns + c] = (float)numbers[transposed ? c * rows + r : c];
    tensor->bytes = floats;
    return true;
}

static bool gather(ToyFile *file, Toy *toy, Pool *pool) {
    const AcceptanceCall *call = &toy->call;
    for (int part = 0; part < TOY_PARTS; part++)
        if (!add_part(file, toy, pool, (DumpPart)part)) return false;
    for (int b = 0; call->mask.valid_lens && b < call->sizes.batch; b++)
        file->lens[b] = call->mask.valid_lens[b];
    if (call->mask.valid_lens)
        file->tensors[file->count++] =
            (Tensor){array_name_of(ROLE_LENS), TENSOR_I64, 1, {call->sizes.batch}, file->lens};
    file->heads = call->sizes.heads;
    file->causal = call->mask.causal;
    file->tensors[file->count++] =
        (Tensor){array_name_of(ROLE_HEADS), TENSOR_I64, 0, {0}, &file->heads};
    file->tensors[file->count++] =
        (Tensor){array_name_of(ROLE_CAUSAL), TENSOR_I64, 0, {0}, &file->causal};
    return true;
}

bool toy_save(Toy *toy, const char *path, Error *error) {
    if (!toy_check_path(path, error)) return false;
    Pool pool = {0};
    ToyFile file = {0};
    static const char *const sites[] = {"self", "decoder", "cross"};
    TensorText text[] = {{array_name_of(ROLE_SITE), sites[toy->site]},
                         {array_name_of(ROLE_LAYOUT), toy->columns ? "columns" : "rows"}};
    bool good = gather(&file, toy, &pool) || error_set(error, "%s: out of memory", path);
    if (good && ends_in(path, ".npz"))
        good = npz_save(path, file.tensors, file.count, text, 2, error);
    else if (good)
        good = safetensors_save(path, file.tensors, file.count, text, 2, error);
    pool_free(&pool);
    return good;
}

const char *toy_listing(Toy *toy) {
    Pool *pool = &toy->pool;
    const AcceptanceCall *call = &toy->call;
    const char *text = "";
    for (int part = 0; part < TOY_PARTS; part++) {
        int64_t shape[3];
        if (!*toy_part(&toy->call, (DumpPart)part)) continue;
        if (part == DUMP_X_KEY_VALUE && toy->site != SITE_CROSS) continue;
        int rank = toy_part_shape(shape, toy, (DumpPart)part);
        text = pool_format(pool, "%s  %-12s (", text, dump_part_name((DumpPart)part));
        for (int i = 0; i < rank; i++)
            text = pool_format(pool, "%s%s%lld", text, i ? ", " : "", (long long)shape[i]);
        text = pool_format(pool, "%s%s)\n", text, rank == 1 ? "," : "");
    }
    for (int b = 0; call->mask.valid_lens && b < call->sizes.batch; b++)
        text = pool_format(pool, "%s%s%d%s", text, b ? ", " : "  valid_lens   [",
                           call->mask.valid_lens[b], b + 1 == call->sizes.batch ? "]\n" : "");
    return pool_format(pool, "%s  heads        %d\n  causal       %s\n", text, call->sizes.heads,
                       call->mask.causal ? "yes" : "no");
}
