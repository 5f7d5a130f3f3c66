#include "viz/text/text.h"

#include "viz/text/text_run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a text's picture ------------------------------------------------------------------------- */

/* The pictures of the runs, left to right, before they are joined. */
typedef struct Pieces {
    TextImage *items;
    int count, capacity;
} Pieces;

static bool add_piece(Pieces *pieces, TextImage piece) {
    if (pieces->count == pieces->capacity) {
        int capacity = pieces->capacity ? 2 * pieces->capacity : 8;
        TextImage *items = realloc(pieces->items, (size_t)capacity * sizeof *items);
        if (!items) return false;
        pieces->items = items;
        pieces->capacity = capacity;
    }
    pieces->items[pieces->count++] = piece;
    return true;
}

static void free_pieces(Pieces *pieces) {
    for (int index = 0; index < pieces->count; index++)
        free(pieces->items[index].coverage);
    free(pieces->items);
}

static unsigned char *new_coverage(int width, int height) {
    size_t size = (size_t)width * (size_t)height;
    return calloc(size ? size : 1, 1);
}

static void fill_rows(TextImage *image, int x, int y, int width, int height) {
    for (int row = y; row < y + height; row++)
        memset(image->coverage + row * image->width + x, 255, (size_t)width);
}

/* A box with the code point in small digits, for a character that no font has. */
static bool render_box(TextImage *image, Fonts *fonts, uint32_t code_point, int pixels,
                       Error *error) {
    char digits[16];
    snprintf(digits, sizeof digits, "%04X", code_point);
    int small = pixels * 2 / 3 > 0 ? pixels * 2 / 3 : 1;
    Font *font = fonts_open(fonts, 0, small, error);
    TextImage inner;
    FontText name = {digits, digits, strlen(digits), SCRIPT_PLAIN, false};
    if (!font || !font_render(font, &name, &inner, error)) return false;
    int line = (pixels + 7) / 16 > 1 ? (pixels + 7) / 16 : 1;
    int pad = 2 * line;
    *image = (TextImage){.width = inner.width + 2 * pad + 2 * line,
                         .height = inner.height + 2 * line,
                         .ascent = inner.ascent + line};
    image->coverage = new_coverage(image->width, image->height);
    if (image->coverage) {
        int box = image->width - 2 * line; /* a margin of a line's width on either side */
        fill_rows(image, line, 0, box, line);
        fill_rows(image, line, image->height - line, box, line);
        fill_rows(image, line, 0, line, image->height);
        fill_rows(image, line + box - line, 0, line, image->height);
        for (int y = 0; y < inner.height; y++)
            for (int x = 0; x < inner.width; x++)
                image->coverage[(y + line) * image->width + x + line + pad] |=
                    inner.coverage[y * inner.width + x];
    }
    free(inner.coverage);
    return image->coverage || error_set(error, "out of memory for a text");
}

static bool render_run(TextImage *image, Fonts *fonts, const TextRun *run, int pixels,
                       Error *error) {
    if (run->face == FACE_NONE) return render_box(image, fonts, run->first, pixels, error);
    Font *font = fonts_open(fonts, run->face, pixels, error);
    return font && font_render(font, &run->text, image, error);
}

/* Sets the pieces side by side on one baseline. */
static bool join(TextImage *image, const Pieces *pieces) {
    int descent = 0;
    for (int index = 0; index < pieces->count; index++) {
        const TextImage *piece = &pieces->items[index];
        image->width += piece->width;
        if (piece->ascent > image->ascent) image->ascent = piece->ascent;
        if (piece->height - piece->ascent > descent) descent = piece->height - piece->ascent;
    }
    image->height = image->ascent + descent;
    image->coverage = new_coverage(image->width, image->height);
    if (!image->coverage) return false;
    int left = 0;
    for (int index = 0; index < pieces->count; index++) {
        const TextImage *piece = &pieces->items[index];
        for (int y = 0; y < piece->height && piece->width; y++)
            memcpy(image->coverage + (y + image->ascent - piece->ascent) * image->width + left,
                   piece->coverage + y * piece->width, (size_t)piece->width);
        left += piece->width;
    }
    return true;
}

/* Renders `text` into *image, whose coverage is new. False with *error, and nothing to free, if a
 * font cannot be read or memory ends. */
static bool shape(TextImage *image, Fonts *fonts, const char *text, int pixels, bool bold,
                  Error *error) {
    *image = (TextImage){0};
    Pieces pieces = {0};
    TextRuns runs;
    bool shaped =
        text_runs_make(&runs, text, fonts, bold) || error_set(error, "out of memory for a text");
    for (int index = 0; shaped && index < runs.count; index++) {
        TextImage piece = {0};
        shaped = render_run(&piece, fonts, &runs.items[index], pixels, error);
        if (shaped && !add_piece(&pieces, piece)) {
            free(piece.coverage);
            shaped = error_set(error, "out of memory for a text");
        }
    }
    text_runs_free(&runs);
    if (shaped && !join(image, &pieces)) shaped = error_set(error, "out of memory for a text");
    free_pieces(&pieces);
    return shaped;
}

/* --- kept pictures ---------------------------------------------------------------------------- */

/* A cache of more than BYTES_MAX is emptied. */
enum { BUCKETS = 1024, BYTES_MAX = 8 << 20 };

typedef struct KeptText {
    struct KeptText *next;
    TextImage image;
    int pixels;
    bool bold;
    char text[];
} KeptText;

struct TextRenderer {
    Fonts *fonts;
    KeptText *buckets[BUCKETS];
    size_t bytes;
};

TextRenderer *text_make(Error *error) {
    TextRenderer *renderer = calloc(1, sizeof *renderer);
    if (!renderer) {
        error_set(error, "out of memory for the texts");
        return NULL;
    }
    renderer->fonts = fonts_make(error);
    if (renderer->fonts) return renderer;
    free(renderer);
    return NULL;
}

static void drop_all(TextRenderer *renderer) {
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        KeptText *next;
        for (KeptText *entry = renderer->buckets[bucket]; entry; entry = next) {
            next = entry->next;
            free(entry->image.coverage);
            free(entry);
        }
        renderer->buckets[bucket] = NULL;
    }
    renderer->bytes = 0;
}

void text_free(TextRenderer *renderer) {
    if (!renderer) return;
    drop_all(renderer);
    fonts_free(renderer->fonts);
    free(renderer);
}

/* FNV-1a over the text and its style. */
static uint32_t hash(const char *text, int pixels, bool bold) {
    uint32_t value = 2166136261U;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 16777619U;
    return (value ^ (uint32_t)(pixels * 2 + bold)) * 16777619U;
}

const TextImage *text_image(TextRenderer *renderer, const char *text, int pixels, bool bold,
                            Error *error) {
    uint32_t bucket = hash(text, pixels, bold) % BUCKETS;
    for (KeptText *entry = renderer->buckets[bucket]; entry; entry = entry->next)
        if (entry->pixels == pixels && entry->bold == bold && strcmp(entry->text, text) == 0)
            return &entry->image;
    if (renderer->bytes > BYTES_MAX) drop_all(renderer);
    size_t length = strlen(text);
    KeptText *entry = malloc(sizeof *entry + length + 1);
    if (!entry) {
        error_set(error, "out of memory for a text");
        return NULL;
    }
    if (!shape(&entry->image, renderer->fonts, text, pixels, bold, error)) {
        free(entry);
        return NULL;
    }
    entry->pixels = pixels;
    entry->bold = bold;
    memcpy(entry->text, text, length + 1);
    entry->next = renderer->buckets[bucket];
    renderer->buckets[bucket] = entry;
    renderer->bytes +=
        sizeof *entry + length + (size_t)entry->image.width * (size_t)entry->image.height;
    return &entry->image;
}
