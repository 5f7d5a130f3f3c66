#include "app/pass/texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/minmax.h"
#include "model/base/thread.h"

bool texts_forward(Workspace *workspace, const Config *config, const Params *params,
                   const Batch *batch, ForwardOptions options, Error *error) {
    if (!workspace_fit(workspace, config, batch->size, batch->source_len, batch->target_len, false,
                       error) ||
        !workspace_fit_mistakes(workspace, options.mistakes, error))
        return false;
    transformer_forward(workspace, params, batch, options);
    return true;
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct Share {
    TextsJob *job;
    void *context;
    int count, size;
    Error *errors; /* [chunks] */
    bool *failed;  /* [chunks] */
} Share;

static void run_chunk(void *context, int worker, int index) {
    (void)worker;
    Share *share = context;
    int first = index * share->size, left = share->count - first;
    share->failed[index] =
        !share->job(share->context, first, int_min(left, share->size), &share->errors[index]);
}

bool texts_share(int count, int size, int threads, TextsJob *job, void *context, Error *error) {
    int chunks = (count + size - 1) / size;
    Share share = {.job = job, .context = context, .count = count, .size = size};
    share.errors = calloc((size_t)chunks + 1, sizeof *share.errors);
    share.failed = calloc((size_t)chunks + 1, sizeof *share.failed);
    Team *team = team_make(int_max(int_min(threads, chunks), 1), error);
    bool good = team && share.errors && share.failed;
    if (team && !good) error_set(error, "out of memory for %d texts", count);
    if (good) team_run(team, run_chunk, &share, chunks);
    for (int i = 0; good && i < chunks; i++) {
        if (!share.failed[i]) continue;
        good = false;
        if (error) *error = share.errors[i];
    }
    team_free(team);
    free(share.errors);
    free(share.failed);
    return good;
}

/* --- outputs ---------------------------------------------------------------------------------- */

enum { DECODED_TOGETHER = 32 };

typedef struct DecodeJob {
    const Model *model;
    const char *const *sources;
    Decoded *out;
    int beam;
} DecodeJob;

static bool decode_best(Decoded *out, const DecodeJob *job, Workspace *workspace,
                        const Batch *batch, Error *error) {
    const Model *model = job->model;
    Decoded *found = calloc((size_t)job->beam, sizeof *found);
    if (!found) return error_set(error, "out of memory for a beam of %d", job->beam);
    int count;
    bool done = decode_beam(found, job->beam, &count, workspace, &model->config, &model->params,
                            batch, error);
    if (done) {
        *out = found[0];
        decoded_free(found + 1, job->beam - 1);
    }
    free(found);
    return done;
}

/* Beam search decodes one source at a time. */
static bool decode_chunk(void *context, int first, int count, Error *error) {
    const DecodeJob *job = context;
    const Model *model = job->model;
    Workspace workspace = {0};
    Batch batch = {0};
    int step = job->beam > 1 ? 1 : count;
    bool good = true;
    for (int i = first; good && i < first + count; i += step) {
        good = sources_to_batch(&batch, job->sources + i, step, &model->config,
                                &model->source_vocab, error) &&
               (job->beam > 1 ? decode_best(job->out + i, job, &workspace, &batch, error)
                              : decode_greedy(job->out + i, &workspace, &model->config,
                                              &model->params, &batch, error));
    }
    batch_free(&batch);
    workspace_free(&workspace);
    return good;
}

bool texts_decode(Decoded *out, const Model *model, const char *const *sources, int count, int beam,
                  int threads, Error *error) {
    memset(out, 0, (size_t)count * sizeof *out);
    DecodeJob job = {.model = model, .sources = sources, .out = out, .beam = beam};
    if (texts_share(count, DECODED_TOGETHER, threads, decode_chunk, &job, error)) return true;
    decoded_free(out, count);
    return false;
}

int texts_not_numbers(const Decoded *out, int count) {
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

bool texts_score(Score *score, const Model *model, const TaskExample *examples, int count,
                 int threads, Error *error) {
    *score = (Score){0};
    const char **sources = calloc((size_t)count + 1, sizeof *sources);
    Decoded *decoded = calloc((size_t)count + 1, sizeof *decoded);
    bool good = sources && decoded;
    if (!good) error_set(error, "out of memory for %d examples", count);
    for (int i = 0; good && i < count; i++)
        sources[i] = examples[i].source;
    good = good && texts_decode(decoded, model, sources, count, 1, threads, error);
    for (int i = 0; good && i < count; i++)
        good = score_one(score, &decoded[i], examples[i].target, model, error);
    if (good) score->not_numbers = texts_not_numbers(decoded, count);
    if (decoded) decoded_free(decoded, count);
    free(decoded);
    free(sources);
    return good;
}

TaskExample *texts_held_out(const Model *model, const char *path, const char *instead, int count,
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

/* --- with their targets ----------------------------------------------------------------------- */

static bool take_held_out(Texts *texts, const Model *model, const char *path, int count,
                          Error *error) {
    int found;
    TaskExample *examples =
        texts_held_out(model, path, "say what it is to read: --input TEXT", count, &found, error);
    if (!examples) return false;
    snprintf(texts->name, sizeof texts->name, "%d held-out example%s of %s", found,
             found == 1 ? "" : "s", model->task);
    bool made = examples_to_batch(&texts->batch, examples, found, &model->config,
                                  &model->source_vocab, &model->target_vocab, error);
    free(examples);
    return made || error_prefix(error, "%s", path);
}

static bool take_inputs(Texts *texts, const Model *model, const TextList *inputs, int threads,
                        Error *error) {
    Batch sources = {0};
    Decoded *decoded = calloc((size_t)inputs->count, sizeof *decoded);
    if (!decoded) return error_set(error, "out of memory for %d inputs", inputs->count);
    snprintf(texts->name, sizeof texts->name, "%d input%s with the model's own output",
             inputs->count, inputs->count == 1 ? "" : "s");
    bool made = sources_to_batch(&sources, inputs->texts, inputs->count, &model->config,
                                 &model->source_vocab, error) &&
                texts_decode(decoded, model, inputs->texts, inputs->count, 1, threads, error) &&
                decoded_to_batch(&texts->batch, &sources, decoded, &model->config, error);
    decoded_free(decoded, inputs->count);
    free(decoded);
    batch_free(&sources);
    return made;
}

bool texts_make(Texts *texts, const Model *model, const char *path, const TextList *inputs,
                int count, int threads, Error *error) {
    *texts = (Texts){0};
    bool made = inputs->count ? take_inputs(texts, model, inputs, threads, error)
                              : take_held_out(texts, model, path, count, error);
    if (!made) texts_free(texts);
    return made;
}

void texts_free(Texts *texts) {
    batch_free(&texts->batch);
    *texts = (Texts){0};
}
