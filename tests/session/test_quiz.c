/* The questions of the quiz: each answer is found again from the question's text alone, by arrays
 * written out or by counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lessons/quiz.h"

enum { TRIALS = 60, MOST = 64, MOST_BATCH = 4, MOST_STEPS = 9, MOST_WIDTH = 6 * 64 };

/* The whole numbers of a text in their order, but for those in a name (D2L). */
static int numbers_of(const char *text, long *numbers) {
    int count = 0;
    for (const char *at = text; *at; at++) {
        if (!isdigit((unsigned char)*at)) continue;
        bool in_name = at > text && isalpha((unsigned char)at[-1]);
        char *end;
        long number = strtol(at, &end, 10);
        at = end - 1;
        if (in_name) continue;
        assert_true(count < MOST);
        numbers[count++] = number;
    }
    return count;
}

static Site site_of(const char *text) {
    if (strstr(text, "encoder self-attention")) return SITE_ENCODER;
    if (strstr(text, "decoder self-attention")) return SITE_DECODER;
    assert_non_null(strstr(text, "cross-attention"));
    return SITE_CROSS;
}

/* --- solvers: n are the numbers of the text, the answer goes to `a`, its length is returned
 * -------
 */

typedef int Solver(const long *n, int count, const char *text, long *a);

static int solve_folded_shape(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 4); /* B, T, W, H */
    a[0] = n[0] * n[3];
    a[1] = n[1];
    a[2] = n[0] * n[1] * n[2] / (a[0] * a[1]); /* no number is lost */
    return 3;
}

static int solve_own_axis_shape(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 6); /* B, T, W, H, transpose(1, 2) */
    long view[4] = {n[0], n[1], n[3], n[2] / n[3]};
    long kept = view[n[4]];
    view[n[4]] = view[n[5]];
    view[n[5]] = kept;
    for (int i = 0; i < 4; i++)
        a[i] = view[i];
    return 4;
}

static int solve_weights_shape(const long *n, int count, const char *text, long *a) {
    assert_int_equal(count, 5); /* B, S, T, W, H */
    Site site = site_of(text);
    a[0] = n[0] * n[4];
    a[1] = site == SITE_ENCODER ? n[1] : n[2];
    a[2] = site == SITE_DECODER ? n[2] : n[1];
    return 3;
}

static int solve_concat_shape(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 4); /* B*H, T, D, H */
    a[0] = n[0] / n[3];
    a[1] = n[1];
    a[2] = n[2] * n[3];
    return 3;
}

static int solve_growing_keys(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 5); /* 1, W, H, the step, 1 */
    a[0] = n[0] * n[2];
    a[1] = n[3];
    a[2] = n[1] / n[2];
    return 3;
}

static int solve_source(const long *n, int count, const char *text, long *a) {
    (void)n;
    assert_int_equal(count, 6);
    static const char *const table[SITE_COUNT] = {"XXX", "YYY", "YEE"}; /* query, key, value */
    int role = strstr(text, "to the queries") ? 0 : strstr(text, "to the keys") ? 1 : 2;
    char source = table[site_of(text)][role];
    a[0] = source == 'X' ? QUIZ_X : source == 'E' ? QUIZ_E : QUIZ_Y;
    return 1;
}

static int solve_head_width(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 3); /* W, H, B */
    for (a[0] = 0; a[0] * n[1] < n[0];)
        a[0]++;
    return 1;
}

static int solve_head_matrix(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 2); /* W, H */
    a[0] = n[0] / n[1];
    a[1] = n[0];
    return 2;
}

/* Four matrices, summed head by head. */
static long parameters(long width, long heads, long head_width) {
    long sum = 0;
    for (long h = 0; h < heads; h++)
        for (int matrix = 0; matrix < 4; matrix++)
            for (long column = 0; column < head_width; column++)
                sum += width;
    return sum;
}

static int solve_parameters(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 2); /* W, H */
    a[0] = parameters(n[0], n[1], n[0] / n[1]);
    return 1;
}

static int solve_flat(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 3); /* W, H before, H */
    assert_true(n[1] < n[2] && n[0] % n[1] == 0 && n[0] % n[2] == 0);
    a[0] = parameters(n[0], 1, n[0] / n[2]) / 4;
    a[1] = parameters(n[0], n[1], n[0] / n[1]) / 4; /* as before */
    return 2;
}

static int solve_full_width(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 4); /* H, W, 12.5 */
    a[0] = parameters(n[1], n[0], n[1]);
    return 1;
}

static int solve_scale(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 4); /* W, H, Tq, Tk */
    a[0] = n[0] / n[1];
    return 1;
}

static int solve_lens_beside_rows(const long *n, int count, const char *text, long *a) {
    (void)text;
    long batch = n[0], heads = n[1 + batch];
    assert_int_equal(count, batch + 3);
    assert_int_equal(n[batch + 2], batch * heads);
    int rows = 0;
    for (long b = 0; b < batch; b++)
        for (long h = 0; h < heads; h++)
            a[rows++] = n[1 + b];
    return rows;
}

/* Lengths beside the rows, tiled: heads copies of the list, one after another. */
static int tile(const long *lens, long batch, long heads, long *rows) {
    int count = 0;
    for (long h = 0; h < heads; h++)
        for (long b = 0; b < batch; b++)
            rows[count++] = lens[b];
    return count;
}

static int solve_tiled_row(const long *n, int count, const char *text, long *a) {
    (void)text;
    long batch = count - 5, heads = n[batch + 1], rows[MOST];
    assert_int_equal(n[batch], batch);
    assert_int_equal(n[batch + 2], heads);
    assert_in_range(n[batch + 3], 0, tile(n, batch, heads, rows) - 1);
    a[0] = rows[n[batch + 3]];
    assert_true(a[0] != n[n[batch + 3] / heads]); /* a row where the mistake shows */
    return 1;
}

static int solve_tiled_count(const long *n, int count, const char *text, long *a) {
    (void)text;
    long batch = count - 4, heads = n[batch + 1], rows[MOST];
    assert_int_equal(n[batch], batch);
    tile(n, batch, heads, rows);
    a[0] = 0;
    for (long b = 0, row = 0; b < batch; b++)
        for (long h = 0; h < heads; h++, row++)
            a[0] += rows[row] != n[b];
    return 1;
}

static int solve_no_repeat(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 4); /* B, Tq, Tk, H */
    a[0] = a[1] = 0;
    for (long b = 0; b < n[0]; b++)
        for (long t = 0; t < n[1]; t++, a[0]++)
            for (long h = 0; h < n[3]; h++)
                a[1]++;
    return 2;
}

static bool sees(Site site, long length, long t, long j) {
    return j < length && (site != SITE_DECODER || j <= t);
}

static int solve_visible_keys(const long *n, int count, const char *text, long *a) {
    int batch = count - 5;
    const long *lens = n + 2, *after = lens + batch; /* Tq, Tk, lengths, t, b, 0 */
    assert_in_range(after[0], 0, n[0] - 1);
    assert_in_range(after[1], 0, batch - 1);
    a[0] = 0;
    for (long j = 0; j < n[1]; j++)
        a[0] += sees(site_of(text), lens[after[1]], after[0], j);
    return 1;
}

static int solve_masked_cells(const long *n, int count, const char *text, long *a) {
    int batch = count - 5;
    const long *lens = n + 3, *after = lens + batch; /* Tq, Tk, H, lengths, b, 0 */
    assert_in_range(after[0], 0, batch - 1);
    a[0] = 0;
    for (long t = 0; t < n[0]; t++)
        for (long j = 0; j < n[1]; j++)
            a[0] += !sees(site_of(text), lens[after[0]], t, j);
    return 1;
}

static int solve_row_owner(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 5); /* B, H, B*H, the row, 0 */
    assert_int_equal(n[0] * n[1], n[2]);
    a[0] = a[1] = 0;
    for (long row = 0; row < n[3]; row++)
        if (++a[1] == n[1]) {
            a[1] = 0;
            a[0]++;
        }
    return 2;
}

/* A tensor whose every number is its own place in [B,T,W]. */
static int packed[MOST_BATCH * MOST_STEPS * MOST_WIDTH];
static int folded[MOST_BATCH * MOST_STEPS * MOST_WIDTH];

/* folded[B*H,T,D]: the columns of each head cut out, one head after another. */
static void fold_right(long batch, long steps, long width, long heads) {
    long head_width = width / heads, at = 0;
    assert_true(batch <= MOST_BATCH && steps <= MOST_STEPS && width <= MOST_WIDTH);
    for (int i = 0; i < batch * steps * width; i++)
        packed[i] = i;
    for (long b = 0; b < batch; b++)
        for (long h = 0; h < heads; h++)
            for (long t = 0; t < steps; t++)
                for (long i = 0; i < head_width; i++)
                    folded[at++] = packed[(b * steps + t) * width + h * head_width + i];
}

static int solve_fold_cell(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 8); /* B, T, W, H, b, t, column, 0 */
    fold_right(n[0], n[1], n[2], n[3]);
    long wanted = (n[4] * n[1] + n[5]) * n[2] + n[6], at = 0;
    while (folded[at] != wanted)
        at++;
    long head_width = n[2] / n[3];
    a[0] = at / (n[1] * head_width);
    a[1] = at / head_width % n[1];
    a[2] = at % head_width;
    return 3;
}

static int solve_reshape_cell(const long *n, int count, const char *text, long *a) {
    (void)text;
    assert_int_equal(count, 11); /* B, T, W, H, B*H, T, D, row, step, place, 0 */
    fold_right(n[0], n[1], n[2], n[3]);
    long at = (n[7] * n[5] + n[8]) * n[6] + n[9]; /* in memory, which a reshape leaves alone */
    assert_int_equal(n[4] * n[5] * n[6], n[0] * n[1] * n[2]);
    assert_int_not_equal(packed[at], folded[at]); /* where the mistake shows */
    a[0] = packed[at] / (n[1] * n[2]);
    a[1] = packed[at] / n[2] % n[1];
    a[2] = packed[at] % n[2];
    return 3;
}

static const struct {
    const char *kind;
    Solver *solve;
} solvers[] = {
    {"folded-shape", solve_folded_shape},
    {"own-axis-shape", solve_own_axis_shape},
    {"weights-shape", solve_weights_shape},
    {"concat-shape", solve_concat_shape},
    {"growing-keys", solve_growing_keys},
    {"source", solve_source},
    {"head-width", solve_head_width},
    {"head-matrix", solve_head_matrix},
    {"parameters", solve_parameters},
    {"flat", solve_flat},
    {"full-width", solve_full_width},
    {"scale", solve_scale},
    {"lens-beside-rows", solve_lens_beside_rows},
    {"tiled-row", solve_tiled_row},
    {"tiled-count", solve_tiled_count},
    {"no-repeat", solve_no_repeat},
    {"visible-keys", solve_visible_keys},
    {"masked-cells", solve_masked_cells},
    {"row-owner", solve_row_owner},
    {"fold-cell", solve_fold_cell},
    {"reshape-cell", solve_reshape_cell},
};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static void assert_solved(const QuizQuestion *question, int kind) {
    long numbers[MOST], answer[MOST];
    int count = numbers_of(question->text, numbers);
    int length = solvers[kind].solve(numbers, count, question->text, answer);
    const QuizChoice *right = &question->choices[question->right];
    if (right->count != length) fail_msg("%s: %s", question->text, right->label);
    for (int i = 0; i < length; i++)
        if (right->numbers[i] != answer[i])
            fail_msg("%s\n%s, not %ld at %d", question->text, right->label, answer[i], i);
}

static void assert_choices(const QuizQuestion *question) {
    assert_int_equal(question->choice_count,
                     question->form == QUIZ_WORDS ? QUIZ_SOURCES : QUIZ_CHOICES);
    assert_in_range(question->right, 0, question->choice_count - 1);
    for (int i = 0; i < question->choice_count; i++) {
        const QuizChoice *choice = &question->choices[i];
        assert_true(choice->label[0] && strlen(choice->label) < QUIZ_LINE - 1);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(choice->label, question->choices[other].label);
        int read;
        QuizVerdict verdict = quiz_read(question, choice->label, &read);
        assert_int_equal(read, i);
        assert_int_equal(verdict, i == question->right ? QUIZ_RIGHT : QUIZ_WRONG);
        if (i == question->right) assert_null(choice->note);
    }
}

static void test_every_answer_is_right(void **state) {
    (void)state;
    static QuizQuestion question;
    for (int kind = 0; kind < SOLVERS; kind++) {
        assert_string_equal(quiz_kind(kind), solvers[kind].kind);
        for (int trial = 0; trial < TRIALS; trial++) {
            quiz_ask_kind(&question, (uint64_t)trial, trial % 7, kind);
            assert_string_equal(question.kind, solvers[kind].kind);
            assert_true(strlen(question.text) < QUIZ_TEXT - 1);
            assert_true(question.why[0] && strlen(question.why) < QUIZ_TEXT - 1);
            assert_solved(&question, kind);
            assert_choices(&question);
        }
    }
    assert_null(quiz_kind(SOLVERS));
}

/* --- reasons ---------------------------------------------------------------------------------- */

/* The words before `end` that are an expression: whole numbers, x, /, +, mod, and parentheses. */
static const char *expression_before(const char *text, const char *end) {
    const char *from = end;
    while (from > text) {
        const char *word = from;
        while (word > text && word[-1] == ' ')
            word--;
        const char *stop = word;
        while (word > text && word[-1] != ' ')
            word--;
        bool part = word < stop;
        for (const char *at = word; at < stop; at++)
            part = part && strchr("0123456789()", *at) != NULL;
        long length = stop - word;
        part = part || (length == 1 && strchr("x/+", *word)) ||
               (length == 3 && strncmp(word, "mod", 3) == 0);
        if (!part) break;
        from = word;
    }
    return from;
}

static const char *skip_spaces(const char *at) {
    return at + strspn(at, " ");
}

static long sum_at(const char **at);

static long factor_at(const char **at) {
    *at = skip_spaces(*at);
    if (**at == '(') {
        ++*at;
        long value = sum_at(at);
        *at = skip_spaces(*at);
        if (**at == ')') ++*at;
        return value;
    }
    char *end;
    long value = strtol(*at, &end, 10);
    *at = end;
    return value;
}

static long product_at(const char **at) {
    long value = factor_at(at);
    for (;;) {
        const char *next = skip_spaces(*at);
        bool mod = strncmp(next, "mod ", 4) == 0;
        if (*next != 'x' && *next != '/' && !mod) return value;
        *at = next + (mod ? 3 : 1);
        long by = factor_at(at);
        value = *next == 'x' ? value * by : by == 0 ? -1 : mod ? value % by : value / by;
    }
}

static long sum_at(const char **at) {
    long value = product_at(at);
    for (const char *next = skip_spaces(*at); *next == '+'; next = skip_spaces(*at)) {
        *at = next + 1;
        value += product_at(at);
    }
    return value;
}

/* Both sides of each "=" in a reason are the same number: returns how many there are. */
static int check_arithmetic(const char *why) {
    int checked = 0;
    for (const char *equals = strchr(why, '='); equals; equals = strchr(equals + 1, '=')) {
        const char *left = skip_spaces(expression_before(why, equals)), *right = equals + 1;
        if (left >= equals || !strpbrk(left, "0123456789")) continue;
        if (strspn(skip_spaces(right), "0123456789(") == 0) continue;
        const char *after = right;
        if (sum_at(&left) != sum_at(&after)) fail_msg("not equal: %s", why);
        checked++;
    }
    return checked;
}

/* A reason is of the case that is asked: what it computes is so, and its words fit the numbers. */
static void test_reasons(void **state) {
    (void)state;
    static QuizQuestion question;
    int checked = 0, flat = 0;
    for (int kind = 0; kind < SOLVERS; kind++)
        for (int trial = 0; trial < TRIALS; trial++) {
            quiz_ask_kind(&question, (uint64_t)trial, trial % 7, kind);
            checked += check_arithmetic(question.why);
            long n[MOST], said[MOST];
            if (strcmp(question.kind, "flat") != 0) continue;
            flat++;
            numbers_of(question.text, n); /* W, heads before, heads */
            if (n[2] != 2 * n[1]) assert_null(strstr(question.why, "twice"));
            const char *before = strstr(question.why, "as many as ");
            assert_non_null(before);
            numbers_of(before, said); /* heads before, W, heads before, their columns */
            assert_int_equal(said[0], n[1]);
            assert_int_equal(said[3], n[0] / n[1]);
            assert_int_equal(said[0] * said[3] * n[0], question.choices[question.right].numbers[1]);
        }
    assert_true(flat == TRIALS && checked > 12 * TRIALS);
}

/* The choice of a note says what the note says. */
static void test_notes_of_sites(void **state) {
    (void)state;
    static QuizQuestion question;
    int encoder = 0, decoder = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        long n[MOST];
        quiz_ask_kind(&question, (uint64_t)trial, 0, 2);
        assert_string_equal(question.kind, "weights-shape");
        numbers_of(question.text, n); /* B, source, target, W, H */
        for (int i = 0; i < question.choice_count; i++) {
            const QuizChoice *choice = &question.choices[i];
            if (!choice->note || !strstr(choice->note, "That is cross-attention")) continue;
            assert_int_equal(choice->numbers[1], n[2]);
            assert_int_equal(choice->numbers[2], n[1]);
            encoder += strstr(choice->note, "queries are the source's") != NULL &&
                       strstr(question.text, "encoder self-attention") != NULL;
            decoder += strstr(choice->note, "keys are the target's") != NULL &&
                       strstr(question.text, "decoder self-attention") != NULL;
        }
    }
    assert_true(encoder > 0 && decoder > 0);
}

/* What a wrong choice is said to come from is what it comes from. */
static void test_notes(void **state) {
    (void)state;
    static QuizQuestion question;
    int tiled = 0, reshaped = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        long n[MOST], rows[MOST];
        quiz_ask_kind(&question, (uint64_t)trial, 0, 12);
        numbers_of(question.text, n);
        int count = tile(n + 1, n[0], n[1 + n[0]], rows);
        for (int i = 0; i < question.choice_count; i++) {
            const QuizChoice *choice = &question.choices[i];
            if (!choice->note || !strstr(choice->note, "tiled")) continue;
            tiled++;
            for (int row = 0; row < count; row++)
                assert_int_equal(choice->numbers[row], rows[row]);
        }
        quiz_ask_kind(&question, (uint64_t)trial, 0, 19);
        numbers_of(question.text, n); /* B, T, W, H, b, t, column, 0 */
        for (int i = 0; i < question.choice_count; i++) {
            const QuizChoice *choice = &question.choices[i];
            if (!choice->note || !strstr(choice->note, "one reshape")) continue;
            reshaped++;
            long at = (choice->numbers[0] * n[1] + choice->numbers[1]) * (n[2] / n[3]) +
                      choice->numbers[2];
            assert_int_equal(at, (n[4] * n[1] + n[5]) * n[2] + n[6]);
        }
    }
    assert_int_equal(tiled, TRIALS);
    assert_true(reshaped > TRIALS / 2);
}

/* --- order ------------------------------------------------------------------------------------ */

static void test_seeds(void **state) {
    (void)state;
    static QuizQuestion a, b;
    int places[QUIZ_CHOICES] = {0}, same = 0;
    for (int seed = 0; seed < 20; seed++)
        for (int round = 0; round < 2; round++) {
            bool seen[SOLVERS] = {0};
            for (int i = 0; i < SOLVERS; i++) {
                int index = round * SOLVERS + i, kind = 0;
                quiz_ask(&a, (uint64_t)seed, index);
                quiz_ask(&b, (uint64_t)seed, index);
                assert_memory_equal(&a, &b, sizeof a);
                quiz_ask(&b, (uint64_t)seed + 1, index);
                same += strcmp(a.text, b.text) == 0;
                while (strcmp(quiz_kind(kind), a.kind) != 0)
                    kind++;
                assert_false(seen[kind]);
                seen[kind] = true;
                if (a.form != QUIZ_WORDS) places[a.right]++;
            }
        }
    assert_true(same < 20);
    for (int place = 0; place < QUIZ_CHOICES; place++) /* 800 in all: 5 deviations are 61 */
        assert_in_range(places[place], 200 - 61, 200 + 61);
}

/* --- reading ---------------------------------------------------------------------------------- */

static QuizVerdict judged(const QuizQuestion *question, const char *typed) {
    int choice;
    return quiz_read(question, typed, &choice);
}

static void test_reading_numbers(void **state) {
    (void)state;
    QuizQuestion shape = {
        .form = QUIZ_SHAPE,
        .choices = {{{10, 4, 20}, 3, "(10,4,20)", NULL}, {{10, 4, 100}, 3, "(10,4,100)", NULL}},
        .choice_count = 2};
    static const char *const right[] = {"(10,4,20)",
                                        "(10, 4, 20)",
                                        "10 4 20",
                                        "10x4x20",
                                        "10,4,20",
                                        "[10,4,20]",
                                        "10X4X20",
                                        "10 x 4 x 20",
                                        "  10 4 20 ",
                                        "10\xC3\x97"
                                        "4\xC3\x97"
                                        "20",
                                        "010 4 20",
                                        "10 and 4 and 20"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        if (judged(&shape, right[i]) != QUIZ_RIGHT) fail_msg("%s", right[i]);
    int choice;
    assert_int_equal(quiz_read(&shape, "10 4 100", &choice), QUIZ_WRONG);
    assert_int_equal(choice, 1);
    static const char *const wrong[] = {"20 4 10", "10 4", "10 4 20 1", "10420", "0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(quiz_read(&shape, wrong[i], &choice), QUIZ_WRONG);
        assert_int_equal(choice, -1);
    }
    static const char *const unread[] = {
        "",
        " ",
        "ten",
        "10 4 20 steps",
        "(,)",
        "-10 4 20",
        "10.5 4 20",
        "99999999999999999999",
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25",
        "\xff\xfe"};
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if (judged(&shape, unread[i]) != QUIZ_UNREAD) fail_msg("%s", unread[i]);
}

static void test_reading_thousands(void **state) {
    (void)state;
    QuizQuestion number = {
        .form = QUIZ_NUMBER, .choices = {{{1048576}, 1, "", NULL}}, .choice_count = 1};
    assert_int_equal(judged(&number, "1048576"), QUIZ_RIGHT);
    assert_int_equal(judged(&number, "1,048,576"), QUIZ_RIGHT);
    assert_int_equal(judged(&number, "1,048,5760"), QUIZ_WRONG);
    assert_int_equal(judged(&number, "10,48,576"), QUIZ_WRONG);
    QuizQuestion pair = {
        .form = QUIZ_PAIR, .choices = {{{16384, 262144}, 2, "", NULL}}, .choice_count = 1};
    assert_int_equal(judged(&pair, "16384 262144"), QUIZ_RIGHT);
    assert_int_equal(judged(&pair, "16384,262144"), QUIZ_RIGHT);
    assert_int_equal(judged(&pair, "16,384 and 262,144"), QUIZ_RIGHT);
    assert_int_equal(judged(&pair, "16,384, 262,144"), QUIZ_RIGHT);
    assert_int_equal(judged(&pair, "262144 16384"), QUIZ_WRONG);
}

static void test_reading_words(void **state) {
    (void)state;
    static QuizQuestion question;
    quiz_ask_kind(&question, 3, 0, 5);
    assert_int_equal(question.form, QUIZ_WORDS);
    for (int i = 0; i < question.choice_count; i++) {
        static const char *const names[QUIZ_SOURCES][6] = {
            {"X", "x", "the encoder's state", "Encoder State", "X, the encoder's state", "x."},
            {"E", "e", "the encoder's output", "encoder output", "(E)", "encoder's OUT"},
            {"Y", "y", "decoder", "the decoder", "Decoder's state", "Y, the decoder"}};
        int source = (int)question.choices[i].numbers[0], choice;
        for (int name = 0; name < 6; name++) {
            quiz_read(&question, names[source][name], &choice);
            if (choice != i) fail_msg("%s", names[source][name]);
        }
        char place[2][2] = {{(char)('a' + i)}, {(char)('1' + i)}};
        for (int way = 0; way < 2; way++) {
            QuizVerdict verdict = quiz_read(&question, place[way], &choice);
            assert_int_equal(choice, i);
            assert_int_equal(verdict, i == question.right ? QUIZ_RIGHT : QUIZ_WRONG);
        }
    }
    static const char *const unread[] = {"", "encoder", "the", "d", "0", "4", "keys", "X Y"};
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        assert_int_equal(judged(&question, unread[i]), QUIZ_UNREAD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_answer_is_right),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_notes_of_sites),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_reading_numbers),
        cmocka_unit_test(test_reading_thousands),
        cmocka_unit_test(test_reading_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
