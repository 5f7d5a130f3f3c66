/* The table that the panels of a sheet stand in: its rows and columns, their sizes, and the panels
 * put into it. Internal to viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_TABLE_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_TABLE_H

#include "viz/layout/layout_text.h"

/* Names stand in this size, and this far above the tokens of the columns. */
#define NAME_SIZE  FONT_TEXT
#define NAME_SPACE 10.0F

typedef struct TableRow {
    Site site;   /* of its panels, where the sheet has sections */
    int layer;   /* likewise */
    float head;  /* the height above the cells */
    float cells; /* the height of the cells */
} TableRow;

typedef struct TableColumn {
    int head;     /* of its panels, where the sheet has sections */
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

/* Chooses the places and sizes once the sites are built. The arrays belong to the layout's pool. */
void table_build(LayoutBuilder *builder, Table *table);

/* Sets where the columns begin, the first at `left`; returns where the last one ends. */
float table_set_columns(Table *table, float left);

/* Moves the columns apart by `space` each. */
void table_spread(Table *table, float space);

/* Places the panels of a row that begins at `y`; returns where it ends. */
float table_place_row(LayoutBuilder *builder, const Table *table, int row, float y);

#endif
