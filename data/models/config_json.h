/* The config and the training options as JSON objects, for a model file's metadata. */
#ifndef HEADSCOPE_DATA_MODELS_CONFIG_JSON_H
#define HEADSCOPE_DATA_MODELS_CONFIG_JSON_H

#include "model/network/config.h"
#include "model/training/trainer.h"

/* A new text (free it with free), NULL for lack of memory. */
char *config_to_json(const Config *config);
char *train_options_to_json(const TrainOptions *options);

/* Strict: the sizes are required; other missing entries keep their default (slices: four, as in old
 * runs); an unknown entry or a wrong type is an error that names it. Vocabulary sizes are not in
 * the text. The result is not checked by config_check or train_options_check. */
bool config_from_json(Config *config, const char *text, Error *error);
bool train_options_from_json(TrainOptions *options, const char *text, Error *error);

#endif
