#include "app/window/window_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/window_do.h"
#include "app/window/window_keep.h"
#include "app/window/window_line.h"

#define SLOW_MS 25.0 /* a model that takes longer runs on another thread */

enum { PLAY_MS = 500 };

/* --- its model on another thread -------------------------------------------------------------- */

static void run(void *context) {
    const WindowWork *here = context;
    session_work_run(here->work);
    SDL_Event event = {.type = here->done};
    SDL_PushEvent(&event);
}

void window_work_begin(Window *window) {
    WindowWork *here = &window->work;
    if (here->work || session_pass_ms(window->session) < SLOW_MS) return;
    here->work = session_work_begin(window->session);
    here->done = window->event_work;
    if (!here->work || thread_start(&here->thread, run, here)) return;
    session_work_run(here->work);
    session_work_end(window->session, here->work);
    here->work = NULL;
}

void window_work_end(Window *window) {
    WindowWork *here = &window->work;
    if (!here->work) return;
    thread_join(&here->thread);
    session_work_end(window->session, here->work);
    *here = (WindowWork){0};
    window->dirty = true;
}

/* --- another session -------------------------------------------------------------------------- */

static void set_title(Window *window) {
    char title[WINDOW_TEXT];
    const char *path = session_path(window->session), *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path[0] ? path : session_model(window->session)->task;
    snprintf(title, sizeof title, "headscope · %s", name[0] ? name : "a model");
    SDL_SetWindowTitle(window->sdl, title);
}

bool window_saved(Window *window, const char *path, const char *hash, Error *error) {
    if (!session_name(window->session, path, hash, error)) return false;
    set_title(window);
    return true;
}

Session *window_swap(Window *window, Session *session) {
    Session *before = window->session;
    if (before) window_note_looks(window);
    if (before) window_work_end(window);
    window_line_end(window);
    window->play_due = 0;
    frame_forget(&window->frame);
    window->session = session;
    session_set_host(session, window->host);
    window_see_looks(window);
    set_title(window);
    window->pointer.hover.verb = VERB_NONE;
    window->pointer.button = -1;
    window->dirty = true;
    return before;
}

/* --- playing, and the script ------------------------------------------------------------------ */

void window_play(Window *window, bool on) {
    window->play_due = on ? SDL_GetTicks64() + PLAY_MS : 0;
    window->dirty = true;
    if (!on) return;
    session_end_drag(window->session);
    /* The session is not reentrant: the first step waits until this action is done. */
    if (session_state(window->session)->step == 0) window->play_due = 1;
}

void window_step_played(Window *window, Moment now) {
    bool begins = window->play_due == 1;
    window->play_due = now + PLAY_MS;
    window_drag(window, begins ? action_number(VERB_STEP, 1) : action_word(VERB_STEP, WORD_NEXT));
    if (session_state(window->session)->step == 0) window_play(window, false);
}

/* Shows name and number of the script's state. */
static void show_state(Window *window, const char *more) {
    const WindowScript *script = &window->call->script;
    const char *name = window->script_at < 0 ? "" : script->states[window->script_at].name;
    window_tell(window, "%s%s%d/%d%s", name, name[0] ? "  " : "", window->script_at + 1,
                script->count, more);
}

static void step_script(Window *window, int by) {
    const WindowScript *script = &window->call->script;
    int index = window->script_at + by;
    Error error;
    if (index < 0 || index >= script->count) {
        show_state(window, index < 0 ? " · the first state" : " · the last state");
        return;
    }
    window_line_end(window);
    window_note_looks(window);
    if (script_go(script, index, window->call->settings, window->session, &error)) {
        window->script_at = index;
        window_see_looks(window);
        show_state(window, "");
    } else {
        window_warn(window, error.text);
    }
}

void window_step_script(Window *window, int by) {
    if (window->call->script.count)
        step_script(window, by);
    else
        window_do(window, action_word(VERB_SNAPSHOT, by > 0 ? WORD_NEXT : WORD_PREVIOUS));
}
