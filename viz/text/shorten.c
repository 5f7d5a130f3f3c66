#include "viz/text/shorten.h"

#include "model/base/utf8.h"

#include <stdio.h>
#include <string.h>

#define ELLIPSIS "…"
#define ARROW    "→"
#define SPACE    "␣"

bool shorten_fits(TextMeasure measure, const char *text, float limit, float size, bool bold) {
    return strlen(text) <= SHORTEN_MEASURED &&
           measure.width(measure.context, text, size, bold) <= limit;
}

/* Writes no more than SHORTEN_MEASURED + 8 bytes; `out` may be the text. */
void shorten_end(TextMeasure measure, const char *text, float limit, float size, bool bold,
                 char *out) {
    size_t length = strlen(text), good = 0, bad = length;
    if (shorten_fits(measure, text, limit, size, bold)) {
        memmove(out, text, length + 1);
        return;
    }
    char trial[SHORTEN_MEASURED + 8];
    if (bad > SHORTEN_MEASURED - sizeof ELLIPSIS) bad = SHORTEN_MEASURED - sizeof ELLIPSIS;
    while (bad - good > 1) {
        size_t middle = (good + bad) / 2, whole = utf8_cut(text, middle);
        memcpy(trial, text, whole);
        memcpy(trial + whole, ELLIPSIS, sizeof ELLIPSIS);
        if (shorten_fits(measure, trial, limit, size, bold))
            good = middle;
        else
            bad = middle;
    }
    good = utf8_cut(text, good);
    while (good > 0 && text[good - 1] == ' ')
        good--;
    memmove(out, text, good);
    memcpy(out + good, ELLIPSIS, sizeof ELLIPSIS);
}

/* Returns the first arrow with the spaces on both sides of it, *length bytes; NULL if there is
 * none. */
static const char *find_arrow(const char *text, size_t *length) {
    const char *arrow = strstr(text, ARROW);
    if (!arrow) return NULL;
    const char *end = arrow + strlen(ARROW);
    end += strspn(end, " ");
    while (arrow > text && arrow[-1] == ' ')
        arrow--;
    *length = (size_t)(end - arrow);
    return arrow;
}

/* Copies `length` bytes, at most SHORTEN_MEASURED + 1: a longer part stays too long to fit. */
static void copy_part(char *out, const char *text, size_t length) {
    if (length > SHORTEN_MEASURED + 1) length = SHORTEN_MEASURED + 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

static float width_of(TextMeasure measure, const char *text, float size, bool bold) {
    return measure.width(measure.context, text, size, bold);
}

void shorten_text(TextMeasure measure, const char *text, float limit, float size, bool bold,
                  char *out) {
    size_t length;
    const char *arrow = find_arrow(text, &length);
    if (!arrow || shorten_fits(measure, text, limit, size, bold)) {
        shorten_end(measure, text, limit, size, bold, out);
        return;
    }
    char left[SHORTEN_MEASURED + 8], middle[SHORTEN_MEASURED + 8], right[SHORTEN_MEASURED + 8];
    copy_part(left, text, (size_t)(arrow - text));
    copy_part(middle, arrow, length);
    copy_part(right, arrow + length, strlen(arrow + length));
    float half = (limit - width_of(measure, middle, size, bold)) / 2;
    /* the room that one side does not need goes to the other */
    if (shorten_fits(measure, left, half, size, bold)) {
        float rest = 2 * half - width_of(measure, left, size, bold);
        shorten_end(measure, right, rest, size, bold, right);
    } else if (shorten_fits(measure, right, half, size, bold)) {
        float rest = 2 * half - width_of(measure, right, size, bold);
        shorten_end(measure, left, rest, size, bold, left);
    } else {
        shorten_end(measure, left, half, size, bold, left);
        shorten_end(measure, right, half, size, bold, right);
    }
    snprintf(out, SHORTEN_BYTES, "%s%s%s", left, middle, right);
}

void shorten_show_spaces(const char *text, char *out, size_t room) {
    size_t written = 0;
    for (const char *end = text; *text; text = end) {
        utf8_read(&end);
        const char *shown = *text == ' ' ? SPACE : text;
        size_t bytes = *text == ' ' ? strlen(SPACE) : (size_t)(end - text);
        if (written + bytes >= room) break;
        memcpy(out + written, shown, bytes);
        written += bytes;
    }
    out[written] = '\0';
}

void shorten_token(TextMeasure measure, const char *token, float limit, float size, bool bold,
                   char *out) {
    char shown[SHORTEN_MEASURED + 8];
    shorten_show_spaces(token, shown, sizeof shown);
    shorten_text(measure, shown, limit, size, bold, out);
}

size_t shorten_line(TextMeasure measure, const char *text, float limit, float size, bool bold) {
    char line[SHORTEN_MEASURED + 1];
    size_t good = 0;
    for (size_t end = 0; text[end];) {
        end += strspn(text + end, " ");
        end += strcspn(text + end, " ");
        if (end > SHORTEN_MEASURED) break;
        memcpy(line, text, end);
        line[end] = '\0';
        if (!shorten_fits(measure, line, limit, size, bold)) break;
        good = end;
    }
    return good;
}
