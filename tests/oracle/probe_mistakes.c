/* Runs the plain attention with mistakes, for PyTorch to compute again; with --catalogue, writes
 * the catalogue of mistakes as JSON. Reads cases from standard input until it ends: BATCH HEADS
 * QUERIES KEYS HEAD_WIDTH the fields of AttentionMistakes in order, enums as numbers CAUSAL_SITE
 * LENGTHS_COUNT, and the valid lengths: none, [B] or [B,Tq] query, key, value, d_context and
 * writes, a number a line: context, weights, d_query, d_key, d_value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/doctor/mistake_kinds.h"

/* The probe is a test: any failure ends it. */
static void require(bool done, const char *what) {
    if (done) return;
    fprintf(stderr, "probe_mistakes: %s\n", what);
    exit(1);
}

static void *allocate(long count, size_t size) {
    void *place = calloc((size_t)(count ? count : 1), size);
    require(place != NULL, "out of memory");
    return place;
}

static int read_int(void) {
    int number = 0;
    require(scanf("%d", &number) == 1, "a whole number is missing");
    return number;
}

static double *read_numbers(long count) {
    double *numbers = allocate(count, sizeof *numbers);
    for (long i = 0; i < count; i++)
        require(scanf("%lf", &numbers[i]) == 1, "a number is missing");
    return numbers;
}

static void write_and_free(double *numbers, long count) {
    for (long i = 0; i < count; i++)
        printf("%.17g\n", numbers[i]);
    free(numbers);
}

static AttentionMistakes read_mistakes(void) {
    AttentionMistakes mistakes = {0};
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++) {
        if (!field->words) {
            require(scanf("%lf", &mistakes.mask_value) == 1, "the mask's value is missing");
            continue;
        }
        int value = read_int();
        memcpy((char *)&mistakes + field->offset, &value, sizeof value);
    }
    return mistakes;
}

static void run(AttentionSizes n) {
    AttentionMistakes mistakes = read_mistakes();
    MaskSource mask = {.causal = read_int()};
    int lens_count = read_int();
    int *lens = allocate(lens_count, sizeof *lens);
    for (int i = 0; i < lens_count; i++)
        lens[i] = read_int();
    mask.valid_lens = lens_count ? lens : NULL;
    mask.per_query = lens_count > n.batch;
    int *room = allocate(attention_rule_room(n), sizeof *room);
    AttentionRule rule = attention_rule_make(mistakes, mask, n, room);
    long width = (long)n.heads * n.head_width, map = (long)n.batch * n.heads * n.queries * n.keys;
    long at_queries = n.batch * n.queries * width, at_keys = n.batch * n.keys * width;
    double *query = read_numbers(at_queries), *key = read_numbers(at_keys);
    double *value = read_numbers(at_keys), *d_context = read_numbers(at_queries);
    double *context = allocate(at_queries, sizeof *context);
    double *weights = allocate(map, sizeof *weights);
    double *d_query = allocate(at_queries, sizeof *d_query);
    double *d_key = allocate(at_keys, sizeof *d_key), *d_value = allocate(at_keys, sizeof *d_value);
    double *scratch = allocate(attention_plain_scratch(n), sizeof *scratch);
    attention_plain_forward(context, weights, query, key, value, &rule, n);
    attention_plain_backward(d_query, d_key, d_value, d_context, query, key, value, &rule, n,
                             scratch);
    write_and_free(context, at_queries);
    write_and_free(weights, map);
    write_and_free(d_query, at_queries);
    write_and_free(d_key, at_keys);
    write_and_free(d_value, at_keys);
    free(query);
    free(key);
    free(value);
    free(d_context);
    free(scratch);
    free(room);
    free(lens);
}

/* --- the catalogue ---------------------------------------------------------------------------- */

/* {"split": ["slices", ...], ...}; null of mask_value. */
static void write_fields(void) {
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++) {
        printf("%s\"%s\": ", field == attention_mistake_fields ? "" : ", ", field->name);
        if (!field->words) printf("null");
        for (int i = 0; field->words && (i == 0 || field->words[i - 1]); i++)
            if (field->words[i])
                printf("%s\"%s\"", i ? ", " : "[", field->words[i]);
            else
                printf("]");
    }
}

/* The fields that a rule sets: {"mask": 1, "mask_value": -5}. */
static void write_rule(const AttentionMistakes *rule) {
    printf("{\"mask_value\": %g", rule->mask_value);
    for (const AttentionMistakeField *field = attention_mistake_fields; field->name; field++)
        if (field->words && attention_mistake_value(rule, field))
            printf(", \"%s\": %d", field->name, attention_mistake_value(rule, field));
    printf("}");
}

static const char *truth(bool is) {
    return is ? "true" : "false";
}

static int write_catalogue(void) {
    const MistakeKind *kind;
    printf("{\"fields\": {");
    write_fields();
    printf("}, \"kinds\": [");
    for (int id = 0; (kind = mistake_kind(id)); id++) {
        printf("%s\n{\"name\": \"%s\", \"verdict\": %s, \"sign\": %s, \"trap\": %s, \"rules\": [",
               id ? "," : "", kind->name, truth(kind->mend), truth(kind->sign),
               truth(kind->wrong && !kind->is_loud));
        for (int i = 0; i < mistake_rules(kind); i++) {
            printf("%s", i ? ", " : "");
            write_rule(&kind->rules[i]);
        }
        printf("]}");
    }
    printf("]}\n");
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--catalogue") == 0) return write_catalogue();
    AttentionSizes n;
    while (scanf("%d %d %d %d %d", &n.batch, &n.heads, &n.queries, &n.keys, &n.head_width) == 5)
        run(n);
    return 0;
}
