#include <string.h>

#include "app/cli/text_columns.h"
#include "app/page/lesson_print.h"
#include "app/page/lesson_print_parts.h"

enum { ROWS_MOST = 64, CUT = 120 }; /* where a row of unlike cells ends */

typedef struct Grid {
    const LessonTensor *tensor;
    const LessonTensors *all;
    int names; /* the columns of the rows' names */
    int width; /* of a cell */
    int most;  /* columns of a row without its note */
    bool runs; /* neighbours alike are written once */
} Grid;

static const LessonOrigin *origin_at(const Grid *grid, int row, int column) {
    return &grid->tensor->cells[(size_t)row * (size_t)grid->tensor->columns + (size_t)column];
}

static bool is_nowhere(const LessonOrigin *origin) {
    return origin->example < 0 || origin->step < 0 || origin->head < 0;
}

/* The parts that tell origins apart: those that there are several of. */
static int origin_text(const Grid *grid, const LessonOrigin *origin, char *text, size_t size) {
    if (is_nowhere(origin)) return snprintf(text, size, ".");
    bool example = grid->all->examples > 1, step = grid->all->steps > 1;
    bool head = grid->all->heads > 1 || (!example && !step);
    int length = 0;
    if (example) length += snprintf(text + length, size - (size_t)length, "b%d", origin->example);
    if (step) length += snprintf(text + length, size - (size_t)length, "t%d", origin->step);
    if (head) length += snprintf(text + length, size - (size_t)length, "h%d", origin->head);
    return length;
}

static bool group_begins(const Grid *grid, int column) {
    int group = grid->tensor->column_group;
    return group > 0 && column > 0 && column % group == 0;
}

static bool same(const Grid *grid, const LessonOrigin *a, const LessonOrigin *b) {
    if (is_nowhere(a) || is_nowhere(b)) return is_nowhere(a) && is_nowhere(b);
    char text[48], other[48];
    origin_text(grid, a, text, sizeof text);
    origin_text(grid, b, other, sizeof other);
    return strcmp(text, other) == 0;
}

/* How many cells from this one on are alike and in its group. */
static int run_length(const Grid *grid, int row, int column) {
    int end = column + 1;
    const LessonOrigin *first = origin_at(grid, row, column);
    while (end < grid->tensor->columns && !group_begins(grid, end) &&
           same(grid, first, origin_at(grid, row, end)))
        end++;
    return end - column;
}

/* Writes a row's cells; NULL: only counts. Returns their columns. */
static int put_cells(FILE *stream, const Grid *grid, int row) {
    int sum = 0;
    for (int column = 0, count = 1; column < grid->tensor->columns; column += count) {
        char text[64];
        int length = origin_text(grid, origin_at(grid, row, column), text, sizeof text);
        count = grid->runs ? run_length(grid, row, column) : 1;
        if (count > 1)
            length += snprintf(text + length, sizeof text - (size_t)length, "x%d", count);
        int gap = column == 0 ? 0 : group_begins(grid, column) ? 3 : 1;
        int room = grid->width > length ? grid->width - length : 0;
        if (grid->runs && sum + gap + length > CUT) {
            if (stream) fprintf(stream, " ...");
            return sum + 4;
        }
        if (stream) fprintf(stream, "%*s%s%*s", gap, "", text, room, "");
        sum += gap + length + room;
    }
    return sum;
}

/* Chooses how cells are written, and measures what that takes. */
static void measure(Grid *grid) {
    const LessonTensor *tensor = grid->tensor;
    for (int row = 0; tensor->row_names && row < tensor->rows; row++) {
        int columns = tensor->row_names[row] ? text_columns_widest(tensor->row_names[row]) : 0;
        if (columns > grid->names) grid->names = columns;
    }
    if (tensor->rows == 0 || tensor->columns == 0) return;
    LessonOrigin last = {grid->all->examples - 1, grid->all->steps - 1, grid->all->heads - 1, 0};
    char text[48];
    grid->width = origin_text(grid, &last, text, sizeof text);
    grid->most = put_cells(NULL, grid, 0);
    int indent = grid->names ? grid->names + 2 : 0;
    if (indent + grid->most <= LESSON_PRINT_COLUMNS) return;
    grid->runs = true;
    grid->width = 0;
    grid->most = 0;
    for (int row = 0; row < tensor->rows && row < ROWS_MOST; row++) {
        int columns = put_cells(NULL, grid, row);
        if (columns > grid->most) grid->most = columns;
    }
}

void lesson_print_tensor(FILE *stream, const LessonTensor *tensor, const LessonTensors *all) {
    Grid grid = {.tensor = tensor, .all = all};
    measure(&grid);
    if (tensor->title) fprintf(stream, "%s\n", tensor->title);
    int rows = tensor->rows < ROWS_MOST ? tensor->rows : ROWS_MOST;
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
        if (note && note[0]) fprintf(stream, "%*s  %s", grid.most - used, "", note);
        putc('\n', stream);
    }
    if (rows < tensor->rows) fprintf(stream, "(%d of %d rows)\n", rows, tensor->rows);
    if (tensor->note) fprintf(stream, "%s\n", tensor->note);
}
