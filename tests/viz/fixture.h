/* Scenes for the tests of viz/: a trace of given shapes with tokens for its axes. */
#ifndef HEADSCOPE_TESTS_VIZ_FIXTURE_H
#define HEADSCOPE_TESTS_VIZ_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "viz/scene.h"

enum { FIXTURE_TOKENS = 128, FIXTURE_TOKEN_BYTES = 64 };

typedef struct Fixture {
    Trace *trace;
    ScenePanel *panels;
    char text[FIXTURE_TOKENS][FIXTURE_TOKEN_BYTES];
    const char *tokens[FIXTURE_TOKENS]; /* t0, t1, ... until a test writes others */
    Scene scene;
} Fixture;

/* All heads of all sites. Weights are 0 and all is masked until a test writes them. */
static inline void fixture_make(Fixture *fixture, const TraceShape shapes[SITE_COUNT]) {
    *fixture = (Fixture){0};
    Error error;
    fixture->trace = trace_make(shapes, &error);
    assert_non_null(fixture->trace);
    for (int index = 0; index < FIXTURE_TOKENS; index++) {
        snprintf(fixture->text[index], FIXTURE_TOKEN_BYTES, "t%d", index);
        fixture->tokens[index] = fixture->text[index];
    }
    Scene *scene = &fixture->scene;
    scene->trace = fixture->trace;
    for (int site = 0; site < SITE_COUNT; site++)
        scene->axes[site] = (SceneAxes){.rows = fixture->tokens, .columns = fixture->tokens};
    fixture->panels = scene_choose(fixture->trace, &(SceneChoice){0}, &scene->panel_count, &error);
    assert_non_null(fixture->panels);
    scene->panels = fixture->panels;
}

static inline void fixture_free(Fixture *fixture) {
    trace_free(fixture->trace);
    free(fixture->panels);
}

#endif
