/* The texts of a study: held-out examples, or inputs with what the model makes of them. */
#include <stdio.h>
#include <stdlib.h>

#include "app/pass/head_study.h"
#include "app/pass/outputs.h"

static bool take_held_out(StudyTexts *texts, const Model *model, const char *path, int count,
                          Error *error) {
    int found;
    TaskExample *examples =
        outputs_held_out(model, path, "say what it is to read: --input TEXT", count, &found, error);
    if (!examples) return false;
    snprintf(texts->name, sizeof texts->name, "%d held-out example%s of %s", found,
             found == 1 ? "" : "s", model->task);
    bool made = examples_to_batch(&texts->batch, examples, found, &model->config,
                                  &model->source_vocab, &model->target_vocab, error);
    free(examples);
    return made || error_prefix(error, "%s", path);
}

static bool take_inputs(StudyTexts *texts, const Model *model, const TextList *inputs, int threads,
                        Error *error) {
    Batch sources = {0};
    Decoded *decoded = calloc((size_t)inputs->count, sizeof *decoded);
    if (!decoded) return error_set(error, "out of memory for %d inputs", inputs->count);
    snprintf(texts->name, sizeof texts->name, "%d input%s with the model's own output",
             inputs->count, inputs->count == 1 ? "" : "s");
    bool made = sources_to_batch(&sources, inputs->texts, inputs->count, &model->config,
                                 &model->source_vocab, error) &&
                outputs_make(decoded, model, inputs->texts, inputs->count, 1, threads, error) &&
                decoded_to_batch(&texts->batch, &sources, decoded, &model->config, error);
    decoded_free(decoded, inputs->count);
    free(decoded);
    batch_free(&sources);
    return made;
}

bool study_texts_make(StudyTexts *texts, const Model *model, const char *path,
                      const TextList *inputs, int count, int threads, Error *error) {
    *texts = (StudyTexts){0};
    bool made = inputs->count ? take_inputs(texts, model, inputs, threads, error)
                              : take_held_out(texts, model, path, count, error);
    if (!made) study_texts_free(texts);
    return made;
}

void study_texts_free(StudyTexts *texts) {
    batch_free(&texts->batch);
    *texts = (StudyTexts){0};
}
