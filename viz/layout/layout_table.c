#include "viz/layout/layout_table.h"

#include <math.h>
#include <stdlib.h>

/* The ratio of width to height that the wrapping of a list aims at. */
#define SHEET_RATIO 1.8F

/* A longer name is shortened, unless its cells are wider. */
#define NAME_WIDTH_MAX 240.0F

static const LayoutSite *site_of(const LayoutBuilder *builder, HeadId id) {
    return &builder->layout->sites[id.site];
}

static float cells_width(const LayoutBuilder *builder, HeadId id) {
    const LayoutAxis *columns = &site_of(builder, id)->columns;
    return columns->plan.pitch * (float)columns->count;
}

static float cells_height(const LayoutBuilder *builder, HeadId id) {
    const LayoutAxis *rows = &site_of(builder, id)->rows;
    return rows->plan.pitch * (float)rows->count;
}

static float overhang_below(const LayoutBuilder *builder, HeadId id) {
    return site_of(builder, id)->rows.plan.overhang;
}

static float overhang_right(const LayoutBuilder *builder, HeadId id) {
    return site_of(builder, id)->columns.plan.overhang;
}

static float gutter_width(const LayoutBuilder *builder, HeadId id) {
    return site_of(builder, id)->rows.plan.room;
}

static float head_height(const LayoutBuilder *builder, HeadId id) {
    return NAME_SIZE + NAME_SPACE + site_of(builder, id)->columns.plan.room;
}

/* The number of columns that suits a list best: near SHEET_RATIO, few empty places at the end. */
static int columns_by_ratio(const LayoutBuilder *builder) {
    int count = builder->scene->panel_count, best = 1;
    float width = 0, height = 0, cost_min = INFINITY;
    for (int index = 0; index < count; index++) {
        HeadId id = builder->scene->panels[index].id;
        width = fmaxf(width, gutter_width(builder, id) + cells_width(builder, id) + SPACE_PANEL);
        height = fmaxf(height, head_height(builder, id) + cells_height(builder, id) + SPACE_PANEL);
    }
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        float ratio = (float)columns * width / ((float)rows * height);
        float cost =
            fabsf(logf(ratio / SHEET_RATIO)) + (float)(rows * columns - count) / (float)count;
        if (cost >= cost_min) continue;
        cost_min = cost;
        best = columns;
    }
    return best;
}

/* The width of a panel right of its gutter. */
static float panel_width(const LayoutBuilder *builder, int index) {
    HeadId id = builder->scene->panels[index].id;
    float name = ceilf(builder->layout->panels[index].name.width);
    return fmaxf(cells_width(builder, id) + overhang_right(builder, id), name);
}

/* The width of a list with this number of columns. */
static float list_width(const LayoutBuilder *builder, int columns) {
    float width = -SPACE_PANEL;
    for (int column = 0; column < columns; column++) {
        float gutter = 0, cells = 0;
        for (int index = column; index < builder->scene->panel_count; index += columns) {
            gutter = fmaxf(gutter, gutter_width(builder, builder->scene->panels[index].id));
            cells = fmaxf(cells, panel_width(builder, index));
        }
        width += gutter + cells + SPACE_PANEL;
    }
    return width;
}

/* The number of columns that fit into a width, at least 1; fewer where that adds no row. */
static int columns_by_width(const LayoutBuilder *builder, float width) {
    int count = builder->scene->panel_count, max = count;
    while (max > 1 && list_width(builder, max) > width)
        max--;
    int rows = (count + max - 1) / max, even = (count + rows - 1) / rows;
    return list_width(builder, even) <= width ? even : max;
}

static int list_columns(const LayoutBuilder *builder) {
    float width = builder->scene->width;
    return width > 0 ? columns_by_width(builder, width - 2 * builder->margin)
                     : columns_by_ratio(builder);
}

static bool make_room(LayoutBuilder *builder, Table *table, int rows, int columns) {
    Pool *pool = &builder->layout->pool;
    table->rows = pool_take(pool, (size_t)rows * sizeof *table->rows);
    table->columns = pool_take(pool, (size_t)columns * sizeof *table->columns);
    table->places = pool_take(pool, (size_t)builder->scene->panel_count * sizeof *table->places);
    return !layout_failed(builder);
}

static void place_list(LayoutBuilder *builder, Table *table) {
    int count = builder->scene->panel_count, columns = list_columns(builder);
    table->column_count = columns;
    table->row_count = (count + columns - 1) / columns;
    if (!make_room(builder, table, table->row_count, columns)) return;
    for (int index = 0; index < count; index++)
        table->places[index] = (TablePlace){index / columns, index % columns};
}

static int by_site_and_layer(const void *left, const void *right) {
    const TableRow *one = left, *other = right;
    if (one->site != other->site) return one->site < other->site ? -1 : 1;
    return (one->layer > other->layer) - (one->layer < other->layer);
}

static int by_head(const void *left, const void *right) {
    const TableColumn *one = left, *other = right;
    return (one->head > other->head) - (one->head < other->head);
}

/* Drops items equal to their predecessor; returns how many are left. */
static int drop_repeated(void *items, int count, size_t size,
                         int (*compare)(const void *, const void *)) {
    char *bytes = items;
    int kept = 0;
    for (int index = 0; index < count; index++) {
        const char *item = bytes + (size_t)index * size;
        if (kept > 0 && compare(bytes + (size_t)(kept - 1) * size, item) == 0) continue;
        for (size_t byte = 0; byte < size; byte++)
            bytes[(size_t)kept * size + byte] = item[byte];
        kept++;
    }
    return kept;
}

/* Rows are the layers that occur, site by site; columns are the heads that occur at any site, so
 * that a head keeps its column in all sections. */
static void place_sections(LayoutBuilder *builder, Table *table) {
    int count = builder->scene->panel_count;
    if (!make_room(builder, table, count, count)) return;
    for (int index = 0; index < count; index++) {
        HeadId id = builder->scene->panels[index].id;
        table->rows[index] = (TableRow){.site = id.site, .layer = id.layer};
        table->columns[index] = (TableColumn){.head = id.head};
    }
    qsort(table->rows, (size_t)count, sizeof *table->rows, by_site_and_layer);
    qsort(table->columns, (size_t)count, sizeof *table->columns, by_head);
    table->row_count = drop_repeated(table->rows, count, sizeof *table->rows, by_site_and_layer);
    table->column_count = drop_repeated(table->columns, count, sizeof *table->columns, by_head);
    for (int index = 0; index < count; index++) {
        HeadId id = builder->scene->panels[index].id;
        TableRow row = {.site = id.site, .layer = id.layer};
        TableColumn column = {.head = id.head};
        TableRow *in_row =
            bsearch(&row, table->rows, (size_t)table->row_count, sizeof row, by_site_and_layer);
        TableColumn *in_column =
            bsearch(&column, table->columns, (size_t)table->column_count, sizeof column, by_head);
        table->places[index] =
            (TablePlace){(int)(in_row - table->rows), (int)(in_column - table->columns)};
    }
}

/* The panel's name, shortened and measured but not yet placed. */
static LayoutText name_of(LayoutBuilder *builder, const ScenePanel *panel) {
    HeadId id = panel->id;
    const char *name = panel->name ? panel->name
                                   : pool_format(&builder->layout->pool, "%s.%d.%d",
                                                 site_name(id.site), id.layer, id.head);
    float limit = fmaxf(NAME_WIDTH_MAX, cells_width(builder, id));
    name = layout_shorten(builder, name, limit, NAME_SIZE, true);
    return layout_set(builder, name, 0, 0, NAME_SIZE, true, false);
}

void table_build(LayoutBuilder *builder, Table *table) {
    table->sections = builder->scene->arrangement == ARRANGE_SITES;
    for (int index = 0; index < builder->scene->panel_count; index++)
        builder->layout->panels[index].name = name_of(builder, &builder->scene->panels[index]);
    if (table->sections)
        place_sections(builder, table);
    else
        place_list(builder, table);
    for (int index = 0; index < builder->scene->panel_count && !layout_failed(builder); index++) {
        const ScenePanel *panel = &builder->scene->panels[index];
        TableRow *row = &table->rows[table->places[index].row];
        TableColumn *column = &table->columns[table->places[index].column];
        row->head = fmaxf(row->head, head_height(builder, panel->id));
        row->cells = fmaxf(row->cells,
                           cells_height(builder, panel->id) + overhang_below(builder, panel->id));
        column->gutter = fmaxf(column->gutter, gutter_width(builder, panel->id));
        column->cells = fmaxf(column->cells, panel_width(builder, index));
    }
}

float table_set_columns(Table *table, float left) {
    for (int index = 0; index < table->column_count; index++) {
        TableColumn *column = &table->columns[index];
        column->x = left;
        left += column->gutter + column->cells + SPACE_PANEL;
    }
    return left - SPACE_PANEL;
}

void table_spread(Table *table, float space) {
    for (int index = 0; index < table->column_count && space > 0; index++)
        table->columns[index].x += (float)index * space;
}

float table_place_row(LayoutBuilder *builder, const Table *table, int row, float y) {
    const TableRow *size = &table->rows[row];
    for (int index = 0; index < builder->scene->panel_count; index++) {
        if (table->places[index].row != row) continue;
        const TableColumn *column = &table->columns[table->places[index].column];
        HeadId id = builder->scene->panels[index].id;
        LayoutPanel *panel = &builder->layout->panels[index];
        panel->id = id;
        panel->cell_width = site_of(builder, id)->columns.plan.pitch;
        panel->cell_height = site_of(builder, id)->rows.plan.pitch;
        panel->cells = (Rect){column->x + column->gutter, y + size->head, cells_width(builder, id),
                              cells_height(builder, id)};
        float gutter = gutter_width(builder, id);
        float width = fmaxf(panel->cells.w + overhang_right(builder, id), ceilf(panel->name.width));
        panel->frame = (Rect){panel->cells.x - gutter, y, gutter + width,
                              size->head + panel->cells.h + overhang_below(builder, id)};
        panel->name.x = panel->cells.x;
        panel->name.baseline = y + NAME_SIZE;
    }
    return y + size->head + size->cells;
}
