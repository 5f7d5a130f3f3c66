#include "viz/layout/layout_axis.h"

#include "viz/text/script.h"

#include <math.h>
#include <stdlib.h>

#define CELLS_FULL 40 /* so many cells of the largest size; more of them are smaller */

#define TOKEN_SMALLEST 8.0F
#define ROW_LONGEST    128.0F
#define COLUMN_LONGEST 96.0F

/* From one label to the next there must be this much, in sizes of the font. */
#define LABEL_PITCH (TEXT_ASCENT + TEXT_DESCENT)

/* An axis of more tokens than CELLS_MANY is so long, however many they are: cells get smaller than
 * a pixel, which then shows the largest of its weights. Many panels of such are small. */
#define CELLS_MANY    160
#define LONG_OF_SHEET 1600.0F /* by the panels beside each other, about */
#define LONG_LEAST    96.0F
#define LONG_MOST     1024.0F

static float long_axis(const LayoutBuilder *builder) {
    float beside = ceilf(sqrtf((float)builder->scene->panel_count));
    return fminf(fmaxf(floorf(LONG_OF_SHEET / beside), LONG_LEAST), LONG_MOST);
}

/* The nearest below: a whole number of cells then falls on each pixel. */
static float power_of_two(float cell) {
    int exponent;
    frexpf(cell, &exponent);
    return ldexpf(1, exponent - 1);
}

/* Each axis by its own number of tokens: up to CELLS_FULL of them cells are square; a short axis
 * beside a long one keeps cells that its labels fit. */
static float cell_for(const LayoutBuilder *builder, int count) {
    if (count > CELLS_MANY)
        return power_of_two(fminf(long_axis(builder) / (float)count, LAYOUT_CELL_SMALLEST));
    if (count <= CELLS_FULL) return LAYOUT_CELL_LARGEST;
    return fmaxf(floorf(CELLS_FULL * LAYOUT_CELL_LARGEST / (float)count), LAYOUT_CELL_SMALLEST);
}

/* The font size at which each cell can have its label; where even the smallest is too large for
 * that, the full size, for some of them. */
static float token_size(float cell) {
    float size = fminf(FONT_TOKEN, floorf(cell / LABEL_PITCH));
    return size < TOKEN_SMALLEST ? FONT_TOKEN : size;
}

/* Each how-many-th cell has a label. */
static int label_step(float cell, float size) {
    return (int)ceilf(size * LABEL_PITCH / cell);
}

static void build_labels(LayoutBuilder *builder, LayoutAxis *axis, const char *const *texts,
                         int count, float longest) {
    axis->count = count;
    axis->cell = fminf(cell_for(builder, count), builder->cell_largest);
    if (builder->cell_largest > LAYOUT_CELL_LARGEST && axis->cell >= 1)
        axis->cell = floorf(axis->cell * builder->cell_largest / LAYOUT_CELL_LARGEST);
    axis->size = builder->scene->exact_tokens ? FONT_TOKEN : token_size(axis->cell);
    axis->labels = calloc(count > 0 ? (size_t)count : 1, sizeof *axis->labels);
    builder->failed = builder->failed || !axis->labels;
    int step = label_step(axis->cell, axis->size);
    for (int index = 0; index < count && !builder->failed; index += step) {
        LayoutLabel *label = &axis->labels[index];
        const char *shown = layout_show_spaces(builder, texts[index]);
        label->text = layout_shorten(builder, shown, longest, axis->size, false);
        label->width = layout_measure(builder, label->text, axis->size, false);
    }
}

/* Where all tokens fit upright they stand so; else single characters do, and the others are turned
 * (even short ones: words in a row read better when they look alike). */
static void turn_columns(LayoutAxis *axis) {
    float limit = axis->cell * (float)label_step(axis->cell, axis->size);
    bool all_fit = true;
    for (int index = 0; index < axis->count; index++)
        all_fit = all_fit && axis->labels[index].width <= limit;
    for (int index = 0; index < axis->count; index++) {
        LayoutLabel *label = &axis->labels[index];
        if (!label->text || all_fit) continue;
        label->upward = label->width > limit || !script_is_one_character(label->text);
    }
}

static void measure_room(LayoutAxis *axis, bool columns) {
    for (int index = 0; index < axis->count; index++) {
        const LayoutLabel *label = &axis->labels[index];
        if (!label->text) continue;
        bool upright = columns && !label->upward;
        float room = upright ? TEXT_ASCENT * axis->size : label->width;
        float reach = upright ? label->width / 2 : (TEXT_MIDDLE + TEXT_DESCENT) * axis->size;
        axis->room = fmaxf(axis->room, ceilf(room));
        axis->overhang = fmaxf(axis->overhang, ceilf(reach - axis->cell / 2));
    }
}

void layout_build_site(LayoutBuilder *builder, Site site) {
    LayoutSite *built = &builder->layout->sites[site];
    const SceneAxes *axes = &builder->scene->axes[site];
    TraceShape shape = trace_shape(builder->scene->trace, site);
    built->used = true;
    build_labels(builder, &built->rows, axes->rows, shape.queries, ROW_LONGEST);
    build_labels(builder, &built->columns, axes->columns, shape.keys, COLUMN_LONGEST);
    if (builder->failed) return;
    turn_columns(&built->columns);
    measure_room(&built->rows, false);
    measure_room(&built->columns, true);
}

void layout_free_sites(Layout *layout) {
    for (int site = 0; site < SITE_COUNT; site++) {
        free(layout->sites[site].rows.labels);
        free(layout->sites[site].columns.labels);
        layout->sites[site] = (LayoutSite){0};
    }
}

bool layout_row_label(const Layout *layout, int panel, int row, LayoutText *label) {
    const LayoutPanel *shown = &layout->panels[panel];
    const LayoutAxis *axis = &layout->sites[shown->id.site].rows;
    const LayoutLabel *source = &axis->labels[row];
    if (!source->text) return false;
    Rect cell = layout_cell(layout, panel, row, 0);
    float middle = cell.y + cell.h / 2;
    *label = (LayoutText){.text = source->text,
                          .x = shown->cells.x - SPACE_LABEL,
                          .baseline = middle + TEXT_MIDDLE * axis->size,
                          .width = source->width,
                          .size = axis->size,
                          .muted = true,
                          .align = ALIGN_END};
    return true;
}

bool layout_column_label(const Layout *layout, int panel, int column, LayoutText *label) {
    const LayoutPanel *shown = &layout->panels[panel];
    const LayoutAxis *axis = &layout->sites[shown->id.site].columns;
    const LayoutLabel *source = &axis->labels[column];
    if (!source->text) return false;
    Rect cell = layout_cell(layout, panel, 0, column);
    float middle = cell.x + cell.w / 2;
    *label = (LayoutText){.text = source->text,
                          .x = source->upward ? middle + TEXT_MIDDLE * axis->size : middle,
                          .baseline = shown->cells.y - SPACE_LABEL,
                          .width = source->width,
                          .size = axis->size,
                          .muted = true,
                          .upward = source->upward,
                          .align = source->upward ? ALIGN_START : ALIGN_MIDDLE};
    return true;
}
