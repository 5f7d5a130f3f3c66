#include "app/means.h"

#include <stdlib.h>

#include "data/examples.h"
#include "data/task.h"

enum { MEAN_EXAMPLES = 64 };

static bool add_examples(AblationMeans *means, const Model *model, const Params *params,
                         const Task *task, Error *error) {
    int found = 0;
    Batch batch = {0};
    Workspace workspace = {0};
    const Config *config = &model->config;
    TaskExample *examples = examples_held_out(task, MEAN_EXAMPLES, &found, error);
    bool good = examples &&
                examples_to_batch(&batch, examples, found, config, &model->source_vocab,
                                  &model->target_vocab, error) &&
                workspace_fit(&workspace, config, batch.size, batch.source_len, batch.target_len,
                              false, error);
    if (good) {
        transformer_forward(&workspace, params, &batch, (ForwardOptions){0});
        ablation_means_add(means, &workspace, &batch);
    }
    workspace_free(&workspace);
    batch_free(&batch);
    free(examples);
    return good;
}

AblationMeans *means_of_task(const Model *model, const Params *params, Error *error) {
    const Task *task = task_find(model->task);
    error->text[0] = '\0';
    if (!task) return NULL;
    AblationMeans *means = ablation_means_make(&model->config, error);
    if (means && add_examples(means, model, params, task, error)) return means;
    ablation_means_free(means);
    return NULL;
}
