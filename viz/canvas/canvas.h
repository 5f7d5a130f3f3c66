/* The interface of all drawing: a few primitives in logical pixels, y downwards. A back end
 * (raster, SVG) embeds a Canvas as its first member and implements the operations. Drawing code
 * does not depend on pixels or files. If a back end fails (memory, a font), it keeps the first
 * error and continues; see canvas_ok. */
#ifndef HEADSCOPE_VIZ_CANVAS_CANVAS_H
#define HEADSCOPE_VIZ_CANVAS_CANVAS_H

#include "model/base/error.h"
#include "model/trace/trace.h"
#include "viz/canvas/color.h"
#include "viz/canvas/colormap.h"
#include "viz/canvas/rect.h"

typedef enum TextAlign { ALIGN_START, ALIGN_MIDDLE, ALIGN_END } TextAlign;

typedef struct TextStyle {
    float size; /* of the font, logical pixels */
    bool bold;
    bool upward; /* turned by 90 degrees, read from the bottom to the top */
    TextAlign align;
    Color color;
} TextStyle;

/* A map of numbers drawn through a colour map, in cells without gaps between them. */
typedef struct CellMap {
    Rect area;
    int rows, columns;
    const float *values; /* [rows,columns]; a NaN is not drawn. NULL: those of `trace` */
    float top;           /* the value at the upper end of the colour map; 0 is at the lower */
    ColorMap colormap;
    bool diverging; /* instead: -top to top through `middle`, as in colormap_diverging_color */
    Color middle;
    /* Instead of `values`: the cells of head `id` from (first_row,first_column) on, of which only
     * the visible ones are read. Only for a canvas that has pixels. */
    const Trace *trace;
    HeadId id;
    int first_row, first_column;
} CellMap;

typedef struct Canvas Canvas;

/* Implemented by a back end; coordinates are logical pixels times the zoom. */
typedef struct CanvasOperations {
    void (*fill)(Canvas *canvas, Rect rect, Color color);
    void (*round_fill)(Canvas *canvas, Rect rect, float radius, Color color);
    void (*round_frame)(Canvas *canvas, Rect rect, float radius, float width, Color color);
    void (*line)(Canvas *canvas, float x0, float y0, float x1, float y1, float width, Color color);
    void (*hatch)(Canvas *canvas, Rect rect, Color ground, Color line);
    void (*cells)(Canvas *canvas, const CellMap *map);
    void (*text)(Canvas *canvas, float x, float y, const char *text, const TextStyle *style);
    float (*text_width)(Canvas *canvas, const char *text, float size, bool bold);
    void (*clip_push)(Canvas *canvas, Rect rect);
    void (*clip_pop)(Canvas *canvas);
} CanvasOperations;

struct Canvas {
    const CanvasOperations *operations;
    float scale; /* device pixels per logical pixel; 0: no pixels (SVG) */
    float zoom;  /* enlarges all that is drawn, texts and lines too; 0: 1 */
    bool failed;
    Error error; /* the first one, if `failed` */
};

/* Fills a rectangle. */
void canvas_fill(Canvas *canvas, Rect rect, Color color);

/* The four edges of a rectangle, `width` wide, inside of it. */
void canvas_frame(Canvas *canvas, Rect rect, float width, Color color);

/* Fills a rectangle with rounded corners; a radius past half of the smaller side counts as that
 * half. */
void canvas_round_fill(Canvas *canvas, Rect rect, float radius, Color color);

/* The edge of a rounded rectangle, `width` wide, inside of it. */
void canvas_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color);

/* A straight line with round ends. */
void canvas_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width, Color color);

/* Fills with slanting lines on a ground, for masked cells. The lines continue across neighbouring
 * rectangles. */
void canvas_hatch(Canvas *canvas, Rect rect, Color ground, Color line);

/* Fills each cell with its value's colour. On pixels, where cells are smaller than one, each pixel
 * shows the value of the largest magnitude among its cells: a lone strong weight never vanishes. */
void canvas_cells(Canvas *canvas, const CellMap *map);

/* The entry of a value (not NaN) in the map's colours, and the colour of an entry. */
int canvas_cell_entry(const CellMap *map, float value);
Color canvas_cell_color(const CellMap *map, int entry);

/* A UTF-8 text on one line. (x,y) lies on its baseline: at its start, middle or end, as
 * style->align says. */
void canvas_text(Canvas *canvas, float x, float y, const char *text, const TextStyle *style);

/* The width of a text in logical pixels. */
float canvas_text_width(Canvas *canvas, const char *text, float size, bool bold);

/* Limits drawing to a rectangle (and those pushed before) until the matching pop. */
void canvas_clip_push(Canvas *canvas, Rect rect);
void canvas_clip_pop(Canvas *canvas);

/* Keeps `error` if it is the first one. For back ends and drawing code. */
void canvas_fail(Canvas *canvas, const Error *error);

/* True if everything was drawn; else false with the first error in *error. */
bool canvas_ok(const Canvas *canvas, Error *error);

#endif
