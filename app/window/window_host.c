#include "app/window/window_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/window/saved_state.h"
#include "app/window/window_do.h"
#include "app/window/window_keep.h"
#include "app/window/window_session.h"
#include "app/window/window_train.h"

/* --- what is drawn besides the state ---------------------------------------------------------- */

ScreenExtra window_extra(Window *window, bool passing) {
    const WindowLine *line = &window->line;
    const WindowNotice *notice = &window->notice;
    const WindowPointer *pointer = &window->pointer;
    ScreenExtra extra = {.editing = line->line,
                         .playing = window->play_due != 0,
                         .train = window_train_screen(window),
                         .pointer_x = pointer->x,
                         .pointer_y = pointer->y};
    if (line->line != NO_LINE) {
        extra.text = editor_text(&line->editor);
        extra.caret = (int)line->editor.caret;
        extra.anchor = (int)line->editor.anchor;
        extra.composing = line->composing;
    }
    if (!passing) return extra;
    if (line->prompting) {
        extra.prompt = editor_text(&line->prompt);
        extra.prompt_caret = (int)line->prompt.caret;
    }
    if (notice->text[0]) extra.notice = notice->text;
    extra.notice_alarm = notice->alarm;
    if (pointer->tip[0]) extra.tip = pointer->tip;
    return extra;
}

/* --- verbs ------------------------------------------------------------------------------------ */

/* A picture has no notice and no tip: they are of the moment. */
static bool save(Window *window, const char *argument, bool sheet, Error *error) {
    char name[FRAME_NAME];
    window_work_end(window);
    window_train_news(window); /* the newest weights */
    ScreenExtra extra = window_extra(window, false);
    FrameCall call = {&window->frame, window->session, &extra, window->size, window->call->command};
    bool good = sheet ? frame_do_sheet(&call, argument, name, error)
                      : frame_do_save(&call, argument, name, error);
    window->dirty = true;
    if (good) window_tell(window, "saved %s", name);
    return good;
}

static bool copy(Window *window, Error *error) {
    HeadId head = session_state(window->session)->head;
    session_refresh(window->session);
    char *text = screen_matrix_text(window->session);
    if (!text) return error_usage(error, "there is no matrix to copy yet");
    bool good = SDL_SetClipboardText(text) == 0 ||
                error_set(error, "the clipboard cannot be written: %s", SDL_GetError());
    free(text);
    if (good)
        window_tell(window, "the matrix of %s.%d.%d is in the clipboard", site_name(head.site),
                    head.layer, head.head);
    return good;
}

static bool read_switch(const char *verb, const char *argument, bool now, bool *wanted,
                        Error *error) {
    *wanted = !now;
    if (!argument[0] || strcmp(argument, "toggle") == 0) return true;
    *wanted = strcmp(argument, "on") == 0;
    return *wanted || strcmp(argument, "off") == 0 ||
           error_usage(error, "%s %.40s: it takes on or off", verb, argument);
}

static bool fullscreen(Window *window, const char *argument, Error *error) {
    bool now = (SDL_GetWindowFlags(window->sdl) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0, wanted;
    if (!read_switch("fullscreen", argument, now, &wanted, error)) return false;
    if (SDL_SetWindowFullscreen(window->sdl, wanted ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0) == 0)
        return true;
    return error_set(error, "the screen cannot be taken: %s", SDL_GetError());
}

static bool play(Window *window, const char *argument, Error *error) {
    bool wanted;
    if (!read_switch("play", argument, window->play_due != 0, &wanted, error)) return false;
    window_play(window, wanted);
    return true;
}

/* What would change the session in the midst of its own action is kept for after it. */
static bool ask(char **place, const char *what, Error *error) {
    free(*place);
    *place = strdup(what);
    return *place || error_set(error, "out of memory");
}

static bool act(void *context, const Action *action, Error *error) {
    Window *window = context;
    const char *argument = action->text ? action->text : "";
    switch (action->verb) {
    case VERB_SAVE:
    case VERB_SHEET:
        return save(window, argument, action->verb == VERB_SHEET, error);
    case VERB_COPY:
        return copy(window, error);
    case VERB_PLAY:
        return play(window, argument, error);
    case VERB_FULLSCREEN:
        return fullscreen(window, argument, error);
    case VERB_TRAIN:
        return ask(&window->to_train, argument, error);
    case VERB_QUIT:
        return window_train_let_go(window, "quit", error) && (window->quit = true);
    default: /* VERB_OPEN */
        if (argument[0]) return ask(&window->to_open, argument, error);
        return error_usage(error, "open: say which file, or drop it on the window");
    }
}

SessionHost window_host(Window *window) {
    return (SessionHost){act, window};
}

/* --- another model ---------------------------------------------------------------------------- */

void window_against_model(Window *window, const char *path) {
    window_do(window, (Action){.verb = VERB_AGAINST, .word = WORD_MODEL, .text = path});
}

static bool show(Window *window, Model *model, const char *path, const char *actions,
                 Error *error) {
    Session *session = session_make(model, path, error);
    if (!session) return false;
    window_look_as_set(window, session);
    if (actions && !session_restore_picture(session, actions, error)) {
        session_free(session);
        return error_prefix(error, "%s", path);
    }
    session_forget_steps(session);
    window_train_free(window);
    session_free(window_swap(window, session));
    window_tell(window, "opened %s", path);
    return true;
}

bool window_open(Window *window, const char *path, Error *error) {
    Model model;
    if (!window_train_let_go(window, "open", error)) return false;
    if (!saved_state_is_picture(path))
        return model_open(&model, path, error) && show(window, &model, path, NULL, error);
    SavedState saved;
    char *model_path = NULL;
    if (!saved_state_read_picture(&saved, path, error)) return false;
    bool good = saved_state_open_model(&saved, path, false, &model, &model_path, error);
    if (!good) error_prefix(error, "%s", path);
    good = good && show(window, &model, model_path, saved.actions, error);
    free(model_path);
    saved_state_free(&saved);
    return good;
}
