#include "app/pass/head_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pass/means.h"
#include "model/analysis/heads.h"
#include "model/base/team.h"
#include "model/network/ablation_means.h"
#include "model/network/loss.h"
#include "model/network/transformer.h"

enum { CHUNK = 16 }; /* texts that one job takes together; fixed, so that threads do not matter */

HeadId *study_heads(const Config *config, const char *site, int *count, Error *error) {
    const int layers[SITE_COUNT] = {
        [SITE_ENCODER] = config->encoder_layers,
        [SITE_DECODER] = config->decoder_layers,
        [SITE_CROSS] = config->decoder_layers,
    };
    int most = (config->encoder_layers + 2 * config->decoder_layers) * config->heads;
    HeadId *heads = calloc((size_t)most + 1, sizeof *heads);
    bool known = !site;
    *count = 0;
    for (int s = 0; heads && s < SITE_COUNT; s++) {
        bool named = site && strcmp(site, site_name((Site)s)) == 0;
        known = known || named;
        for (int i = 0; (!site || named) && i < layers[s] * config->heads; i++)
            heads[(*count)++] = (HeadId){(Site)s, i / config->heads, i % config->heads};
    }
    if (heads && known) return heads;
    if (!heads)
        error_set(error, "out of memory for %d heads", most);
    else
        error_usage(error, "--site %s: it takes encoder, decoder or cross", site);
    free(heads);
    return NULL;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* What the jobs share: read alone, but for what each one writes at its own index. */
typedef struct Study {
    const Model *model;
    const Batch *texts;
    const HeadId *heads;
    int count, chunks;
    Error *errors; /* [chunks] */
    bool *failed;  /* [chunks] */
    /* figures */
    HeadTotals *totals; /* [chunks, count] */
    /* ablation */
    Knockout knockout;
    const AblationMeans *means;
    double *log_probs; /* [1 + count, texts], the whole model first */
    int *right;        /* [1 + count, texts] */
} Study;

/* One chunk in work. */
typedef struct Chunk {
    Batch batch;
    Workspace workspace;
    int first;
} Chunk;

static bool chunk_make(Chunk *chunk, const Study *study, int index, Error *error) {
    int order[CHUNK], size = 0;
    *chunk = (Chunk){.first = index * CHUNK};
    for (int i = chunk->first; size < CHUNK && i < study->texts->size; i++)
        order[size++] = i;
    return batch_slice(&chunk->batch, study->texts, order, size, error) &&
           workspace_fit(&chunk->workspace, &study->model->config, size, chunk->batch.source_len,
                         chunk->batch.target_len, false, error);
}

static void chunk_free(Chunk *chunk) {
    batch_free(&chunk->batch);
    workspace_free(&chunk->workspace);
}

/* Runs `job` for all chunks; the first chunk's failure is reported, whoever ran it. */
static bool study_run(Study *study, TeamJob *job, int threads, Error *error) {
    size_t chunks = (size_t)study->chunks;
    study->errors = calloc(chunks + 1, sizeof *study->errors);
    study->failed = calloc(chunks + 1, sizeof *study->failed);
    Team *team = team_make(threads < study->chunks ? threads : study->chunks, error);
    bool good = team && study->errors && study->failed;
    if (team && !good) error_set(error, "out of memory for %d texts", study->texts->size);
    if (good) team_run(team, job, study, study->chunks);
    for (int i = 0; good && i < study->chunks; i++) {
        if (!study->failed[i]) continue;
        good = false;
        if (error) *error = study->errors[i];
    }
    team_free(team);
    free(study->errors);
    free(study->failed);
    return good;
}

static Study study_of(const HeadId *heads, int count, const Model *model, const StudyTexts *texts) {
    return (Study){.model = model,
                   .texts = &texts->batch,
                   .heads = heads,
                   .count = count,
                   .chunks = (texts->batch.size + CHUNK - 1) / CHUNK};
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

static void figures_of_chunk(void *context, int worker, int index) {
    (void)worker;
    Study *study = context;
    Error *error = &study->errors[index];
    Chunk chunk;
    bool good = chunk_make(&chunk, study, index, error);
    if (good)
        transformer_forward(&chunk.workspace, &study->model->params, &chunk.batch,
                            (ForwardOptions){0});
    HeadTotals *totals = study->totals + (size_t)index * (size_t)study->count;
    for (int i = 0; good && i < chunk.batch.size; i++)
        good = add_example(totals, study, &chunk, i, error);
    study->failed[index] = !good;
    chunk_free(&chunk);
}

bool study_figures(HeadFigures *figures, const HeadId *heads, int count, const Model *model,
                   const StudyTexts *texts, int threads, Error *error) {
    Study study = study_of(heads, count, model, texts);
    study.totals = calloc((size_t)study.chunks * (size_t)count + 1, sizeof *study.totals);
    if (!study.totals) return error_set(error, "out of memory for %d texts", texts->batch.size);
    bool good = study_run(&study, figures_of_chunk, threads, error);
    for (int i = 0; good && i < count; i++) {
        HeadTotals sum = {0};
        for (int chunk = 0; chunk < study.chunks; chunk++)
            head_figures_join(&sum, &study.totals[chunk * count + i]);
        head_figures_end(&figures[i], &sum);
    }
    free(study.totals);
    return good;
}

/* --- ablation --------------------------------------------------------------------------------- */

/* Greedy decoding takes the first of equal logits. Beside a NaN none is. */
static bool is_most_probable(const real *logits, int vocabulary, int token) {
    for (int v = 0; v < vocabulary; v++)
        if (!(logits[v] <= logits[token]) || (logits[v] == logits[token] && v < token))
            return false;
    return true;
}

/* One pass; what it says of each text goes to row `row` of the study. */
static void score_chunk(Study *study, Chunk *chunk, int row, const Ablation *ablation) {
    const Batch *batch = &chunk->batch;
    int vocabulary = study->model->config.target_vocab;
    transformer_forward(&chunk->workspace, &study->model->params, batch,
                        (ForwardOptions){.ablation = ablation});
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

static void ablate_chunk(void *context, int worker, int index) {
    (void)worker;
    Study *study = context;
    Error *error = &study->errors[index];
    Chunk chunk;
    Ablation *ablation = NULL;
    bool good = chunk_make(&chunk, study, index, error) &&
                (ablation = ablation_make(&study->model->config, error)) != NULL;
    if (good) {
        if (study->means) ablation_means_store(study->means, ablation);
        score_chunk(study, &chunk, 0, NULL);
        for (int i = 0; i < study->count; i++) {
            ablation_set(ablation, study->heads[i], study->knockout);
            score_chunk(study, &chunk, 1 + i, ablation);
            ablation_set(ablation, study->heads[i], KNOCKOUT_NONE);
        }
    }
    study->failed[index] = !good;
    ablation_free(ablation);
    chunk_free(&chunk);
}

/* The mean output of each head over all texts: one more pass, in order. */
static AblationMeans *means_of_texts(const Study *study, Error *error) {
    AblationMeans *means = ablation_means_make(&study->model->config, error);
    for (int index = 0; means && index < study->chunks; index++) {
        Chunk chunk;
        if (chunk_make(&chunk, study, index, error)) {
            transformer_forward(&chunk.workspace, &study->model->params, &chunk.batch,
                                (ForwardOptions){0});
            ablation_means_add(means, &chunk.workspace, &chunk.batch);
        } else {
            ablation_means_free(means);
            means = NULL;
        }
        chunk_free(&chunk);
    }
    return means;
}

static AblationMeans *means_of(const Study *study, Error *error) {
    Error none = {0};
    AblationMeans *means = means_of_task(study->model, &study->model->params, &none);
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
                    Knockout knockout, const Model *model, const StudyTexts *texts, int threads,
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
        good = (study.means = means = means_of(&study, error)) != NULL;
    good = good && study_run(&study, ablate_chunk, threads, error);
    if (good) *whole = score_of(&study, 0);
    for (int i = 0; good && i < count; i++)
        effects[i] = effect_of(&study, 1 + i);
    ablation_means_free(means);
    free(study.log_probs);
    free(study.right);
    return good;
}
