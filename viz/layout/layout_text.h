/* The texts of a layout while it is being made: strings kept, shortened and wrapped. For layout's
 * own files. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_TEXT_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_TEXT_H

#include "viz/layout/layout.h"

#include <stddef.h>

/* How far ink reaches above and below a baseline, and how far below the middle of a line of
 * capitals the baseline lies, in sizes of the font. */
#define TEXT_ASCENT  0.78F
#define TEXT_DESCENT 0.24F
#define TEXT_MIDDLE  0.36F

/* A layout in the making. */
typedef struct LayoutBuilder {
    const Scene *scene;
    TextMeasure measure;
    Layout *layout;
    float margin;       /* around the sheet */
    float cell_largest; /* no cell is larger; past LAYOUT_CELL_LARGEST, all grow as much */
    bool failed;        /* memory ended: what is built is thrown away */
} LayoutBuilder;

/* A copy of `length` bytes that the layout owns; "" if memory ends. */
const char *layout_keep(LayoutBuilder *builder, const char *text, size_t length);

/* A formatted string that the layout owns. */
const char *layout_format(LayoutBuilder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

float layout_measure(const LayoutBuilder *builder, const char *text, float size, bool bold);

/* The text itself, or the longest beginning of it with `…` that is at most `limit` wide. Where
 * there is a `→` in it, the parts on both sides are shortened. The layout owns the result. */
const char *layout_shorten(LayoutBuilder *builder, const char *text, float limit, float size,
                           bool bold);

/* The text with `␣` for each space. The layout owns the result. */
const char *layout_show_spaces(LayoutBuilder *builder, const char *text);

/* Measures the text and sets it at (x,baseline), aligned at its start. */
LayoutText layout_set(const LayoutBuilder *builder, const char *text, float x, float baseline,
                      float size, bool bold, bool muted);

/* Adds a text to the layout's list. */
void layout_add_text(LayoutBuilder *builder, LayoutText text);

/* Adds a text whose first line begins at (x,y), wrapped at spaces to `limit` and to `lines` lines;
 * the rest is shortened. Returns where its last line ends. */
float layout_add_paragraph(LayoutBuilder *builder, const char *text, float x, float y, float limit,
                           int lines, LayoutText style);

#endif
