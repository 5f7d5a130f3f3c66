#include "app/pass/pass.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "app/pass/texts.h"
#include "model/base/minmax.h"
#include "model/doctor/traps.h"

/* --- keys ------------------------------------------------------------------------------------- */

static void hash_bytes(SHA2_CTX *hash, const void *bytes, size_t size) {
    SHA256Update(hash, bytes, size);
}

static void hash_number(SHA2_CTX *hash, int number) {
    hash_bytes(hash, &number, sizeof number);
}

/* The length comes first, so that different lists of texts differ; -1 for NULL. */
static void hash_text(SHA2_CTX *hash, const char *text) {
    hash_number(hash, text ? (int)strlen(text) : -1);
    if (text) hash_bytes(hash, text, strlen(text));
}

static void hash_example(SHA2_CTX *hash, const StateExample *example) {
    hash_text(hash, example->input);
    hash_text(hash, example->target);
    hash_number(hash, example->whole);
    hash_number(hash, example->enc_len);
    hash_number(hash, example->dec_len);
}

PassKey pass_key(const State *state, const Config *config, unsigned long generation) {
    PassKey key = {.weights = {generation, state->snapshot}};
    SHA2_CTX hash;
    SHA256Init(&hash);
    for (int i = 0; i <= (int)state->companion; i++)
        hash_example(&hash, &state->examples[i]);
    hash_number(&hash, state->companion);
    hash_number(&hash, state->not_causal);
    hash_number(&hash, state->trap);
    hash_number(&hash, state->step);
    hash_bytes(&hash, state->knockouts, (size_t)state_heads(config));
    SHA256Final(key.state, &hash);
    return key;
}

bool weights_key_same(WeightsKey a, WeightsKey b) {
    return a.generation == b.generation && a.snapshot == b.snapshot;
}

bool pass_key_same(PassKey a, PassKey b) {
    return weights_key_same(a.weights, b.weights) && memcmp(a.state, b.state, sizeof a.state) == 0;
}

/* --- reading the texts ------------------------------------------------------------------------ */

static bool read_sources(Pass *pass, const PassRequest *request, Error *error) {
    const char *texts[EXAMPLES];
    for (int i = 0; i < pass->count; i++)
        texts[i] = request->state->examples[i].input;
    return sources_to_batch(&pass->sources, texts, pass->count, &request->model->config,
                            &request->model->source_vocab, error);
}

/* The ids of the forced tokens, with the end mark if the target is whole and there is room. */
static bool read_forced(ForcedTarget *forced, Pass *pass, const PassRequest *request, int index,
                        Error *error) {
    const StateExample *example = &request->state->examples[index];
    const Config *config = &request->model->config;
    if (request->forced) {
        *forced = request->forced[index];
        pass->examples[index].forced_count = forced->count;
        return true;
    }
    int *ids = pool_take(&pass->pool, ((size_t)config->max_target + 1) * sizeof *ids);
    if (!ids) return error_set(error, "out of memory");
    int count = 0;
    if (example->target)
        count = vocab_encode(&request->model->target_vocab, example->target, ids,
                             config->max_target, error);
    if (count < 0) return error_prefix(error, "target");
    pass->examples[index].forced_count = count;
    if (example->target && example->whole && count < config->max_target) {
        ids[count++] = config->end_id;
        pass->examples[index].forced_count = count;
    }
    *forced = (ForcedTarget){ids, count};
    return true;
}

/* The target of all worlds: what the model as trained writes after the forced tokens. */
static bool make_targets(Pass *pass, const PassRequest *request, const ForcedTarget *forced,
                         Error *error) {
    Decoded decoded[EXAMPLES] = {0};
    if (!decode_forced(decoded, &pass->workspace, &request->model->config, request->params,
                       &pass->sources, forced, (ForwardOptions){0}, error))
        return false;
    for (int i = 0; i < pass->count; i++) {
        PassExample *example = &pass->examples[i];
        const StateExample *set = &request->state->examples[i];
        example->target = decoded[i];
        example->target_count = decoded[i].length;
        example->source_count = pass->sources.enc_valid_lens[i];
        example->enc_len = set->enc_len == BY_TEXT ? example->source_count : set->enc_len;
        example->dec_len = set->dec_len == BY_TEXT ? example->target_count : set->dec_len;
        char *text =
            vocab_decode(&request->model->target_vocab, decoded[i].tokens, decoded[i].length);
        if (!text) return error_set(error, "out of memory");
        example->output = pool_copy(&pass->pool, text);
        free(text);
    }
    return true;
}

/* --- the batch -------------------------------------------------------------------------------- */

static void measure(Pass *pass, const State *state) {
    pass->source_len = pass->target_len = 1;
    for (int i = 0; i < pass->count; i++) {
        const PassExample *example = &pass->examples[i];
        pass->source_len =
            int_max(pass->source_len, int_max(example->source_count, example->enc_len));
        pass->target_len =
            int_max(pass->target_len, int_max(example->target_count, example->dec_len));
    }
    pass->steps = state->step > 0 ? int_min(state->step, pass->target_len) : pass->target_len;
}

/* What the decoder writes at step t, and what it reads there. */
static int token_written(const PassExample *example, int t, const Config *config) {
    return t < example->target_count ? example->target.tokens[t] : config->pad_id;
}

static int token_read(const PassExample *example, int t, const Config *config) {
    return t == 0 ? config->start_id : token_written(example, t - 1, config);
}

static void write_example(Batch *batch, const Batch *sources, int index, const PassExample *example,
                          const Config *config) {
    int *source = batch->source + (long)index * batch->source_len;
    for (int s = 0; s < batch->source_len; s++)
        source[s] = s < example->source_count
                        ? sources->source[(long)index * sources->source_len + s]
                        : config->pad_id;
    batch->enc_valid_lens[index] = example->source_count;
    batch->dec_valid_lens[index] = int_min(example->target_count, batch->target_len);
    for (int t = 0; t < batch->target_len; t++) {
        long row = (long)index * batch->target_len + t;
        batch->target_out[row] = token_written(example, t, config);
        batch->target_in[row] = token_read(example, t, config);
    }
}

static bool make_batches(Pass *pass, const Config *config, Error *error) {
    Batch padded = {0};
    if (!batch_reserve(&pass->batch, pass->count, pass->source_len, pass->steps, error) ||
        !batch_reserve(&padded, pass->count, pass->source_len, 0, error))
        return false;
    for (int i = 0; i < pass->count; i++) {
        write_example(&pass->batch, &pass->sources, i, &pass->examples[i], config);
        write_example(&padded, &pass->sources, i, &pass->examples[i], config);
    }
    batch_free(&pass->sources);
    pass->sources = padded;
    return true;
}

/* --- the worlds ------------------------------------------------------------------------------- */

/* Stores the means over the examples themselves. */
static bool own_means(Pass *pass, const PassRequest *request, Ablation *ablation, Error *error) {
    const Config *config = &request->model->config;
    AblationMeans *means = ablation_means_make(config, error);
    bool good = means && texts_forward(&pass->workspace, config, request->params, &pass->batch,
                                       (ForwardOptions){0}, error);
    if (good) {
        ablation_means_add(means, &pass->workspace, &pass->batch);
        ablation_means_store(means, ablation);
    }
    ablation_means_free(means);
    return good;
}

void pass_ablate(Ablation *ablation, const State *state, const Config *config) {
    for (int place = 0; place < state_heads(config); place++)
        ablation_set(ablation, state_head(config, place), (Knockout)state->knockouts[place]);
}

void pass_lens(const Pass *pass, int *enc_lens, int *dec_lens) {
    for (int i = 0; i < pass->count; i++) {
        enc_lens[i] = pass->examples[i].enc_len;
        dec_lens[i] = int_min(pass->examples[i].dec_len, pass->steps);
    }
}

static bool fill_ablation(Pass *pass, const PassRequest *request, Ablation *ablation,
                          Error *error) {
    const Config *config = &request->model->config;
    pass_ablate(ablation, request->state, config);
    if (!state_uses_means(request->state, config)) return true;
    if (!request->head_means) return own_means(pass, request, ablation, error);
    ablation_means_store(request->head_means, ablation);
    return true;
}

static bool is_whole(const PassRequest *request, int index) {
    const StateExample *example = &request->state->examples[index];
    return request->forced || (example->target && example->whole);
}

static bool run_worlds(Pass *pass, const PassRequest *request, const Ablation *ablation,
                       const ForcedTarget *forced, Error *error) {
    int enc_lens[EXAMPLES], dec_lens[EXAMPLES], whole_dec_lens[EXAMPLES];
    bool lengths = false, decoder_lengths = false;
    pass_lens(pass, enc_lens, dec_lens);
    for (int i = 0; i < pass->count; i++) {
        const PassExample *example = &pass->examples[i];
        bool set = example->dec_len != example->target_count;
        whole_dec_lens[i] = set ? example->dec_len : request->model->config.max_target;
        decoder_lengths = decoder_lengths || set;
        lengths = lengths || set || example->enc_len != example->source_count;
    }
    bool ablated = ablation_count(ablation) > 0;
    AttentionMistakes mistakes[SITE_COUNT];
    bool trapped = request->state->trap != NONE;
    trap_mistakes(mistakes, mistake_kind(request->state->trap)); /* of TRAP_RIGHT there is none */
    pass->changed = lengths || ablated || request->state->not_causal || trapped;
    WorldRequest plain = {.config = &request->model->config,
                          .params = request->params,
                          .batch = &pass->batch,
                          .sources = &pass->sources,
                          .forced = forced};
    WorldRequest changed = plain;
    if (!pass->changed) return world_make(&pass->world, &pass->workspace, &plain, error);
    if (!world_make(&pass->plain, &pass->workspace, &plain, error)) return false;
    changed.options = (ForwardOptions){.ablation = ablated ? ablation : NULL,
                                       .enc_valid_lens = enc_lens,
                                       .dec_valid_lens = dec_lens,
                                       .not_causal = request->state->not_causal,
                                       .mistakes = trapped ? mistakes : NULL};
    if (!world_make(&pass->world, &pass->workspace, &changed, error)) return false;
    /* A whole target leaves nothing to decode: decode freely instead. */
    ForcedTarget begun[EXAMPLES];
    for (int i = 0; i < pass->count; i++)
        begun[i] = is_whole(request, i) ? (ForcedTarget){0} : forced[i];
    changed.forced = begun;
    changed.options.dec_valid_lens = decoder_lengths ? whole_dec_lens : NULL;
    return world_decode(&pass->world, &changed, error);
}

/* --- labels ----------------------------------------------------------------------------------- */

const char *pass_step_label(Pool *pool, const char *reads, const char *writes) {
    return writes ? pool_format(pool, "%s→%s", reads, writes) : reads;
}

void pass_axes(SceneAxes axes[SITE_COUNT], const char *const *source, const char *const *reads,
               const char *const *steps, bool writes) {
    const char *queries = writes ? "queries, decoder (reads → writes)" : NULL;
    axes[SITE_ENCODER] =
        (SceneAxes){source, source, "queries, encoder tokens", "keys, encoder tokens"};
    axes[SITE_DECODER] = (SceneAxes){steps, reads, queries, "keys, decoder tokens read"};
    axes[SITE_CROSS] = (SceneAxes){steps, source, queries, "keys, encoder tokens"};
}

static const char **take_labels(Pass *pass, int count) {
    return pool_take(&pass->pool, ((size_t)count + 1) * sizeof(const char *));
}

static bool name_tokens(Pass *pass, const Model *model, int index) {
    PassExample *example = &pass->examples[index];
    const Config *config = &model->config;
    char **sources = model->source_vocab.tokens, **targets = model->target_vocab.tokens;
    example->source = take_labels(pass, pass->source_len);
    example->reads = take_labels(pass, pass->target_len);
    example->writes = take_labels(pass, pass->target_len);
    example->steps = take_labels(pass, pass->target_len);
    if (pass->pool.failed) return false;
    for (int s = 0; s < pass->source_len; s++)
        example->source[s] = sources[pass->sources.source[(long)index * pass->source_len + s]];
    for (int t = 0; t < pass->target_len; t++) {
        example->reads[t] = targets[token_read(example, t, config)];
        example->writes[t] = targets[token_written(example, t, config)];
        example->steps[t] = pass_step_label(&pass->pool, example->reads[t], example->writes[t]);
    }
    pass_axes(example->axes, example->source, example->reads, example->steps, true);
    return !pass->pool.failed;
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool run(Pass *pass, const PassRequest *request, Error *error) {
    const Config *config = &request->model->config;
    ForcedTarget forced[EXAMPLES] = {0};
    if (!read_sources(pass, request, error)) return false;
    for (int i = 0; i < pass->count; i++)
        if (!read_forced(&forced[i], pass, request, i, error)) return false;
    if (!make_targets(pass, request, forced, error)) return false;
    measure(pass, request->state);
    if (!make_batches(pass, config, error)) return false;
    Ablation *ablation = ablation_make(config, error);
    bool good = ablation && fill_ablation(pass, request, ablation, error) &&
                run_worlds(pass, request, ablation, forced, error);
    ablation_free(ablation);
    for (int i = 0; good && i < pass->count; i++)
        good = name_tokens(pass, request->model, i) || error_set(error, "out of memory");
    return good;
}

bool pass_make(Pass *pass, const PassRequest *request, Error *error) {
    *pass = (Pass){.key = pass_key(request->state, &request->model->config, request->generation),
                   .count = request->state->companion ? 2 : 1};
    bool good = run(pass, request, error);
    if (!good) pass_free(pass);
    return good;
}

int pass_rows(const Pass *pass, Site site) {
    return site == SITE_ENCODER ? pass->source_len : pass->target_len;
}

int pass_columns(const Pass *pass, Site site) {
    return site == SITE_DECODER ? pass->target_len : pass->source_len;
}

void pass_log_probs(const Pass *pass, int example, double *as_trained, double *shown) {
    int steps = int_min(pass->examples[example].target_count, pass->steps);
    *as_trained = world_log_prob(&pass->plain, example, steps);
    *shown = world_log_prob(&pass->world, example, steps);
}

void pass_free(Pass *pass) {
    for (int i = 0; i < EXAMPLES; i++)
        decoded_free(&pass->examples[i].target, 1);
    world_free(&pass->world);
    world_free(&pass->plain);
    batch_free(&pass->sources);
    batch_free(&pass->batch);
    workspace_free(&pass->workspace);
    pool_free(&pass->pool);
    *pass = (Pass){0};
}

/* --- of a text -------------------------------------------------------------------------------- */

static bool set_texts(State *state, const Model *model, const PassTexts *texts, Error *error) {
    if (!state_make(state, &model->config, texts->input)) return error_set(error, "out of memory");
    state->examples[0].whole = texts->target != NULL;
    if (!state_set_text(&state->examples[0].target, texts->target))
        return error_set(error, "out of memory");
    return !texts->trap || state_set_trap(state, &model->config, texts->trap, error);
}

bool text_pass_make(TextPass *text, const Model *model, const PassTexts *texts, Error *error) {
    *text = (TextPass){0};
    PassRequest request = {.model = model, .params = &model->params, .state = &text->state};
    if (set_texts(&text->state, model, texts, error) && pass_make(&text->pass, &request, error)) {
        text->shown = (ShownPass){.model = model,
                                  .state = &text->state,
                                  .params = &model->params,
                                  .pass = &text->pass,
                                  .made_for = &text->state,
                                  .pass_params = &model->params};
        return true;
    }
    text_pass_free(text);
    return false;
}

void text_pass_free(TextPass *text) {
    pass_free(&text->pass);
    state_free(&text->state);
    *text = (TextPass){0};
}
