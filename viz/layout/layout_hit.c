#include "viz/layout/layout.h"

#define CELL_WITH_HAIRLINE 8.0F

/* The index of the cell at `offset` from the first, -1 outside of all. */
static int index_at(float offset, float cell, float whole) {
    if (offset < 0 || offset >= whole || cell <= 0) return -1;
    return (int)(offset / cell);
}

LayoutHit layout_hit(const Layout *layout, float x, float y) {
    LayoutHit hit = {-1, -1, -1};
    for (int index = 0; index < layout->panel_count; index++) {
        const LayoutPanel *panel = &layout->panels[index];
        if (!rect_contains(panel->frame, x, y)) continue;
        Rect cells = panel->cells;
        hit.panel = index;
        if (x < cells.x + cells.w) hit.row = index_at(y - cells.y, panel->cell_height, cells.h);
        if (y < cells.y + cells.h) hit.column = index_at(x - cells.x, panel->cell_width, cells.w);
        /* The name stands above the columns' tokens and is none of them. */
        float tokens = layout->sites[panel->id.site].columns.room + SPACE_LABEL;
        if (y < cells.y - tokens) hit.column = -1;
        break;
    }
    return hit;
}

float layout_hairline(float cell) {
    return cell >= CELL_WITH_HAIRLINE ? 1 : 0;
}

Rect layout_cell(const Layout *layout, int panel, int row, int column) {
    const LayoutPanel *shown = &layout->panels[panel];
    return (Rect){shown->cells.x + (float)column * shown->cell_width,
                  shown->cells.y + (float)row * shown->cell_height,
                  shown->cell_width - layout_hairline(shown->cell_width),
                  shown->cell_height - layout_hairline(shown->cell_height)};
}
