#include "viz/canvas/canvas.h"

static float zoom_of(const Canvas *canvas) {
    return canvas->zoom > 0 ? canvas->zoom : 1;
}

static Rect zoomed(const Canvas *canvas, Rect rect) {
    float zoom = zoom_of(canvas);
    return (Rect){rect.x * zoom, rect.y * zoom, rect.w * zoom, rect.h * zoom};
}

void canvas_fill(Canvas *canvas, Rect rect, Color color) {
    canvas->operations->fill(canvas, zoomed(canvas, rect), color);
}

void canvas_frame(Canvas *canvas, Rect rect, float width, Color color) {
    float inner = rect.h - 2 * width;
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, width}, color);
    canvas_fill(canvas, (Rect){rect.x, rect.y + rect.h - width, rect.w, width}, color);
    canvas_fill(canvas, (Rect){rect.x, rect.y + width, width, inner}, color);
    canvas_fill(canvas, (Rect){rect.x + rect.w - width, rect.y + width, width, inner}, color);
}

void canvas_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    canvas->operations->round_fill(canvas, zoomed(canvas, rect), radius * zoom_of(canvas), color);
}

void canvas_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    float zoom = zoom_of(canvas);
    canvas->operations->round_frame(canvas, zoomed(canvas, rect), radius * zoom, width * zoom,
                                    color);
}

void canvas_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width, Color color) {
    float zoom = zoom_of(canvas);
    canvas->operations->line(canvas, x0 * zoom, y0 * zoom, x1 * zoom, y1 * zoom, width * zoom,
                             color);
}

void canvas_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    canvas->operations->hatch(canvas, zoomed(canvas, rect), ground, line);
}

void canvas_cells(Canvas *canvas, const CellMap *map) {
    CellMap larger = *map;
    larger.area = zoomed(canvas, map->area);
    canvas->operations->cells(canvas, &larger);
}

void canvas_text(Canvas *canvas, float x, float y, const char *text, const TextStyle *style) {
    float zoom = zoom_of(canvas);
    TextStyle larger = *style;
    larger.size *= zoom;
    canvas->operations->text(canvas, x * zoom, y * zoom, text, &larger);
}

float canvas_text_width(Canvas *canvas, const char *text, float size, bool bold) {
    float zoom = zoom_of(canvas);
    return canvas->operations->text_width(canvas, text, size * zoom, bold) / zoom;
}

void canvas_clip_push(Canvas *canvas, Rect rect) {
    canvas->operations->clip_push(canvas, zoomed(canvas, rect));
}

void canvas_clip_pop(Canvas *canvas) {
    canvas->operations->clip_pop(canvas);
}

int canvas_cell_entry(const CellMap *map, float value) {
    float share = map->top > 0 ? value * (1 / map->top) : 0;
    return map->diverging ? colormap_diverging_entry(share) : colormap_entry(share);
}

Color canvas_cell_color(const CellMap *map, int entry) {
    return map->diverging ? colormap_diverging_color(entry, map->middle)
                          : colormap_entry_color(map->colormap, entry);
}

void canvas_fail(Canvas *canvas, const Error *error) {
    if (canvas->failed) return;
    canvas->failed = true;
    canvas->error = *error;
}

bool canvas_ok(const Canvas *canvas, Error *error) {
    if (canvas->failed && error) *error = canvas->error;
    return !canvas->failed;
}
