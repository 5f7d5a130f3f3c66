#include "viz/draw_panel.h"

#include <math.h>
#include <stdlib.h>

void draw_text(Canvas *canvas, const Theme *theme, const LayoutText *text) {
    TextStyle style = {.size = text->size,
                       .bold = text->bold,
                       .upward = text->upward,
                       .align = text->align,
                       .color = text->muted ? theme->muted : theme->text};
    canvas_text(canvas, text->x, text->baseline, text->text, &style);
}

void draw_cell_state(Canvas *canvas, const Theme *theme, Rect cell, CellState state) {
    if (state == CELL_MASKED) {
        canvas_hatch(canvas, cell, theme->hatch_ground, theme->hatch_line);
        return;
    }
    canvas_fill(canvas, cell, theme->ground);
    if (state != CELL_NAN) return;
    float width = fmaxf(fminf(cell.w, cell.h) / 8, 1);
    float left = cell.x + cell.w / 4, right = cell.x + cell.w * 3 / 4;
    float top = cell.y + cell.h / 4, bottom = cell.y + cell.h * 3 / 4;
    canvas_line(canvas, left, top, right, bottom, width, theme->alarm);
    canvas_line(canvas, left, bottom, right, top, width, theme->alarm);
}

static void draw_values(Canvas *canvas, const Scene *scene, const LayoutPanel *panel,
                        TraceShape shape) {
    size_t count = (size_t)shape.queries * (size_t)shape.keys;
    float *values = malloc((count ? count : 1) * sizeof *values);
    if (!values) {
        Error error;
        error_set(&error, "out of memory for a panel of %d x %d cells", shape.queries, shape.keys);
        canvas_fail(canvas, &error);
        return;
    }
    for (int query = 0, cell = 0; query < shape.queries; query++)
        for (int key = 0; key < shape.keys; key++, cell++) {
            CellState state;
            float weight = trace_cell(scene->trace, panel->id, query, key, &state);
            values[cell] = state == CELL_VALUE ? weight : NAN;
        }
    canvas_cells(canvas, &(CellMap){.area = panel->cells,
                                    .rows = shape.queries,
                                    .columns = shape.keys,
                                    .values = values,
                                    .top = scene_top(scene),
                                    .colormap = scene->colormap});
    free(values);
}

/* The rest of each row, past what its query sees; rows alike are hatched in one piece. */
static void draw_masks(Canvas *canvas, const Scene *scene, const LayoutPanel *panel,
                       TraceShape shape) {
    const Theme *theme = theme_get(scene->theme);
    for (int query = 0; query < shape.queries;) {
        int first = query, seen = trace_key_len(scene->trace, panel->id, query);
        do
            query++;
        while (query < shape.queries && trace_key_len(scene->trace, panel->id, query) == seen);
        if (seen >= shape.keys) continue;
        Rect masked = {panel->cells.x + (float)seen * panel->cell_width,
                       panel->cells.y + (float)first * panel->cell_height,
                       (float)(shape.keys - seen) * panel->cell_width,
                       (float)(query - first) * panel->cell_height};
        draw_cell_state(canvas, theme, masked, CELL_MASKED);
    }
}

static void draw_other_states(Canvas *canvas, const Scene *scene, const Layout *layout, int panel) {
    HeadId id = layout->panels[panel].id;
    TraceShape shape = trace_shape(scene->trace, id.site);
    for (int query = 0; query < shape.queries; query++)
        for (int key = 0; key < shape.keys; key++) {
            CellState state;
            trace_cell(scene->trace, id, query, key, &state);
            if (state == CELL_VALUE || state == CELL_MASKED) continue;
            Rect cell = layout_cell(layout, panel, query, key);
            draw_cell_state(canvas, theme_get(scene->theme), cell, state);
        }
}

/* A hairline after each row and column but the last, which the frame covers. */
static void draw_grid(Canvas *canvas, const Theme *theme, const LayoutPanel *panel,
                      TraceShape shape) {
    Rect cells = panel->cells;
    float across = layout_hairline(panel->cell_width), down = layout_hairline(panel->cell_height);
    for (int line = 1; line < shape.keys && across > 0; line++) {
        float x = cells.x + (float)line * panel->cell_width - across;
        canvas_fill(canvas, (Rect){x, cells.y, across, cells.h}, theme->grid);
    }
    for (int line = 1; line < shape.queries && down > 0; line++) {
        float y = cells.y + (float)line * panel->cell_height - down;
        canvas_fill(canvas, (Rect){cells.x, y, cells.w, down}, theme->grid);
    }
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
    draw_values(canvas, scene, panel, shape);
    draw_grid(canvas, theme, panel, shape);
    draw_masks(canvas, scene, panel, shape);
    draw_other_states(canvas, scene, layout, index);
    Rect cells = panel->cells;
    canvas_frame(canvas, (Rect){cells.x - 1, cells.y - 1, cells.w + 1, cells.h + 1}, 1,
                 theme->line);
}
