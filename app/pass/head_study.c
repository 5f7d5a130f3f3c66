#include "app/pass/head_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/heads.h"
#include "app/pass/state.h"
#include "model/base/minmax.h"
#include "model/network/loss.h"
#include "model/network/transformer.h"

enum { CHUNK = 16 }; /* texts that one job takes together */

HeadId *study_heads(const Config *config, const char *site, int *count, Error *error) {
    int all = state_heads(config);
    if (!heads_check_site(site, error)) return NULL;
    HeadId *heads = calloc((size_t)all + 1, sizeof *heads);
    if (!heads) error_set(error, "out of memory for %d heads", all);
    *count = 0;
    for (int place = 0; heads && place < all; place++) {
        HeadId id = state_head(config, place);
        if (!site || strcmp(site, site_name(id.site)) == 0) heads[(*count)++] = id;
    }
    return heads;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Shared by all jobs: each writes only at its own index. */
typedef struct Study {
    const Model *model;
    const Batch *texts;
    const HeadId *heads;
    int count;
    /* figures */
    HeadTotals *totals; /* [chunks, count] */
    /* ablation */
    Knockout knockout;
    const AblationMeans *head_means;
    double *log_probs; /* [1 + count, texts], the whole model first */
    int *right;        /* [1 + count, texts] */
} Study;

typedef struct Chunk {
    Batch batch;
    Workspace workspace;
    int first;
} Chunk;

/* Runs the model as trained over texts first .. first + count. */
static bool chunk_make(Chunk *chunk, const Study *study, int first, int count, Error *error) {
    int order[CHUNK];
    *chunk = (Chunk){.first = first};
    for (int i = 0; i < count; i++)
        order[i] = first + i;
    return batch_slice(&chunk->batch, study->texts, order, count, error) &&
           texts_forward(&chunk->workspace, &study->model->config, &study->model->params,
                         &chunk->batch, (ForwardOptions){0}, error);
}

static void chunk_free(Chunk *chunk) {
    batch_free(&chunk->batch);
    workspace_free(&chunk->workspace);
}

static Study study_of(const HeadId *heads, int count, const Model *model, const Texts *texts) {
    return (Study){.model = model, .texts = &texts->batch, .heads = heads, .count = count};
}

/* --- figures ---------------------------------------------------------------------------------- */

static bool add_example(HeadTotals *totals, const Study *study, const Chunk *chunk, int example,
                        Error *error) {
    int sources = chunk->batch.enc_valid_lens[example];
    int targets = chunk->batch.dec_valid_lens[example];
    Trace *trace =
        transformer_trace(&chunk->workspace, &chunk->batch, example, sources, targets, error);
    for (int i = 0; trace && i < study->count; i++) {
        HeadFigures figures;
        head_figures_of(&figures, trace, study->heads[i]);
        head_figures_add(&totals[i], &figures);
    }
    trace_free(trace);
    return trace != NULL;
}

static bool figures_of_chunk(void *context, int first, int count, Error *error) {
    const Study *study = context;
    Chunk chunk;
    bool good = chunk_make(&chunk, study, first, count, error);
    HeadTotals *totals = study->totals + (size_t)(first / CHUNK) * (size_t)study->count;
    for (int i = 0; good && i < count; i++)
        good = add_example(totals, study, &chunk, i, error);
    chunk_free(&chunk);
    return good;
}

bool study_figures(HeadFigures *figures, const HeadId *heads, int count, const Model *model,
                   const Texts *texts, int threads, Error *error) {
    Study study = study_of(heads, count, model, texts);
    int chunks = (texts->batch.size + CHUNK - 1) / CHUNK;
    study.totals = calloc((size_t)chunks * (size_t)count + 1, sizeof *study.totals);
    if (!study.totals) return error_set(error, "out of memory for %d texts", texts->batch.size);
    bool good = texts_share(texts->batch.size, CHUNK, threads, figures_of_chunk, &study, error);
    for (int i = 0; good && i < count; i++) {
        HeadTotals sum = {0};
        for (int chunk = 0; chunk < chunks; chunk++)
            head_figures_join(&sum, &study.totals[chunk * count + i]);
        head_figures_end(&figures[i], &sum);
    }
    free(study.totals);
    return good;
}

/* --- ablation --------------------------------------------------------------------------------- */

/* Greedy decoding takes the first of equal logits. False if any logit is NaN. */
static bool is_most_probable(const real *logits, int vocabulary, int token) {
    for (int v = 0; v < vocabulary; v++)
        if (!(logits[v] <= logits[token]) || (logits[v] == logits[token] && v < token))
            return false;
    return true;
}

/* Writes the scores of the run just made to row `row` of the study. */
static void score_chunk(const Study *study, Chunk *chunk, int row) {
    const Batch *batch = &chunk->batch;
    int vocabulary = study->model->config.target_vocab;
    for (int b = 0; b < batch->size; b++) {
        double log_prob = 0;
        int right = 0;
        for (int t = 0; t < batch->dec_valid_lens[b]; t++) {
            long step = (long)b * batch->target_len + t;
            real *logits = chunk->workspace.logits + step * vocabulary;
            int token = batch->target_out[step];
            right += is_most_probable(logits, vocabulary, token);
            loss_log_softmax(logits, vocabulary);
            log_prob += (double)logits[token];
        }
        size_t at = (size_t)row * (size_t)study->texts->size + (size_t)(chunk->first + b);
        study->log_probs[at] = log_prob;
        study->right[at] = right;
    }
}

static bool ablate_chunk(void *context, int first, int count, Error *error) {
    const Study *study = context;
    const Model *model = study->model;
    Chunk chunk;
    Ablation *ablation = NULL;
    bool good = chunk_make(&chunk, study, first, count, error) &&
                (ablation = ablation_make(&model->config, error)) != NULL;
    if (good && study->head_means) ablation_means_store(study->head_means, ablation);
    if (good) score_chunk(study, &chunk, 0);
    for (int i = 0; good && i < study->count; i++) {
        ablation_set(ablation, study->heads[i], study->knockout);
        transformer_forward(&chunk.workspace, &model->params, &chunk.batch,
                            (ForwardOptions){.ablation = ablation});
        score_chunk(study, &chunk, 1 + i);
        ablation_set(ablation, study->heads[i], KNOCKOUT_NONE);
    }
    ablation_free(ablation);
    chunk_free(&chunk);
    return good;
}

/* --- mean outputs ----------------------------------------------------------------------------- */

enum { MEANS_CHUNK = 50 }; /* examples that are run together */

static bool add_held_out_chunk(AblationMeans *means, Workspace *workspace, const Model *model,
                               const Params *params, const TaskExample *examples, int count,
                               Error *error) {
    Batch batch = {0};
    const Config *config = &model->config;
    bool good = examples_to_batch(&batch, examples, count, config, &model->source_vocab,
                                  &model->target_vocab, error) &&
                texts_forward(workspace, config, params, &batch, (ForwardOptions){0}, error);
    if (good) ablation_means_add(means, workspace, &batch);
    batch_free(&batch);
    return good;
}

static bool add_held_out(AblationMeans *means, const Model *model, const Params *params,
                         const Task *task, Error *error) {
    int found = 0;
    Workspace workspace = {0};
    TaskExample *examples = examples_held_out(task, HEAD_MEANS_EXAMPLES, &found, error);
    bool good = examples != NULL;
    for (int first = 0; good && first < found; first += MEANS_CHUNK) {
        int count = int_min(found - first, MEANS_CHUNK);
        good = add_held_out_chunk(means, &workspace, model, params, examples + first, count, error);
    }
    workspace_free(&workspace);
    free(examples);
    return good;
}

AblationMeans *head_means_of_task(const Model *model, const Params *params, Error *error) {
    const Task *task = task_find(model->task);
    error->text[0] = '\0';
    if (!task) return NULL;
    AblationMeans *means = ablation_means_make(&model->config, error);
    if (means && add_held_out(means, model, params, task, error)) return means;
    ablation_means_free(means);
    return NULL;
}

void head_means_name(char *text, size_t size, const Model *model, int texts) {
    if (task_find(model->task))
        snprintf(text, size, "%d held-out examples of %s", HEAD_MEANS_EXAMPLES, model->task);
    else if (texts == 1)
        snprintf(text, size, "this text alone");
    else
        snprintf(text, size, "these %d texts", texts);
}

/* Of a model of no task. */

typedef struct MeansJob {
    Study *study;
    AblationMeans *means;
} MeansJob;

static bool add_means(void *context, int first, int count, Error *error) {
    const MeansJob *job = context;
    Chunk chunk;
    bool good = chunk_make(&chunk, job->study, first, count, error);
    if (good) ablation_means_add(job->means, &chunk.workspace, &chunk.batch);
    chunk_free(&chunk);
    return good;
}

/* The mean output of each head over all texts, which are added in order, by one thread. */
static AblationMeans *means_of_texts(Study *study, Error *error) {
    MeansJob job = {study, ablation_means_make(&study->model->config, error)};
    if (job.means && texts_share(study->texts->size, CHUNK, 1, add_means, &job, error))
        return job.means;
    ablation_means_free(job.means);
    return NULL;
}

static AblationMeans *means_of(Study *study, Error *error) {
    Error none = {0};
    AblationMeans *means = head_means_of_task(study->model, &study->model->params, &none);
    if (means) return means;
    if (!none.text[0]) return means_of_texts(study, error);
    if (error) *error = none;
    return NULL;
}

static StudyScore score_of(const Study *study, int row) {
    const Batch *texts = study->texts;
    StudyScore score = {0};
    long tokens = 0;
    for (int b = 0; b < texts->size; b++) {
        size_t at = (size_t)row * (size_t)texts->size + (size_t)b;
        score.log_prob += study->log_probs[at];
        score.exact += study->right[at] == texts->dec_valid_lens[b];
        score.forced_accuracy += study->right[at];
        tokens += texts->dec_valid_lens[b];
    }
    score.log_prob /= texts->size;
    score.exact /= texts->size;
    score.forced_accuracy /= (double)tokens;
    return score;
}

static StudyEffect effect_of(const Study *study, int row) {
    int n = study->texts->size;
    const double *whole = study->log_probs, *ablated = whole + (size_t)row * (size_t)n;
    double sum = 0, squares = 0;
    for (int b = 0; b < n; b++)
        sum += ablated[b] - whole[b];
    for (int b = 0; b < n; b++) {
        double off = ablated[b] - whole[b] - sum / n;
        squares += off * off;
    }
    return (StudyEffect){.score = score_of(study, row),
                         .change = sum / n,
                         .error = n > 1 ? sqrt(squares / (n - 1) / n) : NAN,
                         .examples = n};
}

bool study_ablation(StudyEffect *effects, StudyScore *whole, const HeadId *heads, int count,
                    Knockout knockout, const Model *model, const Texts *texts, int threads,
                    Error *error) {
    Study study = study_of(heads, count, model, texts);
    AblationMeans *means = NULL;
    size_t numbers = ((size_t)count + 1) * (size_t)texts->batch.size;
    study.knockout = knockout;
    study.log_probs = calloc(numbers, sizeof *study.log_probs);
    study.right = calloc(numbers, sizeof *study.right);
    bool good = study.log_probs && study.right;
    if (!good) error_set(error, "out of memory for %d texts", texts->batch.size);
    if (good && knockout == KNOCKOUT_MEAN)
        good = (study.head_means = means = means_of(&study, error)) != NULL;
    good = good && texts_share(texts->batch.size, CHUNK, threads, ablate_chunk, &study, error);
    if (good) *whole = score_of(&study, 0);
    for (int i = 0; good && i < count; i++)
        effects[i] = effect_of(&study, 1 + i);
    ablation_means_free(means);
    free(study.log_probs);
    free(study.right);
    return good;
}
