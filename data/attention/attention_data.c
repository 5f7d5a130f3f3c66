#include "data/attention/attention_data.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/arrays/npz_save.h"
#include "data/attention/array_names.h"
#include "data/files/output.h"
#include "model/base/pool.h"

typedef enum DataFormat {
    DATA_CSV,
    DATA_JSON,
    DATA_NPZ,
    DATA_SAFETENSORS,
    DATA_FORMATS
} DataFormat;

static const char *const endings[DATA_FORMATS] = {".csv", ".json", ".npz", ".safetensors"};

static bool format_of_path(const char *path, DataFormat *format) {
    size_t length = strlen(path);
    for (int i = 0; i < DATA_FORMATS; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(path + length - ending, endings[i]) == 0) {
            *format = (DataFormat)i;
            return true;
        }
    }
    return false;
}

bool attention_data_check_path(const char *path, Error *error) {
    DataFormat format;
    return format_of_path(path, &format) ||
           error_usage(error, "%s: end the name in .csv, .json, .npz or .safetensors", path);
}

static const char *const *queries_of(const AttentionData *data, Site site) {
    return site == SITE_ENCODER ? data->source : data->reads + data->first_query;
}

static const char *const *keys_of(const AttentionData *data, Site site) {
    return site == SITE_DECODER ? data->reads : data->source;
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* Quoted as RFC 4180 says, always: a token may be a comma or a quote. */
static void put_quoted(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void put_csv_map(FILE *stream, const AttentionData *data, HeadId id) {
    TraceShape shape = trace_shape(data->trace, id.site);
    for (int query = 0; query < shape.queries; query++)
        for (int key = 0; key < shape.keys; key++) {
            CellState state;
            float weight = trace_cell(data->trace, id, query, key, &state);
            fprintf(stream, "%s,%d,%d,%d,%d,", site_name(id.site), id.layer, id.head, query, key);
            put_quoted(stream, queries_of(data, id.site)[query]);
            fputc(',', stream);
            put_quoted(stream, id.site == SITE_ENCODER || !data->writes ? "" : data->writes[query]);
            fputc(',', stream);
            put_quoted(stream, keys_of(data, id.site)[key]);
            if (isnan(weight)) /* whose sign printf would write, and which means nothing */
                fputs(",nan", stream);
            else
                fprintf(stream, ",%.9g", (double)weight);
            fprintf(stream, ",%d\n", state == CELL_MASKED);
        }
}

static bool save_csv(const AttentionData *data, const char *path, Error *error) {
    Output output;
    if (!output_begin(&output, path, error)) return false;
    fputs("site,layer,head,query,key,query_token,writes,key_token,weight,masked\n", output.stream);
    for (int i = 0; i < data->head_count; i++)
        put_csv_map(output.stream, data, data->heads[i]);
    return output_commit(&output, error);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* An empty list where there are none, whose `texts` may be NULL. */
static cJSON *json_texts(const char *const *texts, int count) {
    return count ? cJSON_CreateStringArray(texts, count) : cJSON_CreateArray();
}

/* One row: numbers where the query sees the key, null where it does not. Written by hand, since
 * cJSON prints 17 digits and 9 give each float back. */
static cJSON *json_row(const AttentionData *data, HeadId id, int query) {
    int keys = trace_shape(data->trace, id.site).keys;
    char *text = malloc(24 * (size_t)keys + 3);
    if (!text) return NULL;
    size_t used = 0;
    text[used++] = '[';
    for (int key = 0; key < keys; key++) {
        CellState state;
        float weight = trace_cell(data->trace, id, query, key, &state);
        const char *comma = key ? "," : "";
        used += (size_t)(state == CELL_VALUE ? sprintf(text + used, "%s%.9g", comma, (double)weight)
                                             : sprintf(text + used, "%snull", comma));
    }
    text[used++] = ']';
    text[used] = '\0';
    cJSON *row = cJSON_CreateRaw(text);
    free(text);
    return row;
}

static void add_json_head(cJSON *heads, const AttentionData *data, HeadId id) {
    cJSON *head = cJSON_CreateObject();
    cJSON_AddStringToObject(head, "site", site_name(id.site));
    cJSON_AddNumberToObject(head, "layer", id.layer);
    cJSON_AddNumberToObject(head, "head", id.head);
    cJSON *weights = cJSON_AddArrayToObject(head, "weights");
    for (int query = 0; query < trace_shape(data->trace, id.site).queries; query++)
        cJSON_AddItemToArray(weights, json_row(data, id, query));
    cJSON_AddItemToArray(heads, head);
}

/* A file of another program may lack a site. */
static int source_count(const AttentionData *data) {
    int keys = trace_shape(data->trace, SITE_ENCODER).keys;
    return keys ? keys : trace_shape(data->trace, SITE_CROSS).keys;
}

static int step_count(const AttentionData *data) {
    int keys = trace_shape(data->trace, SITE_DECODER).keys;
    return keys ? keys : trace_shape(data->trace, SITE_CROSS).queries;
}

static int write_count(const AttentionData *data) {
    int queries = trace_shape(data->trace, SITE_DECODER).queries;
    if (!data->writes) return 0;
    return queries ? queries : trace_shape(data->trace, SITE_CROSS).queries;
}

static bool save_json(const AttentionData *data, const char *path, Error *error) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, array_name_of(ROLE_ENCODER_TOKENS),
                          json_texts(data->source, source_count(data)));
    cJSON_AddItemToObject(root, array_name_of(ROLE_DECODER_TOKENS),
                          json_texts(data->reads, step_count(data)));
    cJSON_AddItemToObject(root, array_name_of(ROLE_WRITTEN_TOKENS),
                          json_texts(data->writes, write_count(data)));
    cJSON *heads = cJSON_AddArrayToObject(root, "heads");
    for (int i = 0; i < data->head_count; i++)
        add_json_head(heads, data, data->heads[i]);
    char *text = root ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    if (!text) return error_set(error, "%s: out of memory", path);
    bool saved = output_write(path, text, strlen(text), error);
    cJSON_free(text);
    return saved;
}

/* --- npz and safetensors: the same arrays ----------------------------------------------------- */

/* Adds "cross.1.2" [Tq,Tk], masked cells 0, and "cross.1.2.key_len" [Tq] at `tensors`; their names
 * and numbers are in the pool. */
static bool add_head(Tensor tensors[2], Pool *pool, const AttentionData *data, HeadId id) {
    TraceShape shape = trace_shape(data->trace, id.site);
    size_t queries = (size_t)shape.queries, keys = (size_t)shape.keys;
    float *weights = pool_take(pool, (queries * keys + 1) * sizeof *weights);
    int32_t *key_len = pool_take(pool, (queries + 1) * sizeof *key_len);
    const char *name = pool_format(pool, "%s.%d.%d", site_name(id.site), id.layer, id.head);
    if (!weights || !key_len) return false;
    for (int query = 0; query < shape.queries; query++) {
        key_len[query] = trace_key_len(data->trace, id, query);
        trace_cells(data->trace, id, query, 0, shape.keys, weights + (size_t)query * keys);
    }
    tensors[0] = (Tensor){name, TENSOR_F32, 2, {shape.queries, shape.keys}, weights};
    tensors[1] =
        (Tensor){pool_format(pool, "%s.key_len", name), TENSOR_I32, 1, {shape.queries}, key_len};
    return !pool->failed;
}

static char *texts_json(const char *const *texts, int count) {
    cJSON *list = json_texts(texts, count);
    char *text = list ? cJSON_PrintUnformatted(list) : NULL;
    cJSON_Delete(list);
    return text;
}

static bool save_arrays(const AttentionData *data, DataFormat format, const char *path,
                        Error *error) {
    Pool pool = {0};
    int count = 2 * data->head_count;
    Tensor *tensors = pool_take(&pool, ((size_t)count + 1) * sizeof *tensors);
    bool good = tensors != NULL;
    for (int i = 0; good && i < data->head_count; i++)
        good = add_head(tensors + 2 * i, &pool, data, data->heads[i]);
    char *source = texts_json(data->source, source_count(data));
    char *reads = texts_json(data->reads, step_count(data));
    char *writes = texts_json(data->writes, write_count(data));
    if (good && source && reads && writes) {
        const TensorText texts[] = {{array_name_of(ROLE_ENCODER_TOKENS), source},
                                    {array_name_of(ROLE_DECODER_TOKENS), reads},
                                    {array_name_of(ROLE_WRITTEN_TOKENS), writes}};
        good = format == DATA_NPZ ? npz_save(path, tensors, count, texts, 3, error)
                                  : safetensors_save(path, tensors, count, texts, 3, error);
    } else {
        good = error_set(error, "%s: out of memory", path);
    }
    cJSON_free(source);
    cJSON_free(reads);
    cJSON_free(writes);
    pool_free(&pool);
    return good;
}

bool attention_data_save(const AttentionData *data, const char *path, Error *error) {
    DataFormat format;
    if (!attention_data_check_path(path, error) || !format_of_path(path, &format)) return false;
    if (format == DATA_CSV) return save_csv(data, path, error);
    if (format == DATA_JSON) return save_json(data, path, error);
    return save_arrays(data, format, path, error);
}
