/* Where everything of a scene is drawn: rectangles and texts in logical pixels. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_H

#include "model/base/pool.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/rect.h"
#include "viz/layout/axis_plan.h"
#include "viz/scene/scene.h"
#include "viz/text/shorten.h"

/* One line of text in its place. */
typedef struct LayoutText {
    const char *text;
    float x, baseline; /* as canvas_text takes them */
    float width;       /* as measured */
    float size;
    bool bold, muted, upward;
    TextAlign align;
} LayoutText;

typedef struct LayoutLabel {
    const char *text; /* as shown: spaces visible, shortened; NULL: no room for it */
    float width;
    bool upward; /* a column's label, turned by 90 degrees */
} LayoutLabel;

/* The labels of one axis of a site; the same in all its panels. */
typedef struct LayoutAxis {
    int count;
    AxisPlan plan;       /* the pitch includes the hairline between cells */
    LayoutLabel *labels; /* [count] */
} LayoutAxis;

typedef struct LayoutSite {
    bool used; /* a panel is of this site */
    LayoutAxis rows, columns;
} LayoutSite;

typedef struct LayoutPanel {
    HeadId id;
    Rect frame; /* around its name, tokens and cells */
    Rect cells; /* all cells: cell (q,k) begins at x + k*cell_width, y + q*cell_height */
    float cell_width, cell_height;
    LayoutText name;
} LayoutPanel;

/* A sample cell and its explanation. */
typedef struct LayoutLegend {
    CellState state;
    Rect swatch;
    LayoutText text;
} LayoutLegend;

typedef struct LayoutTick {
    float x; /* where on the bar */
    LayoutText text;
} LayoutTick;

enum { LAYOUT_TICKS = 8, LAYOUT_LEGENDS = 3 };

typedef struct Layout {
    float width, height; /* of the sheet; wider than scene->width where a panel needs it */
    LayoutSite sites[SITE_COUNT];
    LayoutPanel *panels; /* [panel_count], in the order of the scene */
    int panel_count;
    LayoutText *texts; /* [text_count]: title, headings, captions, footer */
    int text_count;
    Rect bar; /* the colour scale */
    LayoutText bar_caption;
    LayoutTick ticks[LAYOUT_TICKS];
    int tick_count;
    LayoutLegend legends[LAYOUT_LEGENDS];
    int legend_count;
    Pool pool; /* all arrays and strings above */
} Layout;

/* Lays out a scene that scene_check accepts; `measure` measures texts. NULL with *error if memory
 * ends. Free with layout_free. */
Layout *layout_make(const Scene *scene, TextMeasure measure, Error *error);
void layout_free(Layout *layout); /* NULL is fine */

/* The rectangle that contains a text's ink. (layout_text.c) */
Rect layout_text_box(const LayoutText *text);

/* Fills *label with the label of a row or column of a panel; false where it has none. */
bool layout_row_label(const Layout *layout, int panel, int row, LayoutText *label);
bool layout_column_label(const Layout *layout, int panel, int column, LayoutText *label);

/* The width of the line between cells of this size; 0 for small cells. */
float layout_hairline(float cell);

/* The cell (q,k) without its hairlines. */
Rect layout_cell(const Layout *layout, int panel, int row, int column);

#endif
