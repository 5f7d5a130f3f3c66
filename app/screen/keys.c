#include "app/screen/keys.h"

#include <SDL_keyboard.h>
#include <stddef.h>

#define HEAD(text)                                                                                 \
    { .heading = (text) }
#define SHOW(shown, says) .keys = (shown), .what = (says)
#define DOES(key, mods, does)                                                                      \
    .symbol = (key), .modifiers = (mods), .command = KEY_ACTION, .action = (does)
#define ASKS(key, mods, of, by)                                                                    \
    .symbol = (key), .modifiers = (mods), .command = (of), .number = (by)

static const Key table[] = {
    HEAD("Heads"),
    {SHOW("← →", "the head before, the next one"), DOES(SDLK_LEFT, 0, "head previous")},
    {DOES(SDLK_RIGHT, 0, "head next")},
    {SHOW("↑ ↓", "the layer before, the next one"), DOES(SDLK_UP, 0, "layer previous")},
    {DOES(SDLK_DOWN, 0, "layer next")},
    {SHOW("Tab, Shift+Tab", "encoder, decoder, cross"), DOES(SDLK_TAB, 0, "site next")},
    {DOES(SDLK_TAB, KEY_SHIFT, "site previous")},
    {SHOW("A", "knock the head out, or put it back in"), DOES(SDLK_a, 0, "ablate toggle")},
    {SHOW("Shift+A", "the whole layer of this site"), DOES(SDLK_a, KEY_SHIFT, "ablate layer")},
    {SHOW("O", "knock it out by its mean output"), DOES(SDLK_o, 0, "ablate mean")},
    {DOES(SDLK_a, KEY_CTRL | KEY_SHIFT, "ablate mean")},
    {SHOW("R", "put all heads back in"), DOES(SDLK_r, 0, "restore all")},
    {SHOW("Shift+R", "the model as trained, lengths and causality too"),
     DOES(SDLK_r, KEY_SHIFT, "plain")},

    HEAD("What it reads"),
    {SHOW("I", "edit the source"), ASKS(SDLK_i, 0, KEY_EDIT_SOURCE, 0)},
    {SHOW("U", "edit the target: force a beginning, Enter for a whole one"),
     ASKS(SDLK_u, 0, KEY_EDIT_TARGET, 0)},
    {SHOW("B", "a second example beside it, or none"), DOES(SDLK_b, 0, "companion")},
    {SHOW("E", "the other of the two examples"), ASKS(SDLK_e, 0, KEY_NEXT_EXAMPLE, 0)},
    {SHOW(", .", "enc_valid_len less, more"), DOES(SDLK_COMMA, 0, "enc_len previous")},
    {DOES(SDLK_PERIOD, 0, "enc_len next")},
    {SHOW("< >", "dec_valid_len less, more"), DOES(SDLK_COMMA, KEY_SHIFT, "dec_len previous")},
    {DOES(SDLK_PERIOD, KEY_SHIFT, "dec_len next")},
    {DOES(SDLK_LESS, 0, "dec_len previous")},
    {DOES(SDLK_LESS, KEY_SHIFT, "dec_len next")},
    {DOES(SDLK_GREATER, 0, "dec_len next")},
    {DOES(SDLK_GREATER, KEY_SHIFT, "dec_len next")},
    {SHOW("K", "causality on or off"), DOES(SDLK_k, 0, "causal toggle")},

    HEAD("Steps of the decoder"),
    {SHOW("[ ]", "a step back, a step on"), DOES(SDLK_LEFTBRACKET, 0, "step previous")},
    {DOES(SDLK_RIGHTBRACKET, 0, "step next")},
    {SHOW("Home, End", "the first step, all steps"), DOES(SDLK_HOME, 0, "step 1")},
    {DOES(SDLK_END, 0, "step all")},
    {SHOW("Space", "play, or stop"), .symbol = SDLK_SPACE, .command = KEY_PRESS, .action = "play"},

    HEAD("Comparing"),
    {SHOW("C", "compare A with B, or back"), DOES(SDLK_c, 0, "compare")},
    {SHOW("Shift+arrows", "B: another head, another layer"),
     ASKS(SDLK_LEFT, KEY_SHIFT, KEY_OTHER_HEAD, 0)},
    {ASKS(SDLK_RIGHT, KEY_SHIFT, KEY_OTHER_HEAD, 1)},
    {ASKS(SDLK_UP, KEY_SHIFT, KEY_OTHER_HEAD, 2)},
    {ASKS(SDLK_DOWN, KEY_SHIFT, KEY_OTHER_HEAD, 3)},
    {SHOW("V", "compare with the model as trained"), DOES(SDLK_v, 0, "compare plain")},
    {SHOW("X", "A and B change places"), DOES(SDLK_x, 0, "swap")},
    {SHOW("D", "A - B in all panels; of a change: what it does"),
     DOES(SDLK_d, 0, "difference toggle")},

    HEAD("Looking closer"),
    {SHOW("Enter", "the selected head alone, large"), .symbol = SDLK_RETURN, .command = KEY_PRESS,
     .action = "focus"},
    {.symbol = SDLK_KP_ENTER, .command = KEY_PRESS, .action = "focus"},
    {SHOW("L", "as lines between tokens"), DOES(SDLK_l, 0, "lines toggle")},
    {SHOW("{ }", "fewer lines, more lines"), ASKS(SDLK_LEFTBRACKET, KEY_SHIFT, KEY_THRESHOLD, 1)},
    {ASKS(SDLK_RIGHTBRACKET, KEY_SHIFT, KEY_THRESHOLD, -1)},
    {SHOW("+ - 0", "zoom in, out, all of it"), DOES(SDLK_PLUS, 0, "zoom in")},
    {DOES(SDLK_PLUS, KEY_SHIFT, "zoom in")},
    {DOES(SDLK_EQUALS, 0, "zoom in")},
    {DOES(SDLK_EQUALS, KEY_SHIFT, "zoom in")},
    {DOES(SDLK_KP_PLUS, 0, "zoom in")},
    {DOES(SDLK_MINUS, 0, "zoom out")},
    {DOES(SDLK_KP_MINUS, 0, "zoom out")},
    {DOES(SDLK_0, 0, "zoom 1 0 0")},
    {SHOW("Ctrl+arrows", "move the part that is shown"), ASKS(SDLK_LEFT, KEY_CTRL, KEY_PAN, 0)},
    {ASKS(SDLK_RIGHT, KEY_CTRL, KEY_PAN, 1)},
    {ASKS(SDLK_UP, KEY_CTRL, KEY_PAN, 2)},
    {ASKS(SDLK_DOWN, KEY_CTRL, KEY_PAN, 3)},
    {SHOW("Alt+arrows", "go over the cells of the selected head"),
     ASKS(SDLK_LEFT, KEY_ALT, KEY_CELL, 0)},
    {ASKS(SDLK_RIGHT, KEY_ALT, KEY_CELL, 1)},
    {ASKS(SDLK_UP, KEY_ALT, KEY_CELL, 2)},
    {ASKS(SDLK_DOWN, KEY_ALT, KEY_CELL, 3)},
    {SHOW("N", "pin the cell's tokens in every map, or let go"), ASKS(SDLK_n, 0, KEY_PIN, 0)},
    {SHOW("W", "that cell's weight from the beginning"), ASKS(SDLK_w, 0, KEY_WEIGHT, 0)},

    HEAD("Lessons"),
    {SHOW("F2", "the lessons, or back to the heads"), DOES(SDLK_F2, 0, "lesson toggle")},
    {SHOW("← →", "there: the lesson before, the next one")},
    {SHOW("↑ ↓, PageUp, Home", "there: up and down the page")},

    HEAD("Looks"),
    {SHOW("1 2 3 4", "the pages explore, compare, train, lessons"),
     DOES(SDLK_1, 0, "page explore")},
    {DOES(SDLK_2, 0, "page compare")},
    {DOES(SDLK_3, 0, "page train")},
    {DOES(SDLK_4, 0, "page lessons")},
    {SHOW("M", "the next colour map"), DOES(SDLK_m, 0, "colormap next")},
    {SHOW("T", "light or dark"), DOES(SDLK_t, 0, "theme next")},
    {SHOW("P, F5", "for a projector"), DOES(SDLK_p, 0, "present toggle")},
    {DOES(SDLK_F5, 0, "present toggle")},
    {SHOW("F11", "the whole screen"), DOES(SDLK_F11, 0, "fullscreen toggle")},
    {SHOW("Ctrl and + - 0", "everything larger, smaller, as it was"),
     DOES(SDLK_PLUS, KEY_CTRL, "text_scale larger")},
    {DOES(SDLK_PLUS, KEY_CTRL | KEY_SHIFT, "text_scale larger")},
    {DOES(SDLK_EQUALS, KEY_CTRL, "text_scale larger")},
    {DOES(SDLK_EQUALS, KEY_CTRL | KEY_SHIFT, "text_scale larger")},
    {DOES(SDLK_KP_PLUS, KEY_CTRL, "text_scale larger")},
    {DOES(SDLK_MINUS, KEY_CTRL, "text_scale smaller")},
    {DOES(SDLK_KP_MINUS, KEY_CTRL, "text_scale smaller")},
    {DOES(SDLK_0, KEY_CTRL, "text_scale 1")},
    {DOES(SDLK_KP_0, KEY_CTRL, "text_scale 1")},

    HEAD("Everything else"),
    {SHOW("Z, Y", "undo, redo"), DOES(SDLK_z, 0, "undo")},
    {DOES(SDLK_y, 0, "redo")},
    {DOES(SDLK_z, KEY_CTRL, "undo")},
    {DOES(SDLK_y, KEY_CTRL, "redo")},
    {DOES(SDLK_z, KEY_CTRL | KEY_SHIFT, "redo")},
    {SHOW("Ctrl+S", "save what the window shows as PNG"), DOES(SDLK_s, KEY_CTRL, "save")},
    {SHOW("Ctrl+Shift+S", "save a sheet of all heads"),
     DOES(SDLK_s, KEY_CTRL | KEY_SHIFT, "sheet")},
    {SHOW("Ctrl+C", "copy the selected head's matrix as text"), DOES(SDLK_c, KEY_CTRL, "copy")},
    {SHOW("Ctrl+T", "train and watch, or stop"), ASKS(SDLK_t, KEY_CTRL, KEY_TRAIN, 0)},
    {SHOW("PageDown, PageUp", "the next state of a script, the next snapshot"),
     ASKS(SDLK_PAGEDOWN, 0, KEY_NEXT_STATE, 1)},
    {ASKS(SDLK_PAGEUP, 0, KEY_NEXT_STATE, -1)},
    {SHOW("F6, Shift+F6", "go from button to button; Enter presses"),
     ASKS(SDLK_F6, 0, KEY_BUTTON, 1)},
    {ASKS(SDLK_F6, KEY_SHIFT, KEY_BUTTON, -1)},
    {SHOW(":", "type any action"), ASKS(SDLK_COLON, 0, KEY_PROMPT, 0)},
    {ASKS(SDLK_COLON, KEY_SHIFT, KEY_PROMPT, 0)},
    {ASKS(SDLK_SEMICOLON, KEY_SHIFT, KEY_PROMPT, 0)},
    {SHOW("F1, ?", "this list"), DOES(SDLK_F1, 0, "help toggle")},
    {DOES(SDLK_QUESTION, 0, "help toggle")},
    {DOES(SDLK_QUESTION, KEY_SHIFT, "help toggle")},
    {DOES(SDLK_SLASH, KEY_SHIFT, "help toggle")},
    {SHOW("Esc", "leave what you are in"), ASKS(SDLK_ESCAPE, 0, KEY_LEAVE, 0)},
    {SHOW("Ctrl+Q", "close the window"), DOES(SDLK_q, KEY_CTRL, "quit")},
};
enum { COUNT = sizeof table / sizeof table[0] };

int keys_count(void) {
    return COUNT;
}

const Key *keys_at(int index) {
    return index >= 0 && index < COUNT ? &table[index] : NULL;
}

static const Key *find(int32_t symbol, int modifiers) {
    for (int i = 0; i < COUNT; i++)
        if (table[i].symbol == symbol && table[i].modifiers == modifiers) return &table[i];
    return NULL;
}

const Key *keys_find(int32_t symbol, int place, int modifiers) {
    if (symbol == 0) return NULL;
    const Key *key = find(symbol, modifiers);
    if (key || (modifiers & (KEY_CTRL | KEY_ALT))) return key;
    if (place == SDL_SCANCODE_LEFTBRACKET) return find(SDLK_LEFTBRACKET, modifiers);
    if (place == SDL_SCANCODE_RIGHTBRACKET) return find(SDLK_RIGHTBRACKET, modifiers);
    return NULL;
}
