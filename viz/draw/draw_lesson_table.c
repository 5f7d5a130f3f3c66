#include "viz/draw/draw_lesson_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN   20.0F /* between columns */
#define ROW_SPACE 5.0F  /* above and below a row's text */
#define PROSE_MIN 140.0F
#define NAMES_MIN 48.0F
#define WASH      0x16 /* the alpha of a tone behind a row */
#define STRIPE    3.0F

/* Which columns may be narrowed: prose; also names; all, down to 0. */
typedef enum ShrinkKind { SHRINK_PROSE, SHRINK_NAMES, SHRINK_ALL } ShrinkKind;

static float min_width(const LessonColumn *column, ShrinkKind kind) {
    if (column->wraps) return PROSE_MIN;
    if (kind == SHRINK_ALL) return 0;
    return column->right || kind == SHRINK_PROSE ? INFINITY : NAMES_MIN;
}

/* The sum of the widths with columns that may be narrowed capped at `limit`; stores them if `keep`.
 */
static float cap_widths(const LessonTable *table, float *widths, ShrinkKind kind, float limit,
                        bool keep) {
    float sum = 0;
    for (int column = 0; column < table->column_count; column++) {
        float min = min_width(&table->columns[column], kind);
        float width = fminf(widths[column], fmaxf(limit, min));
        if (keep) widths[column] = width;
        sum += width;
    }
    return sum;
}

/* Narrows the widest columns first, until the table fits or no column may be narrowed further. */
static void shrink_widths(const LessonTable *table, float *widths, ShrinkKind kind, float room) {
    float low = 0, high = 1e5F;
    if (cap_widths(table, widths, kind, high, false) <= room) return;
    for (int step = 0; step < 40; step++) {
        float middle = (low + high) / 2;
        if (cap_widths(table, widths, kind, middle, false) <= room)
            low = middle;
        else
            high = middle;
    }
    cap_widths(table, widths, kind, low, true);
}

static PaintText cell_style(const LessonView *view, const LessonTable *table, int row, int column) {
    const LessonTone tone = table->rows[row].tone;
    PaintText style = {.bold = tone == TONE_STRONG,
                       .align = table->columns[column].right ? ALIGN_END : ALIGN_START};
    if (tone == TONE_FAINT) style.color = view->paint->theme->muted;
    if (table->rows[row].action && column == 0) style.color = view->paint->theme->accent;
    return style;
}

static const PaintText header_style = {.size = FONT_TOKEN, .bold = true};

static void choose_widths(const LessonView *view, const LessonTable *table, float room,
                          float *widths) {
    for (int column = 0; column < table->column_count; column++) {
        float widest = lesson_words_width(view, table->columns[column].name, header_style);
        for (int row = 0; row < table->row_count; row++)
            widest = fmaxf(widest, lesson_words_width(view, table->rows[row].cells[column],
                                                      cell_style(view, table, row, column)));
        widths[column] = widest;
    }
    room -= (float)(table->column_count - 1) * BETWEEN;
    for (int kind = SHRINK_PROSE; kind <= SHRINK_ALL; kind++)
        shrink_widths(table, widths, (ShrinkKind)kind, fmaxf(room, 1));
}

/* Draws one cell: wrapped if it is prose or a name without room, else shortened, with the full text
 * as tip. */
static float draw_cell(const LessonView *view, Rect cell, const LessonColumn *column,
                       const char *text, PaintText style) {
    float pitch = ceilf((style.size > 0 ? style.size : FONT_TEXT) * PAINT_PITCH);
    bool wraps = column->wraps || (!column->right && strchr(text, ' ') &&
                                   lesson_words_width(view, text, style) > cell.w);
    if (wraps) return fmaxf(lesson_words(view, cell, text, style), pitch);
    cell.h = pitch;
    if (lesson_sees(view, cell)) paint_text(view->paint, cell, text, style);
    return pitch;
}

static float row_height(const LessonView *view, Rect area, const LessonTable *table,
                        const float *widths, int row) {
    LessonView measure = *view;
    measure.draws = false;
    float height = 0;
    for (int column = 0; column < table->column_count; column++) {
        Rect cell = {area.x, area.y, widths[column], 0};
        height = fmaxf(height, draw_cell(&measure, cell, &table->columns[column],
                                         table->rows[row].cells[column],
                                         cell_style(view, table, row, column)));
    }
    return height + 2 * ROW_SPACE;
}

static void draw_row(const LessonView *view, Rect line, const LessonTable *table,
                     const float *widths, int row) {
    const LessonRow *data = &table->rows[row];
    Paint *paint = view->paint;
    if (!lesson_sees(view, line)) return;
    Color tone = lesson_tone(paint, data->tone);
    if (data->tone == TONE_GOOD || data->tone == TONE_WRONG) {
        canvas_fill(paint->canvas, line, paint_faded(tone, WASH));
        canvas_fill(paint->canvas, (Rect){line.x, line.y, STRIPE, line.h}, tone);
    }
    if (data->action) paint_hit(paint, line, data->action, NULL);
    float x = line.x + PAINT_GAP;
    for (int column = 0; column < table->column_count; column++) {
        Rect cell = {x, line.y + ROW_SPACE, widths[column], line.h};
        draw_cell(view, cell, &table->columns[column], data->cells[column],
                  cell_style(view, table, row, column));
        x += widths[column] + BETWEEN;
    }
    canvas_fill(paint->canvas, (Rect){line.x, line.y + line.h - 1, line.w, 1},
                paint->theme->divider);
}

/* Draws the row of column names; returns its height. */
static float draw_names(const LessonView *view, Rect area, const LessonTable *table,
                        const float *widths) {
    PaintText style = header_style;
    style.color = view->paint->theme->muted;
    float x = area.x + PAINT_GAP, height = 0;
    for (int column = 0; column < table->column_count; column++) {
        style.align = table->columns[column].right ? ALIGN_END : ALIGN_START;
        Rect cell = {x, area.y, widths[column], 0};
        height = fmaxf(height, draw_cell(view, cell, &table->columns[column],
                                         table->columns[column].name, style));
        x += widths[column] + BETWEEN;
    }
    return height + ROW_SPACE + 1;
}

/* Draws the header with a line below it; nothing if no column has a name. */
static float draw_header(const LessonView *view, Rect area, const LessonTable *table,
                         const float *widths) {
    bool named = false;
    for (int column = 0; column < table->column_count; column++)
        named = named || table->columns[column].name[0];
    if (!named) return 0;
    float height = draw_names(view, area, table, widths);
    Rect line = {area.x, area.y + height - 1, area.w, 1};
    if (lesson_sees(view, line)) canvas_fill(view->paint->canvas, line, view->paint->theme->line);
    return height;
}

float lesson_table_block(const LessonView *view, Rect area, const LessonTable *table) {
    float *widths = malloc(((size_t)table->column_count + 1) * sizeof *widths);
    if (!widths) {
        Error error;
        error_set(&error, "out of memory for a table");
        canvas_fail(view->paint->canvas, &error);
        return 0;
    }
    choose_widths(view, table, area.w - 2 * PAINT_GAP, widths);
    float width = 2 * PAINT_GAP + (float)(table->column_count - 1) * BETWEEN;
    for (int column = 0; column < table->column_count; column++)
        width += widths[column];
    area.w = fminf(area.w, ceilf(width));
    float y = area.y + draw_header(view, area, table, widths);
    for (int row = 0; row < table->row_count; row++) {
        Rect line = {area.x, y, area.w, row_height(view, area, table, widths, row)};
        draw_row(view, line, table, widths, row);
        y += line.h;
    }
    free(widths);
    return y - area.y;
}
