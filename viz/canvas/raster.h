/* The canvas on pixels: one surface, drawn in software, so that a picture is the same on every
 * machine with the same fonts. Needs no display. */
#ifndef HEADSCOPE_VIZ_CANVAS_RASTER_H
#define HEADSCOPE_VIZ_CANVAS_RASTER_H

#include "viz/canvas/canvas.h"
#include "viz/canvas/surface.h"
#include "viz/text/text.h"

typedef struct Raster Raster;

/* A surface of `width` x `height` logical pixels, `scale` device pixels each (edges fall on whole
 * device pixels). The text renderer is borrowed. NULL with *error if the picture is too large or
 * memory ends. Free with raster_free. */
Raster *raster_make(float width, float height, float scale, TextRenderer *text, Error *error);
void raster_free(Raster *raster); /* NULL is fine */

/* Resizes a raster for the next frame; allocates only when it grows beyond its largest size so far.
 * Its pixels are then undefined, clips and a failure are cleared, and its surface may have moved.
 * False with *error (see raster_make), and the raster unchanged. */
bool raster_resize(Raster *raster, float width, float height, float scale, Error *error);

/* Both belong to the raster. */
Canvas *raster_canvas(Raster *raster);
const Surface *raster_surface(Raster *raster);

/* The width of a text in logical pixels, as a canvas of this scale draws it. 0 with *error if a
 * font cannot be read or memory ends. */
float raster_text_width(TextRenderer *text, float scale, const char *string, float size, bool bold,
                        Error *error);

#endif
