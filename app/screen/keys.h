/* What each key does: one table for the window and for the help overlay. */
#ifndef HEADSCOPE_APP_SCREEN_KEYS_H
#define HEADSCOPE_APP_SCREEN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_SHIFT = 1, KEY_CTRL = 2, KEY_ALT = 4 }; /* Ctrl is also Command */

/* What a key does. `number` of four arrows: 0 left, 1 right, 2 up, 3 down. */
typedef enum KeyCommand {
    KEY_NONE,
    KEY_ACTION,      /* runs `action` */
    KEY_EDIT_SOURCE, /* starts editing a line */
    KEY_EDIT_TARGET,
    KEY_PROMPT,       /* opens the line for typing an action */
    KEY_LEAVE,        /* leaves editing, help, the large head or the page, in that order */
    KEY_OTHER_HEAD,   /* moves head B of a comparison by an arrow */
    KEY_CELL,         /* moves the cell of the selected head by an arrow */
    KEY_PAN,          /* moves the visible part of the large head by an arrow */
    KEY_PIN,          /* pins or releases the tokens of that cell */
    KEY_WEIGHT,       /* explains the weight of that cell */
    KEY_THRESHOLD,    /* raises (1) or lowers (-1) the threshold of lines */
    KEY_NEXT_STATE,   /* the next (1) or previous (-1) state of the script, or snapshot */
    KEY_NEXT_EXAMPLE, /* edits the other of the two examples */
    KEY_BUTTON,       /* moves the focus to the next (1) or previous (-1) button */
    KEY_PRESS,        /* presses the button in focus; runs `action` if there is none */
    KEY_TRAIN,        /* starts or stops training */
} KeyCommand;

typedef struct Key {
    const char *heading; /* starts a section of the list; else NULL */
    const char *keys;    /* as listed; NULL: another key for the entry before */
    const char *what;
    int32_t symbol; /* SDL_Keycode; 0 if the entry is only listed: a heading, or keys handled by the
                       page of lessons (app/window/window_lesson.c) */
    int modifiers;
    KeyCommand command;
    const char *action;
    int number;
} Key;

/* The table, in the order of the list. keys_at: NULL past the end. */
int keys_count(void);
const Key *keys_at(int index);

/* Returns the entry for a key pressed while no line is edited; NULL if there is none. `place` is
 * the key's SDL_Scancode: on a layout without brackets, the keys in the places of a US keyboard's
 * brackets stand for them. */
const Key *keys_find(int32_t symbol, int place, int modifiers);

#endif
