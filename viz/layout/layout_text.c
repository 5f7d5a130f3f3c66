#include "viz/layout/layout_text.h"

#include "viz/layout/layout_axis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE "␣"

struct LayoutString {
    struct LayoutString *next;
    char text[];
};

/* A string of `length` bytes to be filled; NULL if memory ends. */
static char *keep_room(LayoutBuilder *builder, size_t length) {
    struct LayoutString *string = malloc(sizeof *string + length + 1);
    if (!string) {
        builder->failed = true;
        return NULL;
    }
    string->next = builder->layout->strings;
    builder->layout->strings = string;
    string->text[length] = '\0';
    return string->text;
}

const char *layout_keep(LayoutBuilder *builder, const char *text, size_t length) {
    char *kept = keep_room(builder, length);
    return kept ? memcpy(kept, text, length) : "";
}

const char *layout_format(LayoutBuilder *builder, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *kept = length < 0 ? NULL : keep_room(builder, (size_t)length);
    if (!kept) return "";
    va_start(arguments, format);
    vsnprintf(kept, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return kept;
}

float layout_measure(const LayoutBuilder *builder, const char *text, float size, bool bold) {
    return builder->measure.width(builder->measure.context, text, size, bold);
}

const char *layout_shorten(LayoutBuilder *builder, const char *text, float limit, float size,
                           bool bold) {
    char shortened[SHORTEN_BYTES];
    shorten_text(builder->measure, text, limit, size, bold, shortened);
    return layout_keep(builder, shortened, strlen(shortened));
}

const char *layout_show_spaces(LayoutBuilder *builder, const char *text) {
    size_t length = 0;
    for (const char *at = text; *at; at++)
        length += *at == ' ' ? strlen(SPACE) : 1;
    char *shown = keep_room(builder, length), *out = shown;
    for (const char *at = text; shown && *at; at++) {
        size_t bytes = *at == ' ' ? strlen(SPACE) : 1;
        memcpy(out, *at == ' ' ? SPACE : at, bytes);
        out += bytes;
    }
    return shown ? shown : "";
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
        size_t capacity = count ? 2 * (size_t)count : 1;
        LayoutText *texts = realloc(layout->texts, capacity * sizeof *texts);
        if (!texts) {
            builder->failed = true;
            return;
        }
        layout->texts = texts;
    }
    layout->texts[layout->text_count++] = text;
}

float layout_add_paragraph(LayoutBuilder *builder, const char *text, float x, float y, float limit,
                           int lines, LayoutText style) {
    float pitch = ceilf(style.size * 1.45F);
    while (*text && !builder->failed) {
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

Rect layout_text_box(const LayoutText *text) {
    float before = text->align == ALIGN_START    ? 0
                   : text->align == ALIGN_MIDDLE ? text->width / 2
                                                 : text->width;
    float ascent = TEXT_ASCENT * text->size, height = (TEXT_ASCENT + TEXT_DESCENT) * text->size;
    if (text->upward)
        return (Rect){text->x - ascent, text->baseline + before - text->width, height, text->width};
    return (Rect){text->x - before, text->baseline - ascent, text->width, height};
}

void layout_free(Layout *layout) {
    if (!layout) return;
    layout_free_sites(layout);
    struct LayoutString *next;
    for (struct LayoutString *string = layout->strings; string; string = next) {
        next = string->next;
        free(string);
    }
    free(layout->panels);
    free(layout->texts);
    free(layout);
}
