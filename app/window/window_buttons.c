/* Going from button to button with the keyboard. */
#include "app/window/window_parts.h"

static const Hit *button_at(const Window *window, int wanted, int *count) {
    const HitList *hits = &window->frame.hits;
    const Hit *found = NULL;
    *count = 0;
    for (int i = 0; i < hits->count; i++) {
        if (hits->hits[i].kind != HIT_ACTION || !hits->hits[i].action) continue;
        if (*count == wanted) found = &hits->hits[i];
        ++*count;
    }
    return found;
}

void window_button_next(Window *window, int by) {
    WindowPointer *pointer = &window->pointer;
    int count;
    button_at(window, -1, &count);
    if (count == 0) return;
    int from = pointer->button < 0 && by < 0 ? 0 : pointer->button;
    pointer->button = (from + by + count) % count;
    const Hit *hit = button_at(window, pointer->button, &count);
    pointer->x = hit->area.x + hit->area.w / 2;
    pointer->y = hit->area.y + hit->area.h / 2;
    window_hide_tip(window);
    window_pointer_rested(window);
    window->dirty = true;
}

bool window_button_press(Window *window) {
    int count;
    const Hit *hit = button_at(window, window->pointer.button, &count);
    if (!hit) return false;
    window_hide_tip(window);
    window_do_text(window, hit->action);
    return true;
}

bool window_button_area(const Window *window, Rect *area) {
    int count;
    const Hit *hit = button_at(window, window->pointer.button, &count);
    if (hit) *area = hit->area;
    return hit != NULL;
}
