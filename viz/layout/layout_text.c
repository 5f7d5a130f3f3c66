#include "viz/layout/layout_text.h"

#include <math.h>
#include <string.h>

bool layout_failed(const LayoutBuilder *builder) {
    return builder->layout->pool.failed;
}

const char *layout_keep(LayoutBuilder *builder, const char *text, size_t length) {
    return pool_format(&builder->layout->pool, "%.*s", (int)length, text);
}

Rect layout_text_box(const LayoutText *text) {
    float before = text->align == ALIGN_START    ? 0
                   : text->align == ALIGN_MIDDLE ? text->width / 2
                                                 : text->width;
    float ascent = TEXT_ASCENT * text->size, height = (TEXT_ASCENT + TEXT_DESCENT) * text->size;
    if (text->upward)
        return (Rect){text->x - ascent, text->baseline + before - text->width, height, text->width};
    return (Rect){text->x - before, text->baseline - ascent, text->width, height};
}

float layout_measure(const LayoutBuilder *builder, const char *text, float size, bool bold) {
    return builder->measure.width(builder->measure.context, text, size, bold);
}

const char *layout_shorten(LayoutBuilder *builder, const char *text, float limit, float size,
                           bool bold) {
    char shortened[SHORTEN_BYTES];
    shorten_text(builder->measure, text, limit, size, bold, shortened);
    return pool_copy(&builder->layout->pool, shortened);
}

LayoutText layout_set(const LayoutBuilder *builder, const char *text, float x, float baseline,
                      float size, bool bold, bool muted) {
    return (LayoutText){.text = text,
                        .x = x,
                        .baseline = roundf(baseline),
                        .width = layout_measure(builder, text, size, bold),
                        .size = size,
                        .bold = bold,
                        .muted = muted};
}

void layout_add_text(LayoutBuilder *builder, LayoutText text) {
    Layout *layout = builder->layout;
    int count = layout->text_count;
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        LayoutText *texts =
            pool_take(&layout->pool, (count ? 2 * (size_t)count : 1) * sizeof *texts);
        if (!texts) return;
        if (count) memcpy(texts, layout->texts, (size_t)count * sizeof *texts);
        layout->texts = texts;
    }
    layout->texts[layout->text_count++] = text;
}

float layout_add_paragraph(LayoutBuilder *builder, const char *text, float x, float y, float limit,
                           int lines, LayoutText style) {
    float pitch = ceilf(style.size * 1.45F);
    while (*text && !layout_failed(builder)) {
        size_t length =
            lines > 1 ? shorten_line(builder->measure, text, limit, style.size, style.bold) : 0;
        if (length == 0) length = strlen(text); /* the last line, or one overlong word */
        const char *line = layout_keep(builder, text, length);
        line = layout_shorten(builder, line, limit, style.size, style.bold);
        layout_add_text(builder, layout_set(builder, line, x, y + TEXT_ASCENT * style.size,
                                            style.size, style.bold, style.muted));
        text += length;
        text += strspn(text, " ");
        y += pitch;
        lines--;
    }
    return y;
}
