#include "viz/layout/layout_header.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_WIDTH       160.0F
#define BAR_HEIGHT      12.0F
#define SWATCH          13.0F
#define ITEM_SPACE      28.0F /* between the items of the legend */
#define TICK_LENGTH     4.0F
#define HEADING_SPACE   16.0F /* between a site's heading and its captions */
#define SCALE_STEPS_MAX 5     /* of the ticks along the colour scale */

static const char bar_caption[] = "weight, same scale for all panels";

static const char *const legend_texts[LAYOUT_LEGENDS] = {
    "masked: the query does not see this key",
    "missing: the source has no such weight",
    "not a number",
};
static const CellState legend_states[LAYOUT_LEGENDS] = {CELL_MASKED, CELL_MISSING, CELL_NAN};

static bool shows_state(const Scene *scene, CellState wanted) {
    for (int index = 0; index < scene->panel_count; index++)
        if (trace_shows(scene->trace, scene->panels[index].id, wanted)) return true;
    return false;
}

static float item_width(LayoutBuilder *builder, float sample, const char *text) {
    return sample + SPACE_LINE + ceilf(layout_measure(builder, text, FONT_TOKEN, false));
}

float header_min_width(LayoutBuilder *builder) {
    float widest = item_width(builder, BAR_WIDTH, bar_caption);
    for (int index = 0; index < LAYOUT_LEGENDS; index++)
        widest = fmaxf(widest, item_width(builder, SWATCH, legend_texts[index]));
    return widest;
}

/* A legend's text, or in a narrow figure the part of it before the colon. */
static const char *legend_text(LayoutBuilder *builder, int index, float limit) {
    const char *text = legend_texts[index];
    if (item_width(builder, SWATCH, text) <= limit) return text;
    return layout_keep(builder, text, strcspn(text, ":"));
}

static LayoutText item_text(LayoutBuilder *builder, const char *text, float x, float top) {
    return layout_set(builder, text, x, top + BAR_HEIGHT / 2 + TEXT_MIDDLE * FONT_TOKEN, FONT_TOKEN,
                      false, false);
}

static void add_tick(LayoutBuilder *builder, float value, TextAlign align) {
    Layout *layout = builder->layout;
    LayoutTick *tick = &layout->ticks[layout->tick_count++];
    float share = value / scene_top(builder->scene);
    tick->x = roundf(layout->bar.x + share * layout->bar.w);
    float baseline = layout->bar.y + BAR_HEIGHT + TICK_LENGTH + 2 + TEXT_ASCENT * FONT_TOKEN;
    const char *text = pool_format(&builder->layout->pool, "%.3g", (double)value);
    tick->text = layout_set(builder, text, tick->x, baseline, FONT_TOKEN, false, true);
    tick->text.align = align;
}

/* The bar's caption stands right of it or, in a narrow figure, below its ticks. Returns the height
 * of all. */
static float add_bar(LayoutBuilder *builder, float x, float y, float limit) {
    Layout *layout = builder->layout;
    float bottom = BAR_HEIGHT + TICK_LENGTH + 2 + FONT_TOKEN;
    layout->bar = (Rect){x, y, fminf(BAR_WIDTH, limit), BAR_HEIGHT};
    if (item_width(builder, BAR_WIDTH, bar_caption) <= limit) {
        layout->bar_caption = item_text(builder, bar_caption, x + BAR_WIDTH + SPACE_LINE, y);
    } else {
        const char *text = layout_shorten(builder, bar_caption, limit, FONT_TOKEN, false);
        layout->bar_caption = item_text(builder, text, x, y + bottom + SPACE_LINE / 2);
        bottom += SPACE_LINE / 2 + BAR_HEIGHT;
    }
    float top = scene_top(builder->scene), step = axis_nice_step(top / SCALE_STEPS_MAX);
    add_tick(builder, top, ALIGN_END);
    float end = layout_text_box(&layout->ticks[0].text).x;
    for (int index = 0; index <= SCALE_STEPS_MAX; index++) {
        add_tick(builder, (float)index * step, index == 0 ? ALIGN_START : ALIGN_MIDDLE);
        Rect box = layout_text_box(&layout->ticks[layout->tick_count - 1].text);
        if (box.x + box.w > end - TICK_LENGTH) layout->tick_count--;
    }
    return bottom;
}

static void add_legend(LayoutBuilder *builder, int index, const char *text, float x, float y) {
    LayoutLegend *legend = &builder->layout->legends[builder->layout->legend_count++];
    legend->state = legend_states[index];
    legend->swatch = (Rect){x, y, SWATCH, SWATCH};
    legend->text = item_text(builder, text, x + SWATCH + SPACE_LINE, y);
}

float header_add(LayoutBuilder *builder, float y) {
    const Scene *scene = builder->scene;
    float left = builder->margin, limit = builder->layout->width - 2 * builder->margin;
    if (scene->title)
        y = layout_add_paragraph(builder, scene->title, left, y, limit, 3,
                                 (LayoutText){.size = FONT_TITLE, .bold = true}) +
            SPACE_LINE;
    float bottom = add_bar(builder, left, y, limit);
    float x = left + item_width(builder, BAR_WIDTH, bar_caption) + ITEM_SPACE;
    for (int index = 0; index < LAYOUT_LEGENDS; index++) {
        /* a sheet always explains masked cells, and the rest only where they occur */
        bool always = index == 0 && scene->width <= 0;
        if (!always && !shows_state(scene, legend_states[index])) continue;
        const char *text = legend_text(builder, index, limit);
        float width = item_width(builder, SWATCH, text);
        if (x > left && x + width > left + limit) {
            x = left;
            y += bottom + SPACE_LINE;
            bottom = SWATCH;
        }
        add_legend(builder, index, text, x, y);
        x += width + ITEM_SPACE;
    }
    return y + bottom + SPACE_SECTION;
}

static const char *const site_headings[SITE_COUNT] = {"encoder self-attention",
                                                      "decoder self-attention", "cross-attention"};

/* The captions of all sites are aligned, right of the longest heading. */
static float caption_indent(const LayoutBuilder *builder) {
    float widest = 0;
    for (int site = 0; site < SITE_COUNT; site++)
        widest = fmaxf(widest, layout_measure(builder, site_headings[site], FONT_HEADING, true));
    return ceilf(widest) + HEADING_SPACE;
}

float header_add_site(LayoutBuilder *builder, Site site, float x, float y, float limit) {
    static const char *const rows[SITE_COUNT] = {
        "queries, encoder tokens", "queries, decoder tokens", "queries, decoder tokens"};
    static const char *const columns[SITE_COUNT] = {"keys, encoder tokens", "keys, decoder tokens",
                                                    "keys, encoder tokens"};
    const SceneAxes *axes = &builder->scene->axes[site];
    const char *row = axes->row_caption ? axes->row_caption : rows[site];
    const char *column = axes->column_caption ? axes->column_caption : columns[site];
    LayoutText style = {.size = FONT_TEXT, .muted = true};
    const char *caption =
        pool_format(&builder->layout->pool, "rows: %s · columns: %s", row, column);
    float width = layout_measure(builder, caption, FONT_TEXT, false);
    float below = layout_add_paragraph(builder, site_headings[site], x, y, limit, 2,
                                       (LayoutText){.size = FONT_HEADING, .bold = true});
    if (caption_indent(builder) + width <= limit) {
        float baseline = y + TEXT_ASCENT * FONT_HEADING;
        layout_add_text(builder, layout_set(builder, caption, x + caption_indent(builder), baseline,
                                            FONT_TEXT, false, true));
        return below;
    }
    if (width <= limit) return layout_add_paragraph(builder, caption, x, below, limit, 1, style);
    row = pool_format(&builder->layout->pool, "rows: %s", row);
    column = pool_format(&builder->layout->pool, "columns: %s", column);
    y = layout_add_paragraph(builder, row, x, below, limit, 2, style);
    return layout_add_paragraph(builder, column, x, y, limit, 2, style);
}
