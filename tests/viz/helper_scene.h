/* Scenes for the tests of viz/: a trace of given shapes with tokens for its axes. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_SCENE_H
#define HEADSCOPE_TESTS_VIZ_HELPER_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/base/utf8.h"
#include "viz/layout/layout.h"
#include "viz/scene/scene.h"
#include "viz/text/script.h"

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

/* Stands in for fonts: each character is as wide as its kind, in sizes of the font. */
static inline float fixture_measure(void *context, const char *text, float size, bool bold) {
    (void)context;
    float width = 0;
    for (uint32_t code_point; (code_point = utf8_read(&text)) != 0;)
        width += code_point == 'm' || code_point == 0x2192 ? 0.95F
                 : code_point == 'i'                       ? 0.3F
                                                           : 0.6F;
    return width * size * (bold ? 1.1F : 1);
}

/* The scene laid out without fonts. */
static inline Layout *fixture_lay_out(const Fixture *fixture) {
    Error error;
    assert_true(scene_check(&fixture->scene, &error));
    TextMeasure measuring = {.width = fixture_measure};
    Layout *layout = layout_make(&fixture->scene, measuring, &error);
    assert_non_null(layout);
    return layout;
}

#endif
