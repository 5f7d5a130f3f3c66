#include "tests/model/helper_dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double helper_rounded(double x, DumpPrecision precision) {
    static const int bits[] = {53, 24, 11, 8}, min[] = {-1074, -149, -24, -133};
    if (x == 0 || !isfinite(x)) return x;
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - bits[precision];
    if (unit < min[precision]) unit = min[precision];
    return ldexp(nearbyint(ldexp(x, -unit)), unit);
}

static bool made(const MadeDump *m, const char *name) {
    for (int i = 0; i < MADE_MISTAKES; i++)
        if (m->mistakes[i] && strcmp(m->mistakes[i], name) == 0) return true;
    if (!mistake_find(name)) abort(); /* misspelt here */
    return false;
}

static double *room(long count) {
    double *numbers = calloc((size_t)count + 1, sizeof *numbers);
    if (!numbers) abort();
    return numbers;
}

static double *random_numbers(long count, double size, DumpPrecision precision, Rng *rng) {
    double *numbers = room(count);
    for (long i = 0; i < count; i++)
        numbers[i] = helper_rounded(size * rng_normal(rng), precision);
    return numbers;
}

/* --- projections ------------------------------------------------------------------------------ */

static void project(double *out, const double *x, const double *w, const double *b, long rows,
                    int width, bool transposed, DumpPrecision precision) {
    for (long r = 0; r < rows; r++)
        for (int o = 0; o < width; o++) {
            float sum = 0;
            for (int i = 0; i < width; i++)
                sum += (float)(x[r * width + i] *
                               (transposed ? w[(long)i * width + o] : w[(long)o * width + i]));
            out[r * width + o] = helper_rounded((double)sum + (b ? b[o] : 0), precision);
        }
}

/* --- splitting and putting together: [B,T,W] <-> [B,H,T,D] ------------------------------------ */

static void split(double *heads, const double *packed, const MadeDump *m, int steps) {
    AttentionSizes n = m->sizes;
    int width = n.heads * n.head_width;
    long at = 0;
    if (made(m, "one-reshape")) {
        memcpy(heads, packed, (size_t)n.batch * (size_t)steps * (size_t)width * sizeof *heads);
        return;
    }
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < steps; t++)
                for (int i = 0; i < n.head_width; i++) {
                    int column =
                        made(m, "interleaved-heads") ? i * n.heads + h : h * n.head_width + i;
                    heads[at++] = packed[((long)b * steps + t) * width + column];
                }
}

static void concat(double *packed, const double *heads, const MadeDump *m) {
    AttentionSizes n = m->sizes;
    int width = n.heads * n.head_width;
    long at = 0;
    if (made(m, "wrong-concat")) {
        memcpy(packed, heads, (size_t)n.batch * (size_t)n.queries * (size_t)width * sizeof *heads);
        return;
    }
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int i = 0; i < n.head_width; i++) {
                    int column =
                        made(m, "concat-interleaved") ? i * n.heads + h : h * n.head_width + i;
                    packed[((long)b * n.queries + t) * width + column] = heads[at++];
                }
}

/* --- the mask --------------------------------------------------------------------------------- */

static bool seen(const MadeDump *m, int b, int h, int t, int j) {
    AttentionSizes n = m->sizes;
    int example = b;
    if (made(m, "tiled-lens")) example = (b * n.heads + h) % n.batch;
    if (made(m, "lens-other-example")) example = (b + 1) % n.batch;
    bool valid = true;
    if (m->has_lens && !made(m, "lens-ignored")) {
        int len = m->lens[m->per_query ? example * n.queries + t : example];
        if (made(m, "lens-one-more")) len++;
        if (made(m, "lens-one-less")) len--;
        valid = j < len;
        if (made(m, "lens-inverted")) valid = !valid;
    }
    bool past = true;
    if ((m->causal && !made(m, "no-causal")) || made(m, "causal-cross")) {
        past = j <= t;
        if (made(m, "causal-one-more")) past = j <= t + 1;
        if (made(m, "causal-one-less")) past = j < t;
        if (made(m, "causal-mirrored")) past = j >= t;
    }
    return valid && past;
}

/* --- weights [B,H,Tq,Tk] ---------------------------------------------------------------------- */

static long cell(AttentionSizes n, int b, int h, int t, int j) {
    return (((long)b * n.heads + h) * n.queries + t) * n.keys + j;
}

static double scale_of(const MadeDump *m) {
    int width = m->sizes.head_width;
    if (made(m, "no-scale")) return 1;
    if (made(m, "scale-sqrt-width")) return 1 / sqrt((double)m->sizes.heads * width);
    if (made(m, "scale-head-width")) return 1.0 / width;
    return 1 / sqrt((double)width);
}

static void score(double *weights, const MadeDump *m) {
    AttentionSizes n = m->sizes;
    bool swap = made(m, "query-key-swapped");
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++) {
                    int q = swap ? j : t, k = swap ? t : j;
                    const double *x =
                        m->query_split + (((long)b * n.heads + h) * n.queries + q) * n.head_width;
                    const double *y =
                        m->key_split + (((long)b * n.heads + h) * n.keys + k) * n.head_width;
                    float sum = 0;
                    for (int i = 0; i < n.head_width; i++)
                        sum += (float)(x[i] * y[i]);
                    double s = helper_rounded((double)sum * scale_of(m), m->compute);
                    bool sees = seen(m, b, h, t, j);
                    if (!sees && made(m, "mask-leaks")) s = helper_rounded(s - 5, m->compute);
                    if (!sees && !made(m, "mask-leaks") && !made(m, "mask-after"))
                        s = m->empty_uniform ? -1e6 : -INFINITY;
                    weights[cell(n, b, h, t, j)] = s;
                }
}

/* Softmax over `count` scores that lie `stride` apart. A line of -inf gives zeros. */
static void soften(double *scores, int count, long stride, const MadeDump *m) {
    double max = -INFINITY, total = 0;
    for (int i = 0; i < count; i++)
        max = fmax(max, scores[i * stride]);
    for (int i = 0; i < count; i++) {
        double *s = &scores[i * stride];
        *s = max == -INFINITY ? (made(m, "empty-nan") ? NAN : 0) : (double)expf((float)(*s - max));
        total += *s;
    }
    for (int i = 0; i < count; i++)
        scores[i * stride] =
            helper_rounded(scores[i * stride] / (total == 0 ? 1 : total), m->compute);
}

static void weigh(double *weights, const MadeDump *m, Rng *rng) {
    AttentionSizes n = m->sizes;
    score(weights, m);
    if (made(m, "softmax-queries")) {
        for (int b = 0; b < n.batch * n.heads; b++)
            for (int j = 0; j < n.keys; j++)
                soften(weights + (long)b * n.queries * n.keys + j, n.queries, n.keys, m);
    } else if (made(m, "softmax-heads")) {
        for (int b = 0; b < n.batch; b++)
            for (long at = 0; at < (long)n.queries * n.keys; at++)
                soften(weights + cell(n, b, 0, 0, 0) + at, n.heads, (long)n.queries * n.keys, m);
    } else {
        for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
            soften(weights + row * n.keys, n.keys, 1, m);
    }
    for (int b = 0; b < n.batch; b++)
        for (int h = 0; h < n.heads; h++)
            for (int t = 0; t < n.queries; t++)
                for (int j = 0; j < n.keys; j++) {
                    double *w = &weights[cell(n, b, h, t, j)];
                    if (made(m, "mask-after") && !seen(m, b, h, t, j)) *w = 0;
                    if (made(m, "dropout-on"))
                        *w = rng_uniform(rng) < 0.3 ? 0 : helper_rounded(*w / 0.7, m->compute);
                }
    for (int b = 0; b < n.batch && made(m, "averaged-heads"); b++)
        for (long at = 0; at < (long)n.queries * n.keys; at++) {
            double mean = 0;
            for (int h = 0; h < n.heads; h++)
                mean += weights[cell(n, b, h, 0, 0) + at] / n.heads;
            for (int h = 0; h < n.heads; h++)
                weights[cell(n, b, h, 0, 0) + at] = helper_rounded(mean, m->compute);
        }
}

static void mix(double *context, const double *weights, const MadeDump *m) {
    AttentionSizes n = m->sizes;
    for (long row = 0; row < (long)n.batch * n.heads * n.queries; row++)
        for (int i = 0; i < n.head_width; i++) {
            float sum = 0;
            const double *value = m->value_split + row / n.queries * n.keys * n.head_width;
            for (int j = 0; j < n.keys; j++)
                sum += (float)(weights[row * n.keys + j] * value[(long)j * n.head_width + i]);
            context[row * n.head_width + i] = helper_rounded((double)sum, m->compute);
        }
}

/* --- all of it -------------------------------------------------------------------------------- */

static void make_lens(MadeDump *m, Rng *rng) {
    AttentionSizes n = m->sizes;
    long count = m->per_query ? (long)n.batch * n.queries : n.batch;
    for (long i = 0; i < count && i < MADE_LENS && !m->lens_set; i++)
        m->lens[i] = 1 + (int)rng_below(rng, (uint32_t)n.keys);
    m->dump.valid_lens = m->has_lens ? m->lens : NULL;
}

static void make_sources(MadeDump *m, Rng *rng) {
    AttentionSizes n = m->sizes;
    int width = n.heads * n.head_width;
    for (int i = DUMP_W_Q; i <= DUMP_W_O; i++) {
        m->parts[i] = random_numbers((long)width * width, 1.3 / sqrt(width), m->precision, rng);
        if (m->biased) m->parts[i + 4] = random_numbers(width, 0.5, m->precision, rng);
    }
    m->parts[DUMP_X_QUERY] =
        random_numbers((long)n.batch * n.queries * width, 1, m->precision, rng);
    if (m->site == SITE_CROSS)
        m->parts[DUMP_X_KEY_VALUE] =
            random_numbers((long)n.batch * n.keys * width, 1, m->precision, rng);
}

static void make_projections(MadeDump *m) {
    AttentionSizes n = m->sizes;
    int width = n.heads * n.head_width;
    long queries = (long)n.batch * n.queries, keys = (long)n.batch * n.keys;
    const double *x = m->parts[DUMP_X_QUERY];
    const double *y = m->parts[DUMP_X_KEY_VALUE] ? m->parts[DUMP_X_KEY_VALUE] : x;
    bool no_bias = made(m, "bias-left-out"), both = made(m, "kv-from-decoder");
    const double *from[3] = {made(m, "q-from-encoder") ? y : x,
                             both || made(m, "k-from-decoder") ? x : y,
                             both || made(m, "v-from-decoder") ? x : y};
    for (int i = 0; i < 3; i++) {
        long rows = i == 0 ? queries : keys;
        m->parts[DUMP_QUERY + i] = room(rows * width);
        project(m->parts[DUMP_QUERY + i], from[i], m->parts[DUMP_W_Q + i],
                no_bias ? NULL : m->parts[DUMP_B_Q + i], rows, width, made(m, "w-transposed"),
                m->compute);
    }
}

void helper_dump_make(MadeDump *m) {
    Rng rng = rng_make(m->seed, 11);
    AttentionSizes n = m->sizes;
    int width = n.heads * n.head_width;
    long queries = (long)n.batch * n.queries * width, keys = (long)n.batch * n.keys * width;
    m->causal = m->site == SITE_DECODER;
    if (m->compute < m->precision) m->compute = m->precision;
    make_lens(m, &rng);
    make_sources(m, &rng);
    make_projections(m);
    m->query_split = room(queries);
    m->key_split = room(keys);
    m->value_split = room(keys);
    m->context_split = room(queries);
    split(m->query_split, m->parts[DUMP_QUERY], m, n.queries);
    split(m->key_split, m->parts[DUMP_KEY], m, n.keys);
    split(m->value_split, m->parts[DUMP_VALUE], m, n.keys);
    m->parts[DUMP_WEIGHTS] = room((long)n.batch * n.heads * n.queries * n.keys);
    weigh(m->parts[DUMP_WEIGHTS], m, &rng);
    mix(m->context_split, m->parts[DUMP_WEIGHTS], m);
    if (m->dropped_later) {
        const char *mistake = m->mistakes[0];
        m->mistakes[0] = NULL;
        weigh(m->parts[DUMP_WEIGHTS], m, &rng);
        m->mistakes[0] = mistake;
    }
    m->parts[DUMP_CONTEXT] = room(queries);
    m->parts[DUMP_OUTPUT] = room(queries);
    concat(m->parts[DUMP_CONTEXT], m->context_split, m);
    if (made(m, "no-output-projection"))
        memcpy(m->parts[DUMP_OUTPUT], m->parts[DUMP_CONTEXT], (size_t)queries * sizeof(double));
    else
        project(m->parts[DUMP_OUTPUT], m->parts[DUMP_CONTEXT], m->parts[DUMP_W_O],
                made(m, "bias-left-out") ? NULL : m->parts[DUMP_B_O], queries / width, width,
                made(m, "w-transposed"), m->compute);
    for (int i = 0; i < DUMP_PARTS; i++)
        m->dump.parts[i] = (DumpTensor){.numbers = m->parts[i], .precision = m->precision};
    m->dump.sizes = n;
    m->dump.site = m->site;
    m->dump.causal = m->causal;
    m->dump.per_query = m->per_query;
}

void helper_dump_without(MadeDump *m, DumpPart part) {
    m->dump.parts[part].numbers = NULL;
}

void helper_dump_free(MadeDump *m) {
    for (int i = 0; i < DUMP_PARTS; i++)
        free(m->parts[i]);
    free(m->query_split);
    free(m->key_split);
    free(m->value_split);
    free(m->context_split);
}
