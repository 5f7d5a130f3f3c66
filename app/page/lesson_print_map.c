#include <math.h>
#include <string.h>

#include "app/cli/text_columns.h"
#include "app/page/lesson_print.h"
#include "app/page/lesson_print_parts.h"

enum { ROWS_MOST = 32, NAME_MOST = 16 };

/* How a map's figures are written. */
typedef struct Figures {
    const LessonMap *map;
    int decimals; /* below 0: with an exponent */
    int width;    /* of a column */
    int names;    /* of the rows' names */
    int columns;  /* that fit */
} Figures;

static int decimals_of(float top) {
    if (!(top > 0) || !isfinite(top)) return 2;
    if (top < 1e-3F) return -1;
    int decimals = 2 - (int)floorf(log10f(top) + 1e-6F);
    return decimals < 0 ? 0 : decimals > 5 ? 5 : decimals;
}

static void cell_text(const Figures *figures, int row, int column, char *text, size_t size) {
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

/* A name, or the number of the row or column. */
static const char *name_of(const char *const *names, int index, char *number, size_t size) {
    if (names && names[index]) return names[index];
    snprintf(number, size, "%d", index);
    return number;
}

static int wider(int width, const char *text) {
    int columns = text_columns_widest(text);
    if (columns > NAME_MOST) columns = NAME_MOST;
    return columns > width ? columns : width;
}

static Figures figures_of(const LessonMap *map) {
    Figures figures = {.map = map, .decimals = decimals_of(map->top)};
    char text[40];
    for (int row = 0; row < map->rows; row++) {
        figures.names = wider(figures.names, name_of(map->row_names, row, text, sizeof text));
        for (int column = 0; column < map->columns; column++) {
            cell_text(&figures, row, column, text, sizeof text);
            figures.width = wider(figures.width, text);
        }
    }
    for (int column = 0; column < map->columns; column++)
        figures.width = wider(figures.width, name_of(map->column_names, column, text, sizeof text));
    int fitting = (LESSON_PRINT_COLUMNS - figures.names) / (figures.width + 1);
    figures.columns = fitting < 1 ? 1 : fitting < map->columns ? fitting : map->columns;
    return figures;
}

/* What is longer than a column is cut. */
static void put(FILE *stream, const char *text, int width, bool right) {
    size_t length = 0;
    const char *begin = text;
    text_columns_wrap(&text, width > 0 ? width : 1, &length);
    text_columns_put(stream, begin, length, width, right);
}

static void print_rows(FILE *stream, const Figures *figures, int rows) {
    char text[40];
    for (int row = 0; row < rows; row++) {
        put(stream, name_of(figures->map->row_names, row, text, sizeof text), figures->names, true);
        for (int column = 0; column < figures->columns; column++) {
            putc(' ', stream);
            cell_text(figures, row, column, text, sizeof text);
            put(stream, text, figures->width, true);
        }
        putc('\n', stream);
    }
}

void lesson_print_map(FILE *stream, const LessonMap *map) {
    Figures figures = figures_of(map);
    char text[40];
    int rows = map->rows < ROWS_MOST ? map->rows : ROWS_MOST;
    if (map->title) fprintf(stream, "%s\n", map->title);
    put(stream, "", figures.names, true);
    for (int column = 0; column < figures.columns; column++) {
        putc(' ', stream);
        put(stream, name_of(map->column_names, column, text, sizeof text), figures.width, true);
    }
    putc('\n', stream);
    print_rows(stream, &figures, rows);
    if (rows < map->rows || figures.columns < map->columns)
        fprintf(stream, "(%d of %d rows, %d of %d columns)\n", rows, map->rows, figures.columns,
                map->columns);
    if (map->note) fprintf(stream, "%s\n", map->note);
}
