#include "viz/text/text.h"

#include "viz/text/fonts.h"
#include "viz/text/text_shape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Past this many bytes of pictures all are dropped and the cache begins anew. */
enum { BUCKETS = 1024, BYTES_AT_MOST = 8 << 20 };

typedef struct Entry {
    struct Entry *next;
    TextImage image;
    int pixels;
    bool bold;
    char text[];
} Entry;

struct TextRenderer {
    Fonts *fonts;
    Entry *buckets[BUCKETS];
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
        Entry *next;
        for (Entry *entry = renderer->buckets[bucket]; entry; entry = next) {
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

/* FNV-1a over the text and how it is set. */
static uint32_t hash(const char *text, int pixels, bool bold) {
    uint32_t value = 2166136261U;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 16777619U;
    return (value ^ (uint32_t)(pixels * 2 + bold)) * 16777619U;
}

const TextImage *text_image(TextRenderer *renderer, const char *text, int pixels, bool bold,
                            Error *error) {
    uint32_t bucket = hash(text, pixels, bold) % BUCKETS;
    for (Entry *entry = renderer->buckets[bucket]; entry; entry = entry->next)
        if (entry->pixels == pixels && entry->bold == bold && strcmp(entry->text, text) == 0)
            return &entry->image;
    if (renderer->bytes > BYTES_AT_MOST) drop_all(renderer);
    size_t length = strlen(text);
    Entry *entry = malloc(sizeof *entry + length + 1);
    if (!entry) {
        error_set(error, "out of memory for a text");
        return NULL;
    }
    if (!text_shape(&entry->image, renderer->fonts, text, pixels, bold, error)) {
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
