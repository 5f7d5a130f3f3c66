#include "viz/layout/layout_axis.h"

#include "model/base/minmax.h"

#include <math.h>
#include <string.h>

#define CELLS_FULL 40 /* with more cells than this, they are smaller than LAYOUT_CELL_MAX */

#define TOKEN_SIZE_MIN   8.0F
#define ROW_LABEL_MAX    128.0F
#define COLUMN_LABEL_MAX 96.0F

/* An axis of more than CELLS_MANY tokens has a length of its own, which does not grow with them:
 * cells get smaller than a pixel, which then shows the largest of its weights. */
#define CELLS_MANY      160
#define LONG_AXES_WIDTH 1600.0F /* all panels side by side, about */
#define LONG_AXIS_MIN   96.0F
#define LONG_AXIS_MAX   1024.0F

static float long_axis(const LayoutBuilder *builder) {
    float beside = ceilf(sqrtf((float)builder->scene->panel_count));
    return float_clamp(floorf(LONG_AXES_WIDTH / beside), LONG_AXIS_MIN, LONG_AXIS_MAX);
}

/* Rounds down to a power of two, so that a whole number of cells falls on each pixel. */
static float power_of_two(float cell) {
    int exponent;
    frexpf(cell, &exponent);
    return ldexpf(1, exponent - 1);
}

/* Depends on the axis's own number of tokens alone: up to CELLS_FULL, cells are square; a short
 * axis beside a long one keeps cells that are large enough for its labels. */
static float cell_for(const LayoutBuilder *builder, int count) {
    if (count > CELLS_MANY)
        return power_of_two(fminf(long_axis(builder) / (float)count, LAYOUT_CELL_MIN));
    if (count <= CELLS_FULL) return LAYOUT_CELL_MAX;
    return fmaxf(floorf(CELLS_FULL * LAYOUT_CELL_MAX / (float)count), LAYOUT_CELL_MIN);
}

static float pitch_for(const LayoutBuilder *builder, int count) {
    float pitch = fminf(cell_for(builder, count), builder->cell_max);
    if (builder->cell_max > LAYOUT_CELL_MAX && pitch >= 1)
        pitch = floorf(pitch * builder->cell_max / LAYOUT_CELL_MAX);
    return pitch;
}

static void build_axis(LayoutBuilder *builder, LayoutAxis *axis, const char *const *tokens,
                       int count, bool columns) {
    AxisRequest request = {.columns = columns,
                           .pitch = pitch_for(builder, count),
                           .line = TEXT_ASCENT + TEXT_DESCENT,
                           .size_max = FONT_TOKEN,
                           .size_min = builder->scene->exact_tokens ? FONT_TOKEN : TOKEN_SIZE_MIN,
                           .size_thinned = FONT_TOKEN,
                           .limit = columns ? COLUMN_LABEL_MAX : ROW_LABEL_MAX,
                           .gap = SPACE_LABEL,
                           .upright_room = TEXT_ASCENT,
                           .reach = TEXT_MIDDLE + TEXT_DESCENT};
    AxisPlan plan = axis_plan(&request);
    size_t size = (size_t)count * sizeof(LayoutLabel);
    LayoutLabel *labels = axis->labels; /* from an attempt with another cell size, if any */
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
