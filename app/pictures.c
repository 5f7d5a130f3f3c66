#include "app/pictures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/output.h"
#include "viz/render.h"

bool picture_style(PictureStyle *style, const char *theme, const char *colormap, double scale,
                   const char *command, Error *error) {
    *style = (PictureStyle){.scale = (float)scale, .command = command, .top = 1};
    if (!theme_parse(theme, &style->theme))
        return error_usage(error, "--theme %s: it takes light or dark", theme);
    if (!colormap_parse(colormap, &style->colormap))
        return error_usage(error, "--colormap %s: it takes viridis, cividis, magma or grey",
                           colormap);
    if (!(scale >= 0.5 && scale <= 8))
        return error_usage(error, "--scale %g: it takes a number from 0.5 to 8", scale);
    return true;
}

static Scene scene_of(const PictureContent *content, const PictureStyle *style, const char *title,
                      const char *footer) {
    const Reading *reading = content->reading;
    const char *const *steps = (const char *const *)reading->steps;
    SceneAxes encoder = {.rows = reading->source,
                         .columns = reading->source,
                         .row_caption = "queries, encoder tokens",
                         .column_caption = "keys, encoder tokens"};
    SceneAxes decoder = {.rows = steps,
                         .columns = reading->reads,
                         .row_caption = "queries, decoder (reads → writes)",
                         .column_caption = "keys, decoder tokens read"};
    SceneAxes cross = {.rows = steps,
                       .columns = reading->source,
                       .row_caption = "queries, decoder (reads → writes)",
                       .column_caption = "keys, encoder tokens"};
    return (Scene){.title = title,
                   .footer = footer,
                   .trace = reading->trace,
                   .panels = content->panels,
                   .panel_count = content->panel_count,
                   .arrangement = content->arrangement,
                   .axes = {encoder, decoder, cross},
                   .top = style->top,
                   .colormap = style->colormap,
                   .theme = style->theme,
                   .scale = style->scale};
}

bool picture_save(const char *path, const PictureContent *content, PictureStyle *style,
                  Error *error) {
    const Reading *reading = content->reading;
    const Model *model = content->model;
    char footer[160];
    size_t size = strlen(reading->input) + strlen(reading->output) + 16;
    char *title = malloc(size);
    if (!title) return error_set(error, "out of memory");
    snprintf(title, size, "%s → %s", reading->input, reading->output);
    snprintf(footer, sizeof footer, "headscope %s · model %s%s%.12s", HEADSCOPE_VERSION,
             model->task, model->task[0] ? " " : "", model->hash);
    if (!style->text) style->text = text_make(error);
    Scene scene = scene_of(content, style, title, footer);
    const PngText texts[] = {{"Software", "headscope " HEADSCOPE_VERSION},
                             {"headscope:command", style->command},
                             {"headscope:model", model->hash},
                             {"headscope:version", HEADSCOPE_VERSION}};
    unsigned char *bytes = NULL;
    size_t length = 0;
    bool good = style->text &&
                viz_render_png(style->text, &scene, texts, 4, &bytes, &length, error) &&
                output_write(path, bytes, length, error);
    free(bytes);
    free(title);
    return good;
}
