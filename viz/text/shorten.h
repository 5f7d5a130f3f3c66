/* Texts made to fit: shortened with `…`, spaces made visible. Knows no SDL: how wide a text is, it
 * is told. */
#ifndef HEADSCOPE_VIZ_TEXT_SHORTEN_H
#define HEADSCOPE_VIZ_TEXT_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Tells the width of a text in logical pixels. */
typedef struct TextMeasure {
    float (*width)(void *context, const char *text, float size, bool bold);
    void *context;
} TextMeasure;

/* Nothing longer is measured: it cannot fit, and pictures of such texts would be huge. */
enum { SHORTEN_MEASURED = 2048, SHORTEN_BYTES = 3 * (SHORTEN_MEASURED + 8) };

/* Whether the text is at most `limit` wide. */
bool shorten_fits(TextMeasure measure, const char *text, float limit, float size, bool bold);

/* Writes into `out` [SHORTEN_BYTES] the text itself, or the longest beginning of it with `…` that
 * is at most `limit` wide. */
void shorten_end(TextMeasure measure, const char *text, float limit, float size, bool bold,
                 char *out);

/* The same, but where there is a `→` in it, the parts on both sides are shortened. */
void shorten_text(TextMeasure measure, const char *text, float limit, float size, bool bold,
                  char *out);

/* Writes into `out` [room], at least 1, the text with `␣` for each space, as far as it has room. */
void shorten_show_spaces(const char *text, char *out, size_t room);

/* The label of a token: spaces made visible, then shortened as by shorten_text. */
void shorten_token(TextMeasure measure, const char *token, float limit, float size, bool bold,
                   char *out);

/* How many bytes of the text go into one line of a wrapped text: whole words with the spaces
 * between them. 0 where the first word is too long. */
size_t shorten_line(TextMeasure measure, const char *text, float limit, float size, bool bold);

#endif
