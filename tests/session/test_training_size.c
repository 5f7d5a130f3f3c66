/* The bytes that a run is said to take, against those that it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "app/training/training.h"
#include "data/tasks/examples.h"
#include "model/training/trainer.h"

/* Bytes in use by this thread and in large blocks, by the allocator's own count; 0 where it keeps
 * none (sanitizers, valgrind). */
static double in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

/* So few that no block is large: those do not come from the allocator (model/base/large_memory.h).
 */
enum { EXAMPLES = 12 };

/* A batch as long as the config allows. */
static bool longest_batch(void *context, int step, Batch *batch, Error *error) {
    const Config *config = context;
    (void)step;
    if (!batch_reserve(batch, EXAMPLES, config->max_source, config->max_target, error))
        return false;
    for (int b = 0; b < EXAMPLES; b++) {
        batch->enc_valid_lens[b] = config->max_source;
        batch->dec_valid_lens[b] = config->max_target;
    }
    for (int i = 0; i < EXAMPLES * config->max_source; i++)
        batch->source[i] = 4 + i % (config->source_vocab - 4);
    for (int i = 0; i < EXAMPLES * config->max_target; i++)
        batch->target_in[i] = batch->target_out[i] = 4 + i % (config->target_vocab - 4);
    return true;
}

static void check_size(const Config *config) {
    Error error;
    TrainOptions options = train_options_default();
    options.steps = 100;
    options.learning_rate = 1e-3;
    options.batch = EXAMPLES;
    double before = in_use();
    Params params = {0};
    assert_true(params_make(&params, config, &error));
    params_init(&params, config, 1);
    Trainer *trainer =
        trainer_make(config, &params, &options, 1, longest_batch, (void *)config, &error);
    assert_non_null(trainer);
    TrainReport report;
    assert_true(trainer_step(trainer, &report, &error));
    double taken = in_use() - before, said = (double)trainer_bytes(config, &options, 1);
    TrainerBytes parts = trainer_bytes_of(config, &options, 1);
    assert_int_equal(parts.parameters, params.count * (long)sizeof(real));
    assert_true(parts.workspace > parts.parameters);
    if (taken > 0) {
        if (taken < 0.97 * said || taken > 1.03 * said)
            fail_msg("said %.0f bytes, taken %.0f", said, taken);
    }
    trainer_free(trainer);
    params_free(&params);
}

static void what_is_said_is_what_is_taken(void **state) {
    (void)state;
    static const struct {
        int width, heads, layers, source, target;
    } shapes[] = {{32, 4, 2, 12, 12}, {16, 8, 1, 30, 7}, {48, 2, 1, 5, 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Config config = config_default();
        config.width = shapes[i].width;
        config.heads = shapes[i].heads;
        config.ffn_width = 4 * shapes[i].width;
        config.encoder_layers = config.decoder_layers = shapes[i].layers;
        config.max_source = shapes[i].source;
        config.max_target = shapes[i].target;
        config.source_vocab = config.target_vocab = 20;
        Error error;
        assert_true(config_check(&config, &error));
        check_size(&config);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_said_is_what_is_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
