#include "viz/layout/layout.h"

#include <stdlib.h>

#define CELL_WITH_HAIRLINE 8.0F

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
