#include "viz/draw/views.h"

#include "model/base/minmax.h"
#include "viz/layout/axis_plan.h"

#include <math.h>
#include <stdio.h>

#define TITLE_HEIGHT    24.0F
#define SCALE_HEIGHT    34.0F
#define SCALE_WIDTH     220.0F
#define NOTES_WIDTH_MIN 120.0F /* beside the matrix */
#define NOTES_WIDTH_MAX 300.0F
#define NOTE_LINE       17.0F
#define NOTE_GAP        4.0F
#define LABEL_PITCH     1.1F   /* the smallest pitch of names, in font sizes */
#define LABEL_MIN       9.0F   /* the smallest font size of names */
#define LABELS_FROM     150.0F /* smaller matrices have names only if all heads have one */
#define GRID_FROM       8.0F   /* smaller cells have no hairline between them */
#define CELL_MAX        36.0F

enum { NAME_BYTES = 24, NOTE_LINES = 8 };

/* The matrix and its position. */
typedef struct Matrix {
    Paint *paint;
    const ScreenSimilarity *similarity;
    Rect cells;
    float cell;
    AxisPlan labels;
    bool short_names; /* all heads are of one site: "1.2" */
} Matrix;

static void name_head(const Matrix *matrix, int index, char name[NAME_BYTES]) {
    HeadId id = matrix->similarity->ids[index];
    if (matrix->short_names)
        snprintf(name, NAME_BYTES, "%d.%d", id.layer, id.head);
    else
        snprintf(name, NAME_BYTES, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

static bool of_one_site(const ScreenSimilarity *similarity) {
    for (int index = 1; index < similarity->count; index++)
        if (similarity->ids[index].site != similarity->ids[0].site) return false;
    return true;
}

static float label_room(const Matrix *matrix) {
    float widest = 0;
    for (int index = 0; index < matrix->similarity->count; index++) {
        char name[NAME_BYTES];
        name_head(matrix, index, name);
        widest = fmaxf(widest, canvas_text_width(matrix->paint->canvas, name, FONT_TOKEN, true));
    }
    return ceilf(widest) + SPACE_LABEL;
}

/* Whole pixels for all but the smallest cells, so that all cells are equal. */
static float cell_size(float side, int count) {
    float cell = fminf(side / (float)count, CELL_MAX);
    return cell > 3 ? floorf(cell) : cell;
}

static Matrix place_matrix(Paint *paint, Rect area) {
    const ScreenSimilarity *similarity = &paint->screen->compare.similarity;
    Matrix matrix = {
        .paint = paint, .similarity = similarity, .short_names = of_one_site(similarity)};
    float room = label_room(&matrix), side = fminf(area.w, area.h) - room;
    matrix.cell = cell_size(fmaxf(side, 0), similarity->count);
    matrix.labels = axis_plan(&(AxisRequest){.pitch = matrix.cell,
                                             .line = LABEL_PITCH,
                                             .size_max = FONT_TOKEN,
                                             .size_min = LABEL_MIN,
                                             .size_thinned = FONT_TOKEN});
    if (side < LABELS_FROM && matrix.labels.step > 1) {
        matrix.labels.size = room = 0;
        matrix.cell = cell_size(fmaxf(fminf(area.w, area.h), 0), similarity->count);
    }
    side = matrix.cell * (float)similarity->count;
    matrix.cells = (Rect){area.x + room, area.y + room, side, side};
    return matrix;
}

/* --- its parts -------------------------------------------------------------------------------- */

static void draw_label(const Matrix *matrix, int index, bool column) {
    const Theme *theme = matrix->paint->theme;
    const ScreenSimilarity *similarity = matrix->similarity;
    char name[NAME_BYTES];
    name_head(matrix, index, name);
    bool lit = index == (column ? similarity->lit_column : similarity->lit_row);
    bool first = index == similarity->first, second = index == similarity->second;
    TextStyle style = {.size = matrix->labels.size,
                       .bold = lit || first || second,
                       .align = ALIGN_END,
                       .color = first    ? theme->accent
                                : second ? theme->accent_second
                                : lit    ? theme->text
                                         : theme->muted};
    float along = ((float)index + 0.5F) * matrix->cell + TEXT_MIDDLE * matrix->labels.size;
    Rect cells = matrix->cells;
    if (column) {
        style.upward = true;
        style.align = ALIGN_START;
        canvas_text(matrix->paint->canvas, cells.x + along, cells.y - SPACE_LABEL, name, &style);
    } else {
        canvas_text(matrix->paint->canvas, cells.x - SPACE_LABEL, cells.y + along, name, &style);
    }
}

/* Names of the heads under the pointer and of the two compared take precedence. */
static void draw_labels(const Matrix *matrix, bool column) {
    const ScreenSimilarity *similarity = matrix->similarity;
    const int marked[] = {column ? similarity->lit_column : similarity->lit_row, similarity->first,
                          similarity->second};
    int step = matrix->labels.step;
    AxisMarks marks = axis_marks(step, marked, 3, similarity->count);
    for (int index = 0; index < similarity->count; index++)
        if (axis_shows(step, &marks, index)) draw_label(matrix, index, column);
}

static void draw_grid(const Matrix *matrix) {
    if (matrix->cell < GRID_FROM) return;
    Rect cells = matrix->cells;
    for (int line = 1; line < matrix->similarity->count; line++) {
        float along = (float)line * matrix->cell - 1;
        canvas_fill(matrix->paint->canvas, (Rect){cells.x + along, cells.y, 1, cells.h},
                    matrix->paint->theme->grid);
        canvas_fill(matrix->paint->canvas, (Rect){cells.x, cells.y + along, cells.w, 1},
                    matrix->paint->theme->grid);
    }
}

static Rect cell_at(const Matrix *matrix, int row, int column) {
    return (Rect){matrix->cells.x + (float)column * matrix->cell,
                  matrix->cells.y + (float)row * matrix->cell, matrix->cell, matrix->cell};
}

/* Frames a cell so that the frame is visible on any colour; at least 7 pixels wide. */
static void frame_cell(const Matrix *matrix, int row, int column, Color color) {
    Rect cell = cell_at(matrix, row, column);
    float grow = fmaxf((7 - matrix->cell) / 2, 1);
    Rect around = paint_inset(cell, -grow);
    Rect outside = paint_inset(around, -1);
    canvas_frame(matrix->paint->canvas, outside, 1, matrix->paint->theme->surface);
    canvas_frame(matrix->paint->canvas, around, 2, color);
}

static void draw_marks(const Matrix *matrix) {
    const ScreenSimilarity *similarity = matrix->similarity;
    const Theme *theme = matrix->paint->theme;
    int first = similarity->first, second = similarity->second, count = similarity->count;
    if (first < 0 || first >= count || second < 0 || second >= count) return;
    frame_cell(matrix, first, second, theme->accent);
    if (first != second) frame_cell(matrix, second, first, theme->accent_second);
}

/* Draws the outlines of the row and column under the pointer. */
static void draw_cross_hair(const Matrix *matrix) {
    const ScreenSimilarity *similarity = matrix->similarity;
    int row = similarity->lit_row, column = similarity->lit_column;
    if (row < 0 || row >= similarity->count || column < 0 || column >= similarity->count) return;
    Rect cells = matrix->cells, lit = cell_at(matrix, row, column);
    Color color = matrix->paint->theme->text;
    Canvas *canvas = matrix->paint->canvas;
    canvas_clip_push(canvas, cells);
    color.a = 150;
    canvas_fill(canvas, (Rect){cells.x, lit.y - 1, cells.w, 1}, color);
    canvas_fill(canvas, (Rect){cells.x, lit.y + lit.h, cells.w, 1}, color);
    canvas_fill(canvas, (Rect){lit.x - 1, cells.y, 1, cells.h}, color);
    canvas_fill(canvas, (Rect){lit.x + lit.w, cells.y, 1, cells.h}, color);
    canvas_clip_pop(canvas);
}

static void draw_matrix(const Matrix *matrix) {
    Paint *paint = matrix->paint;
    const ScreenSimilarity *similarity = matrix->similarity;
    Rect cells = matrix->cells;
    if (!(matrix->cell > 0)) return;
    /* The ground of undefined values. */
    canvas_fill(paint->canvas, cells, paint->theme->hatch_ground);
    canvas_cells(paint->canvas, &(CellMap){.area = cells,
                                           .rows = similarity->count,
                                           .columns = similarity->count,
                                           .values = similarity->values,
                                           .top = 1,
                                           .colormap = paint->screen->colormap});
    draw_grid(matrix);
    draw_cross_hair(matrix);
    draw_marks(matrix);
    if (matrix->labels.size > 0) {
        draw_labels(matrix, false);
        draw_labels(matrix, true);
    }
    hits_add(paint->hits, (Hit){.kind = HIT_SIMILARITY,
                                .area = cells,
                                .rows = similarity->count,
                                .columns = similarity->count,
                                .row_height = matrix->cell,
                                .column_width = matrix->cell});
}

/* --- the card --------------------------------------------------------------------------------- */

/* The largest font size at which all notes fit; the smallest if none does. */
static float notes_size(Paint *paint, Rect area) {
    static const float sizes[] = {FONT_TEXT, FONT_TOKEN, 10.0F};
    const ScreenSimilarity *similarity = &paint->screen->compare.similarity;
    for (int index = 0;; index++) {
        float height = -NOTE_GAP;
        for (int note = 0; note < similarity->note_count; note++)
            height +=
                NOTE_GAP + paint_paragraph_height(paint, area.w, similarity->notes[note],
                                                  NOTE_LINES, (PaintText){.size = sizes[index]});
        if (height <= area.h || index == 2) return sizes[index];
    }
}

static void draw_notes(Paint *paint, Rect area) {
    const ScreenSimilarity *similarity = &paint->screen->compare.similarity;
    float size = notes_size(paint, area), pitch = ceilf(size * PAINT_PITCH);
    for (int note = 0; note < similarity->note_count && area.h >= pitch; note++) {
        int lines = (int)(area.h / pitch);
        float used = paint_paragraph(
            paint, area, similarity->notes[note], int_min(lines, NOTE_LINES),
            (PaintText){.size = size,
                        .color = note == 0 ? paint->theme->text : paint->theme->muted});
        paint_cut_top(&area, used + NOTE_GAP);
    }
}

/* Draws the matrix at the left or on top, and scale and notes beside or below it. */
static void draw_content(Paint *paint, Rect inside) {
    const ScreenSimilarity *similarity = &paint->screen->compare.similarity;
    float beside = fminf(inside.h, inside.w - NOTES_WIDTH_MIN - PAINT_PAD);
    float below = fminf(inside.w, inside.h - SCALE_HEIGHT - NOTE_LINE * 2 - PAINT_PAD);
    bool is_beside = beside >= below;
    float side = fmaxf(is_beside ? beside : below, 0);
    Rect area = is_beside ? paint_cut_left(&inside, side) : paint_cut_top(&inside, side);
    Matrix matrix = place_matrix(paint, area);
    draw_matrix(&matrix);
    if (is_beside) {
        float end = matrix.cells.x + matrix.cells.w + PAINT_PAD * 1.5F;
        float right = inside.x + inside.w;
        float bottom = fmaxf(matrix.cells.y + matrix.cells.h, inside.y + 4 * NOTE_LINE);
        inside.x = end;
        inside.w = fmaxf(fminf(right - end, NOTES_WIDTH_MAX), 0);
        inside.h = fminf(bottom - inside.y, inside.h);
    } else {
        paint_cut_top(&inside, PAINT_PAD);
    }
    if (inside.h >= SCALE_HEIGHT && inside.w >= NOTES_WIDTH_MIN / 2) {
        /* Beside the matrix, the scale is at the bottom, where the matrix ends too. */
        Rect scale = is_beside ? paint_cut_bottom(&inside, SCALE_HEIGHT)
                               : paint_cut_top(&inside, SCALE_HEIGHT);
        scale.w = fminf(scale.w, SCALE_WIDTH);
        draw_scale(paint, scale, 1, false, "unlike … alike");
        is_beside ? paint_cut_bottom(&inside, PAINT_PAD) : paint_cut_top(&inside, PAINT_PAD / 2);
    }
    if (similarity->note_count > 0) draw_notes(paint, inside);
}

void draw_similarity(Paint *paint, Rect area) {
    const ScreenSimilarity *similarity = &paint->screen->compare.similarity;
    if (paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    bool low;
    Rect title, inside = paint_titled_card(paint, area, TITLE_HEIGHT, &title, &low);
    paint_text(paint, title, similarity->title, (PaintText){.size = FONT_HEADING, .bold = true});
    if (!paint_is_empty(inside)) {
        if (similarity->count > 0)
            draw_content(paint, inside);
        else
            draw_notes(paint, inside);
    }
    canvas_clip_pop(paint->canvas);
}
