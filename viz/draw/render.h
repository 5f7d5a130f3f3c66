/* From a scene to a picture: a sheet of maps, on any canvas, as PNG or as SVG. */
#ifndef HEADSCOPE_VIZ_DRAW_RENDER_H
#define HEADSCOPE_VIZ_DRAW_RENDER_H

#include "viz/canvas/picture_png.h"
#include "viz/canvas/raster.h"
#include "viz/canvas/svg.h"
#include "viz/layout/layout.h"

/* Lays the scene out for its scale. NULL with *error if the scene is wrong (scene_check), a font
 * cannot be read, or memory ends. Free with layout_free. */
Layout *viz_layout(TextRenderer *text, const Scene *scene, Error *error);

/* Draws the whole sheet; see canvas_ok for errors. */
void viz_draw(Canvas *canvas, const Scene *scene, const Layout *layout);

/* Lays the scene out and draws it on a raster of its own. NULL with *error as above, and if the
 * picture is too large. Free with raster_free; it borrows `text`. */
Raster *viz_render(TextRenderer *text, const Scene *scene, Error *error);

/* The same as a PNG with texts in it: *bytes is new (free it). False with *error. */
bool viz_render_png(TextRenderer *text, const Scene *scene, const PictureText *texts,
                    int text_count, unsigned char **bytes, size_t *size, Error *error);

/* The same as an SVG, written to `stream`: the scene for measuring texts, the layout of that scene
 * (viz_layout with a scale of SVG_SCALE), and the page but for its width and height. False with
 * *error if a font cannot be read, memory ends, or the stream fails. */
bool viz_render_svg(TextRenderer *text, const Scene *scene, const Layout *layout,
                    const SvgPage *page, FILE *stream, Error *error);

#endif
