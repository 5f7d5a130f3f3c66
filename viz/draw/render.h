/* From a scene to a picture: a sheet of maps, on any canvas, as PNG or as SVG. */
#ifndef HEADSCOPE_VIZ_DRAW_RENDER_H
#define HEADSCOPE_VIZ_DRAW_RENDER_H

#include "viz/canvas/picture_png.h"
#include "viz/canvas/raster.h"
#include "viz/canvas/svg.h"
#include "viz/layout/layout.h"

/* Lays out the scene at its scale. NULL with *error if the scene is invalid (scene_check), a font
 * cannot be read, or memory is exhausted. Free with layout_free. */
Layout *viz_layout(TextRenderer *text, const Scene *scene, Error *error);

/* Draws the whole sheet; canvas_ok reports errors. */
void viz_draw(Canvas *canvas, const Scene *scene, const Layout *layout);

/* Lays out the scene and draws it on a new raster, which borrows `text`. NULL with *error as above,
 * and if the picture is too large. Free with raster_free. */
Raster *viz_render(TextRenderer *text, const Scene *scene, Error *error);

/* The same as a PNG with embedded texts: *bytes is new (free it). False with *error. */
bool viz_render_png(TextRenderer *text, const Scene *scene, const PictureText *texts,
                    int text_count, unsigned char **bytes, size_t *size, Error *error);

/* The same as an SVG, written to `stream`, from the scene's layout at SVG_SCALE (viz_layout) and a
 * page whose width and height are filled in here. False with *error if a font cannot be read,
 * memory is exhausted, or the stream fails. */
bool viz_render_svg(TextRenderer *text, const Scene *scene, const Layout *layout,
                    const SvgPage *page, FILE *stream, Error *error);

#endif
