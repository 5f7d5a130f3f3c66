/* The system's fonts for a whole test program: a group's set-up and tear-down. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_TEXT_H
#define HEADSCOPE_TESTS_VIZ_HELPER_TEXT_H

#include "viz/text/text.h"

static TextRenderer *renderer;

static inline int text_start(void **state) {
    (void)state;
    Error error;
    renderer = text_make(&error);
    return renderer ? 0 : -1;
}

static inline int text_stop(void **state) {
    (void)state;
    text_free(renderer);
    return 0;
}

#endif
