/* Backward of attention, alone and within its projections, against differences, in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/kernels/mask.h"
#include "model/network/multihead.h"
#include "tests/model/helper_gradient.h"
#include "tests/model/helper_network.h"

/* --- multi-head attention, and the attention inside it ---------------------------------------- */

typedef struct Attend {
    MultiheadSizes sizes;
    MultiheadOptions way;
    real *query_source, *key_value_source;
    AttentionParams params;
    MultiheadSaved saved;
    MultiheadScratch scratch;
    real *y, *above;
} Attend;

static double attend_loss(void *context) {
    Attend *a = context;
    multihead_forward(a->y, a->saved, a->query_source, a->key_value_source, a->params, a->sizes,
                      a->way, a->scratch);
    return helper_dot(a->y, a->above, (long)a->sizes.batch * a->sizes.queries * a->sizes.width);
}

static AttentionParams attention_params(Reals *pool, int width, bool bias, bool zero) {
    real *(*make)(Reals *, long) = zero ? reals_zero : reals_random;
    return (AttentionParams){
        .in = {make(pool, 3L * width * width), bias ? make(pool, 3L * width) : NULL},
        .out = {make(pool, (long)width * width), bias ? make(pool, width) : NULL},
    };
}

static void check_attend_params(Attend *a, AttentionParams d) {
    long width = a->sizes.width;
    helper_check_gradient("in weight", a->params.in.weight, d.in.weight, 3 * width * width,
                          attend_loss, a);
    helper_check_gradient("out weight", a->params.out.weight, d.out.weight, width * width,
                          attend_loss, a);
    if (!a->params.in.bias) return;
    helper_check_gradient("in bias", a->params.in.bias, d.in.bias, 3 * width, attend_loss, a);
    helper_check_gradient("out bias", a->params.out.bias, d.out.bias, width, attend_loss, a);
}

/* Self-attention if queries == keys, causal; else cross-attention. Lengths 3, 0 and 1. */
static void check_attend(int queries, int keys, bool bias, double rate) {
    static const int valid_lens[3] = {3, 0, 1};
    enum { B = 3, W = 6, H = 2, KEY_LENS = B * H * 5 };
    bool self = queries == keys;
    int key_len[KEY_LENS];
    mask_fill(key_len, valid_lens, B, H, queries, self);
    Reals pool = {.rng = rng_make(6, 0)};
    Attend a = {.sizes = {B, queries, keys, W, H},
                .way = {.key_len = key_len, .dropout = dropout_make(rate, 3)}};
    long query_size = (long)B * queries * W, key_size = (long)B * keys * W;
    a.query_source = reals_random(&pool, query_size);
    a.key_value_source = self ? a.query_source : reals_random(&pool, key_size);
    a.params = attention_params(&pool, W, bias, false);
    long projected = multihead_projected_size(a.sizes);
    long maps = (long)B * H * queries * attention_row(keys);
    a.saved = (MultiheadSaved){reals_poisoned(&pool, projected), reals_poisoned(&pool, query_size),
                               reals_poisoned(&pool, maps)};
    a.scratch.attention =
        reals_poisoned(&pool, attention_scratch(multihead_attention_sizes(a.sizes)));
    a.scratch.d_context = reals_poisoned(&pool, query_size);
    a.scratch.d_projected = reals_poisoned(&pool, projected);
    a.y = reals_poisoned(&pool, query_size);
    a.above = reals_random(&pool, query_size);

    AttentionParams d = attention_params(&pool, W, bias, true);
    real *d_query = reals_poisoned(&pool, query_size), *d_key_value = reals_zero(&pool, key_size);
    attend_loss(&a);
    multihead_backward(d_query, self ? NULL : d_key_value, d, a.above, a.saved, a.query_source,
                       a.key_value_source, a.params, a.sizes, a.way, a.scratch);
    helper_check_gradient("query source", a.query_source, d_query, query_size, attend_loss, &a);
    if (!self)
        helper_check_gradient("key and value source", a.key_value_source, d_key_value, key_size,
                              attend_loss, &a);
    check_attend_params(&a, d);
    reals_free(&pool);
}

static void test_multihead(void **state) {
    (void)state;
    for (int bias = 0; bias < 2; bias++) {
        check_attend(4, 4, bias, 0);
        check_attend(5, 3, bias, 0);
        check_attend(4, 4, bias, 0.4);
        check_attend(5, 3, bias, 0.4);
    }
}

/* --- attention alone -------------------------------------------------------------------------- */

typedef struct AttentionCase {
    Attention call;
    real *scratch, *above;
    long count;
} AttentionCase;

static double attention_loss(void *context) {
    AttentionCase *c = context;
    attention_forward(&c->call, c->scratch);
    return helper_dot(c->call.context.data, c->above, c->count);
}

static void test_attention(void **state) {
    (void)state;
    enum { B = 2, H = 3, TQ = 7, TK = 9, D = 5, W = H * D };
    Reals pool = {.rng = rng_make(7, 0)};
    int key_len[B * H * TQ]; /* of each query its own, 0 and 9 among them */
    for (int i = 0; i < B * H * TQ; i++)
        key_len[i] = i % (TK + 1);
    AttentionSizes sizes = {B, H, TQ, TK, D};
    HeadFold queries = head_fold(TQ, W, D), keys = head_fold(TK, W, D);
    AttentionCase c = {.count = B * TQ * W};
    c.call = (Attention){.sizes = sizes,
                         .query = {reals_random(&pool, B * TQ * W), queries},
                         .key = {reals_random(&pool, B * TK * W), keys},
                         .value = {reals_random(&pool, B * TK * W), keys},
                         .context = {reals_poisoned(&pool, B * TQ * W), queries},
                         .weights = reals_poisoned(&pool, (long)B * H * TQ * attention_row(TK)),
                         .key_len = key_len,
                         .scale = 0.7};
    c.scratch = reals_poisoned(&pool, attention_scratch(sizes));
    c.above = reals_random(&pool, c.count);
    HeadTensor d_query = {reals_poisoned(&pool, B * TQ * W), queries};
    HeadTensor d_key = {reals_poisoned(&pool, B * TK * W), keys};
    HeadTensor d_value = {reals_poisoned(&pool, B * TK * W), keys};
    attention_loss(&c);
    attention_backward(d_query, d_key, d_value, (HeadTensor){c.above, queries}, &c.call, c.scratch);
    helper_check_gradient("query", c.call.query.data, d_query.data, B * TQ * W, attention_loss, &c);
    helper_check_gradient("key", c.call.key.data, d_key.data, B * TK * W, attention_loss, &c);
    helper_check_gradient("value", c.call.value.data, d_value.data, B * TK * W, attention_loss, &c);
    reals_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multihead),
        cmocka_unit_test(test_attention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
