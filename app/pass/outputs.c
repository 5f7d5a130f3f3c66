#include "app/pass/outputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/team.h"

enum {
    CHUNK = 32
}; /* sources that one job decodes together; fixed, so that threads do not matter */

typedef struct Work {
    const Model *model;
    const char *const *sources;
    Decoded *out;
    int count, beam;
    Error *errors; /* [chunks] */
    bool *failed;  /* [chunks] */
} Work;

static bool decode_best(Decoded *out, const Work *work, Workspace *workspace, const Batch *batch,
                        Error *error) {
    const Model *model = work->model;
    Decoded *found = calloc((size_t)work->beam, sizeof *found);
    if (!found) return error_set(error, "out of memory for a beam of %d", work->beam);
    int count;
    bool done = decode_beam(found, work->beam, &count, workspace, &model->config, &model->params,
                            batch, error);
    if (done) {
        *out = found[0];
        decoded_free(found + 1, work->beam - 1);
    }
    free(found);
    return done;
}

static void decode_chunk(void *context, int worker, int index) {
    (void)worker;
    Work *work = context;
    const Model *model = work->model;
    int first = index * CHUNK;
    int size = work->count - first < CHUNK ? work->count - first : CHUNK;
    Workspace workspace = {0};
    Batch batch = {0};
    Error *error = &work->errors[index];
    int step = work->beam > 1 ? 1 : size;
    bool good = true;
    for (int i = 0; good && i < size; i += step) {
        Decoded *out = work->out + first + i;
        good = sources_to_batch(&batch, work->sources + first + i, step, &model->config,
                                &model->source_vocab, error);
        if (!good) break;
        good = work->beam > 1
                   ? decode_best(out, work, &workspace, &batch, error)
                   : decode_greedy(out, &workspace, &model->config, &model->params, &batch, error);
    }
    work->failed[index] = !good;
    batch_free(&batch);
    workspace_free(&workspace);
}

bool outputs_make(Decoded *out, const Model *model, const char *const *sources, int count, int beam,
                  int threads, Error *error) {
    int chunks = (count + CHUNK - 1) / CHUNK;
    memset(out, 0, (size_t)count * sizeof *out);
    Work work = {.model = model, .sources = sources, .out = out, .count = count, .beam = beam};
    work.errors = calloc((size_t)chunks + 1, sizeof *work.errors);
    work.failed = calloc((size_t)chunks + 1, sizeof *work.failed);
    Team *team = team_make(threads < chunks ? threads : chunks > 0 ? chunks : 1, error);
    bool good = team && work.errors && work.failed;
    if (team && !good) error_set(error, "out of memory for %d inputs", count);
    if (good) team_run(team, decode_chunk, &work, chunks);
    for (int i = 0; good && i < chunks; i++)
        if (work.failed[i]) {
            good = false;
            if (error) *error = work.errors[i];
        }
    if (!good) decoded_free(out, count);
    team_free(team);
    free(work.errors);
    free(work.failed);
    return good;
}

int outputs_not_numbers(const Decoded *out, int count) {
    int found = 0;
    for (int i = 0; i < count; i++) {
        bool odd = false;
        for (int t = 0; t < out[i].length; t++)
            odd = odd || isnan(out[i].log_probs[t]);
        found += odd;
    }
    return found;
}

static bool score_one(Score *score, const Decoded *decoded, const char *target, const Model *model,
                      Error *error) {
    const Config *config = &model->config;
    int *ids = malloc((size_t)config->max_target * sizeof *ids);
    if (!ids) return error_set(error, "out of memory");
    int length = vocab_encode(&model->target_vocab, target, ids, config->max_target - 1, error);
    if (length >= 0) {
        ids[length++] = config->end_id;
        int right = 0;
        for (int i = 0; i < length && i < decoded->length; i++)
            right += decoded->tokens[i] == ids[i];
        score->examples++;
        score->exact += right == length && decoded->length == length;
        score->tokens += length;
        score->right_tokens += right;
    }
    free(ids);
    return length >= 0;
}

bool outputs_score(Score *score, const Model *model, const TaskExample *examples, int count,
                   int threads, Error *error) {
    *score = (Score){0};
    const char **sources = calloc((size_t)count + 1, sizeof *sources);
    Decoded *decoded = calloc((size_t)count + 1, sizeof *decoded);
    bool good = sources && decoded;
    if (!good) error_set(error, "out of memory for %d examples", count);
    for (int i = 0; good && i < count; i++)
        sources[i] = examples[i].source;
    good = good && outputs_make(decoded, model, sources, count, 1, threads, error);
    for (int i = 0; good && i < count; i++)
        good = score_one(score, &decoded[i], examples[i].target, model, error);
    if (good) score->not_numbers = outputs_not_numbers(decoded, count);
    if (decoded) decoded_free(decoded, count);
    free(decoded);
    free(sources);
    return good;
}

TaskExample *outputs_held_out(const Model *model, const char *path, const char *instead, int count,
                              int *found, Error *error) {
    const Task *task = task_find(model->task);
    if (!task) {
        error_usage(error,
                    "%s: was trained on no task of headscope's, so there are no held-out examples; "
                    "%s",
                    path, instead);
        return NULL;
    }
    TaskExample *examples = examples_held_out(task, count, found, error);
    if (examples && *found < count)
        fprintf(stderr, "headscope: %s has only %d held-out examples\n", task->name, *found);
    return examples;
}
