/* engine WHAT SIZE [THREADS] [COUNT]: times the network and prints "milliseconds check": the
 * median of COUNT repetitions, and a number that a peer must agree on. SIZE is S, M, L, XL or
 * five numbers: WIDTH,HEADS,LAYERS,BATCH,TOKENS.
 *
 *   model SIZE FILE          saves the model that the others train and run
 *   step SIZE THREADS COUNT  a training step (Adam); check: the loss of the first one
 *   decode SIZE COUNT        greedy decoding with cached keys; check: a hash of its tokens
 *   decode-anew SIZE COUNT   the same, the prefix run anew at each token
 *   decode-steps SIZE COUNT  a line a token: its position, its milliseconds with cached keys
 *   forward SIZE COUNT       one example forward; check: the sum of the logits
 *   capture SIZE COUNT       the same, and every attention map copied out
 *   capture-cost SIZE COUNT  what the copying adds, in % of a pass: passes with it and without in
 *   memory SIZE THREADS      megabytes of the process at their peak over three training steps,
 *                            and those that the trainer was computed to take
 *   flops SIZE               10^9 operations of a training step: 2mnk over every product
 *   share SIZE COUNT         a step's share, in %, of what the processor could compute in its time
 *                            on one thread (bench/peak.h), the step's milliseconds of processor
 *                            time, and that limit, 10^9 operations a second; the best of COUNT
 *   gemm THREADS COUNT       the best rate of single-threaded sgemm, 10^9 operations a second
 */
#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/peak.h"
#include "data/models/checkpoint.h"
#include "model/base/clock.h"
#include "model/decoding/decode.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"
#include "model/training/trainer.h"

typedef struct Size {
    const char *name;
    int width, heads, layers, batch, steps;
} Size;

static const Size sizes[] = {
    {"S", 64, 4, 2, 64, 12},
    {"M", 128, 8, 3, 64, 24},
    {"L", 256, 8, 3, 64, 32},
    {"XL", 512, 8, 6, 16, 64},
};

enum { VOCABULARY = 32, MOST = 1000 };

static int fail(const char *what) {
    fprintf(stderr, "engine: %s\n", what);
    exit(1);
}

static const Size *find_size(const char *name) {
    static Size own = {.name = "own"};
    if (sscanf(name, "%d,%d,%d,%d,%d", &own.width, &own.heads, &own.layers, &own.batch,
               &own.steps) == 5)
        return &own;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strcmp(sizes[i].name, name) == 0) return &sizes[i];
    fail("the sizes are S, M, L, XL and WIDTH,HEADS,LAYERS,BATCH,TOKENS");
    return NULL;
}

/* --- the model and the data --------------------------------------------------------------------
 */

static Model make_model(const Size *size) {
    Model model = {.config = config_default()};
    Config *config = &model.config;
    Error error;
    config->width = size->width;
    config->heads = size->heads;
    config->encoder_layers = config->decoder_layers = size->layers;
    config->ffn_width = 4 * size->width;
    config->attention_bias = true;
    config->source_end_mark = false;
    config->max_source = config->max_target = size->steps;
    /* With the marks, VOCABULARY tokens. */
    char characters[VOCABULARY] = "";
    if (!vocab_from_characters(&model.source_vocab, characters, &error)) fail(error.text);
    int letters = VOCABULARY - model.source_vocab.size;
    vocab_free(&model.source_vocab);
    for (int i = 0; i < letters; i++)
        characters[i] = (char)('A' + i);
    if (!vocab_from_characters(&model.source_vocab, characters, &error) ||
        !vocab_from_characters(&model.target_vocab, characters, &error))
        fail(error.text);
    config->source_vocab = config->target_vocab = VOCABULARY;
    if (!config_check(config, &error) || !params_make(&model.params, config, &error))
        fail(error.text);
    params_init(&model.params, config, 1);
    return model;
}

/* A token of row `b`, place `t`, that a peer can compute as well. */
static int token(int b, int t, int stream) {
    return 4 + (b * 31 + t * 17 + stream * 7 + b * t) % (VOCABULARY - 4);
}

static Batch make_batch(const Size *size, int examples) {
    Batch batch = {0};
    Error error;
    if (!batch_reserve(&batch, examples, size->steps, size->steps, &error)) fail(error.text);
    for (int b = 0; b < examples; b++) {
        batch.enc_valid_lens[b] = batch.dec_valid_lens[b] = size->steps;
        for (int t = 0; t < size->steps; t++) {
            batch.source[b * size->steps + t] = token(b, t, 0);
            batch.target_out[b * size->steps + t] = token(b, t, 1);
            batch.target_in[b * size->steps + t] = t ? token(b, t - 1, 1) : 1;
        }
    }
    return batch;
}

static bool give_batch(void *context, int step, Batch *batch, Error *error) {
    const Size *size = context;
    (void)step;
    batch_free(batch);
    *batch = make_batch(size, size->batch);
    (void)error;
    return true;
}

/* --- times -------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, by_value);
    return times[count / 2];
}

static TrainOptions train_options(const Size *size) {
    TrainOptions options = train_options_default();
    options.steps = 100000;
    options.batch = size->batch;
    options.learning_rate = 1e-4;
    options.warmup = 0;
    options.clip = 0;
    options.label_smoothing = 0;
    options.beta2 = 0.999;
    options.epsilon = 1e-8;
    return options;
}

static void time_steps(const Size *size, int threads, int count) {
    Model model = make_model(size);
    TrainOptions options = train_options(size);
    Error error;
    Trainer *trainer = trainer_make(&model.config, &model.params, &options, threads, give_batch,
                                    (void *)size, &error);
    if (!trainer) fail(error.text);
    double times[MOST], first = 0;
    for (int i = -2; i < count; i++) {
        TrainReport report;
        double before = clock_ms();
        if (!trainer_step(trainer, &report, &error)) fail(error.text);
        if (i >= 0) times[i] = clock_ms() - before;
        if (i == -2) first = report.loss;
    }
    printf("%.4f %.6f\n", median(times, count), first);
    trainer_free(trainer);
    model_free(&model);
}

static void measure_memory(const Size *size, int threads) {
    Model model = make_model(size);
    TrainOptions options = train_options(size);
    Error error;
    Trainer *trainer = trainer_make(&model.config, &model.params, &options, threads, give_batch,
                                    (void *)size, &error);
    if (!trainer) fail(error.text);
    for (int i = 0; i < 3; i++) {
        TrainReport report;
        if (!trainer_step(trainer, &report, &error)) fail(error.text);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.1f %.1f\n", (double)usage.ru_maxrss * 1024 / 1e6,
           (double)trainer_bytes(&model.config, &options, threads) / 1e6);
    trainer_free(trainer);
    model_free(&model);
}

static int most_probable(const real *logits) {
    int best = 0;
    for (int v = 1; v < VOCABULARY; v++)
        if (logits[v] > logits[best]) best = v;
    return best;
}

static void time_decoding_steps(const Size *size, int count) {
    Model model = make_model(size);
    Batch batch = make_batch(size, 1);
    Workspace workspace = {0};
    Error error;
    double *times = calloc((size_t)size->steps * (size_t)count, sizeof *times);
    if (!times) fail("out of memory");
    for (int i = -2; i < count; i++) {
        real logits[VOCABULARY];
        int next = 1;
        Decoder *decoder = decoder_for_sources(&workspace, &model.config, &model.params, &batch, 1,
                                               (ForwardOptions){0}, &error);
        if (!decoder) fail(error.text);
        for (int t = 0; t < size->steps; t++) {
            double before = clock_ms();
            decoder_step(decoder, &next, logits);
            if (i >= 0) times[t * count + i] = clock_ms() - before;
            next = most_probable(logits);
        }
        decoder_free(decoder);
    }
    for (int t = 0; t < size->steps; t++)
        printf("%d %.6f\n", t + 1, median(times + (long)t * count, count));
    free(times);
    workspace_free(&workspace);
    batch_free(&batch);
    model_free(&model);
}

static void time_decoding(const Size *size, int count, bool cached) {
    Model model = make_model(size);
    Batch batch = make_batch(size, 1);
    Workspace workspace = {0};
    Error error;
    double times[MOST];
    unsigned hash = 0;
    real logits[VOCABULARY];
    for (int i = -2; i < count; i++) {
        double before = clock_ms();
        int next = 1;
        hash = 0;
        Decoder *decoder = cached ? decoder_for_sources(&workspace, &model.config, &model.params,
                                                        &batch, 1, (ForwardOptions){0}, &error)
                                  : NULL;
        if (cached && !decoder) fail(error.text);
        for (int t = 0; t < size->steps; t++) {
            batch.target_in[t] = next;
            if (cached) {
                decoder_step(decoder, &next, logits);
            } else {
                batch.target_len = t + 1;
                batch.dec_valid_lens[0] = t + 1;
                if (!workspace_fit(&workspace, &model.config, 1, size->steps, t + 1, false, &error))
                    fail(error.text);
                transformer_forward(&workspace, &model.params, &batch, (ForwardOptions){0});
                memcpy(logits, workspace.logits + (long)t * VOCABULARY, sizeof logits);
            }
            next = most_probable(logits);
            hash = hash * 31 + (unsigned)next;
        }
        decoder_free(decoder);
        if (i >= 0) times[i] = clock_ms() - before;
    }
    printf("%.4f %u\n", median(times, count), hash);
    workspace_free(&workspace);
    batch_free(&batch);
    model_free(&model);
}

/* One pass, in milliseconds. */
static double forward_once(Workspace *workspace, const Model *model, const Batch *batch, int steps,
                           bool capture) {
    Error error;
    double before = clock_ms();
    transformer_forward(workspace, &model->params, batch, (ForwardOptions){0});
    Trace *trace = capture ? transformer_trace(workspace, batch, 0, steps, steps, &error) : NULL;
    double taken = clock_ms() - before;
    if (capture && !trace) fail(error.text);
    trace_free(trace);
    return taken;
}

static void time_forward(const Size *size, int count, bool capture, bool in_turn) {
    Model model = make_model(size);
    Batch batch = make_batch(size, 1);
    Workspace workspace = {0};
    Error error;
    double times[MOST], plain[MOST], sum = 0;
    if (!workspace_fit(&workspace, &model.config, 1, size->steps, size->steps, false, &error))
        fail(error.text);
    for (int i = -5; i < count; i++) {
        double without = in_turn ? forward_once(&workspace, &model, &batch, size->steps, false) : 0;
        double taken = forward_once(&workspace, &model, &batch, size->steps, capture);
        if (i < 0) continue;
        times[i] = taken;
        plain[i] = without;
    }
    for (int i = 0; i < size->steps * VOCABULARY; i++)
        sum += (double)workspace.logits[i];
    if (in_turn)
        printf("%.2f\n", 100 * (median(times, count) / median(plain, count) - 1));
    else
        printf("%.4f %.4f\n", median(times, count), sum);
    workspace_free(&workspace);
    batch_free(&batch);
    model_free(&model);
}

/* 2mnk over every product of a forward pass; backward has two for each of them. */
static double step_flops(const Size *size) {
    double w = size->width, rows = (double)size->batch * size->steps, t = size->steps;
    double attention = 4 * 2 * rows * w * w + 2 * 2 * rows * t * w; /* projections; scores, mix */
    double feedforward = 2 * 2 * rows * w * 4 * w;
    double forward = size->layers * (3 * attention + 2 * feedforward) + 2 * rows * w * VOCABULARY;
    return 3 * forward / 1e9;
}

/* The limit and the step are measured in turn; of each the best counts. */
static void time_share(const Size *size, int count) {
    enum { PEAKS = 20 };
    Model model = make_model(size);
    TrainOptions options = train_options(size);
    Error error;
    Trainer *trainer =
        trainer_make(&model.config, &model.params, &options, 1, give_batch, (void *)size, &error);
    if (!trainer) fail(error.text);
    double peak = 0, least = INFINITY;
    for (int i = -1; i < count; i++) {
        TrainReport report;
        for (int j = 0; j < PEAKS; j++)
            peak = fmax(peak, peak_rate());
        double before = processor_ms();
        if (!trainer_step(trainer, &report, &error)) fail(error.text);
        if (i >= 0) least = fmin(least, processor_ms() - before);
    }
    printf("%.1f %.3f %.1f\n", 100 * step_flops(size) / (least / 1e3) / peak, least, peak);
    trainer_free(trainer);
    model_free(&model);
}

/* --- the machine's limit -----------------------------------------------------------------------
 */

typedef struct GemmJob {
    int n, repeats;
} GemmJob;

static void *run_gemm(void *context) {
    GemmJob job = *(GemmJob *)context;
    size_t count = (size_t)job.n * (size_t)job.n;
    float *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b),
          *c = malloc(count * sizeof *c);
    if (!a || !b || !c) fail("out of memory");
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] = c[i] = (float)(i % 7) / 7;
    for (int i = 0; i < job.repeats; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, job.n, job.n, job.n, 1, a, job.n, b,
                    job.n, 0, c, job.n);
    free(a);
    free(b);
    free(c);
    return NULL;
}

/* The best over some sizes: threads of our own, each in calls of one thread. */
static void best_gemm(int threads, int count) {
    static const int n[] = {256, 512, 768, 1024, 1536};
    double best = 0;
    if (threads > 64) fail("at most 64 threads");
    for (int round = 0; round < count; round++)
        for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
            GemmJob job = {n[i], 1 + (int)(2e9 / (2.0 * n[i] * n[i] * n[i]))};
            pthread_t team[64];
            double before = clock_ms();
            for (int thread = 0; thread < threads; thread++)
                if (pthread_create(&team[thread], NULL, run_gemm, &job)) fail("no thread");
            for (int thread = 0; thread < threads; thread++)
                pthread_join(team[thread], NULL);
            double seconds = (clock_ms() - before) / 1e3;
            double rate = 2.0 * n[i] * n[i] * n[i] * job.repeats * threads / seconds / 1e9;
            if (rate > best) best = rate;
        }
    printf("%.2f\n", best);
}

int main(int argc, char **argv) {
    if (argc < 3) fail("engine WHAT SIZE [THREADS] [COUNT]");
    const char *what = argv[1];
    int last = argc > 3 ? atoi(argv[argc - 1]) : 1;
    if (last > MOST) fail("too many repetitions");
    if (strcmp(what, "gemm") == 0) {
        Error closed;
        if (!blas_open(&closed)) fail(closed.text);
        best_gemm(atoi(argv[2]), last);
        return 0;
    }
    const Size *size = find_size(argv[2]);
    if (strcmp(what, "model") == 0 && argc > 3) {
        Model model = make_model(size);
        Error error;
        if (!model_save(&model, argv[3], &error)) fail(error.text);
        model_free(&model);
    } else if (strcmp(what, "step") == 0 && argc > 4) {
        time_steps(size, atoi(argv[3]), last);
    } else if (strcmp(what, "decode") == 0 || strcmp(what, "decode-anew") == 0) {
        time_decoding(size, last, strcmp(what, "decode") == 0);
    } else if (strcmp(what, "decode-steps") == 0 && last > 0) {
        time_decoding_steps(size, last);
    } else if (strcmp(what, "memory") == 0 && last > 0) {
        measure_memory(size, last);
    } else if (strcmp(what, "forward") == 0 || strcmp(what, "capture") == 0) {
        time_forward(size, last, strcmp(what, "capture") == 0, false);
    } else if (strcmp(what, "capture-cost") == 0) {
        time_forward(size, last, true, true);
    } else if (strcmp(what, "share") == 0) {
        time_share(size, last);
    } else if (strcmp(what, "flops") == 0) {
        printf("%.6f\n", step_flops(size));
    } else {
        fail("what? See bench/engine.c");
    }
    return 0;
}
