/* Statistics of the heads of a model over many texts, and the effect of knocking out each. */
#ifndef HEADSCOPE_APP_PASS_HEAD_STUDY_H
#define HEADSCOPE_APP_PASS_HEAD_STUDY_H

#include "app/pass/texts.h"
#include "model/analysis/heads.h"
#include "model/network/ablation.h"
#include "model/network/ablation_means.h"

/* Returns the heads of a model, or of one site unless `site` is NULL, in the order site, layer,
 * head: a new array of *count (free it). ERROR_USAGE for a name that is no site. */
HeadId *study_heads(const Config *config, const char *site, int *count, Error *error);

/* figures[count] = means over the texts for each of `heads`, whatever the number of threads. */
bool study_figures(HeadFigures *figures, const HeadId *heads, int count, const Model *model,
                   const Texts *texts, int threads, Error *error);

/* --- mean outputs -------------------------------------------------------------------------------
 * Mean ablation replaces a head's output by its mean over held-out examples of the model's own
 * task. A model of no task has only the given texts (model/network/ablation_means.h). */

/* The first held-out examples, or as many as the task has. */
enum { HEAD_MEANS_EXAMPLES = 200 };

/* The mean outputs of `params` over held-out examples. NULL with *error for lack of memory; NULL
 * with an empty *error if the model is of no task. Free with ablation_means_free. */
AblationMeans *head_means_of_task(const Model *model, const Params *params, Error *error);

/* Names what the mean is over, for a model that reads `texts` texts: "200 held-out examples of
 * dates", "this text alone", "these 3 texts". */
void head_means_name(char *text, size_t size, const Model *model, int texts);

/* --- ablation -----------------------------------------------------------------------------------
 */

/* How well the model does on the texts. */
typedef struct StudyScore {
    double log_prob; /* of a whole target with </s>, mean over the texts */
    double exact;    /* share of texts whose every token is the most probable one: exactly those
                      * that greedy decoding gets right */
    double forced_accuracy; /* share of tokens that are the most probable one under teacher forcing;
                             * texts_score measures free decoding */
} StudyScore;

/* How well it does with one head knocked out. */
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
