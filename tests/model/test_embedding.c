/* Position encodings of each kind, and tokens plus positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/network/embedding.h"
#include "tests/model/helper_network.h"

enum { STEPS = 60, WIDTH = 32 }; /* as in D2L's picture, 11.6.3 */

/* One rounding to float of numbers up to 1. */
static const double ROUNDING = 6e-8;

static void table_of(real table[STEPS][WIDTH], PositionKind kind, int first_position) {
    Config config = helper_config();
    config.width = WIDTH;
    config.positions = kind;
    config.first_position = first_position;
    embedding_positions(&table[0][0], STEPS, &config);
}

static void assert_near(real value, double expected) {
    assert_true(fabs((double)value - expected) <= ROUNDING);
}

/* D2L 11.6.3: P[i, 2j] = sin(i / 10000^(2j/d)), P[i, 2j+1] = cos(the same). */
static void test_interleaved(void **state) {
    (void)state;
    real table[STEPS][WIDTH];
    table_of(table, POSITION_INTERLEAVED, 0);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < WIDTH / 2; j++) {
            double angle = i / pow(10000, 2.0 * j / WIDTH);
            assert_near(table[i][2 * j], sin(angle));
            assert_near(table[i][2 * j + 1], cos(angle));
        }
    assert_near(table[1][0], 0.8414709848); /* sin 1, by hand */
    assert_near(table[1][1], 0.5403023059); /* cos 1 */
}

/* tensor2tensor: the frequencies fall from 1 to 1/10000, both included. */
static void test_halves(void **state) {
    (void)state;
    real table[STEPS][WIDTH];
    table_of(table, POSITION_HALVES, 0);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < WIDTH / 2; j++) {
            double angle = i * exp(-j * log(10000.0) / (WIDTH / 2 - 1));
            assert_near(table[i][j], sin(angle));
            assert_near(table[i][WIDTH / 2 + j], cos(angle));
        }
    assert_near(table[5][WIDTH / 2 - 1], sin(5e-4));
}

static void test_narrow_halves(void **state) {
    (void)state;
    real row[3][2];
    Config config = helper_config();
    config.width = 2;
    config.positions = POSITION_HALVES;
    embedding_positions(&row[0][0], 3, &config);
    assert_near(row[2][0], sin(2));
    assert_near(row[2][1], cos(2));
}

static void test_none(void **state) {
    (void)state;
    real table[STEPS][WIDTH];
    table_of(table, POSITION_NONE, 3);
    for (int i = 0; i < STEPS; i++)
        for (int j = 0; j < WIDTH; j++)
            assert_true(table[i][j] == 0);
}

static void test_first_position(void **state) {
    (void)state;
    real from_zero[STEPS][WIDTH], from_two[STEPS][WIDTH];
    for (int kind = POSITION_INTERLEAVED; kind <= POSITION_HALVES; kind++) {
        table_of(from_zero, (PositionKind)kind, 0);
        table_of(from_two, (PositionKind)kind, 2);
        assert_memory_equal(from_two, from_zero[2], (STEPS - 2) * sizeof from_two[0]);
    }
}

/* y = embedding * sqrt(W) + position, the position counted from the start of each example. */
static void check_forward(bool scaled, int first_step) {
    enum { B = 2, T = 3, SMALL = 8 };
    static const int ids[B * T] = {4, 5, 4, 0, 6, 1};
    Config config = helper_config();
    config.embedding_scale = scaled;
    Rng rng = rng_make(1, 0);
    real embedding[7 * SMALL], positions[6 * SMALL], y[B * T * SMALL];
    helper_fill(embedding, 7 * SMALL, &rng);
    helper_fill(positions, 6 * SMALL, &rng);
    embedding_forward(y, ids, embedding, positions, first_step, B, T, &config, (Dropout){0});
    double factor = scaled ? sqrt(SMALL) : 1;
    for (int row = 0; row < B * T; row++)
        for (int i = 0; i < SMALL; i++) {
            double expected = (double)embedding[ids[row] * SMALL + i] * factor +
                              (double)positions[(first_step + row % T) * SMALL + i];
            /* up to 4, rounded three times */
            assert_true(fabs((double)y[row * SMALL + i] - expected) <= 1e-6);
        }
}

static void test_forward(void **state) {
    (void)state;
    check_forward(true, 0);
    check_forward(false, 0);
    check_forward(true, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interleaved),    cmocka_unit_test(test_halves),
        cmocka_unit_test(test_narrow_halves),  cmocka_unit_test(test_none),
        cmocka_unit_test(test_first_position), cmocka_unit_test(test_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
