/* Dumps of random shapes, right ones and wrong ones: none may be read outside of its arrays (the
 * sanitizers see it), and each is judged or refused in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/base/rng.h"
#include "tests/fuzz/helper_dump.h"

enum { DUMPS = 3000, BYTES = 400 };

static void test_random_dumps(void **state) {
    (void)state;
    int judged = 0;
    for (int i = 0; i < DUMPS; i++) {
        uint8_t bytes[BYTES];
        Rng rng = rng_make((uint64_t)i, 0);
        for (int at = 0; at < BYTES; at++)
            bytes[at] = (uint8_t)(rng_next(&rng) >> 24);
        judged += random_dump(bytes, BYTES);
    }
    assert_true(judged > DUMPS / 20); /* else the shapes are too wild to tell anything */
    print_message("%d of %d judged\n", judged, DUMPS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_dumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
