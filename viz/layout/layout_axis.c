#include "viz/layout/layout_axis.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

#define CELLS_FULL 40 /* so many cells of the largest size; more of them are smaller */

#define TOKEN_SMALLEST 8.0F
#define ROW_LONGEST    128.0F
#define COLUMN_LONGEST 96.0F

/* An axis of more tokens than CELLS_MANY is so long, however many they are: cells get smaller than
 * a pixel, which then shows the largest of its weights. Many panels of such are small. */
#define CELLS_MANY    160
#define LONG_OF_SHEET 1600.0F /* by the panels beside each other, about */
#define LONG_LEAST    96.0F
#define LONG_MOST     1024.0F

static float long_axis(const LayoutBuilder *builder) {
    float beside = ceilf(sqrtf((float)builder->scene->panel_count));
    return float_clamp(floorf(LONG_OF_SHEET / beside), LONG_LEAST, LONG_MOST);
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

static float pitch_for(const LayoutBuilder *builder, int count) {
    float pitch = fminf(cell_for(builder, count), builder->cell_largest);
    if (builder->cell_largest > LAYOUT_CELL_LARGEST && pitch >= 1)
        pitch = floorf(pitch * builder->cell_largest / LAYOUT_CELL_LARGEST);
    return pitch;
}

static void build_axis(LayoutBuilder *builder, LayoutAxis *axis, const char *const *tokens,
                       int count, bool columns) {
    AxisRequest request = {.columns = columns,
                           .pitch = pitch_for(builder, count),
                           .line = TEXT_ASCENT + TEXT_DESCENT,
                           .size_max = FONT_TOKEN,
                           .size_min = builder->scene->exact_tokens ? FONT_TOKEN : TOKEN_SMALLEST,
                           .size_thinned = FONT_TOKEN,
                           .limit = columns ? COLUMN_LONGEST : ROW_LONGEST,
                           .gap = SPACE_LABEL,
                           .upright_room = TEXT_ASCENT,
                           .reach = TEXT_MIDDLE + TEXT_DESCENT};
    AxisPlan plan = axis_plan(&request);
    size_t size = (size_t)count * sizeof(LayoutLabel);
    LayoutLabel *labels = axis->labels; /* those of an attempt with other cells, if there was one */
    if (labels)
        memset(labels, 0, size);
    else
        labels = pool_take(&builder->layout->pool, size);
    float widest = 0;
    for (int index = 0; index < count && labels; index += plan.step) {
        char shown[SHORTEN_BYTES];
        shorten_token(builder->measure, tokens[index], plan.limit, plan.size, false, shown);
        labels[index].text = pool_copy(&builder->layout->pool, shown);
        labels[index].width = layout_measure(builder, shown, plan.size, false);
        widest = fmaxf(widest, labels[index].width);
    }
    axis_plan_room(&plan, &request, widest);
    for (int index = 0; index < count && labels; index += plan.step)
        labels[index].upward = axis_turns(&plan, labels[index].text, labels[index].width);
    *axis = (LayoutAxis){.count = count, .plan = plan, .labels = labels};
}

void layout_build_site(LayoutBuilder *builder, Site site) {
    LayoutSite *built = &builder->layout->sites[site];
    const SceneAxes *axes = &builder->scene->axes[site];
    TraceShape shape = trace_shape(builder->scene->trace, site);
    built->used = true;
    build_axis(builder, &built->rows, axes->rows, shape.queries, false);
    build_axis(builder, &built->columns, axes->columns, shape.keys, true);
}
