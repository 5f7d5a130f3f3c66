/* What the heads of a model do over many texts, and how much each one matters. */
#ifndef HEADSCOPE_APP_PASS_HEAD_STUDY_H
#define HEADSCOPE_APP_PASS_HEAD_STUDY_H

#include "app/pass/texts.h"
#include "model/analysis/heads.h"
#include "model/network/ablation.h"
#include "model/network/ablation_means.h"

/* The heads of a model by site, layer and head: a new array of *count (free it); those of one site
 * unless `site` is NULL. ERROR_USAGE for a name that is no site. */
HeadId *study_heads(const Config *config, const char *site, int *count, Error *error);

/* figures[count]: means over the texts, for each of `heads`. Does not depend on the threads. */
bool study_figures(HeadFigures *figures, const HeadId *heads, int count, const Model *model,
                   const Texts *texts, int threads, Error *error);

/* --- mean outputs -------------------------------------------------------------------------------
 * Mean ablation replaces a head's output by its mean over held-out examples of the model's own
 * task. A model of no task has only the given texts (model/network/ablation_means.h). */

/* The first held-out examples, or as many as the task has. */
enum { HEAD_MEANS_EXAMPLES = 200 };

/* Runs the weights over held-out examples. NULL with *error if memory ends; NULL without (its text
 * is empty) if the model is of no task. Free with ablation_means_free. */
AblationMeans *head_means_of_task(const Model *model, const Params *params, Error *error);

/* What the mean is over, in words, of a model that reads `texts` texts: "200 held-out examples of
 * dates", "this text alone", "these 3 texts". */
void head_means_name(char *text, size_t size, const Model *model, int texts);

/* --- ablation -----------------------------------------------------------------------------------
 */

/* How the model does on the texts. */
typedef struct StudyScore {
    double log_prob; /* of a whole target, the sum over its tokens with </s>, mean over the texts */
    double exact;    /* share of texts whose every token is the most probable one: then, and only
                      * then, greedy decoding gives the target */
    double forced_accuracy; /* share of tokens that are the most probable one after the right ones:
                             * not what greedy decoding gets right (texts_score), which goes on
                             * from its own mistakes */
} StudyScore;

/* What the same model does with one head knocked out. */
typedef struct StudyEffect {
    StudyScore score;
    double change, error; /* of log_prob against the whole model, and its standard error over the
                           * texts, paired: NaN with fewer than two */
    int examples;
} StudyEffect;

/* effects[count], each head knocked out by itself; KNOCKOUT_MEAN uses
 * head_means_of_task. Does not depend on the threads. */
bool study_ablation(StudyEffect *effects, StudyScore *whole, const HeadId *heads, int count,
                    Knockout knockout, const Model *model, const Texts *texts, int threads,
                    Error *error);

#endif
