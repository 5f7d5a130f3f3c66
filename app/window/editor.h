/* The text of one line while it is edited: UTF-8, a caret, and an anchor; what lies between them is
 * selected. Places are byte offsets and always stand before a character or at the end (a byte that
 * is no UTF-8 counts as a character). No SDL. */
#ifndef HEADSCOPE_APP_WINDOW_EDITOR_H
#define HEADSCOPE_APP_WINDOW_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

enum { EDITOR_MAX = 16384 }; /* bytes; what is inserted past it is left off */

typedef struct Editor {
    char *text; /* owned; NULL is the empty text, see editor_text */
    size_t length, capacity;
    size_t caret, anchor;
} Editor;

typedef enum EditorMove {
    MOVE_LEFT,
    MOVE_RIGHT,
    MOVE_WORD_LEFT, /* before the word, or the one before; words are parted by spaces */
    MOVE_WORD_RIGHT,
    MOVE_HOME,
    MOVE_END,
} EditorMove;

void editor_free(Editor *editor); /* leaves it empty; {0} is an empty line */

/* Never NULL; good until the next change. */
const char *editor_text(const Editor *editor);

/* Another text from outside. Where it only grew or shrank before or behind the caret, the caret
 * keeps its place among the characters that stayed; the selection ends if it changes. False for
 * lack of memory; all is then as it was. */
bool editor_set(Editor *editor, const char *text);

/* Puts a text in place of what is selected. Control characters, line ends and tabs become spaces.
 * False for lack of memory; all is then as it was. */
bool editor_insert(Editor *editor, const char *text);

/* Removes what is selected; where nothing is, up to where the move leads: MOVE_LEFT is backspace,
 * MOVE_RIGHT delete, MOVE_WORD_LEFT backspace of a word. False if there was nothing to remove. */
bool editor_erase(Editor *editor, EditorMove move);

/* Moves the caret; with `select` the anchor stays. Without, a selection is left at the side that
 * the move goes to. */
void editor_move(Editor *editor, EditorMove move, bool select);

/* Puts the caret at (or, inside a character, before) a byte. */
void editor_place(Editor *editor, size_t offset, bool select);

void editor_select_all(Editor *editor);
void editor_select_word(Editor *editor, size_t offset);

/* What is selected, as a new string (free it); NULL where nothing is, or memory ends. */
char *editor_selection(const Editor *editor);

#endif
