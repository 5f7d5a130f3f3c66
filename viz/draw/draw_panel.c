#include "viz/draw/draw_panel.h"

#include "viz/draw/draw_cells.h"

void draw_text(Canvas *canvas, const Theme *theme, const LayoutText *text) {
    TextStyle style = {.size = text->size,
                       .bold = text->bold,
                       .upward = text->upward,
                       .align = text->align,
                       .color = text->muted ? theme->muted : theme->text};
    canvas_text(canvas, text->x, text->baseline, text->text, &style);
}

static void draw_panel_cells(Canvas *canvas, const Scene *scene, const LayoutPanel *panel) {
    TraceShape shape = trace_shape(scene->trace, panel->id.site);
    CellSource source = {.trace = scene->trace, .id = panel->id};
    CellGrid grid = {.x = panel->cells.x,
                     .y = panel->cells.y,
                     .width = panel->cell_width,
                     .height = panel->cell_height,
                     .rows = shape.queries,
                     .columns = shape.keys};
    CellScale scale = {.top = scene_top(scene), .colormap = scene->colormap};
    draw_cells(canvas, theme_get(scene->theme), &source, &grid, &scale);
}

void draw_panel(Canvas *canvas, const Scene *scene, const Layout *layout, int index) {
    const LayoutPanel *panel = &layout->panels[index];
    const Theme *theme = theme_get(scene->theme);
    TraceShape shape = trace_shape(scene->trace, panel->id.site);
    LayoutText label;
    draw_text(canvas, theme, &panel->name);
    for (int row = 0; row < shape.queries; row++)
        if (layout_row_label(layout, index, row, &label)) draw_text(canvas, theme, &label);
    for (int column = 0; column < shape.keys; column++)
        if (layout_column_label(layout, index, column, &label)) draw_text(canvas, theme, &label);
    draw_panel_cells(canvas, scene, panel);
    Rect cells = panel->cells;
    canvas_frame(canvas, (Rect){cells.x - 1, cells.y - 1, cells.w + 1, cells.h + 1}, 1,
                 theme->line);
}
