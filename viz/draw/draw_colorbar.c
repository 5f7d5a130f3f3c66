#include "viz/draw/draw_colorbar.h"

#include "viz/draw/draw_cells.h"
#include "viz/draw/draw_panel.h"

enum { BAR_STEPS = 160 };

static void draw_bar(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    float values[BAR_STEPS];
    for (int step = 0; step < BAR_STEPS; step++)
        values[step] = (float)step / (BAR_STEPS - 1);
    canvas_cells(canvas, &(CellMap){.area = layout->bar,
                                    .rows = 1,
                                    .columns = BAR_STEPS,
                                    .values = values,
                                    .top = 1,
                                    .colormap = scene->colormap});
    canvas_frame(canvas, layout->bar, 1, theme->line);
    for (int index = 0; index < layout->tick_count; index++) {
        const LayoutTick *tick = &layout->ticks[index];
        float x = tick->text.align == ALIGN_END ? tick->x - 1 : tick->x;
        canvas_fill(canvas, (Rect){x, layout->bar.y + layout->bar.h, 1, 4}, theme->line);
        draw_text(canvas, theme, &tick->text);
    }
    draw_text(canvas, theme, &layout->bar_caption);
}

void draw_colorbar(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    draw_bar(canvas, scene, layout);
    for (int index = 0; index < layout->legend_count; index++) {
        const LayoutLegend *legend = &layout->legends[index];
        draw_cell_state(canvas, theme, legend->swatch, legend->state);
        canvas_frame(canvas, legend->swatch, 1, theme->line);
        draw_text(canvas, theme, &legend->text);
    }
}
