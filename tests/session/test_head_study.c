/* Figures and ablations over many texts, against the model run by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pass/head_study.h"
#include "data/tasks/task.h"
#include "model/network/loss.h"
#include "model/network/transformer.h"
#include "tests/session/helper_session.h"

enum { TEXTS = 37 }; /* three chunks, the last one short */

/* A model of random weights for the task copy: what a head does there is of no matter. */
static Model model_make(void) {
    const Task *task = task_find("copy");
    Model model = {.config = config_default()};
    Error error = {0};
    assert_true(vocab_from_characters(&model.source_vocab, task->source_characters, &error));
    assert_true(vocab_from_characters(&model.target_vocab, task->target_characters, &error));
    model.config.width = 16;
    model.config.heads = 2;
    model.config.ffn_width = 16;
    model.config.source_vocab = model.source_vocab.size;
    model.config.target_vocab = model.target_vocab.size;
    model.config.max_source = model.config.max_target = task->max_source + 1;
    strcpy(model.task, "copy");
    assert_true(params_make(&model.params, &model.config, &error));
    params_init(&model.params, &model.config, 1);
    return model;
}

/* log p(target) of each text, one at a time. */
static void score_by_hand(double *log_probs, const Model *model, const Batch *texts) {
    Workspace ws = {0};
    Batch one = {0};
    int vocabulary = model->config.target_vocab;
    for (int b = 0; b < texts->size; b++) {
        assert_true(batch_slice(&one, texts, &b, 1, NULL));
        assert_true(
            workspace_fit(&ws, &model->config, 1, one.source_len, one.target_len, false, NULL));
        transformer_forward(&ws, &model->params, &one, (ForwardOptions){0});
        log_probs[b] = 0;
        for (int t = 0; t < one.target_len; t++) {
            loss_log_softmax(ws.logits + t * vocabulary, vocabulary);
            log_probs[b] += (double)ws.logits[t * vocabulary + one.target_out[t]];
        }
    }
    batch_free(&one);
    workspace_free(&ws);
}

/* A head's columns of out_proj.weight [W,W]. */
static void zero_columns(Model *model, HeadId id) {
    int width = model->config.width, head_width = config_head_width(&model->config);
    AttentionParams attention =
        id.site == SITE_ENCODER   ? model->params.encoder[id.layer].self_attention
        : id.site == SITE_DECODER ? model->params.decoder[id.layer].self_attention
                                  : model->params.decoder[id.layer].cross_attention;
    for (int row = 0; row < width; row++)
        memset(attention.out.weight + row * width + id.head * head_width, 0,
               (size_t)head_width * sizeof(real));
}

static Texts held_out(const Model *model) {
    Texts texts;
    Error error = {0};
    if (!texts_make(&texts, model, "test", &(TextList){0}, TEXTS, 2, &error))
        fail_msg("%s", error.text);
    return texts;
}

static void test_ablation_by_hand(void **state) {
    (void)state;
    Model model = model_make();
    Texts texts = held_out(&model);
    int count;
    HeadId *heads = study_heads(&model.config, NULL, &count, NULL);
    assert_int_equal(count, 12);
    StudyEffect effects[12];
    StudyScore whole;
    assert_true(
        study_ablation(effects, &whole, heads, count, KNOCKOUT_ZERO, &model, &texts, 2, NULL));
    double before[TEXTS], after[TEXTS];
    score_by_hand(before, &model, &texts.batch);
    for (int i = 0; i < count; i++) {
        real *kept = malloc((size_t)model.params.count * sizeof *kept);
        assert_non_null(kept);
        memcpy(kept, model.params.block, (size_t)model.params.count * sizeof *kept);
        zero_columns(&model, heads[i]);
        score_by_hand(after, &model, &texts.batch);
        memcpy(model.params.block, kept, (size_t)model.params.count * sizeof *kept);
        free(kept);
        double mean = 0, squares = 0;
        for (int b = 0; b < TEXTS; b++)
            mean += (after[b] - before[b]) / TEXTS;
        for (int b = 0; b < TEXTS; b++)
            squares += (after[b] - before[b] - mean) * (after[b] - before[b] - mean);
        /* Sums of some ten log-probabilities of size 4, in float, batched otherwise. */
        assert_true(fabs(effects[i].change - mean) < 1e-4);
        assert_true(fabs(effects[i].error - sqrt(squares / (TEXTS - 1) / TEXTS)) < 1e-4);
        assert_true(fabs(effects[i].change) > 1e-3); /* or the test would tell nothing */
        assert_int_equal(effects[i].examples, TEXTS);
    }
    free(heads);
    texts_free(&texts);
    model_free(&model);
}

/* Mean ablation in the window is mean ablation in `ablate`: over held-out examples of the task, and
 * of a model without one over the texts at hand. */
static void test_mean_of_the_window(void **state) {
    (void)state;
    for (int tasked = 0; tasked < 2; tasked++) {
        Model model = model_make(), other = model_make();
        if (!tasked) model.task[0] = other.task[0] = '\0';
        const char *input = "4ab";
        Texts texts;
        StudyEffect effect;
        StudyScore whole;
        HeadId id = {SITE_ENCODER, 0, 1};
        assert_true(texts_make(&texts, &model, "test", &(TextList){&input, 1}, 0, 1, NULL));
        assert_true(
            study_ablation(&effect, &whole, &id, 1, KNOCKOUT_MEAN, &model, &texts, 1, NULL));
        Error error = {0};
        Session *session = session_make(&other, "", &error);
        assert_non_null(session);
        assert_true(session_apply_text(session, "input 4ab; ablate encoder.0.1 mean", &error));
        double before, after;
        pass_log_probs(helper_session_pass(session), 0, &before, &after);
        assert_true(fabs(effect.change) > 1e-4); /* or the test would tell nothing */
        assert_true(fabs(after - before - effect.change) < 1e-5);
        session_free(session);
        texts_free(&texts);
        model_free(&model);
    }
}

/* The same bits on any number of threads. */
static void test_threads(void **state) {
    (void)state;
    Model model = model_make();
    Texts texts = held_out(&model);
    int count;
    HeadId *heads = study_heads(&model.config, "cross", &count, NULL);
    assert_int_equal(count, 4);
    HeadFigures figures[2][4];
    StudyEffect effects[2][4];
    StudyScore whole[2];
    memset(figures, 0, sizeof figures);
    memset(effects, 0, sizeof effects);
    for (int run = 0; run < 2; run++) {
        int threads = run ? 3 : 1;
        assert_true(study_figures(figures[run], heads, count, &model, &texts, threads, NULL));
        assert_true(study_ablation(effects[run], &whole[run], heads, count, KNOCKOUT_MEAN, &model,
                                   &texts, threads, NULL));
    }
    for (int i = 0; i < count; i++) {
        assert_memory_equal(figures[0][i].mean, figures[1][i].mean, sizeof figures[0][i].mean);
        assert_memory_equal(figures[0][i].error, figures[1][i].error, sizeof figures[0][i].error);
        assert_true(effects[0][i].change == effects[1][i].change);
        assert_true(effects[0][i].error == effects[1][i].error);
    }
    assert_true(whole[0].log_prob == whole[1].log_prob);
    free(heads);
    texts_free(&texts);
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ablation_by_hand),
        cmocka_unit_test(test_mean_of_the_window),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
