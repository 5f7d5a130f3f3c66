/* Fits texts into a width: shortens them with `…` and makes spaces visible. The caller measures. */
#ifndef HEADSCOPE_VIZ_TEXT_SHORTEN_H
#define HEADSCOPE_VIZ_TEXT_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Measures the width of a text in logical pixels. */
typedef struct TextMeasure {
    float (*width)(void *context, const char *text, float size, bool bold);
    void *context;
} TextMeasure;

/* Longer texts (in bytes) are not measured: they cannot fit, and rendering them is expensive. */
enum { SHORTEN_MEASURED = 2048, SHORTEN_BYTES = 3 * (SHORTEN_MEASURED + 8) };

/* True if the text is at most `limit` wide. */
bool shorten_fits(TextMeasure measure, const char *text, float limit, float size, bool bold);

/* Writes into `out` [SHORTEN_BYTES] the text, or its longest prefix with `…` that is at most
 * `limit` wide. */
void shorten_end(TextMeasure measure, const char *text, float limit, float size, bool bold,
                 char *out);

/* As shorten_end, but if the text has a `→`, shortens the parts on both sides of it. */
void shorten_text(TextMeasure measure, const char *text, float limit, float size, bool bold,
                  char *out);

/* Writes the text with `␣` for each space into `out` [room >= 1], truncated if it does not fit. */
void shorten_show_spaces(const char *text, char *out, size_t room);

/* The label of a token: spaces made visible, then shortened as by shorten_text. */
void shorten_token(TextMeasure measure, const char *token, float limit, float size, bool bold,
                   char *out);

/* The number of bytes that fit into one line of a wrapped text: whole words and the spaces between
 * them. 0 if the first word is too long. */
size_t shorten_line(TextMeasure measure, const char *text, float limit, float size, bool bold);

#endif
