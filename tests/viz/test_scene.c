#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/viz/helper_scene.h"
#include "viz/scene/scene.h"

#include <string.h>

static const TraceShape shapes[SITE_COUNT] = {{2, 3, 4, 4}, {1, 3, 2, 2}, {1, 3, 2, 4}};

static void defaults(void **state) {
    (void)state;
    Scene scene = {0};
    assert_true(scene_top(&scene) == 1);
    assert_true(scene_scale(&scene) == 1);
    assert_int_equal(scene.colormap, COLORMAP_VIRIDIS);
    assert_int_equal(scene.theme, THEME_LIGHT);
    scene.top = 0.25F;
    scene.scale = 2;
    assert_true(scene_top(&scene) == 0.25F);
    assert_true(scene_scale(&scene) == 2);
    scene.top = -1;
    assert_true(scene_top(&scene) == 1);
}

static void choosing_panels(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, shapes);
    assert_int_equal(fixture.scene.panel_count, 12);
    assert_int_equal(fixture.panels[4].id.site, SITE_ENCODER);
    assert_int_equal(fixture.panels[4].id.layer, 1);
    assert_int_equal(fixture.panels[4].id.head, 1);
    assert_int_equal(fixture.panels[11].id.site, SITE_CROSS);
    assert_null(fixture.panels[0].name);
    int count;
    Error error;
    SceneChoice choice = {.site_left_out = {false, true, false}, .one_head = true, .head = 2};
    ScenePanel *panels = scene_choose(fixture.trace, &choice, &count, &error);
    assert_non_null(panels);
    assert_int_equal(count, 3);
    assert_int_equal(panels[2].id.site, SITE_CROSS);
    assert_int_equal(panels[2].id.head, 2);
    free(panels);
    choice = (SceneChoice){.one_layer = true, .layer = 2};
    assert_null(scene_choose(fixture.trace, &choice, &count, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    fixture_free(&fixture);
}

static void refuse(const Scene *scene, const char *part) {
    Error error;
    assert_false(scene_check(scene, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.text, part));
}

static void wrong_scenes_are_named(void **state) {
    (void)state;
    Fixture fixture;
    fixture_make(&fixture, shapes);
    Error error;
    assert_true(scene_check(&fixture.scene, &error));
    Scene scene = fixture.scene;
    ScenePanel panel = {.id = {SITE_DECODER, 1, 0}};
    scene.panels = &panel;
    scene.panel_count = 1;
    refuse(&scene, "decoder.1.0");
    refuse(&scene, "1 layers and 3 heads");
    panel.id = (HeadId){SITE_ENCODER, 0, 3};
    refuse(&scene, "encoder.0.3");
    panel.id = (HeadId){SITE_ENCODER, -1, 0};
    refuse(&scene, "encoder.-1.0");
    panel.id = (HeadId){SITE_ENCODER, 0, 2};
    assert_true(scene_check(&scene, &error));
    scene.axes[SITE_ENCODER].columns = NULL;
    refuse(&scene, "encoder");
    scene.panel_count = 0;
    refuse(&scene, "no head");
    fixture_free(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(choosing_panels),
        cmocka_unit_test(wrong_scenes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
