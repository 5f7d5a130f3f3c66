#include "app/lessons/trap_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/rng.h"

/* Sums of a few products in double: a larger difference is not rounding. */
static const double NOTHING = 1e-9;

/* Standard deviation of queries and keys: gives weights that are neither uniform nor one-hot. */
static const double SPREAD = 1.4;

Site trap_study_site(const MistakeKind *trap) {
    return trap->at[SITE_CROSS] ? SITE_CROSS : trap->at[SITE_DECODER] ? SITE_DECODER : SITE_ENCODER;
}

static double *take(Pool *pool, long count) {
    return pool_take(pool, (size_t)count * sizeof(double));
}

static const double *random_numbers(Pool *pool, long count, double size, Rng *rng) {
    double *numbers = take(pool, count);
    for (long i = 0; numbers && i < count; i++)
        numbers[i] = size * rng_normal(rng);
    return numbers;
}

/* The tensors that right and wrong share. */
typedef struct TrapTensors {
    const double *query, *key, *value, *out; /* [B,Tq,W], [B,Tk,W] twice, [W,W] */
    MaskSource mask;
    long width;
} TrapTensors;

static TrapTensors make_tensors(TrapOutcome *outcome, const TrapToy *call, Pool *pool) {
    AttentionSizes n = outcome->sizes;
    long width = (long)n.heads * n.head_width;
    Rng rng = rng_make(call->seed, 0);
    TrapTensors toy = {.width = width};
    toy.query = random_numbers(pool, n.batch * n.queries * width, SPREAD, &rng);
    toy.key = random_numbers(pool, n.batch * n.keys * width, SPREAD, &rng);
    toy.value = random_numbers(pool, n.batch * n.keys * width, 1, &rng);
    toy.out = random_numbers(pool, width * width, 1 / sqrt((double)width), &rng);
    toy.mask = (MaskSource){.valid_lens = outcome->lens, .causal = outcome->site == SITE_DECODER};
    return toy;
}

/* output[row,o] = sum over i of context[row,i] out[o,i] */
static void project(double *output, const double *context, const TrapTensors *toy, long rows) {
    for (long row = 0; row < rows; row++)
        for (long o = 0; o < toy->width; o++) {
            double sum = 0;
            for (long i = 0; i < toy->width; i++)
                sum += context[row * toy->width + i] * toy->out[o * toy->width + i];
            output[row * toy->width + o] = sum;
        }
}

static bool run(const double **weights, const double **output, const AttentionRule **rule,
                AttentionMistakes mistakes, const TrapTensors *toy, AttentionSizes n, Pool *pool) {
    long rows = (long)n.batch * n.queries;
    int *room = pool_take(pool, (size_t)attention_rule_room(n) * sizeof *room);
    AttentionRule *made = pool_take(pool, sizeof *made);
    double *context = take(pool, rows * toy->width), *after = take(pool, rows * toy->width);
    double *softened = take(pool, rows * n.heads * n.keys);
    if (!room || !made || !context || !after || !softened) return false;
    *made = attention_rule_make(mistakes, toy->mask, n, room);
    attention_plain_forward(context, softened, toy->query, toy->key, toy->value, made, n);
    project(after, context, toy, rows);
    *weights = softened;
    *output = after;
    *rule = made;
    return true;
}

/* --- what differs ----------------------------------------------------------------------------- */

static double gap(double a, double b) {
    double apart = fabs(a - b);
    return isnan(apart) ? (double)INFINITY : apart;
}

static void measure(TrapOutcome *outcome) {
    AttentionSizes n = outcome->sizes;
    long map = (long)n.queries * n.keys, width = (long)n.heads * n.head_width;
    for (long i = 0; i < n.batch * n.heads * map; i++) {
        double apart = gap(outcome->right_weights[i], outcome->wrong_weights[i]);
        if (!(apart > outcome->weights)) continue;
        outcome->weights = apart;
        outcome->example = (int)(i / map / n.heads);
        outcome->head = (int)(i / map % n.heads);
    }
    for (long i = 0; i < n.batch * n.queries * width; i++) {
        double apart = gap(outcome->right_output[i], outcome->wrong_output[i]);
        if (!(apart > outcome->output)) continue;
        outcome->output = apart;
        if (outcome->weights <= NOTHING) outcome->example = (int)(i / width / n.queries);
    }
}

/* --- checks, in the order in which one would try them ----------------------------------------- */

typedef enum Check {
    CHECK_NUMBERS,
    CHECK_EMPTY,
    CHECK_HIDDEN,
    CHECK_SUMS,
    CHECK_SEEN,
    CHECK_WEIGHTS,
    CHECK_OUTPUT,
    CHECKS,
} Check;

static const TrapCheck checks[CHECKS] = {
    [CHECK_NUMBERS] = {"every weight is a number", 0, "how many are none", true},
    [CHECK_EMPTY] = {"a row that sees no key is all 0", 0, "the largest weight there", false},
    [CHECK_HIDDEN] = {"hidden keys have the weight 0, in every head alike", 0,
                      "the largest hidden weight", false},
    [CHECK_SUMS] = {"every row sums to 1", 0, "the largest gap from 1", false},
    [CHECK_SEEN] = {"no key that is seen has the weight 0", 0, "how many have", true},
    [CHECK_WEIGHTS] = {"each head's weights are those of a single-head call", 0,
                       "the largest difference", false},
    [CHECK_OUTPUT] = {"the output is that of single heads side by side", 0,
                      "the largest difference", false},
};

/* The figures of one row of weights. */
static void check_row(double figures[CHECKS], const double *weights, int first, int end, int keys) {
    double sum = 0;
    for (int j = 0; j < keys; j++) {
        bool seen = j >= first && j < end;
        sum += weights[j];
        figures[CHECK_NUMBERS] += !isfinite(weights[j]);
        if (seen) figures[CHECK_SEEN] += weights[j] == 0;
        double *hidden = &figures[first == end ? CHECK_EMPTY : CHECK_HIDDEN];
        if (!seen) *hidden = fmax(*hidden, fabs(weights[j]));
    }
    if (first < end) figures[CHECK_SUMS] = fmax(figures[CHECK_SUMS], fabs(sum - 1));
}

static void find_check(TrapOutcome *outcome) {
    AttentionSizes n = outcome->sizes;
    double figures[CHECKS] = {[CHECK_WEIGHTS] = outcome->weights, [CHECK_OUTPUT] = outcome->output};
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
        check_row(figures, outcome->wrong_weights + row * n.keys, outcome->right->key_first[row],
                  outcome->right->key_end[row], n.keys);
    for (int check = 0; check < CHECKS; check++) {
        if (figures[check] <= NOTHING) continue;
        outcome->caught = checks[check];
        outcome->caught.figure = figures[check];
        return;
    }
}

/* --- on random numbers ------------------------------------------------------------------------ */

static bool choose_lens(TrapOutcome *outcome, const TrapToy *toy, Pool *pool) {
    int batch = toy->sizes.batch, *lens = pool_take(pool, (size_t)batch * sizeof *lens);
    if (!lens) return false;
    memcpy(lens, toy->lens, (size_t)batch * sizeof *lens);
    if (outcome->trap->rules[0].empty) lens[batch - 1] = 0;
    outcome->lens = lens;
    return true;
}

bool trap_study(TrapOutcome *outcome, const MistakeKind *trap, const TrapToy *toy, Pool *pool) {
    *outcome = (TrapOutcome){.trap = trap, .site = trap_study_site(trap), .sizes = toy->sizes};
    if (outcome->site != SITE_CROSS) outcome->sizes.keys = toy->sizes.queries;
    AttentionSizes n = outcome->sizes;
    int *room = pool_take(pool, 2 * (size_t)attention_rule_room(n) * sizeof *room);
    if (!room || !choose_lens(outcome, toy, pool)) return false;
    TrapTensors made = make_tensors(outcome, toy, pool);
    const AttentionRule *wrong;
    if (pool->failed ||
        !run(&outcome->right_weights, &outcome->right_output, &outcome->right,
             (AttentionMistakes){0}, &made, n, pool) ||
        !run(&outcome->wrong_weights, &outcome->wrong_output, &wrong, trap->rules[0], &made, n,
             pool))
        return false;
    TrapInput input = {.site = outcome->site, .sizes = n, .mask = made.mask};
    outcome->idle = trap_idle(trap, &input, room);
    measure(outcome);
    find_check(outcome);
    return true;
}

/* --- on a model ------------------------------------------------------------------------------- */

static void compare_traces(TrapEffect *effect, const Trace *right, const Trace *wrong) {
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape n = trace_shape(right, (Site)site);
        for (int row = 0; row < n.layers * n.heads * n.queries; row++) {
            HeadId id = {(Site)site, row / n.queries / n.heads, row / n.queries % n.heads};
            bool text_row = row % n.queries < trace_real_queries(right, id.site);
            for (int key = 0; text_row && key < n.keys; key++) {
                double apart = gap((double)trace_cell(right, id, row % n.queries, key, NULL),
                                   (double)trace_cell(wrong, id, row % n.queries, key, NULL));
                if (!(apart > effect->weights)) continue;
                effect->weights = apart;
                effect->head = id;
            }
        }
    }
}

const char *trap_idle_in_pass(const MistakeKind *trap, const Pass *pass, const Config *config,
                              bool not_causal, Pool *pool) {
    int enc_lens[EXAMPLES], dec_lens[EXAMPLES];
    pass_lens(pass, enc_lens, dec_lens);
    const char *why = NULL;
    for (int site = 0; site < SITE_COUNT; site++) {
        bool decoder = site == SITE_DECODER;
        TrapInput input = {.site = (Site)site,
                           .sizes = {pass->count, config->heads,
                                     site == SITE_ENCODER ? pass->source_len : pass->steps,
                                     decoder ? pass->steps : pass->source_len,
                                     config_head_width(config)},
                           .mask = {.valid_lens = decoder ? dec_lens : enc_lens,
                                    .causal = decoder && !not_causal}};
        if (!trap->at[site]) continue;
        int *room = pool_take(pool, 2 * (size_t)attention_rule_room(input.sizes) * sizeof *room);
        if (room) why = trap_idle(trap, &input, room);
        if (!room || !why) return NULL;
    }
    return why;
}

static const char *text_of(const Decoded *decoded, const Model *model, Pool *pool) {
    char *text = vocab_decode(&model->target_vocab, decoded->tokens, decoded->length);
    const char *kept = text ? pool_copy(pool, text) : "";
    if (!text) pool->failed = true;
    free(text);
    return kept;
}

bool trap_effect(TrapEffect *effect, const MistakeKind *trap, const Model *model,
                 const Params *params, const State *state, Pool *pool, Error *error) {
    *effect = (TrapEffect){.trap = trap};
    State trapped = *state; /* borrows its inputs */
    trapped.knockouts = pool_take(pool, (size_t)state_heads(&model->config));
    trapped.not_causal = false;
    trapped.step = 0;
    for (int i = 0; i < EXAMPLES; i++)
        trapped.examples[i] = (StateExample){
            .input = state->examples[i].input, .enc_len = BY_TEXT, .dec_len = BY_TEXT};
    if (!trapped.knockouts) return error_set(error, "out of memory");
    trapped.trap = (int)mistake_id(trap);
    Pass pass;
    PassRequest request = {.model = model, .params = params, .state = &trapped};
    if (!pass_make(&pass, &request, error)) return false;
    double before, after;
    pass_log_probs(&pass, 0, &before, &after);
    effect->log_prob = after - before;
    effect->runs = isfinite(after);
    for (int i = 0; i < pass.count; i++)
        compare_traces(effect, pass.plain.examples[i].trace, pass.world.examples[i].trace);
    effect->idle = trap_idle_in_pass(trap, &pass, &model->config, false, pool);
    effect->was = pool_copy(pool, pass.examples[0].output);
    effect->writes = text_of(&pass.world.examples[0].decoded, model, pool);
    pass_free(&pass);
    return true;
}
