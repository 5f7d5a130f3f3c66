/* The builder of a layout, and its texts: kept, shortened and wrapped. If memory ends, the layout's
 * pool has failed and the layout is dropped. Internal to viz/layout. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_TEXT_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_TEXT_H

#include "viz/layout/layout.h"
#include "viz/text/shorten.h"

#include <stddef.h>

typedef struct LayoutBuilder {
    const Scene *scene;
    TextMeasure measure;
    Layout *layout;
    float margin;   /* around the sheet */
    float cell_max; /* no cell is larger; above LAYOUT_CELL_MAX, all grow in proportion */
} LayoutBuilder;

/* True if memory ended. */
bool layout_failed(const LayoutBuilder *builder);

/* A copy of `length` bytes that the layout owns; "" if memory ends. */
const char *layout_keep(LayoutBuilder *builder, const char *text, size_t length);

float layout_measure(const LayoutBuilder *builder, const char *text, float size, bool bold);

/* The text itself, or the longest beginning of it with `…` that is at most `limit` wide. Where
 * there is a `→` in it, the parts on both sides are shortened. The layout owns the result. */
const char *layout_shorten(LayoutBuilder *builder, const char *text, float limit, float size,
                           bool bold);

/* Measures the text and sets it at (x,baseline), aligned at its start. */
LayoutText layout_set(const LayoutBuilder *builder, const char *text, float x, float baseline,
                      float size, bool bold, bool muted);

/* Adds a text to the layout's list of texts. */
void layout_add_text(LayoutBuilder *builder, LayoutText text);

/* Adds a text whose first line begins at (x,y), wrapped at spaces to `limit` and to `lines` lines;
 * the rest is shortened. Returns where its last line ends. */
float layout_add_paragraph(LayoutBuilder *builder, const char *text, float x, float y, float limit,
                           int lines, LayoutText style);

#endif
