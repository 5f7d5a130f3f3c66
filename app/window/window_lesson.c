#include "app/window/window_lesson.h"

#include <math.h>

#include "app/session/verbs.h"
#include "app/window/window_do.h"

#define LINE_HEIGHT 20.0F /* one line of text */
#define SHARE       0.9F  /* of what is on show goes by with PageDown */

static bool is_open(const Window *window) {
    return session_state(window->session)->page == PAGE_LESSONS;
}

/* What is on show of the page, as it was drawn; NULL: none. */
static const Hit *page_on_show(const Window *window) {
    const HitList *hits = &window->frame.hits;
    for (int i = 0; i < hits->count; i++)
        if (hits->hits[i].kind == HIT_LESSON) return &hits->hits[i];
    return NULL;
}

/* The state may ask for more than there is: what was drawn counts, but for what came since. */
static void scroll_to(Window *window, const Hit *page, float to) {
    float max = (float)(page->rows - page->columns);
    int scroll = (int)fmaxf(fminf(roundf(to), max), 0);
    if (scroll != session_state(window->session)->lesson_scroll)
        window_drag(window, action_number(VERB_SCROLL, scroll));
}

void window_lesson_scroll(Window *window, float by, bool lines) {
    const Hit *page = page_on_show(window);
    if (!page) return;
    int max = page->rows - page->columns, from = session_state(window->session)->lesson_scroll;
    if (from > max) from = page->item;
    scroll_to(window, page, (float)from + by * (lines ? LINE_HEIGHT : (float)page->columns));
}

bool window_lesson_key(Window *window, SDL_Keycode symbol, int modifiers) {
    const Hit *page = page_on_show(window);
    if (!is_open(window) || session_state(window->session)->help) return false;
    if (modifiers == KEY_SHIFT && symbol == SDLK_SPACE) symbol = SDLK_PAGEUP, modifiers = 0;
    if (modifiers != 0) return false;
    switch (symbol) {
    case SDLK_UP:
    case SDLK_DOWN:
        window_lesson_scroll(window, symbol == SDLK_UP ? -2 : 2, true);
        return true;
    case SDLK_SPACE:
        if (window->pointer.button >= 0) return false; /* it presses */
        window_lesson_scroll(window, SHARE, false);
        return true;
    case SDLK_PAGEUP:
    case SDLK_PAGEDOWN:
        if (window->call->script.count > 0) return false; /* which goes on */
        window_lesson_scroll(window, symbol == SDLK_PAGEUP ? -SHARE : SHARE, false);
        return true;
    case SDLK_HOME:
        if (page) scroll_to(window, page, 0);
        return true;
    case SDLK_END:
        if (page) scroll_to(window, page, (float)page->rows);
        return true;
    case SDLK_LEFT:
        window_do(window, action_word(VERB_LESSON, WORD_PREVIOUS));
        return true;
    case SDLK_RIGHT:
        window_do(window, action_word(VERB_LESSON, WORD_NEXT));
        return true;
    default:
        return false;
    }
}

bool window_lesson_takes(const Window *window, const Key *key) {
    const Screen *screen = window->frame.screen;
    if (!is_open(window) || (screen && screen->lesson.follows)) return true;
    switch (key->command) {
    case KEY_ACTION:
        return verb_at(verb_first(key->action))->flags & VERB_ON_LESSONS;
    case KEY_PRESS:
        return window->pointer.button >= 0;
    case KEY_PROMPT:
    case KEY_LEAVE:
    case KEY_BUTTON:
    case KEY_NEXT_STATE:
    case KEY_TRAIN:
        return true;
    default:
        return false;
    }
}
