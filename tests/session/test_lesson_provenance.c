/* The lesson of provenance against copies of indices made here, number by number, for random
 * shapes: every cell that it draws, every figure that it tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/lesson_list.h"
#include "tests/session/helper_page.h"

enum { RIGHT, RESHAPE, INTERLEAVED, FOLDS };

typedef struct Shape {
    int batch, steps, heads, head_width, width;
    int lens[4];
} Shape;

static int case_count(void) {
    return getenv("HEADSCOPE_TEST_SMALL") ? 20 : 200;
}

/* Small enough to be drawn whole. */
static Shape random_shape(Rng *rng) {
    Shape n = {.batch = page_between(rng, 1, 4),
               .steps = page_between(rng, 1, 8),
               .heads = page_between(rng, 1, 6),
               .head_width = page_between(rng, 1, 6)};
    n.width = n.heads * n.head_width;
    for (int b = 0; b < n.batch; b++)
        n.lens[b] = page_between(rng, 0, n.steps);
    return n;
}

static Page page_of(const Shape *n) {
    char words[200];
    snprintf(words, sizeof words, "--batch %d --steps %d --width %d --heads %d --valid-lens",
             n->batch, n->steps, n->width, n->heads);
    for (int b = 0; b < n->batch; b++)
        snprintf(words + strlen(words), sizeof words - strlen(words), b ? ",%d" : " %d",
                 n->lens[b]);
    return page_make(&lesson_provenance, words);
}

static long count_of(const Shape *n) {
    return (long)n->batch * n->steps * n->width;
}

/* --- copies -------------------------------------------------------------------------------------
 */

/* folded [B*H,steps,D] of the indices of a packed [B,steps,W]. */
static void split(long *folded, const Shape *n, int way) {
    long next = 0;
    for (int row = 0; row < n->batch * n->heads; row++)
        for (int t = 0; t < n->steps; t++)
            for (int i = 0; i < n->head_width; i++) {
                int b = row / n->heads, h = row % n->heads;
                int column = way == INTERLEAVED ? i * n->heads + h : h * n->head_width + i;
                long index = ((long)b * n->steps + t) * n->width + column;
                *folded++ = way == RESHAPE ? next++ : index;
            }
}

/* joined [B,steps,W] of the indices of heads [B,H,steps,D]. */
static void join(long *joined, const Shape *n, int way) {
    long next = 0;
    for (int b = 0; b < n->batch; b++)
        for (int t = 0; t < n->steps; t++)
            for (int column = 0; column < n->width; column++) {
                int h = way == INTERLEAVED ? column % n->heads : column / n->head_width;
                int i = way == INTERLEAVED ? column / n->heads : column % n->head_width;
                long index = (((long)b * n->heads + h) * n->steps + t) * n->head_width + i;
                *joined++ = way == RESHAPE ? next++ : index;
            }
}

/* The place of an index of a packed tensor, and of one of heads. */
static LessonOrigin in_packed(const Shape *n, long index) {
    int column = (int)(index % n->width);
    long row = index / n->width;
    return (LessonOrigin){(int)(row / n->steps), (int)(row % n->steps), column / n->head_width,
                          column % n->head_width};
}

static LessonOrigin in_heads(const Shape *n, long index) {
    long line = index / n->head_width, row = line / n->steps;
    return (LessonOrigin){(int)(row / n->heads), (int)(line % n->steps), (int)(row % n->heads),
                          (int)(index % n->head_width)};
}

/* --- what the page shows ------------------------------------------------------------------------
 */

static void assert_cells(const LessonTensor *tensor, const LessonOrigin *expected, long count) {
    assert_int_equal((long)tensor->rows * tensor->columns, count);
    assert_memory_equal(tensor->cells, expected, (size_t)count * sizeof *expected);
}

/* The figures of a fold in its row of a table and below its tensor. */
static void assert_figures(const LessonTable *table, const LessonTensor *tensor, int way,
                           long wrong_head, long wrong_step, long misplaced, long all) {
    const LessonRow *row = &table->rows[way];
    assert_int_equal(atol(row->cells[2]), wrong_head);
    assert_int_equal(atol(row->cells[3]), wrong_step);
    LessonTone tone = way == RIGHT ? TONE_GOOD : misplaced ? TONE_WRONG : TONE_PLAIN;
    assert_int_equal(row->tone, tone);
    assert_int_equal(tensor->tone, tone);
    bool harmless = strncmp(row->cells[4], "Nothing changes", 15) == 0;
    assert_int_equal(harmless, way != RIGHT && misplaced == 0);
    char note[80];
    snprintf(note, sizeof note, "%ld of %ld in ", wrong_head, all);
    assert_memory_equal(tensor->note, note, strlen(note));
}

static void check_split(const LessonPage *page, const Shape *n) {
    const LessonTensors *tensors = page_tensors(page, 0);
    const LessonTable *table = page_table(page, 0, "split", 0);
    assert_non_null(tensors);
    assert_non_null(table);
    assert_int_equal(tensors->count, 1 + FOLDS);
    assert_int_equal(table->row_count, FOLDS);
    long all = count_of(n), *folded = calloc((size_t)all, sizeof *folded);
    LessonOrigin *expected = calloc((size_t)all, sizeof *expected);
    for (long i = 0; i < all; i++)
        expected[i] = in_packed(n, i);
    assert_cells(&tensors->tensors[0], expected, all);
    assert_int_equal(tensors->tensors[0].columns, n->width);
    for (int way = 0; way < FOLDS; way++) {
        long wrong_head = 0, wrong_step = 0, misplaced = 0;
        split(folded, n, way);
        for (long i = 0; i < all; i++) {
            LessonOrigin place = in_heads(n, i);
            expected[i] = in_packed(n, folded[i]);
            wrong_head += expected[i].head != place.head;
            wrong_step += expected[i].step != place.step;
            misplaced += memcmp(&expected[i], &place, sizeof place) != 0;
        }
        const LessonTensor *tensor = &tensors->tensors[1 + way];
        assert_int_equal(tensor->rows, n->batch * n->heads);
        assert_cells(tensor, expected, all);
        assert_figures(table, tensor, way, wrong_head, wrong_step, misplaced, all);
    }
    free(folded);
    free(expected);
}

static void check_concat(const LessonPage *page, const Shape *n) {
    const LessonTensors *tensors = page_tensors(page, 2);
    const LessonTable *table = page_table(page, 0, "concatenation", 0);
    assert_non_null(tensors);
    assert_non_null(table);
    assert_int_equal(tensors->count, 1 + FOLDS);
    long all = count_of(n), *joined = calloc((size_t)all, sizeof *joined);
    LessonOrigin *expected = calloc((size_t)all, sizeof *expected);
    for (int way = 0; way < FOLDS; way++) {
        long wrong_head = 0, wrong_step = 0, misplaced = 0;
        join(joined, n, way);
        for (long i = 0; i < all; i++) {
            LessonOrigin place = in_packed(n, i);
            expected[i] = in_heads(n, joined[i]);
            wrong_head += expected[i].head != place.head;
            wrong_step += expected[i].step != place.step;
            misplaced += memcmp(&expected[i], &place, sizeof place) != 0;
        }
        const LessonTensor *tensor = &tensors->tensors[1 + way];
        assert_int_equal(tensor->rows, n->batch * n->steps);
        assert_cells(tensor, expected, all);
        assert_figures(table, tensor, way, wrong_head, wrong_step, misplaced, all);
    }
    free(joined);
    free(expected);
}

/* The folded keys that each row sees, and the length beside it. */
static void check_drawn_lengths(const LessonPage *page, const Shape *n) {
    const LessonTensors *tensors = page_tensors(page, 1);
    assert_non_null(tensors);
    assert_int_equal(tensors->count, 2);
    for (int tiled = 0; tiled < 2; tiled++) {
        const LessonTensor *tensor = &tensors->tensors[tiled];
        int rows = n->batch * n->heads, wrong = 0;
        assert_int_equal(tensor->rows, rows);
        for (int row = 0; row < rows; row++) {
            int own = row / n->heads, whose = tiled ? row % n->batch : own;
            int len = n->lens[whose];
            char note[40], of[40];
            snprintf(note, sizeof note, "%d", len);
            snprintf(of, sizeof of, "%d of b%d", len, whose);
            assert_string_equal(tensor->row_notes[row], whose == own ? note : of);
            wrong += len != n->lens[own];
            assert_int_equal(tensor->row_tones[row] == TONE_WRONG, len != n->lens[own]);
            for (int column = 0; column < tensor->columns; column++) {
                LessonOrigin cell = tensor->cells[row * tensor->columns + column];
                bool seen = column / n->head_width < len;
                assert_int_equal(cell.example, seen ? own : -1);
                if (seen) assert_int_equal(cell.head, row % n->heads);
                if (seen) assert_int_equal(cell.step, column / n->head_width);
            }
        }
        char note[80];
        snprintf(note, sizeof note, "%d of %d rows read a wrong length", wrong, rows);
        assert_string_equal(tensor->note, note);
    }
}

/* The keys that one folded row sees in a way of the table, by its name. */
static void span_of(int *first, int *end, const Shape *n, const char *way, int row) {
    int b = row / n->heads, len = n->lens[b];
    *first = 0;
    *end = len;
    if (strcmp(way, "tiled") == 0) *end = n->lens[row % n->batch];
    if (strcmp(way, "next") == 0) *end = n->lens[(b + 1) % n->batch];
    if (strcmp(way, "previous") == 0) *end = n->lens[(b + n->batch - 1) % n->batch];
    if (strcmp(way, "reversed") == 0) *end = n->lens[n->batch - 1 - b];
    if (strcmp(way, "one more") == 0) *end = len < n->steps ? len + 1 : len;
    if (strcmp(way, "one less") == 0) *end = len > 0 ? len - 1 : 0;
    if (strcmp(way, "ignored") == 0) *end = n->steps;
    if (strcmp(way, "inverted") == 0) *first = len, *end = n->steps;
}

static void check_length_figures(const LessonPage *page, const Shape *n) {
    const LessonTable *table = page_table(page, 0, "lined up", 0);
    assert_non_null(table);
    assert_int_equal(table->row_count, 9);
    for (int i = 0; i < table->row_count; i++) {
        const char *const *cells = table->rows[i].cells;
        int wrong = 0;
        long padding = 0, hidden = 0;
        for (int row = 0; row < n->batch * n->heads; row++) {
            int first, end, len = n->lens[row / n->heads];
            span_of(&first, &end, n, cells[0], row);
            bool differs = false;
            for (int key = 0; key < n->steps; key++) {
                bool seen = key >= first && key < end, valid = key < len;
                padding += seen && !valid;
                hidden += valid && !seen;
                differs = differs || seen != valid;
            }
            wrong += differs;
        }
        assert_int_equal(atoi(cells[2]), wrong);
        assert_int_equal(atol(cells[3]), padding);
        assert_int_equal(atol(cells[4]), hidden);
        bool harmless = strncmp(cells[5], "Nothing changes", 15) == 0;
        assert_int_equal(harmless, i > 0 && wrong == 0);
    }
}

static void random_shapes(void **state) {
    (void)state;
    Rng rng = rng_make(1, 0);
    for (int i = 0; i < case_count(); i++) {
        Shape n = random_shape(&rng);
        Page page = page_of(&n);
        check_split(page.page, &n);
        check_concat(page.page, &n);
        check_drawn_lengths(page.page, &n);
        check_length_figures(page.page, &n);
        lesson_free(page.maker);
    }
}

/* --- why nothing changes ------------------------------------------------------------------------
 */

static void harmless_mistakes_say_why(void **state) {
    (void)state;
    const struct {
        const char *words, *reason;
    } cases[] = {
        {"--heads 1", "one head is the whole width"},
        {"--heads 1", "with one head a row is an example"},
        {"--steps 1", "there is only one step"},
        {"--heads 6", "every head is one column wide"},
        {"--batch 1", "there is one example"},
        {"--valid-lens 3,3", "all lengths are equal"},
        {"--valid-lens 4,4", "there is no padding"},
        {"--valid-lens 0,0", "no key is valid"},
        {"--batch 3 --valid-lens 3,1,3", "the lengths that are swapped are equal"},
        {"--valid-lens none", "There are no valid lengths"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Page page = page_make(&lesson_provenance, cases[i].words);
        if (!page_says(page.page, cases[i].reason))
            fail_msg("%s: does not say that %s", cases[i].words, cases[i].reason);
        lesson_free(page.maker);
    }
}

/* --- large shapes -------------------------------------------------------------------------------
 */

/* A cell that is drawn is where it is in the whole tensor, which its row's name tells. */
static void check_part(const LessonTensor *tensor, int heads, bool folded) {
    for (int row = 0; row < tensor->rows; row++) {
        int number, b, second;
        if (folded) {
            assert_int_equal(sscanf(tensor->row_names[row], "%d: b%d h%d", &number, &b, &second),
                             3);
            assert_int_equal(number, b * heads + second);
        } else {
            assert_int_equal(sscanf(tensor->row_names[row], "b%d t%d", &b, &second), 2);
        }
        for (int column = 0; column < tensor->columns; column++) {
            LessonOrigin cell = tensor->cells[row * tensor->columns + column];
            assert_int_equal(cell.example, b);
            assert_int_equal(folded ? cell.head : cell.step, second);
        }
    }
}

static void large_shapes_are_drawn_in_part_and_counted_whole(void **state) {
    (void)state;
    Page page = page_make(&lesson_provenance, "--batch 3 --steps 40 --width 96 --heads 12");
    assert_true(page_says(page.page, "too large to be drawn whole"));
    const LessonTensors *tensors = page_tensors(page.page, 0);
    check_part(&tensors->tensors[0], 12, false);
    check_part(&tensors->tensors[1], 12, true);
    Shape n = {3, 40, 12, 8, 96, {0}};
    long wrong = 0, *folded = calloc((size_t)count_of(&n), sizeof *folded);
    split(folded, &n, RESHAPE);
    for (long i = 0; i < count_of(&n); i++)
        wrong += in_packed(&n, folded[i]).head != in_heads(&n, i).head;
    free(folded);
    assert_int_equal(atol(page_table(page.page, 0, "split", 0)->rows[RESHAPE].cells[2]), wrong);
    char note[80];
    snprintf(note, sizeof note, "%ld of %ld in a wrong head", wrong, count_of(&n));
    assert_string_equal(tensors->tensors[1 + RESHAPE].note, note);
    lesson_free(page.maker);
}

/* However large, a tensor that is drawn stays small. */
static void drawn_tensors_stay_small(void **state) {
    (void)state;
    const char *const shapes[] = {"--batch 1024 --steps 1 --width 1 --heads 1",
                                  "--batch 1 --steps 4096 --width 1 --heads 1",
                                  "--batch 1 --steps 1 --width 16384 --heads 1",
                                  "--batch 1 --steps 2 --width 1024 --heads 1024",
                                  "--batch 2 --steps 512 --width 1024 --heads 16"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Page page = page_make(&lesson_provenance, shapes[i]);
        const LessonTensors *tensors;
        for (int index = 0; (tensors = page_tensors(page.page, index)); index++)
            for (int t = 0; t < tensors->count; t++) {
                assert_in_range(tensors->tensors[t].columns, 1, 120);
                assert_in_range(tensors->tensors[t].rows, 1, 64);
            }
        lesson_free(page.maker);
    }
}

static void refusals(void **state) {
    (void)state;
    const char *const cases[][2] = {
        {"--heads 4", "--heads 4 does not divide the width 6"},
        {"--valid-lens 3", "1 given for a batch of 2"},
        {"--valid-lens 3,5", "5 is more than the 4 keys"},
        {"--steps 0", "from 1 to"},
        {"--steps 9999999", "from 1 to"},
        {"--queries 3", "no such option"},
    };
    char text[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        page_refused(&lesson_provenance, cases[i][0], text);
        if (!strstr(text, cases[i][1])) fail_msg("%s: %s", cases[i][0], text);
    }
}

/* It is the first of the menu. */
static void comes_first(void **state) {
    (void)state;
    assert_ptr_equal(lesson_at(0), &lesson_provenance);
    assert_ptr_equal(lesson_find("provenance"), &lesson_provenance);
}

static void buttons_lead_to_pages(void **state) {
    (void)state;
    Page page = page_make(&lesson_provenance, "");
    page_press_all(&lesson_provenance, page.page);
    lesson_free(page.maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(harmless_mistakes_say_why),
        cmocka_unit_test(large_shapes_are_drawn_in_part_and_counted_whole),
        cmocka_unit_test(drawn_tensors_stay_small),
        cmocka_unit_test(refusals),
        cmocka_unit_test(comes_first),
        cmocka_unit_test(buttons_lead_to_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
