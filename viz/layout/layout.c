#include "viz/layout/layout.h"

#include "viz/layout/layout_axis.h"
#include "viz/layout/layout_header.h"
#include "viz/layout/layout_table.h"

#include <math.h>
#include <stdlib.h>

#define CELL_WITH_HAIRLINE 8.0F /* smaller cells have none between them */
#define ROW_HEADING_SPACE  14.0F
#define ROW_SPACE          24.0F
#define FIGURE_MARGIN      2.0F /* a page has margins of its own */

/* A single panel needs no headings of layers and heads: its name holds both. */
static bool has_headings(const LayoutBuilder *builder, const Table *table) {
    return table->sections && builder->scene->panel_count > 1;
}

static const char *layer_heading(LayoutBuilder *builder, int layer) {
    return pool_format(&builder->layout->pool, "layer %d", layer);
}

static float row_heading_width(LayoutBuilder *builder, const Table *table) {
    float widest = 0;
    for (int row = 0; row < table->row_count; row++) {
        const char *heading = layer_heading(builder, table->rows[row].layer);
        widest = fmaxf(widest, layout_measure(builder, heading, NAME_SIZE, false));
    }
    return ceilf(widest) + ROW_HEADING_SPACE;
}

static float add_column_headings(LayoutBuilder *builder, const Table *table, int first_row,
                                 float y) {
    for (int index = 0; index < table->column_count; index++) {
        const TableColumn *column = &table->columns[index];
        bool used = false;
        for (int panel = 0; panel < builder->scene->panel_count; panel++)
            used = used || (builder->scene->panels[panel].id.site == table->rows[first_row].site &&
                            table->places[panel].column == index);
        if (!used) continue;
        const char *heading = pool_format(&builder->layout->pool, "head %d", column->head);
        layout_add_text(builder, layout_set(builder, heading, column->x + column->gutter,
                                            y + NAME_SIZE, NAME_SIZE, false, true));
    }
    return y + NAME_SIZE + 2 * SPACE_LINE;
}

static float add_section_start(LayoutBuilder *builder, const Table *table, int row, float y) {
    Site site = table->rows[row].site;
    float limit = builder->layout->width - 2 * builder->margin;
    y = header_add_site(builder, site, builder->margin, y, limit) + SPACE_LINE;
    if (has_headings(builder, table)) y = add_column_headings(builder, table, row, y);
    return y;
}

static float add_body(LayoutBuilder *builder, const Table *table, float y) {
    for (int row = 0; row < table->row_count; row++) {
        bool starts = row == 0 || table->rows[row].site != table->rows[row - 1].site;
        if (row > 0) y += table->sections && starts ? SPACE_SECTION : ROW_SPACE;
        if (table->sections && starts) y = add_section_start(builder, table, row, y);
        if (has_headings(builder, table)) {
            const char *heading = layer_heading(builder, table->rows[row].layer);
            layout_add_text(builder, layout_set(builder, heading, builder->margin, y + NAME_SIZE,
                                                NAME_SIZE, false, true));
        }
        y = table_place_row(builder, table, row, y);
    }
    return y;
}

/* A list has no sections to caption its axes: one line for each site that occurs. */
static float add_list_sites(LayoutBuilder *builder, float y) {
    float limit = builder->layout->width - 2 * builder->margin;
    for (int site = 0; site < SITE_COUNT; site++)
        if (builder->layout->sites[site].used)
            y = header_add_site(builder, (Site)site, builder->margin, y, limit) + SPACE_LINE;
    return y + SPACE_LINE;
}

static void build_sites(LayoutBuilder *builder) {
    for (int index = 0; index < builder->scene->panel_count && !layout_failed(builder); index++) {
        Site site = builder->scene->panels[index].id.site;
        if (!builder->layout->sites[site].used) layout_build_site(builder, site);
    }
}

/* Places the columns; returns where the last one ends. */
static float build_table(LayoutBuilder *builder, Table *table) {
    build_sites(builder);
    if (!layout_failed(builder)) table_build(builder, table);
    if (layout_failed(builder)) return 0;
    float left = builder->margin;
    if (has_headings(builder, table)) left += row_heading_width(builder, table);
    return table_set_columns(table, left);
}

static float rebuild_table(LayoutBuilder *builder, Table *table, float cell_max) {
    builder->cell_max = cell_max;
    for (int site = 0; site < SITE_COUNT; site++)
        builder->layout->sites[site].used = false;
    *table = (Table){0};
    return build_table(builder, table);
}

/* Enlarges the cells as long as the panels keep their places; spreads the rest between them. */
static void fill_width(LayoutBuilder *builder, Table *table, float right, float limit) {
    int columns = table->column_count;
    bool fitted = right <= limit;
    while (fitted && builder->cell_max < LAYOUT_CELL_FIGURE_MAX && !layout_failed(builder)) {
        right = rebuild_table(builder, table, builder->cell_max + 1);
        fitted = right <= limit && table->column_count == columns;
    }
    if (!fitted) right = rebuild_table(builder, table, builder->cell_max - 1);
    if (layout_failed(builder) || columns < 2) return;
    table_spread(table, fminf(floorf((limit - right) / (float)(columns - 1)), SPACE_PANEL));
}

/* build_table for a figure of the requested width: takes the largest cells that fit. */
static float build_table_to_fit(LayoutBuilder *builder, Table *table) {
    float limit = builder->scene->width - builder->margin;
    float right = build_table(builder, table);
    while (right > limit && builder->cell_max > LAYOUT_CELL_MIN && !layout_failed(builder))
        right = rebuild_table(builder, table, builder->cell_max - 1);
    if (right <= limit && builder->cell_max >= LAYOUT_CELL_MAX && !layout_failed(builder))
        fill_width(builder, table, right, limit);
    return fmaxf(right, limit);
}

static void build(LayoutBuilder *builder) {
    const Scene *scene = builder->scene;
    Layout *layout = builder->layout;
    Table table = {0};
    float right;
    if (scene->width > 0)
        right = build_table_to_fit(builder, &table);
    else
        right = fmaxf(build_table(builder, &table), builder->margin + header_min_width(builder));
    if (!layout_failed(builder)) {
        layout->width = right + builder->margin;
        float y = header_add(builder, builder->margin);
        if (!table.sections) y = add_list_sites(builder, y);
        y = add_body(builder, &table, y);
        if (scene->footer)
            y = layout_add_paragraph(builder, scene->footer, builder->margin, y + SPACE_SECTION,
                                     right - builder->margin, 3,
                                     (LayoutText){.size = FONT_TOKEN, .muted = true});
        layout->height = ceilf(y + builder->margin);
    }
}

Layout *layout_make(const Scene *scene, TextMeasure measure, Error *error) {
    Layout *layout = calloc(1, sizeof *layout);
    if (layout) {
        LayoutBuilder builder = {.scene = scene,
                                 .measure = measure,
                                 .layout = layout,
                                 .margin = scene->width > 0 ? FIGURE_MARGIN : SPACE_MARGIN,
                                 .cell_max = LAYOUT_CELL_MAX};
        layout->panel_count = scene->panel_count;
        layout->panels =
            pool_take(&layout->pool, (size_t)scene->panel_count * sizeof *layout->panels);
        if (layout->panels) build(&builder);
        if (!layout_failed(&builder)) return layout;
    }
    layout_free(layout);
    error_set(error, "out of memory for a sheet of %d panels", scene->panel_count);
    return NULL;
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

bool layout_row_label(const Layout *layout, int panel, int row, LayoutText *label) {
    const LayoutAxis *axis = &layout->sites[layout->panels[panel].id.site].rows;
    Rect cell = layout_cell(layout, panel, row, 0);
    *label = (LayoutText){.text = axis->labels[row].text,
                          .x = cell.x - SPACE_LABEL,
                          .baseline = cell.y + cell.h / 2 + TEXT_MIDDLE * axis->plan.size,
                          .width = axis->labels[row].width,
                          .size = axis->plan.size,
                          .muted = true,
                          .align = ALIGN_END};
    return label->text != NULL;
}

bool layout_column_label(const Layout *layout, int panel, int column, LayoutText *label) {
    const LayoutAxis *axis = &layout->sites[layout->panels[panel].id.site].columns;
    bool upward = axis->labels[column].upward;
    Rect cell = layout_cell(layout, panel, 0, column);
    float middle = cell.x + cell.w / 2;
    *label = (LayoutText){.text = axis->labels[column].text,
                          .x = upward ? middle + TEXT_MIDDLE * axis->plan.size : middle,
                          .baseline = cell.y - SPACE_LABEL,
                          .width = axis->labels[column].width,
                          .size = axis->plan.size,
                          .muted = true,
                          .upward = upward,
                          .align = upward ? ALIGN_START : ALIGN_MIDDLE};
    return label->text != NULL;
}

void layout_free(Layout *layout) {
    if (layout) pool_free(&layout->pool);
    free(layout);
}
