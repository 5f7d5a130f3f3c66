#include "viz/text/text_run.h"

#include "model/base/utf8.h"
#include "viz/text/bidi.h"

#include <stdlib.h>

typedef struct TextCharacter {
    const char *start; /* in the text */
    int base;          /* index of the character that a mark belongs to; else its own */
    Face face;
    Script script;
} TextCharacter;

/* The characters of a part of a line, as they are read. */
typedef struct TextCharacters {
    int count;
    TextCharacter *items;  /* [count + 1]; the last one marks the end of the part */
    uint32_t *code_points; /* [count] */
    signed char *levels;   /* [count], as order [count]: see bidi.h */
    int *order;
} TextCharacters;

static void free_characters(TextCharacters *characters) {
    free(characters->items);
    free(characters->code_points);
    free(characters->levels);
    free(characters->order);
}

/* Room for as many characters as the part has bytes. */
static bool make_room(TextCharacters *characters, size_t max) {
    characters->items = malloc((max + 1) * sizeof *characters->items);
    characters->code_points = malloc(max * sizeof *characters->code_points);
    characters->levels = malloc(max * sizeof *characters->levels);
    characters->order = malloc(max * sizeof *characters->order);
    return characters->items && characters->code_points && characters->levels && characters->order;
}

static void read_characters(TextCharacters *characters, const BidiPart *part) {
    TextCharacter *items = characters->items;
    const char *at = part->start, *end = part->start + part->length;
    while (at < end) {
        int i = characters->count++;
        items[i] = (TextCharacter){.start = at};
        uint32_t code_point = characters->code_points[i] = utf8_read(&at);
        items[i].base = i && script_is_mark(code_point) ? items[i - 1].base : i;
        characters->levels[i] = 0;
        characters->order[i] = i;
    }
    items[characters->count] = (TextCharacter){.start = at};
}

/* Control characters: drawn as boxes, whatever the fonts have for them. */
static bool is_control(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
}

static bool is_space(uint32_t code_point) {
    return code_point == ' ' || code_point == 0xA0;
}

/* Draws the spaces between two words of one face with that face, so that they are one run. */
static void join_words(const TextCharacters *characters, Fonts *fonts) {
    for (int i = 1; i < characters->count; i++) {
        Face face = characters->items[i - 1].face;
        int end = i;
        while (end < characters->count && is_space(characters->code_points[end]))
            end++;
        if (end == i || end == characters->count || face == FACE_NONE) continue;
        if (face != characters->items[end].face ||
            !fonts_face_has(fonts, face, characters->code_points[i]))
            continue;
        for (; i < end; i++)
            characters->items[i].face = face;
    }
}

static void choose_faces(const TextCharacters *characters, Fonts *fonts, bool bold) {
    for (int i = 0; i < characters->count; i++) {
        uint32_t code_point = characters->code_points[i];
        int base = characters->items[i].base;
        characters->items[i].face = base != i ? characters->items[base].face
                                    : is_control(code_point)
                                        ? FACE_NONE
                                        : fonts_face_for(fonts, code_point, bold);
    }
    join_words(characters, fonts);
}

/* A character common to several scripts takes the script of the letter before it within the same
 * level, or else of the letter after it. */
static void choose_scripts(const TextCharacters *characters) {
    TextCharacter *items = characters->items;
    for (int start = 0, end; start < characters->count; start = end) {
        Script script = 0;
        for (end = start; end < characters->count; end++) {
            if (characters->levels[end] != characters->levels[start]) break;
            Script own = script_of(characters->code_points[end]);
            if (own && !script)
                for (int before = start; before < end; before++)
                    items[before].script = own;
            if (own) script = own;
            items[end].script = script;
        }
        for (int i = start; i < end && !script; i++)
            items[i].script = SCRIPT_PLAIN;
    }
}

/* True if two neighbours belong to one run. */
static bool same_run(const TextCharacters *characters, int one, int other) {
    if (abs(one - other) != 1 || characters->levels[one] != characters->levels[other]) return false;
    if (characters->items[one].base == characters->items[other].base) return true;
    return characters->items[one].face == characters->items[other].face &&
           characters->items[one].face != FACE_NONE &&
           characters->items[one].script == characters->items[other].script;
}

static bool add_run(TextRuns *runs, TextRun run) {
    if (runs->count == runs->capacity) {
        int capacity = runs->capacity ? 2 * runs->capacity : 4;
        TextRun *items = realloc(runs->items, (size_t)capacity * sizeof *items);
        if (!items) return false;
        runs->items = items;
        runs->capacity = capacity;
    }
    runs->items[runs->count++] = run;
    return true;
}

static TextRun run_of(const TextCharacters *characters, const char *text, int first, int last) {
    const TextCharacter *items = characters->items;
    const char *start = items[first].start;
    return (TextRun){.text = {.whole = text,
                              .start = start,
                              .length = (size_t)(items[last + 1].start - start),
                              .script = items[first].script,
                              .backwards = characters->levels[first] % 2 != 0},
                     .face = items[first].face,
                     .first = characters->code_points[first]};
}

static bool add_runs(TextRuns *runs, const TextCharacters *characters, const char *text) {
    const int *order = characters->order;
    bool good = true;
    for (int left = 0, right; good && left < characters->count; left = right) {
        for (right = left + 1; right < characters->count; right++)
            if (!same_run(characters, order[right - 1], order[right])) break;
        int one = order[left], other = order[right - 1];
        good = add_run(runs, one < other ? run_of(characters, text, one, other)
                                         : run_of(characters, text, other, one));
    }
    return good;
}

static bool add_part(TextRuns *runs, const char *text, const BidiPart *part, Fonts *fonts,
                     bool bold) {
    TextCharacters characters = {0};
    bool good = make_room(&characters, part->length);
    if (good) read_characters(&characters, part);
    if (good && part->ordered)
        good = bidi_order(characters.code_points, characters.count, characters.levels,
                          characters.order);
    if (good) {
        choose_faces(&characters, fonts, bold);
        choose_scripts(&characters);
        good = add_runs(runs, &characters, text);
    }
    free_characters(&characters);
    return good;
}

bool text_runs_make(TextRuns *runs, const char *text, Fonts *fonts, bool bold) {
    *runs = (TextRuns){0};
    const char *at = text;
    BidiPart part;
    bool good = true;
    while (good && bidi_part_next(&at, &part))
        good = add_part(runs, text, &part, fonts, bold);
    return good;
}

void text_runs_free(TextRuns *runs) {
    free(runs->items);
    *runs = (TextRuns){0};
}
