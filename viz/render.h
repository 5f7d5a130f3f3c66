/* From a scene to a picture in one call. */
#ifndef HEADSCOPE_VIZ_RENDER_H
#define HEADSCOPE_VIZ_RENDER_H

#include "viz/layout.h"
#include "viz/png.h"
#include "viz/raster.h"

/* Lays the scene out for its scale. NULL with *error if the scene is wrong (scene_check), a font
 * cannot be read, or memory ends. Free with layout_free. */
Layout *viz_layout(TextRenderer *text, const Scene *scene, Error *error);

/* Lays the scene out and draws it on a raster of its own. NULL with *error as above, and if the
 * picture is too large. Free with raster_free; it borrows `text`. */
Raster *viz_render(TextRenderer *text, const Scene *scene, Error *error);

/* The same as a PNG with texts in it: *bytes is new (free it). False with *error. */
bool viz_render_png(TextRenderer *text, const Scene *scene, const PngText *texts, int text_count,
                    unsigned char **bytes, size_t *size, Error *error);

#endif
