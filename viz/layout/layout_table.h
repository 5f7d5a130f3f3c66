/* The table of a sheet's panels: its rows and columns, their sizes, and the place of each panel.
 * Internal to viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_TABLE_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_TABLE_H

#include "viz/layout/layout_text.h"

/* The font size of panel names, and their distance from the column labels. */
#define NAME_SIZE  FONT_TEXT
#define NAME_SPACE 10.0F

typedef struct TableRow {
    Site site; /* site and layer: only where the sheet has sections */
    int layer;
    float head;  /* the height above the cells */
    float cells; /* the height of the cells */
} TableRow;

typedef struct TableColumn {
    int head;     /* only where the sheet has sections */
    float gutter; /* the width left of the cells */
    float cells;  /* from there to its right edge */
    float x;      /* where it begins */
} TableColumn;

typedef struct TablePlace {
    int row, column;
} TablePlace;

typedef struct Table {
    TableRow *rows;
    int row_count;
    TableColumn *columns;
    int column_count;
    TablePlace *places; /* [panel_count], of the scene's panels */
    bool sections;      /* rows are layers of a site and columns heads */
} Table;

/* Chooses places and sizes, once the sites are built. The arrays belong to the layout's pool. */
void table_build(LayoutBuilder *builder, Table *table);

/* Sets the x of all columns, the first at `left`; returns where the last one ends. */
float table_set_columns(Table *table, float left);

/* Adds `space` between neighbouring columns; none if it is negative. */
void table_spread(Table *table, float space);

/* Places the panels of a row that begins at `y`; returns where it ends. */
float table_place_row(LayoutBuilder *builder, const Table *table, int row, float y);

#endif
