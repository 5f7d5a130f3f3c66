#include "viz/canvas/canvas.h"

void canvas_fill(Canvas *canvas, Rect rect, Color color) {
    canvas->operations->fill(canvas, rect, color);
}

void canvas_frame(Canvas *canvas, Rect rect, float width, Color color) {
    float inner = rect.h - 2 * width;
    canvas_fill(canvas, (Rect){rect.x, rect.y, rect.w, width}, color);
    canvas_fill(canvas, (Rect){rect.x, rect.y + rect.h - width, rect.w, width}, color);
    canvas_fill(canvas, (Rect){rect.x, rect.y + width, width, inner}, color);
    canvas_fill(canvas, (Rect){rect.x + rect.w - width, rect.y + width, width, inner}, color);
}

void canvas_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    canvas->operations->round_fill(canvas, rect, radius, color);
}

void canvas_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    canvas->operations->round_frame(canvas, rect, radius, width, color);
}

void canvas_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width, Color color) {
    canvas->operations->line(canvas, x0, y0, x1, y1, width, color);
}

void canvas_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    canvas->operations->hatch(canvas, rect, ground, line);
}

void canvas_cells(Canvas *canvas, const CellMap *map) {
    canvas->operations->cells(canvas, map);
}

int canvas_cell_entry(const CellMap *map, float value) {
    float share = map->top > 0 ? value * (1 / map->top) : 0;
    return map->diverging ? colormap_diverging_entry(share) : colormap_entry(share);
}

Color canvas_cell_color(const CellMap *map, int entry) {
    return map->diverging ? colormap_diverging_color(entry, map->middle)
                          : colormap_entry_color(map->colormap, entry);
}

void canvas_text(Canvas *canvas, float x, float y, const char *text, const TextStyle *style) {
    canvas->operations->text(canvas, x, y, text, style);
}

float canvas_text_width(Canvas *canvas, const char *text, float size, bool bold) {
    return canvas->operations->text_width(canvas, text, size, bold);
}

void canvas_clip_push(Canvas *canvas, Rect rect) {
    canvas->operations->clip_push(canvas, rect);
}

void canvas_clip_pop(Canvas *canvas) {
    canvas->operations->clip_pop(canvas);
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
