/* What must hold of every screen. A failure ends the test. */
#ifndef TESTS_SESSION_HELPER_SCREEN_H
#define TESTS_SESSION_HELPER_SCREEN_H

#include "app/screen/screen.h"
#include "tests/session/helper_session.h"

/* All strings are UTF-8 in one line, all that is pointed at is there, all places are in range. */
void helper_check_screen(const Screen *screen);

#endif
