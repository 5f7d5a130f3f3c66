#include "app/page/lesson_print_grids.h"

#include <math.h>
#include <string.h>

#include "app/cli/text_columns.h"
#include "model/base/minmax.h"

enum {
    MAP_ROWS = 32,
    NAME_MAX = 16,
    TENSOR_ROWS = 64,
    CUT = 120, /* where a row of runs is cut off */
};

/* --- maps ------------------------------------------------------------------------------------- */

/* The number format and column widths of a map. */
typedef struct MapFigures {
    const LessonMap *map;
    int decimals; /* below 0: with an exponent */
    int width;    /* of a column */
    int names;    /* of the names of rows */
    int columns;  /* that fit */
} MapFigures;

static int decimals_for(float top) {
    if (!(top > 0) || !isfinite(top)) return 2;
    if (top < 1e-3F) return -1;
    int decimals = 2 - (int)floorf(log10f(top) + 1e-6F);
    return int_clamp(decimals, 0, 5);
}

static void cell_text(const MapFigures *figures, int row, int column, char *text, size_t size) {
    const LessonMap *map = figures->map;
    size_t at = (size_t)row * (size_t)map->columns + (size_t)column;
    int state = map->states ? map->states[at] : CELL_VALUE;
    float value = map->values[at];
    const char *sign = map->diverging ? "+" : "";
    if (state == CELL_MASKED)
        snprintf(text, size, ".");
    else if (state == CELL_MISSING)
        text[0] = '\0';
    else if (state == CELL_NAN || isnan(value))
        snprintf(text, size, "NaN");
    else if (figures->decimals < 0)
        snprintf(text, size,
                 *sign && value != 0 ? "%+.1e"
                 : value == 0        ? "%.0f"
                                     : "%.1e",
                 (double)value);
    else
        snprintf(text, size, *sign && value != 0 ? "%+.*f" : "%.*f", figures->decimals,
                 (double)value);
}

static int wider(int width, const char *text) {
    return int_max(width, int_min(text_columns_widest(text), NAME_MAX));
}

static MapFigures figures_of(const LessonMap *map) {
    MapFigures figures = {.map = map, .decimals = decimals_for(map->top)};
    char text[40];
    for (int row = 0; row < map->rows; row++) {
        figures.names = wider(figures.names, lesson_name(map->row_names, row, text, sizeof text));
        for (int column = 0; column < map->columns; column++) {
            cell_text(&figures, row, column, text, sizeof text);
            figures.width = wider(figures.width, text);
        }
    }
    for (int column = 0; column < map->columns; column++)
        figures.width =
            wider(figures.width, lesson_name(map->column_names, column, text, sizeof text));
    int fitting = (LESSON_PRINT_COLUMNS - figures.names) / (figures.width + 1);
    figures.columns = fitting < 1 ? 1 : int_min(fitting, map->columns);
    return figures;
}

/* Writes a text into a column; longer texts are cut. */
static void put(FILE *stream, const char *text, int width, bool right) {
    size_t length = 0;
    const char *begin = text;
    text_columns_wrap(&text, width > 0 ? width : 1, &length);
    text_columns_put(stream, begin, length, width, right);
}

static void print_rows(FILE *stream, const MapFigures *figures, int rows) {
    char text[40];
    for (int row = 0; row < rows; row++) {
        put(stream, lesson_name(figures->map->row_names, row, text, sizeof text), figures->names,
            true);
        for (int column = 0; column < figures->columns; column++) {
            putc(' ', stream);
            cell_text(figures, row, column, text, sizeof text);
            put(stream, text, figures->width, true);
        }
        putc('\n', stream);
    }
}

void lesson_print_map(FILE *stream, const LessonMap *map) {
    MapFigures figures = figures_of(map);
    char text[40];
    int rows = int_min(map->rows, MAP_ROWS);
    if (map->title) fprintf(stream, "%s\n", map->title);
    put(stream, "", figures.names, true);
    for (int column = 0; column < figures.columns; column++) {
        putc(' ', stream);
        put(stream, lesson_name(map->column_names, column, text, sizeof text), figures.width, true);
    }
    putc('\n', stream);
    print_rows(stream, &figures, rows);
    if (rows < map->rows || figures.columns < map->columns)
        fprintf(stream, "(%d of %d rows, %d of %d columns)\n", rows, map->rows, figures.columns,
                map->columns);
    if (map->note) fprintf(stream, "%s\n", map->note);
}

/* --- tensors ---------------------------------------------------------------------------------- */

typedef struct TensorGrid {
    const LessonTensor *tensor;
    const LessonTensors *all;
    int names;     /* the width of the names of rows */
    int width;     /* of a cell */
    int row_width; /* the width of a row without its note */
    bool runs;     /* equal neighbours are written once, with their count */
} TensorGrid;

static const LessonOrigin *origin_at(const TensorGrid *grid, int row, int column) {
    return &grid->tensor->cells[(size_t)row * (size_t)grid->tensor->columns + (size_t)column];
}

/* Writes the parts of an origin that differ within the tensors. */
static int origin_text(const TensorGrid *grid, const LessonOrigin *origin, char *text,
                       size_t size) {
    if (lesson_is_nowhere(origin)) return snprintf(text, size, ".");
    bool example = grid->all->examples > 1, step = grid->all->steps > 1;
    bool head = grid->all->heads > 1 || (!example && !step);
    int length = 0;
    if (example) length += snprintf(text + length, size - (size_t)length, "b%d", origin->example);
    if (step) length += snprintf(text + length, size - (size_t)length, "t%d", origin->step);
    if (head) length += snprintf(text + length, size - (size_t)length, "h%d", origin->head);
    return length;
}

static bool group_begins(const TensorGrid *grid, int column) {
    int group = grid->tensor->column_group;
    return group > 0 && column > 0 && column % group == 0;
}

static bool same(const TensorGrid *grid, const LessonOrigin *a, const LessonOrigin *b) {
    if (lesson_is_nowhere(a) || lesson_is_nowhere(b))
        return lesson_is_nowhere(a) && lesson_is_nowhere(b);
    char text[48], other[48];
    origin_text(grid, a, text, sizeof text);
    origin_text(grid, b, other, sizeof other);
    return strcmp(text, other) == 0;
}

/* The number of equal cells, starting at this one, within its group. */
static int run_length(const TensorGrid *grid, int row, int column) {
    int end = column + 1;
    const LessonOrigin *first = origin_at(grid, row, column);
    while (end < grid->tensor->columns && !group_begins(grid, end) &&
           same(grid, first, origin_at(grid, row, end)))
        end++;
    return end - column;
}

/* Writes the cells of a row; with stream NULL, only measures. Returns their width. */
static int put_cells(FILE *stream, const TensorGrid *grid, int row) {
    int sum = 0;
    for (int column = 0, count = 1; column < grid->tensor->columns; column += count) {
        char text[64];
        int length = origin_text(grid, origin_at(grid, row, column), text, sizeof text);
        count = grid->runs ? run_length(grid, row, column) : 1;
        if (count > 1)
            length += snprintf(text + length, sizeof text - (size_t)length, "x%d", count);
        int gap = column == 0 ? 0 : group_begins(grid, column) ? 3 : 1;
        int room = int_max(grid->width - length, 0);
        if (grid->runs && sum + gap + length > CUT) {
            if (stream) fprintf(stream, " ...");
            return sum + 4;
        }
        if (stream) fprintf(stream, "%*s%s%*s", gap, "", text, room, "");
        sum += gap + length + room;
    }
    return sum;
}

/* Chooses whether to write runs, and measures the columns. */
static void measure(TensorGrid *grid) {
    const LessonTensor *tensor = grid->tensor;
    for (int row = 0; tensor->row_names && row < tensor->rows; row++)
        if (tensor->row_names[row])
            grid->names = int_max(grid->names, text_columns_widest(tensor->row_names[row]));
    if (tensor->rows == 0 || tensor->columns == 0) return;
    LessonOrigin last = {grid->all->examples - 1, grid->all->steps - 1, grid->all->heads - 1, 0};
    char text[48];
    grid->width = origin_text(grid, &last, text, sizeof text);
    grid->row_width = put_cells(NULL, grid, 0);
    int indent = grid->names ? grid->names + 2 : 0;
    if (indent + grid->row_width <= LESSON_PRINT_COLUMNS) return;
    grid->runs = true;
    grid->width = 0;
    grid->row_width = 0;
    for (int row = 0; row < int_min(tensor->rows, TENSOR_ROWS); row++)
        grid->row_width = int_max(grid->row_width, put_cells(NULL, grid, row));
}

void lesson_print_tensor(FILE *stream, const LessonTensor *tensor, const LessonTensors *all) {
    TensorGrid grid = {.tensor = tensor, .all = all};
    measure(&grid);
    if (tensor->title) fprintf(stream, "%s\n", tensor->title);
    int rows = int_min(tensor->rows, TENSOR_ROWS);
    for (int row = 0; row < rows; row++) {
        if (tensor->row_group > 0 && row > 0 && row % tensor->row_group == 0) putc('\n', stream);
        const char *name = tensor->row_names ? tensor->row_names[row] : NULL;
        const char *note = tensor->row_notes ? tensor->row_notes[row] : NULL;
        if (!name) name = "";
        if (grid.names) {
            text_columns_put(stream, name, strlen(name), grid.names, false);
            fprintf(stream, "  ");
        }
        int used = tensor->columns > 0 ? put_cells(stream, &grid, row) : 0;
        if (note && note[0]) fprintf(stream, "%*s  %s", grid.row_width - used, "", note);
        putc('\n', stream);
    }
    if (rows < tensor->rows) fprintf(stream, "(%d of %d rows)\n", rows, tensor->rows);
    if (tensor->note) fprintf(stream, "%s\n", tensor->note);
}
