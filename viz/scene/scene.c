#include "viz/scene/scene.h"

#include <stdlib.h>

float scene_top(const Scene *scene) {
    return scene->top > 0 ? scene->top : 1;
}

float scene_scale(const Scene *scene) {
    return scene->scale > 0 ? scene->scale : 1;
}

static bool check_panel(const Scene *scene, HeadId id, Error *error) {
    TraceShape shape = trace_shape(scene->trace, id.site);
    const char *site = site_name(id.site);
    if (id.layer < 0 || id.layer >= shape.layers || id.head < 0 || id.head >= shape.heads)
        return error_usage(error,
                           "%s.%d.%d: there is no such head; %s has %d layers and %d heads, both "
                           "counted from 0",
                           site, id.layer, id.head, site, shape.layers, shape.heads);
    if (!scene->axes[id.site].rows || !scene->axes[id.site].columns)
        return error_usage(error, "%s: its tokens are missing", site);
    return true;
}

bool scene_check(const Scene *scene, Error *error) {
    if (!(scene->scale <= SCALE_LARGEST))
        return error_usage(error, "a scale of %g is too large; choose one of at most %g",
                           (double)scene->scale, (double)SCALE_LARGEST);
    if (scene->panel_count < 1) return error_usage(error, "no head was chosen to be drawn");
    for (int index = 0; index < scene->panel_count; index++)
        if (!check_panel(scene, scene->panels[index].id, error)) return false;
    return true;
}

static bool chosen(const SceneChoice *choice, HeadId id) {
    return !choice->site_left_out[id.site] && (!choice->one_layer || id.layer == choice->layer) &&
           (!choice->one_head || id.head == choice->head);
}

ScenePanel *scene_choose(const Trace *trace, const SceneChoice *choice, int *count, Error *error) {
    size_t all = 0;
    for (int site = 0; site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        all += (size_t)shape.layers * (size_t)shape.heads;
    }
    ScenePanel *panels = calloc(all ? all : 1, sizeof *panels);
    *count = 0;
    for (int site = 0; panels && site < SITE_COUNT; site++) {
        TraceShape shape = trace_shape(trace, (Site)site);
        for (int index = 0; index < shape.layers * shape.heads; index++) {
            HeadId id = {(Site)site, index / shape.heads, index % shape.heads};
            if (chosen(choice, id)) panels[(*count)++].id = id;
        }
    }
    if (panels && *count > 0) return panels;
    if (panels)
        error_usage(error, "no head is left to be drawn; choose another site, layer or head");
    else
        error_set(error, "out of memory for %zu panels", all);
    free(panels);
    return NULL;
}
