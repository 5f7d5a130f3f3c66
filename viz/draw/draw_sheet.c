#include "viz/draw/draw_sheet.h"

#include "viz/draw/draw_colorbar.h"
#include "viz/draw/draw_panel.h"

void viz_draw(Canvas *canvas, const Scene *scene, const Layout *layout) {
    const Theme *theme = theme_get(scene->theme);
    canvas_fill(canvas, (Rect){0, 0, layout->width, layout->height}, theme->ground);
    for (int index = 0; index < layout->text_count; index++)
        draw_text(canvas, theme, &layout->texts[index]);
    draw_colorbar(canvas, scene, layout);
    for (int panel = 0; panel < layout->panel_count; panel++)
        draw_panel(canvas, scene, layout, panel);
}
