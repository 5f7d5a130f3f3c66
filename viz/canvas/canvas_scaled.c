#include "viz/canvas/canvas_scaled.h"

static const ScaledCanvas *scaled_of(const Canvas *canvas) {
    return (const ScaledCanvas *)canvas;
}

static Rect enlarged(const Canvas *canvas, Rect rect) {
    float scale = scaled_of(canvas)->scale;
    return (Rect){rect.x * scale, rect.y * scale, rect.w * scale, rect.h * scale};
}

static void scaled_fill(Canvas *canvas, Rect rect, Color color) {
    canvas_fill(scaled_of(canvas)->base, enlarged(canvas, rect), color);
}

static void scaled_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    const ScaledCanvas *scaled = scaled_of(canvas);
    canvas_round_fill(scaled->base, enlarged(canvas, rect), radius * scaled->scale, color);
}

static void scaled_round_frame(Canvas *canvas, Rect rect, float radius, float width, Color color) {
    const ScaledCanvas *scaled = scaled_of(canvas);
    canvas_round_frame(scaled->base, enlarged(canvas, rect), radius * scaled->scale,
                       width * scaled->scale, color);
}

static void scaled_line(Canvas *canvas, float x0, float y0, float x1, float y1, float width,
                        Color color) {
    float scale = scaled_of(canvas)->scale;
    canvas_line(scaled_of(canvas)->base, x0 * scale, y0 * scale, x1 * scale, y1 * scale,
                width * scale, color);
}

static void scaled_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    canvas_hatch(scaled_of(canvas)->base, enlarged(canvas, rect), ground, line);
}

static void scaled_cells(Canvas *canvas, const CellMap *map) {
    CellMap larger = *map;
    larger.area = enlarged(canvas, map->area);
    canvas_cells(scaled_of(canvas)->base, &larger);
}

static void scaled_text(Canvas *canvas, float x, float y, const char *text,
                        const TextStyle *style) {
    const ScaledCanvas *scaled = scaled_of(canvas);
    TextStyle larger = *style;
    larger.size *= scaled->scale;
    canvas_text(scaled->base, x * scaled->scale, y * scaled->scale, text, &larger);
}

static float scaled_text_width(Canvas *canvas, const char *text, float size, bool bold) {
    const ScaledCanvas *scaled = scaled_of(canvas);
    return canvas_text_width(scaled->base, text, size * scaled->scale, bold) / scaled->scale;
}

static void scaled_clip_push(Canvas *canvas, Rect rect) {
    canvas_clip_push(scaled_of(canvas)->base, enlarged(canvas, rect));
}

static void scaled_clip_pop(Canvas *canvas) {
    canvas_clip_pop(scaled_of(canvas)->base);
}

static const CanvasOperations operations = {
    .fill = scaled_fill,
    .round_fill = scaled_round_fill,
    .round_frame = scaled_round_frame,
    .line = scaled_line,
    .hatch = scaled_hatch,
    .cells = scaled_cells,
    .text = scaled_text,
    .text_width = scaled_text_width,
    .clip_push = scaled_clip_push,
    .clip_pop = scaled_clip_pop,
};

ScaledCanvas scaled_make(Canvas *base, float scale) {
    return (ScaledCanvas){.canvas = {.operations = &operations}, .base = base, .scale = scale};
}

void scaled_finish(ScaledCanvas *scaled) {
    if (scaled->canvas.failed) canvas_fail(scaled->base, &scaled->canvas.error);
}
