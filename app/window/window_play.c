#include "app/window/window_play.h"

#include "app/window/window_do.h"
#include "app/window/window_keep.h"
#include "app/window/window_line.h"

enum { PLAY_MS = 500 };

void window_play(Window *window, bool on) {
    window->play_due = on ? SDL_GetTicks64() + PLAY_MS : 0;
    window->dirty = true;
    if (!on) return;
    session_end_drag(window->session);
    /* In the midst of an action the session is not to be called anew: the first step comes then. */
    if (session_state(window->session)->step == 0) window->play_due = 1;
}

void window_step_played(Window *window, Moment now) {
    bool begins = window->play_due == 1;
    window->play_due = now + PLAY_MS;
    window_drag(window, begins ? action_number(VERB_STEP, 1) : action_word(VERB_STEP, WORD_NEXT));
    if (session_state(window->session)->step == 0) window_play(window, false);
}

/* Its name and place. */
static void tell_state(Window *window, const char *more) {
    const WindowScript *script = &window->call->script;
    const char *name = window->script_at < 0 ? "" : script->states[window->script_at].name;
    window_tell(window, "%s%s%d/%d%s", name, name[0] ? "  " : "", window->script_at + 1,
                script->count, more);
}

static void turn_script(Window *window, int by) {
    const WindowScript *script = &window->call->script;
    int index = window->script_at + by;
    Error error;
    if (index < 0 || index >= script->count) {
        tell_state(window, index < 0 ? " · the first state" : " · the last state");
        return;
    }
    window_line_end(window);
    window_note_looks(window);
    if (script_go(script, index, window->call->settings, window->session, &error)) {
        window->script_at = index;
        window_see_looks(window);
        tell_state(window, "");
    } else {
        window_warn(window, error.text);
    }
}

void window_turn(Window *window, int by) {
    if (window->call->script.count)
        turn_script(window, by);
    else
        window_do(window, action_word(VERB_SNAPSHOT, by > 0 ? WORD_NEXT : WORD_PREVIOUS));
}
