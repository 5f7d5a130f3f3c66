#include "viz/canvas/svg.h"

#include "model/base/minmax.h"
#include "viz/canvas/raster.h"
#include "viz/canvas/svg_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As in the raster: a line of one pixel in every five along a row. */
#define HATCH_PERIOD "5"
#define HATCH_PATH   "M0 0H1L0 1ZM5 0V1L1 5H0Z"

struct Svg {
    Canvas canvas; /* first member: svg_of casts a Canvas to its Svg */
    FILE *stream;
    TextRenderer *text;
    int clip_count, depth; /* clips so far, and open ones */
    int hatch_count;       /* patterns so far */
    Color hatch_ground, hatch_line;
};

static Svg *svg_of(Canvas *canvas) {
    return (Svg *)canvas;
}

static void put(Svg *svg, const char *text) {
    fputs(text, svg->stream);
}

/* ` name="number"` */
static void put_number(Svg *svg, const char *name, double number) {
    fprintf(svg->stream, " %s=\"", name);
    svg_put_number(svg->stream, number);
    put(svg, "\"");
}

/* ` name="#rrggbb"`, and its opacity unless it is opaque. */
static void put_color(Svg *svg, const char *name, Color color) {
    fprintf(svg->stream, " %s=\"#%02x%02x%02x\"", name, color.r, color.g, color.b);
    if (color.a == 255) return;
    fprintf(svg->stream, " %s-opacity=\"", name);
    svg_put_number(svg->stream, color.a / 255.0);
    put(svg, "\"");
}

/* The open tag `<rect x=".." y=".." width=".." height=".."`. Negative sizes, an error in SVG,
 * become 0. */
static void put_rect(Svg *svg, Rect rect) {
    put(svg, "<rect");
    put_number(svg, "x", rect.x);
    put_number(svg, "y", rect.y);
    put_number(svg, "width", fmax(rect.w, 0));
    put_number(svg, "height", fmax(rect.h, 0));
}

static void svg_fill(Canvas *canvas, Rect rect, Color color) {
    Svg *svg = svg_of(canvas);
    put_rect(svg, rect);
    put_color(svg, "fill", color);
    put(svg, "/>\n");
}

static float round_radius(Rect rect, float radius) {
    return float_clamp(radius, 0, fminf(rect.w, rect.h) / 2);
}

static void svg_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    Svg *svg = svg_of(canvas);
    put_rect(svg, rect);
    put_number(svg, "rx", round_radius(rect, radius));
    put_color(svg, "fill", color);
    put(svg, "/>\n");
}

/* A stroke is centred on its path, so the path is moved inwards by half of the width. */
static void svg_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    Svg *svg = svg_of(canvas);
    float smaller = fminf(rect.w, rect.h);
    if (2 * width >= smaller) {
        svg_round_fill(canvas, rect, radius, color);
        return;
    }
    float half = width / 2;
    put_rect(svg, (Rect){rect.x + half, rect.y + half, rect.w - width, rect.h - width});
    put_number(svg, "rx", fmaxf(round_radius(rect, radius) - half, 0));
    put(svg, " fill=\"none\"");
    put_color(svg, "stroke", color);
    put_number(svg, "stroke-width", width);
    put(svg, "/>\n");
}

static void svg_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                     Color color) {
    Svg *svg = svg_of(canvas);
    put(svg, "<line");
    put_number(svg, "x1", x0);
    put_number(svg, "y1", y0);
    put_number(svg, "x2", x1);
    put_number(svg, "y2", y1);
    put_color(svg, "stroke", color);
    put_number(svg, "stroke-width", width);
    put(svg, " stroke-linecap=\"round\"/>\n");
}

static bool same_color(Color one, Color other) {
    return one.r == other.r && one.g == other.g && one.b == other.b && one.a == other.a;
}

static void put_pattern(Svg *svg, Color ground, Color line) {
    fprintf(svg->stream,
            "<pattern id=\"hatch%d\" width=\"" HATCH_PERIOD "\" height=\"" HATCH_PERIOD
            "\" patternUnits=\"userSpaceOnUse\"><rect width=\"" HATCH_PERIOD
            "\" height=\"" HATCH_PERIOD "\"",
            ++svg->hatch_count);
    put_color(svg, "fill", ground);
    put(svg, "/><path d=\"" HATCH_PATH "\"");
    put_color(svg, "fill", line);
    put(svg, "/></pattern>\n");
    svg->hatch_ground = ground;
    svg->hatch_line = line;
}

static void svg_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    Svg *svg = svg_of(canvas);
    bool known = svg->hatch_count > 0 && same_color(ground, svg->hatch_ground) &&
                 same_color(line, svg->hatch_line);
    if (!known) put_pattern(svg, ground, line);
    put_rect(svg, rect);
    fprintf(svg->stream, " fill=\"url(#hatch%d)\"/>\n", svg->hatch_count);
}

/* -1 for a value that is not drawn. */
static int entry_of(const CellMap *map, int row, int column) {
    float value = map->values[(size_t)row * (size_t)map->columns + (size_t)column];
    return isnan(value) ? -1 : canvas_cell_entry(map, value);
}

static void svg_cells(Canvas *canvas, const CellMap *map) {
    Svg *svg = svg_of(canvas);
    double width = (double)map->area.w / map->columns, height = (double)map->area.h / map->rows;
    /* crisp: no ground shows through where cells meet */
    put(svg, "<g shape-rendering=\"crispEdges\">\n");
    for (int row = 0; row < map->rows; row++)
        for (int column = 0, first; column < map->columns;) {
            int entry = entry_of(map, row, first = column++);
            while (column < map->columns && entry_of(map, row, column) == entry)
                column++;
            if (entry < 0) continue;
            put(svg, "<rect");
            put_number(svg, "x", map->area.x + first * width);
            put_number(svg, "y", map->area.y + row * height);
            put_number(svg, "width", (column - first) * width);
            put_number(svg, "height", height);
            put_color(svg, "fill", canvas_cell_color(map, entry));
            put(svg, "/>\n");
        }
    put(svg, "</g>\n");
}

static void svg_text(Canvas *canvas, float x, float y, const char *text, const TextStyle *style) {
    static const char *const anchors[] = {[ALIGN_START] = "",
                                          [ALIGN_MIDDLE] = " text-anchor=\"middle\"",
                                          [ALIGN_END] = " text-anchor=\"end\""};
    Svg *svg = svg_of(canvas);
    put(svg, "<text");
    if (style->upward) {
        put(svg, " transform=\"translate(");
        svg_put_number(svg->stream, x);
        put(svg, " ");
        svg_put_number(svg->stream, y);
        put(svg, ") rotate(-90)\"");
    } else {
        put_number(svg, "x", x);
        put_number(svg, "y", y);
    }
    put_number(svg, "font-size", style->size);
    put(svg, style->bold ? " font-weight=\"bold\"" : "");
    put(svg, anchors[style->align]);
    put_color(svg, "fill", style->color);
    put(svg, ">");
    svg_put_text(svg->stream, text);
    put(svg, "</text>\n");
}

static float svg_width(Canvas *canvas, const char *text, float size, bool bold) {
    Error error = {0};
    float width = raster_text_width(svg_of(canvas)->text, SVG_SCALE, text, size, bold, &error);
    if (error.text[0]) canvas_fail(canvas, &error);
    return width;
}

static void svg_clip_push(Canvas *canvas, Rect rect) {
    Svg *svg = svg_of(canvas);
    int id = ++svg->clip_count;
    svg->depth++;
    fprintf(svg->stream, "<clipPath id=\"clip%d\">", id);
    put_rect(svg, rect);
    fprintf(svg->stream, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", id);
}

static void svg_clip_pop(Canvas *canvas) {
    Svg *svg = svg_of(canvas);
    if (svg->depth == 0) return;
    svg->depth--;
    put(svg, "</g>\n");
}

static const CanvasOperations operations = {
    .fill = svg_fill,
    .round_fill = svg_round_fill,
    .round_frame = svg_round_frame,
    .line = svg_line,
    .hatch = svg_hatch,
    .cells = svg_cells,
    .text = svg_text,
    .text_width = svg_width,
    .clip_push = svg_clip_push,
    .clip_pop = svg_clip_pop,
};

static void put_length(Svg *svg, const char *name, double length, const char *unit) {
    fprintf(svg->stream, " %s=\"", name);
    svg_put_number(svg->stream, length);
    fprintf(svg->stream, "%s\"", unit);
}

static void put_metadata(Svg *svg, const SvgPage *page) {
    if (page->title) {
        put(svg, "<title>");
        svg_put_text(svg->stream, page->title);
        put(svg, "</title>\n");
    }
    if (page->text_count == 0) return;
    put(svg, "<metadata xmlns:headscope=\"urn:headscope\">\n");
    for (int index = 0; index < page->text_count; index++) {
        put(svg, "<headscope:text key=\"");
        svg_put_text(svg->stream, page->texts[index].keyword);
        put(svg, "\">");
        svg_put_text(svg->stream, page->texts[index].text);
        put(svg, "</headscope:text>\n");
    }
    put(svg, "</metadata>\n");
}

/* The fallback for DejaVu Sans is Verdana, which has the same widths. */
static void put_head(Svg *svg, const SvgPage *page) {
    bool printed = page->printed_width > 0;
    double unit = printed ? page->printed_width / page->width : 1;
    put(svg,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
    put_length(svg, "width", page->width * unit, printed ? page->unit : "px");
    put_length(svg, "height", page->height * unit, printed ? page->unit : "px");
    put(svg, " viewBox=\"0 0 ");
    svg_put_number(svg->stream, page->width);
    put(svg, " ");
    svg_put_number(svg->stream, page->height);
    put(svg, "\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" xml:space=\"preserve\">\n");
    put_metadata(svg, page);
}

Svg *svg_make(FILE *stream, const SvgPage *page, TextRenderer *text, Error *error) {
    Svg *svg = calloc(1, sizeof *svg);
    if (!svg) {
        error_set(error, "out of memory for an SVG");
        return NULL;
    }
    svg->canvas.operations = &operations;
    svg->stream = stream;
    svg->text = text;
    put_head(svg, page);
    return svg;
}

void svg_free(Svg *svg) {
    free(svg);
}

Canvas *svg_canvas(Svg *svg) {
    return &svg->canvas;
}

bool svg_end(Svg *svg, Error *error) {
    while (svg->depth > 0)
        svg_clip_pop(&svg->canvas);
    put(svg, "</svg>\n");
    if (!canvas_ok(&svg->canvas, error)) return false;
    errno = 0;
    bool flushed = fflush(svg->stream) == 0;
    if (flushed && !ferror(svg->stream)) return true;
    return error_set(error, "the SVG cannot be written%s%s", errno ? ": " : "",
                     errno ? strerror(errno) : "");
}
