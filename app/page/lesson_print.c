#include "app/page/lesson_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/text_columns.h"
#include "model/base/minmax.h"
#include "model/base/pool.h"

enum {
    BETWEEN = 2,    /* spaces between the columns of a table */
    PROSE_MIN = 16, /* the narrowest column of prose */
    BAR = 40,
    BAR_NAME_MAX = 40,
    BETWEEN_BOXES = 4,
};

static void print_line(FILE *stream, int count, char mark) {
    for (int i = 0; i < count; i++)
        putc(mark, stream);
}

static void print_underlined(FILE *stream, const char *text, char mark) {
    fprintf(stream, "%s\n", text);
    print_line(stream, text_columns_widest(text), mark);
    putc('\n', stream);
}

static void print_paragraph(FILE *stream, const char *text) {
    size_t length;
    for (const char *line = text; text_columns_wrap(&text, LESSON_PRINT_COLUMNS, &length);
         line = text)
        fprintf(stream, "%.*s\n", (int)length, line);
}

/* --- tables ----------------------------------------------------------------------------------- */

static int natural_width(const LessonTable *table, int column) {
    int widest = text_columns_widest(table->columns[column].name);
    for (int row = 0; row < table->row_count; row++)
        widest = int_max(widest, text_columns_widest(table->rows[row].cells[column]));
    return widest;
}

/* Narrows columns of prose, the widest first, until the table fits. */
static void choose_widths(const LessonTable *table, int *widths) {
    int whole = -BETWEEN;
    for (int column = 0; column < table->column_count; column++) {
        widths[column] = natural_width(table, column);
        whole += widths[column] + BETWEEN;
    }
    for (; whole > LESSON_PRINT_COLUMNS; whole--) {
        int widest = -1;
        for (int column = 0; column < table->column_count; column++)
            if (table->columns[column].wraps && widths[column] > PROSE_MIN &&
                (widest < 0 || widths[column] > widths[widest]))
                widest = column;
        if (widest < 0) return;
        widths[widest]--;
    }
}

/* Prints one row, on as many lines as its prose needs, without trailing spaces. */
static void print_row(FILE *stream, const LessonTable *table, const int *widths,
                      const char **cells) {
    for (bool more = true; more;) {
        int gap = 0;
        more = false;
        for (int column = 0; column < table->column_count; column++) {
            const char *line = cells[column];
            size_t length = 0;
            text_columns_wrap(&cells[column], widths[column] > 0 ? widths[column] : 1, &length);
            int room = widths[column] - text_columns(line, length);
            if (length > 0) {
                bool right = table->columns[column].right;
                fprintf(stream, "%*s%.*s", gap + (right ? room : 0), "", (int)length, line);
                gap = right ? 0 : room;
            } else {
                gap += room;
            }
            gap += BETWEEN;
            more = more || *cells[column];
        }
        putc('\n', stream);
    }
}

static bool print_table(FILE *stream, const LessonTable *table) {
    size_t count = (size_t)table->column_count;
    int *widths = malloc((count + 1) * sizeof *widths);
    const char **cells = malloc((count + 1) * sizeof *cells);
    bool good = widths && cells, named = false;
    if (good) choose_widths(table, widths);
    for (size_t column = 0; good && column < count; column++) {
        cells[column] = table->columns[column].name;
        named = named || cells[column][0];
    }
    if (good && named) print_row(stream, table, widths, cells);
    for (int row = 0; good && row < table->row_count; row++) {
        memcpy(cells, table->rows[row].cells, count * sizeof *cells);
        print_row(stream, table, widths, cells);
    }
    free(widths);
    free(cells);
    return good;
}

/* --- bars ------------------------------------------------------------------------------------- */

static void print_bars(FILE *stream, const LessonBars *bars) {
    int names = 0, values = 0, half = bars->is_signed ? BAR / 2 : 0;
    for (int i = 0; i < bars->count; i++) {
        names = int_max(names, text_columns_widest(bars->bars[i].name));
        values = int_max(values, text_columns_widest(bars->bars[i].value));
    }
    names = int_min(names, BAR_NAME_MAX);
    for (int i = 0; i < bars->count; i++) {
        const LessonBar *bar = &bars->bars[i];
        float share = isfinite(bar->share) ? float_clamp(bar->share, -1, 1) : 0;
        int marks = (int)lroundf(fabsf(share) * (float)(half ? half : BAR));
        text_columns_put(stream, bar->name, strlen(bar->name), names, false);
        fprintf(stream, "  ");
        text_columns_put(stream, bar->value, strlen(bar->value), values, true);
        bool left = half && share < 0;
        if (marks || half) fprintf(stream, "  ");
        if (half) fprintf(stream, "%*s", left ? half - marks : half, "");
        if (left) print_line(stream, marks, '#');
        if (half) putc('|', stream);
        if (!left) print_line(stream, marks, '#');
        putc('\n', stream);
    }
}

/* --- maps and tensors, side by side ----------------------------------------------------------- */

/* The printed text of one map or tensor. */
typedef struct Box {
    char *text; /* owned */
    size_t size;
} Box;

static bool make_box(Box *box, const LessonBlock *block, int index) {
    FILE *stream = open_memstream(&box->text, &box->size);
    if (!stream) return false;
    if (block->kind == LESSON_MAPS)
        lesson_print_map(stream, &block->maps.maps[index]);
    else
        lesson_print_tensor(stream, &block->tensors.tensors[index], &block->tensors);
    return fclose(stream) == 0;
}

/* Prints boxes side by side, line by line. */
static void print_beside(FILE *stream, const Box *boxes, const char **rest, int count) {
    for (int i = 0; i < count; i++)
        rest[i] = boxes[i].text;
    for (bool more = true; more;) {
        int gap = 0;
        more = false;
        for (int i = 0; i < count; i++) {
            size_t length = strcspn(rest[i], "\n");
            int width = text_columns_widest(boxes[i].text);
            if (length > 0) {
                fprintf(stream, "%*s%.*s", gap, "", (int)length, rest[i]);
                gap = 0;
            }
            gap += width - text_columns(rest[i], length) + BETWEEN_BOXES;
            rest[i] += length + (rest[i][length] == '\n');
            more = more || *rest[i];
        }
        putc('\n', stream);
    }
}

/* Prints boxes in rows: as many as fit, at most `together` (0: no limit). */
static void print_boxes(FILE *stream, const Box *boxes, const char **rest, int count,
                        int together) {
    for (int first = 0, next; first < count; first = next) {
        int width = -BETWEEN_BOXES;
        for (next = first; next < count && (together <= 0 || next - first < together); next++) {
            width += text_columns_widest(boxes[next].text) + BETWEEN_BOXES;
            if (next > first && width > LESSON_PRINT_COLUMNS) break;
        }
        if (first > 0) putc('\n', stream);
        print_beside(stream, boxes + first, rest, next - first);
    }
}

static bool print_grids(FILE *stream, const LessonBlock *block) {
    bool maps = block->kind == LESSON_MAPS;
    int count = maps ? block->maps.count : block->tensors.count;
    Box *boxes = calloc((size_t)count + 1, sizeof *boxes);
    const char **rest = malloc(((size_t)count + 1) * sizeof *rest);
    bool good = boxes && rest;
    for (int i = 0; good && i < count; i++)
        good = make_box(&boxes[i], block, i);
    if (good) print_boxes(stream, boxes, rest, count, maps ? block->maps.together : 0);
    for (int i = 0; boxes && i < count; i++)
        free(boxes[i].text);
    free(boxes);
    free(rest);
    return good;
}

/* --- the page --------------------------------------------------------------------------------- */

static bool print_block(FILE *stream, const LessonBlock *block) {
    switch (block->kind) {
    case LESSON_HEADING:
        print_underlined(stream, block->text ? block->text : "", '-');
        return true;
    case LESSON_TABLE:
        return print_table(stream, &block->table);
    case LESSON_BARS:
        print_bars(stream, &block->bars);
        return true;
    case LESSON_MAPS:
    case LESSON_TENSORS:
        return print_grids(stream, block);
    default:
        print_paragraph(stream, block->text ? block->text : "");
        return true;
    }
}

bool lesson_print(FILE *stream, const LessonPage *page, Error *error) {
    bool good = true, first = true;
    if (page->title && page->title[0]) {
        print_underlined(stream, page->title, '=');
        first = false;
    }
    for (int i = 0; good && i < page->count; i++) {
        const LessonBlock *block = &page->blocks[i];
        if (block->kind == LESSON_BUTTONS) continue;
        if (!first) putc('\n', stream);
        first = false;
        bool prose = block->kind == LESSON_TEXT || block->kind == LESSON_HEADING;
        if (!prose && block->text) print_paragraph(stream, block->text);
        good = print_block(stream, block);
    }
    return good || error_set(error, "out of memory for printing the lesson");
}
