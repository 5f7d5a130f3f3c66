#include "app/pass/head_means.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/pass/texts.h"
#include "model/base/minmax.h"

enum { CHUNK = 50 }; /* examples that are run together */

static bool add_chunk(AblationMeans *means, Workspace *workspace, const Model *model,
                      const Params *params, const TaskExample *examples, int count, Error *error) {
    Batch batch = {0};
    const Config *config = &model->config;
    bool good = examples_to_batch(&batch, examples, count, config, &model->source_vocab,
                                  &model->target_vocab, error) &&
                texts_forward(workspace, config, params, &batch, (ForwardOptions){0}, error);
    if (good) ablation_means_add(means, workspace, &batch);
    batch_free(&batch);
    return good;
}

static bool add_examples(AblationMeans *means, const Model *model, const Params *params,
                         const Task *task, Error *error) {
    int found = 0;
    Workspace workspace = {0};
    TaskExample *examples = examples_held_out(task, HEAD_MEANS_EXAMPLES, &found, error);
    bool good = examples != NULL;
    for (int first = 0; good && first < found; first += CHUNK) {
        int count = int_min(found - first, CHUNK);
        good = add_chunk(means, &workspace, model, params, examples + first, count, error);
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
    if (means && add_examples(means, model, params, task, error)) return means;
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
