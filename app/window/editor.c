#include "app/window/editor.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/utf8.h"

void editor_free(Editor *editor) {
    free(editor->text);
    *editor = (Editor){0};
}

const char *editor_text(const Editor *editor) {
    return editor->text ? editor->text : "";
}

/* --- places ----------------------------------------------------------------------------------- */

/* The bytes of the character at `place`; 0 at the end. */
static size_t character_length(const char *text, size_t place) {
    int length = utf8_next(text + place, NULL);
    return length >= 0 ? (size_t)length : 1;
}

static size_t place_after(const Editor *editor, size_t place) {
    return place + character_length(editor_text(editor), place);
}

/* The last place at or before `offset`. */
static size_t place_at(const char *text, size_t offset) {
    size_t place = 0, length;
    while ((length = character_length(text, place)) > 0 && place + length <= offset)
        place += length;
    return place;
}

static size_t place_before(const Editor *editor, size_t place) {
    return place ? place_at(editor_text(editor), place - 1) : 0;
}

static bool is_space(const Editor *editor, size_t place) {
    return editor_text(editor)[place] == ' ';
}

static size_t word_before(const Editor *editor, size_t place) {
    while (place > 0 && is_space(editor, place - 1))
        place--;
    while (place > 0 && !is_space(editor, place - 1))
        place--;
    return place;
}

static size_t word_after(const Editor *editor, size_t place) {
    while (place < editor->length && !is_space(editor, place))
        place++;
    while (place < editor->length && is_space(editor, place))
        place++;
    return place;
}

static size_t place_moved(const Editor *editor, size_t place, EditorMove move) {
    switch (move) {
    case MOVE_LEFT:
        return place_before(editor, place);
    case MOVE_RIGHT:
        return place_after(editor, place);
    case MOVE_WORD_LEFT:
        return word_before(editor, place);
    case MOVE_WORD_RIGHT:
        return word_after(editor, place);
    case MOVE_HOME:
        return 0;
    default:
        return editor->length;
    }
}

static size_t selection_begin(const Editor *editor) {
    return editor->caret < editor->anchor ? editor->caret : editor->anchor;
}

static size_t selection_end(const Editor *editor) {
    return editor->caret < editor->anchor ? editor->anchor : editor->caret;
}

/* --- changing --------------------------------------------------------------------------------- */

static bool reserve(Editor *editor, size_t length) {
    if (length < editor->capacity) return true;
    size_t capacity = 2 * length + 64;
    char *grown = realloc(editor->text, capacity);
    if (!grown) return false;
    if (!editor->text) grown[0] = '\0';
    editor->text = grown;
    editor->capacity = capacity;
    return true;
}

/* Puts `length` bytes in place of those from `begin` to `end`. */
static bool replace(Editor *editor, size_t begin, size_t end, const char *text, size_t length) {
    if (!reserve(editor, editor->length - (end - begin) + length)) return false;
    memmove(editor->text + begin + length, editor->text + end, editor->length - end + 1);
    memcpy(editor->text + begin, text, length);
    editor->length += length - (end - begin);
    return true;
}

bool editor_set(Editor *editor, const char *text) {
    size_t length = strlen(text), same = 0, tail = 0;
    const char *old = editor_text(editor);
    size_t shorter = length < editor->length ? length : editor->length;
    if (length == editor->length && memcmp(old, text, length) == 0) return true;
    while (same < shorter && old[same] == text[same])
        same++;
    while (tail < shorter - same && old[editor->length - 1 - tail] == text[length - 1 - tail])
        tail++;
    size_t caret = editor->caret;
    if (caret >= editor->length - tail)
        caret = length - (editor->length - caret);
    else if (caret > same)
        caret = length - tail;
    if (!replace(editor, 0, editor->length, text, length)) return false;
    editor->caret = editor->anchor = place_at(text, caret);
    return true;
}

/* The bytes of a text that still have room, cut before a character. */
static size_t fitting(const Editor *editor, const char *text) {
    size_t kept = editor->length - (selection_end(editor) - selection_begin(editor));
    size_t length = strlen(text), room = kept < EDITOR_MAX ? EDITOR_MAX - kept : 0;
    return length <= room ? length : place_at(text, room);
}

bool editor_insert(Editor *editor, const char *text) {
    size_t length = fitting(editor, text), begin = selection_begin(editor);
    if (!replace(editor, begin, selection_end(editor), text, length)) return false;
    for (size_t i = begin; i < begin + length; i++)
        if ((unsigned char)editor->text[i] < ' ' || editor->text[i] == 127) editor->text[i] = ' ';
    editor->caret = editor->anchor = place_at(editor->text, begin + length);
    return true;
}

bool editor_erase(Editor *editor, EditorMove move) {
    size_t begin = selection_begin(editor), end = selection_end(editor);
    if (begin == end) {
        size_t to = place_moved(editor, editor->caret, move);
        begin = to < editor->caret ? to : editor->caret;
        end = to < editor->caret ? editor->caret : to;
    }
    if (begin == end || !replace(editor, begin, end, "", 0)) return false;
    editor->caret = editor->anchor = place_at(editor->text, begin);
    return true;
}

/* --- moving ----------------------------------------------------------------------------------- */

void editor_move(Editor *editor, EditorMove move, bool select) {
    bool selected = editor->caret != editor->anchor;
    if (!select && selected && move == MOVE_LEFT)
        editor->caret = selection_begin(editor);
    else if (!select && selected && move == MOVE_RIGHT)
        editor->caret = selection_end(editor);
    else
        editor->caret = place_moved(editor, editor->caret, move);
    if (!select) editor->anchor = editor->caret;
}

void editor_place(Editor *editor, size_t offset, bool select) {
    editor->caret = place_at(editor_text(editor), offset);
    if (!select) editor->anchor = editor->caret;
}

void editor_select_all(Editor *editor) {
    editor->anchor = 0;
    editor->caret = editor->length;
}

void editor_select_word(Editor *editor, size_t offset) {
    size_t begin = place_at(editor_text(editor), offset), end = begin;
    bool space = begin < editor->length && is_space(editor, begin);
    while (begin > 0 && is_space(editor, begin - 1) == space)
        begin--;
    while (end < editor->length && is_space(editor, end) == space)
        end++;
    editor->anchor = begin;
    editor->caret = end;
}

char *editor_selection(const Editor *editor) {
    size_t begin = selection_begin(editor), end = selection_end(editor);
    if (begin == end) return NULL;
    char *text = malloc(end - begin + 1);
    if (!text) return NULL;
    memcpy(text, editor->text + begin, end - begin);
    text[end - begin] = '\0';
    return text;
}
