/* The pages of `acceptance`: every figure is found again from the numbers themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/lessons/acceptance_page.h"
#include "data/arrays/safetensors_save.h"
#include "model/base/rng.h"
#include "model/doctor/traps.h"
#include "tests/data/helper_files.h"

/* --- pages ------------------------------------------------------------------------------------ */

typedef struct Made {
    LessonMaker *maker;
    const LessonPage *page; /* NULL: it failed */
    LessonResult result;
    Error error;
} Made;

static Made make_page(const char *const *words) {
    Made made = {.maker = lesson_maker()};
    Command command = {lesson_acceptance.name, lesson_acceptance.arguments, lesson_acceptance.help,
                       command_lesson};
    LessonCall call = {.command = &command, .argv = (char **)words};
    while (words[call.argc])
        call.argc++;
    if (lesson_acceptance.make(made.maker, &call, &made.result, &made.error))
        made.page = lesson_finish(made.maker, &made.error);
    return made;
}

#define PAGE(...) make_page((const char *const[]){__VA_ARGS__, NULL})

/* The n-th block of that kind. */
static const LessonBlock *block_of(const Made *made, LessonKind kind, int n) {
    if (!made->page) fail_msg("no page: %s", made->error.text);
    for (int i = 0; i < made->page->count; i++)
        if (made->page->blocks[i].kind == kind && n-- == 0) return &made->page->blocks[i];
    fail_msg("no such block");
    return NULL;
}

/* Whether some text of the page holds the words. */
static bool says(const Made *made, const char *words) {
    for (int i = 0; made->page && i < made->page->count; i++)
        if (made->page->blocks[i].text && strstr(made->page->blocks[i].text, words)) return true;
    return false;
}

static void assert_says(const Made *made, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void assert_says(const Made *made, const char *format, ...) {
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    if (!says(made, words)) fail_msg("the page does not say: %s", words);
}

/* The row of a table whose first cell is that; NULL: none. */
static const LessonRow *row_of(const LessonBlock *block, const char *name) {
    for (int i = 0; i < block->table.row_count; i++)
        if (strcmp(block->table.rows[i].cells[0], name) == 0) return &block->table.rows[i];
    return NULL;
}

static const char *cell(const LessonBlock *block, const char *name, int column) {
    const LessonRow *row = row_of(block, name);
    if (!row) fail_msg("no row %s", name);
    return row->cells[column];
}

/* --- our own block ---------------------------------------------------------------------------- */

static double gap_of(const double *a, const double *b, long count) {
    double largest = 0;
    for (long i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* The two most alike heads of one example, and the least alike, over queries that see two keys. */
static void head_gaps(const Toy *toy, const AcceptanceReference *reference, double *alike,
                      double *apart) {
    AttentionSizes n = toy->call.sizes;
    *alike = INFINITY;
    *apart = 0;
    for (int b = 0; b < n.batch; b++)
        for (int g = 0; g < n.heads; g++)
            for (int h = g + 1; h < n.heads; h++) {
                double gap = 0;
                for (int t = 0; t < n.queries; t++)
                    for (int j = 0; j < n.keys; j++) {
                        const double *w = reference->answer.weights.numbers;
                        long at = (((long)b * n.heads + g) * n.queries + t) * n.keys + j;
                        long other = (((long)b * n.heads + h) * n.queries + t) * n.keys + j;
                        if (reference->visible[b * n.queries + t] >= 2)
                            gap = fmax(gap, fabs(w[at] - w[other]));
                    }
                *alike = fmin(*alike, gap);
                *apart = fmax(*apart, gap);
            }
}

/* "same" up to rounding, else two figures, as the page writes it. */
static void assert_gap(const char *found, double gap) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%.2g", gap);
    assert_string_equal(found, gap < 1e-10 ? "same" : wanted);
}

/* One row of the mistakes' table against runs of the plain block. */
static void assert_mistake(const LessonBlock *table, const MistakeKind *trap, const Toy toys[2],
                           const AcceptanceReference references[2]) {
    AttentionSizes n = toys->call.sizes;
    double gaps[2][2];
    for (int i = 0; i < 2; i++) {
        AcceptanceAnswer answer;
        assert_true(acceptance_plain(&trap->rules[0], &answer, &toys[i].call, NULL));
        gaps[i][0] = gap_of(answer.output.numbers, references[i].answer.output.numbers,
                            (long)n.batch * n.queries * n.heads * n.head_width);
        gaps[i][1] = gap_of(answer.weights.numbers, references[i].answer.weights.numbers,
                            (long)n.batch * n.heads * n.queries * n.keys);
        acceptance_answer_free(&answer);
    }
    const LessonRow *row = row_of(table, trap->name);
    bool idle = gaps[1][0] < 1e-10 && gaps[1][1] < 1e-10;
    assert_int_equal(row == NULL, idle);
    if (idle) return;
    assert_gap(row->cells[1], gaps[0][0]);
    assert_gap(row->cells[2], gaps[0][1]);
    assert_gap(row->cells[4], gaps[1][0]);
    assert_gap(row->cells[5], gaps[1][1]);
    assert_string_not_equal(row->cells[6], "nothing");
    bool silent = gaps[0][0] < 1e-10 && gaps[0][1] < 1e-10;
    if (silent) assert_string_equal(row->cells[3], "nothing");
}

static void assert_own_page(const ToyPreset *preset, const char *seed) {
    Made made = PAGE("--preset", preset->name, "--seed", seed);
    AcceptanceReference references[2];
    Toy toys[2];
    double alike[2], apart[2];
    for (int i = 0; i < 2; i++) {
        assert_true(toy_make(&toys[i], preset, i == 0, strtoull(seed, NULL, 10), NULL));
        assert_true(acceptance_reference_make(&references[i], &toys[i].call, NULL));
        head_gaps(&toys[i], &references[i], &alike[i], &apart[i]);
        const LessonBlock *table = block_of(&made, LESSON_TABLE,
                                            i == 1                  ? 0
                                            : preset->valid_lens[0] ? 2
                                                                    : 1);
        assert_int_equal(table->table.row_count, ACCEPT_CHECKS);
        for (int row = 0; row < ACCEPT_CHECKS; row++)
            assert_string_not_equal(table->table.rows[row].cells[5], "FAILED");
        char text[40];
        snprintf(text, sizeof text, "%.2g apart", alike[1]);
        assert_string_equal(cell(table, "distinct", 2), i == 1 ? text : "-");
        AttentionSizes n = preset->sizes;
        long outputs = (long)n.batch * n.queries * n.heads * n.head_width;
        snprintf(text, sizeof text, "%ld of %ld", outputs, outputs);
        assert_string_equal(cell(table, "output-shape", 2), text);
    }
    assert_false(made.result.found_fault);
    assert_says(&made, "differ by at most %.1g there", apart[0]);
    assert_says(&made, "the most alike two differ by %.2g.", alike[1]);

    const LessonBlock *mistakes = block_of(&made, LESSON_TABLE, preset->valid_lens[0] ? 3 : 2);
    for (int i = 0; trap_at(i); i++)
        if (!trap_at(i)->is_loud && trap_at(i)->at[preset->site])
            assert_mistake(mistakes, trap_at(i), toys, references);
    int same = 0, unseen = 0;
    for (int i = 0; i < mistakes->table.row_count; i++) {
        same += strcmp(mistakes->table.rows[i].cells[1], "same") == 0;
        unseen += strcmp(mistakes->table.rows[i].cells[3], "nothing") == 0;
    }
    assert_true(unseen > 0 && same >= unseen);
    assert_says(&made,
                "Of %d mistakes, 0 show in a shape. On ones %d leave the output as it is, and %d "
                "pass every check; on random inputs 0 pass.",
                mistakes->table.row_count, same, unseen);
    for (int i = 0; i < 2; i++) {
        acceptance_reference_free(&references[i]);
        toy_free(&toys[i]);
    }
    lesson_free(made.maker);
}

static void test_own_block(void **state) {
    (void)state;
    static const char *const seeds[] = {"1", "2", "77"};
    for (int i = 0; toy_preset_at(i); i++)
        assert_own_page(toy_preset_at(i), seeds[i % 3]);
}

/* D2L's figures stand there as the book has them. */
static void test_d2l(void **state) {
    (void)state;
    Made made = PAGE("--preset", "d2l");
    const LessonBlock *checks = block_of(&made, LESSON_TABLE, 0);
    const LessonBlock *slots = block_of(&made, LESSON_TABLE, 1);
    assert_non_null(strstr(cell(checks, "output-shape", 1), "(2, 4, 100)"));
    assert_non_null(strstr(cell(checks, "weights-shape", 1), "(2, 5, 4, 6)"));
    assert_string_equal(cell(checks, "hidden", 2), "0");
    assert_string_equal(cell(slots, "0", 2), "3, 4, 5");
    assert_string_equal(cell(slots, "1", 2), "2, 3, 4, 5");
    assert_string_equal(cell(slots, "1", 3), "5 of 5");
    assert_says(&made, "1/3 = 0.3333 in example 0, 1/2 = 0.5000 in example 1");
    const LessonBlock *maps = block_of(&made, LESSON_MAPS, 0);
    assert_int_equal(maps->maps.count, 5);
    assert_int_equal(maps->maps.maps[0].states[3], CELL_MASKED);
    assert_int_equal(maps->maps.maps[0].states[2], CELL_VALUE);
    lesson_free(made.maker);
}

/* --- a student's block ------------------------------------------------------------------------ */

/* A toy of random shape, written, and its right answer. */
typedef struct Student {
    Toy toy;
    AcceptanceReference reference;
    double *output, *weights, *context; /* what the student saves: changed at will */
    long outputs, cells;
} Student;

static Student student_make(ToyPreset *preset, Rng *rng) {
    static const AttentionSizes shapes[] = {
        {2, 3, 4, 6, 5}, {1, 4, 3, 3, 2}, {3, 2, 5, 2, 7}, {2, 1, 2, 4, 6}, {4, 6, 3, 5, 1}};
    Student s = {0};
    *preset = (ToyPreset){.sizes = shapes[rng_below(rng, 5)]};
    bool self = preset->sizes.queries == preset->sizes.keys;
    preset->site = self ? SITE_DECODER : SITE_CROSS;
    preset->causal = self;
    preset->in_biases = preset->out_bias = rng_below(rng, 2);
    for (int b = 0; b < preset->sizes.batch; b++)
        preset->valid_lens[b] = 1 + (int)rng_below(rng, (uint32_t)preset->sizes.keys);
    assert_true(toy_make(&s.toy, preset, false, rng_next(rng), NULL));
    assert_true(toy_save(&s.toy, in_folder("toy.safetensors"), NULL));
    assert_true(acceptance_reference_make(&s.reference, &s.toy.call, NULL));
    AttentionSizes n = preset->sizes;
    s.outputs = (long)n.batch * n.queries * n.heads * n.head_width;
    s.cells = (long)n.batch * n.heads * n.queries * n.keys;
    s.output = s.reference.answer.block;
    s.context = s.output + s.outputs;
    s.weights = s.context + s.outputs;
    return s;
}

static void student_free(Student *s) {
    acceptance_reference_free(&s->reference);
    toy_free(&s->toy);
}

/* Saves in double; `folded`: heads in the batch, context still split. */
static void student_save(const Student *s, bool folded, bool output, bool weights, bool context) {
    AttentionSizes n = s->toy.call.sizes;
    int64_t width = (int64_t)n.heads * n.head_width;
    Tensor tensors[3];
    int count = 0;
    double *split = malloc((size_t)s->outputs * sizeof *split);
    assert_non_null(split);
    for (long i = 0; i < s->outputs; i++) {
        long d = i % n.head_width, h = i / n.head_width % n.heads;
        long t = i / width % n.queries, b = i / width / n.queries;
        split[((b * n.heads + h) * n.queries + t) * n.head_width + d] = s->context[i];
    }
    if (output)
        tensors[count++] =
            (Tensor){"output", TENSOR_F64, 3, {n.batch, n.queries, width}, s->output};
    if (weights && folded)
        tensors[count++] =
            (Tensor){"weights", TENSOR_F64, 3, {n.batch * n.heads, n.queries, n.keys}, s->weights};
    if (weights && !folded)
        tensors[count++] =
            (Tensor){"weights", TENSOR_F64, 4, {n.batch, n.heads, n.queries, n.keys}, s->weights};
    if (context && folded)
        tensors[count++] =
            (Tensor){"context", TENSOR_F64, 3, {n.batch * n.heads, n.queries, n.head_width}, split};
    if (context && !folded)
        tensors[count++] =
            (Tensor){"context", TENSOR_F64, 3, {n.batch, n.queries, width}, s->context};
    assert_true(safetensors_save(in_folder("mine.safetensors"), tensors, count, NULL, 0, NULL));
    free(split);
}

static Made student_page(void) {
    return PAGE("--toy", in_folder("toy.safetensors"), "--dump", in_folder("mine.safetensors"));
}

/* What is right passes in either layout, whatever the shape; what is missing is not checked. */
static void test_right_answers(void **state) {
    (void)state;
    Rng rng = rng_make(3, 0);
    for (int i = 0; i < 24; i++) {
        ToyPreset preset;
        Student s = student_make(&preset, &rng);
        bool output = i % 3 != 1, weights = i % 4 != 1, context = i % 5 != 1 || i == 1;
        student_save(&s, i % 2, output, weights, context);
        Made made = student_page();
        const LessonBlock *table = block_of(&made, LESSON_TABLE, 0);
        int passed = 0, missing = 0;
        assert_int_equal(table->table.row_count, ACCEPT_ONE_RUN);
        for (int row = 0; row < ACCEPT_ONE_RUN; row++) {
            const char *verdict = table->table.rows[row].cells[4];
            passed += strcmp(verdict, "passed") == 0;
            missing += strcmp(verdict, "not checked") == 0;
        }
        assert_int_equal(passed + missing, ACCEPT_ONE_RUN);
        assert_false(made.result.found_fault);
        assert_string_equal(cell(table, "output", 4), output ? "passed" : "not checked");
        assert_string_equal(cell(table, "heads", 4), weights ? "passed" : "not checked");
        assert_string_equal(cell(table, "chunks", 4), context ? "passed" : "not checked");
        assert_string_equal(cell(table, "projection", 4),
                            output && context ? "passed" : "not checked");
        assert_says(&made, "%d of %d checks passed, 0 failed, %d not checked.", passed,
                    ACCEPT_ONE_RUN, missing);
        lesson_free(made.maker);
        student_free(&s);
    }
}

/* One number that is off is found, with its size and its place. */
static void test_one_wrong_number(void **state) {
    (void)state;
    Rng rng = rng_make(4, 0);
    for (int i = 0; i < 12; i++) {
        ToyPreset preset;
        Student s = student_make(&preset, &rng);
        AttentionSizes n = preset.sizes;
        int b = (int)rng_below(&rng, (uint32_t)n.batch),
            h = (int)rng_below(&rng, (uint32_t)n.heads);
        int t = (int)rng_below(&rng, (uint32_t)n.queries);
        long cell_at = (((long)b * n.heads + h) * n.queries + t) * n.keys;
        double off = 0.125 + rng_uniform(&rng);
        char text[80];
        if (i % 2)
            s.weights[cell_at] += off;
        else
            s.output[((long)b * n.queries + t) * n.heads * n.head_width + h] += off;
        student_save(&s, i % 3, true, true, true);
        Made made = student_page();
        const LessonBlock *table = block_of(&made, LESSON_TABLE, 0);
        assert_true(made.result.found_fault);
        snprintf(text, sizeof text, "%.1e", off);
        assert_string_equal(cell(table, i % 2 ? "heads" : "projection", 2), text);
        assert_string_equal(cell(table, i % 2 ? "rows" : "output", 4), "FAILED");
        assert_string_equal(cell(table, i % 2 ? "output" : "heads", 4), "passed");
        if (i % 2)
            assert_says(&made, "heads (example %d, head %d, query %d, key 0):", b, h, t);
        else
            assert_says(&made, "projection (example %d, query %d):", b, t);
        lesson_free(made.maker);
        student_free(&s);
    }
}

/* Chunks in another order are named. */
static void test_misplaced_chunks(void **state) {
    (void)state;
    Rng rng = rng_make(5, 0);
    for (int i = 0; i < 8; i++) {
        ToyPreset preset;
        Student s = student_make(&preset, &rng);
        AttentionSizes n = preset.sizes;
        int last = n.heads - 1, width = n.heads * n.head_width;
        for (long row = 0; row < (long)n.batch * n.queries; row++)
            for (int d = 0; d < n.head_width && last > 0; d++) {
                double *a = &s.context[row * width + d];
                double *b = &s.context[row * width + last * n.head_width + d], kept = *a;
                *a = *b;
                *b = kept;
            }
        student_save(&s, false, false, true, true);
        Made made = student_page();
        assert_int_equal(made.result.found_fault, last > 0);
        if (last > 0)
            assert_says(&made, "chunk 0 holds head %d, chunk %d holds head 0", last, last);
        lesson_free(made.maker);
        student_free(&s);
    }
}

/* A mistake that the doctor knows is named. */
static void test_the_doctor_is_asked(void **state) {
    (void)state;
    static const struct {
        const char *name;
        AttentionMistakes mistakes;
    } cases[] = {{"tiled-lens", {.lengths = LENGTHS_TILED}},
                 {"one-reshape", {.split = FOLD_RESHAPE}},
                 {"no-scale", {.scale = SCALE_NONE}},
                 {"wrong-concat", {.concat = FOLD_RESHAPE}}};
    for (int i = 0; i < 4; i++) {
        Student s = {0};
        AcceptanceAnswer answer;
        assert_true(toy_make(&s.toy, toy_preset_find("d2l", NULL), false, 9, NULL));
        assert_true(toy_save(&s.toy, in_folder("toy.safetensors"), NULL));
        assert_true(acceptance_plain(&cases[i].mistakes, &answer, &s.toy.call, NULL));
        s.outputs = 2 * 4 * 100;
        s.output = answer.block;
        s.context = answer.block + s.outputs;
        s.weights = s.context + s.outputs;
        student_save(&s, false, true, true, true);
        Made made = student_page();
        assert_true(made.result.found_fault);
        assert_says(&made, "%s: ", cases[i].name);
        lesson_free(made.maker);
        acceptance_answer_free(&answer);
        student_free(&s);
    }
}

/* --- toys ------------------------------------------------------------------------------------- */

/* What is written is read again, in both formats. */
static void test_toys_come_back(void **state) {
    (void)state;
    for (int i = 0; toy_preset_at(i); i++)
        for (int npz = 0; npz < 2; npz++) {
            Toy toy, again;
            const char *path = in_folder(npz ? "toy.npz" : "toy.safetensors");
            Error error;
            assert_true(toy_make(&toy, toy_preset_at(i), npz, 5, NULL));
            assert_true(toy_save(&toy, path, NULL));
            if (!toy_open(&again, path, &error)) fail_msg("%s", error.text);
            AttentionSizes n = toy.call.sizes, m = again.call.sizes;
            assert_memory_equal(&n, &m, sizeof n);
            assert_int_equal(again.site, toy.site);
            assert_int_equal(again.columns, toy.columns);
            assert_int_equal(again.call.mask.causal, toy.call.mask.causal);
            assert_int_equal(again.call.mask.valid_lens == NULL, toy.call.mask.valid_lens == NULL);
            long width = (long)n.heads * n.head_width;
            assert_true(gap_of(toy.call.x_query, again.call.x_query, n.batch * n.queries * width) ==
                        0);
            assert_true(gap_of(toy.call.x_key_value, again.call.x_key_value,
                               n.batch * n.keys * width) == 0);
            for (int p = 0; p < PROJECTIONS; p++) {
                assert_true(gap_of(toy.call.w[p], again.call.w[p], width * width) == 0);
                assert_int_equal(toy.call.b[p] == NULL, again.call.b[p] == NULL);
                if (toy.call.b[p]) assert_true(gap_of(toy.call.b[p], again.call.b[p], width) == 0);
            }
            toy_free(&toy);
            toy_free(&again);
        }
}

static void test_wishes(void **state) {
    (void)state;
    Made made = PAGE("--ones");
    assert_null(made.page);
    assert_int_equal(made.error.kind, ERROR_USAGE);
    lesson_free(made.maker);
    made = PAGE("--preset", "bert");
    assert_non_null(strstr(made.error.text, "d2l, d2l-self, trentorch or udl"));
    lesson_free(made.maker);
    made = PAGE("--dump", "none.npz", "--toy", "t.npz", "--preset", "d2l");
    assert_non_null(strstr(made.error.text, "leave --preset"));
    lesson_free(made.maker);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_block), cmocka_unit_test(test_d2l),
        IN_FOLDER(test_right_answers),    IN_FOLDER(test_one_wrong_number),
        IN_FOLDER(test_misplaced_chunks), IN_FOLDER(test_the_doctor_is_asked),
        IN_FOLDER(test_toys_come_back),   cmocka_unit_test(test_wishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
