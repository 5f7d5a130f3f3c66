/* What each key does: the one table that the window obeys and the help overlay shows. */
#ifndef HEADSCOPE_APP_SCREEN_KEYS_H
#define HEADSCOPE_APP_SCREEN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_SHIFT = 1, KEY_CTRL = 2, KEY_ALT = 4 }; /* Ctrl is also Command */

/* What a key asks of the window itself, where no action says it. */
typedef enum KeyDeed {
    KEY_NONE,
    KEY_ACTION,      /* does `action` */
    KEY_EDIT_SOURCE, /* begins to edit a line */
    KEY_EDIT_TARGET,
    KEY_PROMPT,       /* an action to type */
    KEY_LEAVE,        /* leaves editing, help, focus, the other page, in that order */
    KEY_OTHER,        /* B of two heads: number 0 left, 1 right, 2 up, 3 down */
    KEY_CELL,         /* a cell of the selected head, likewise */
    KEY_PAN,          /* the part of the large head that is shown, likewise */
    KEY_PIN,          /* its tokens */
    KEY_WEIGHT,       /* its weight from the beginning */
    KEY_THRESHOLD,    /* number -1 or 1 */
    KEY_TURN,         /* the next (1) or previous (-1) state of the script, or snapshot */
    KEY_NEXT_EXAMPLE, /* the other of the two examples is edited */
    KEY_BUTTON,       /* the next (1) or previous (-1) button */
    KEY_PRESS,        /* the button that these have come to; without one: `action` */
    KEY_TRAIN,        /* begins training, or stops it */
} KeyDeed;

typedef struct Key {
    const char *heading; /* begins a part of the list; else NULL */
    const char *keys;    /* as the list shows them; NULL: another way to an entry before */
    const char *what;
    int32_t symbol; /* SDL_Keycode; 0 in a line that only the list has: a heading, or keys that the
                       page of lessons takes (app/window/window_lesson.c) */
    int modifiers;
    KeyDeed deed;
    const char *action;
    int number;
} Key;

/* The table in the order of the list; NULL past the last. */
int keys_count(void);
const Key *keys_at(int index);

/* What a press does while no line is edited; NULL: nothing. `place` is the key's SDL_Scancode: on a
 * keyboard whose layout has no such character, the brackets are where they are on a US one. */
const Key *keys_find(int32_t symbol, int place, int modifiers);

#endif
