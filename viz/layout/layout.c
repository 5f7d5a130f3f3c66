#include "viz/layout/layout.h"

#include <stdlib.h>

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
        float tokens = layout->sites[panel->id.site].columns.plan.room;
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

Rect layout_text_box(const LayoutText *text) {
    float before = text->align == ALIGN_START    ? 0
                   : text->align == ALIGN_MIDDLE ? text->width / 2
                                                 : text->width;
    float ascent = TEXT_ASCENT * text->size, height = (TEXT_ASCENT + TEXT_DESCENT) * text->size;
    if (text->upward)
        return (Rect){text->x - ascent, text->baseline + before - text->width, height, text->width};
    return (Rect){text->x - before, text->baseline - ascent, text->width, height};
}

bool layout_row_label(const Layout *layout, int panel, int row, LayoutText *label) {
    const LayoutPanel *shown = &layout->panels[panel];
    const LayoutAxis *axis = &layout->sites[shown->id.site].rows;
    const LayoutLabel *source = &axis->labels[row];
    if (!source->text) return false;
    Rect cell = layout_cell(layout, panel, row, 0);
    float middle = cell.y + cell.h / 2;
    *label = (LayoutText){.text = source->text,
                          .x = shown->cells.x - SPACE_LABEL,
                          .baseline = middle + TEXT_MIDDLE * axis->plan.size,
                          .width = source->width,
                          .size = axis->plan.size,
                          .muted = true,
                          .align = ALIGN_END};
    return true;
}

bool layout_column_label(const Layout *layout, int panel, int column, LayoutText *label) {
    const LayoutPanel *shown = &layout->panels[panel];
    const LayoutAxis *axis = &layout->sites[shown->id.site].columns;
    const LayoutLabel *source = &axis->labels[column];
    if (!source->text) return false;
    Rect cell = layout_cell(layout, panel, 0, column);
    float middle = cell.x + cell.w / 2;
    *label = (LayoutText){.text = source->text,
                          .x = source->upward ? middle + TEXT_MIDDLE * axis->plan.size : middle,
                          .baseline = shown->cells.y - SPACE_LABEL,
                          .width = source->width,
                          .size = axis->plan.size,
                          .muted = true,
                          .upward = source->upward,
                          .align = source->upward ? ALIGN_START : ALIGN_MIDDLE};
    return true;
}

void layout_free(Layout *layout) {
    if (layout) pool_free(&layout->pool);
    free(layout);
}
