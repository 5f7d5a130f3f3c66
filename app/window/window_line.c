#include "app/window/window_line.h"

#include <stdlib.h>
#include <string.h>

#include "app/window/window_do.h"

void window_line_free(Window *window) {
    WindowLine *line = &window->line;
    editor_free(&line->editor);
    editor_free(&line->prompt);
    free(line->known);
    free(line->composing);
    free(line->last_prompt);
    *line = (WindowLine){.line = NO_LINE};
}

bool window_is_typing(const Window *window) {
    return window->line.prompting || window->line.line != NO_LINE;
}

static Editor *editor_of(Window *window) {
    return window->line.prompting ? &window->line.prompt : &window->line.editor;
}

/* An input method is on only where text is wanted: keys are keys elsewhere. Where there is none,
 * text always comes, so that what is typed ahead of a line's beginning is not lost. */
static bool has_input_method(void) {
    return getenv("WAYLAND_DISPLAY") || getenv("XMODIFIERS") || getenv("SDL_IM_MODULE");
}

static void set_typing(Window *window) {
    bool typing = window_is_typing(window) || !has_input_method();
    if (typing && !SDL_IsTextInputActive())
        SDL_StartTextInput();
    else if (!typing && SDL_IsTextInputActive())
        SDL_StopTextInput();
    free(window->line.composing);
    window->line.composing = NULL;
    window->dirty = true;
}

/* The sequence of the screen that is this line; NULL if it is not there. */
static const ScreenSequence *sequence_of(const Window *window, int line, int *index) {
    const Screen *screen = window->frame.screen;
    for (int i = 0; screen && i < screen->sequence_count; i++) {
        if ((int)screen->sequences[i].line != line) continue;
        if (index) *index = i;
        return &screen->sequences[i];
    }
    return NULL;
}

/* --- the state's side ------------------------------------------------------------------------- */

static bool is_target(int line) {
    return line == LINE_TARGET || line == LINE_COMPANION_TARGET;
}

static int example_of(int line) {
    return line == LINE_COMPANION_SOURCE || line == LINE_COMPANION_TARGET ? 1 : 0;
}

/* NULL for a target that the model writes. */
static const char *state_line(const Window *window, int line) {
    const State *state = session_state(window->session);
    if (line == LINE_OTHER_SOURCE) return state->other;
    const StateExample *example = &state->examples[example_of(line)];
    return is_target(line) ? example->target : example->input;
}

static bool has_line(const Window *window, int line) {
    const State *state = session_state(window->session);
    if (line == LINE_OTHER_SOURCE) return state->mode == COMPARE_INPUTS;
    return example_of(line) == 0 || state->companion;
}

/* What the model writes in a line. */
static const char *output_of(Window *window, int line) {
    session_refresh(window->session);
    const Pass *pass = session_pass(window->session);
    int example = example_of(line);
    return example < pass->count ? pass->examples[example].output : "";
}

static bool remember(WindowLine *line, const char *text) {
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) return false;
    free(line->known);
    line->known = copy;
    return true;
}

static bool same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Undo, another state, another model: the line shows what the state has. */
void window_line_follow(Window *window) {
    WindowLine *line = &window->line;
    if (line->line == NO_LINE) return;
    if (!has_line(window, line->line)) {
        window_line_end(window);
        return;
    }
    const char *text = state_line(window, line->line);
    if (same(text, line->known)) return;
    if (remember(line, text) && editor_set(&line->editor, text ? text : "")) window->dirty = true;
}

/* The state takes what was typed; the session then runs it. */
static void send(Window *window) {
    WindowLine *line = &window->line;
    const char *text = editor_text(&line->editor);
    const State *state = session_state(window->session);
    bool target = is_target(line->line), other = line->line == LINE_OTHER_SOURCE;
    Action action = {other ? VERB_AGAINST : VERB_INPUT, other ? WORD_INPUT : WORD_NONE,
                     .text = text};
    if (target)
        action.verb = state->examples[example_of(line->line)].whole ? VERB_TARGET : VERB_PREFIX;
    if (target && !text[0]) action.text = NULL; /* nothing is forced: the model writes it */
    if (remember(line, action.text)) window_drag(window, action);
    window_user_acted(window);
    window->dirty = true;
}

/* --- beginning and ending --------------------------------------------------------------------- */

void window_line_begin(Window *window, ScreenLine which, size_t caret) {
    WindowLine *line = &window->line;
    int example = example_of((int)which);
    if (!has_line(window, (int)which)) return;
    line->prompting = false;
    if (which != LINE_OTHER_SOURCE && session_state(window->session)->example != example)
        window_do(window, action_number(VERB_EXAMPLE, example));
    session_end_drag(window->session);
    const char *text = state_line(window, (int)which);
    line->line = (int)which;
    remember(line, text);
    editor_set(&line->editor, text ? text : "");
    if (!text && caret == LINE_END) caret = 0;
    window_line_point(window, caret, false);
    set_typing(window);
}

void window_line_end(Window *window) {
    window->line.line = NO_LINE;
    window->line.prompting = false;
    set_typing(window);
}

void window_prompt_begin(Window *window) {
    WindowLine *line = &window->line;
    line->line = NO_LINE;
    line->prompting = true;
    editor_set(&line->prompt, "");
    set_typing(window);
}

/* Escape in a target sets it free where it is empty, or was set whole. */
static void leave(Window *window) {
    WindowLine *line = &window->line;
    const State *state = session_state(window->session);
    bool target = !line->prompting && is_target(line->line);
    const StateExample *example = &state->examples[target ? example_of(line->line) : 0];
    if (target && example->target && (example->whole || !example->target[0]))
        window_do(window, action_word(VERB_PREFIX, WORD_NONE));
    window_line_end(window);
}

static void enter_prompt(Window *window) {
    WindowLine *line = &window->line;
    const char *text = editor_text(&line->prompt);
    free(line->last_prompt);
    line->last_prompt = strdup(text);
    if (!text[0] || window_do_text(window, text)) window_line_end(window);
}

/* Enter in a target that is forced makes it whole: the model adds nothing. */
static void enter(Window *window) {
    WindowLine *line = &window->line;
    if (line->prompting) {
        enter_prompt(window);
        return;
    }
    const StateExample *example = &session_state(window->session)->examples[example_of(line->line)];
    if (is_target(line->line) && example->target && !example->whole)
        window_do(window, action_text(VERB_TARGET, example->target));
    window_line_end(window);
}

/* To the next line of the screen, round and round. */
static void other_line(Window *window, int by) {
    int index;
    const ScreenSequence *now = sequence_of(window, window->line.line, &index);
    if (!now || window->line.prompting) return;
    int count = window->frame.screen->sequence_count;
    ScreenLine next = window->frame.screen->sequences[(index + by + count) % count].line;
    window_line_begin(window, next, LINE_END);
}

/* --- keys ------------------------------------------------------------------------------------- */

void window_line_text(Window *window, const char *text) {
    WindowLine *line = &window->line;
    bool of_key = line->begun_by_key;
    line->begun_by_key = false;
    if (!window_is_typing(window) || !text[0] || of_key) return;
    free(line->composing);
    line->composing = NULL;
    if (text[0] == ' ') session_end_drag(window->session); /* undo goes word by word */
    editor_insert(editor_of(window), text);
    window->dirty = true;
    if (!line->prompting) send(window);
}

void window_line_compose(Window *window, const char *text) {
    if (!window_is_typing(window)) return;
    free(window->line.composing);
    window->line.composing = text[0] ? strdup(text) : NULL;
    window->dirty = true;
}

static void erase(Window *window, EditorMove move) {
    if (!editor_erase(editor_of(window), move)) return;
    window->dirty = true;
    if (!window->line.prompting) send(window);
}

/* A target that the model writes: what stands before the caret is what typing keeps, and going on
 * takes over what was written. */
static bool is_free(const Window *window) {
    int line = window->line.line;
    return !window->line.prompting && is_target(line) && !state_line(window, line);
}

static void take_over(Window *window) {
    Editor *editor = &window->line.editor;
    const char *output = output_of(window, window->line.line);
    size_t caret = editor->caret, anchor = editor->anchor;
    if (strncmp(output, editor_text(editor), editor->length) != 0) return;
    if (!editor_set(editor, output)) return;
    editor_place(editor, anchor, false);
    editor_place(editor, caret, true);
}

static void cut_behind_caret(Editor *editor) {
    if (editor->caret != editor->anchor || editor->caret == editor->length) return;
    editor_move(editor, MOVE_END, true);
    editor_erase(editor, MOVE_LEFT);
}

static void move(Window *window, EditorMove by, bool select) {
    Editor *editor = editor_of(window);
    bool free_target = is_free(window);
    if (free_target) take_over(window);
    editor_move(editor, by, select);
    if (free_target) cut_behind_caret(editor);
    session_end_drag(window->session);
    window->dirty = true;
}

void window_line_point(Window *window, size_t offset, bool select) {
    Editor *editor = editor_of(window);
    bool free_target = is_free(window);
    if (free_target) take_over(window);
    editor_place(editor, offset, select);
    if (free_target && !select) cut_behind_caret(editor);
    session_end_drag(window->session);
    window->dirty = true;
}

static void copy(Window *window, bool cut) {
    char *text = editor_selection(editor_of(window));
    if (text && SDL_SetClipboardText(text) == 0 && cut) erase(window, MOVE_LEFT);
    free(text);
}

static void paste(Window *window) {
    char *text = SDL_GetClipboardText();
    session_end_drag(window->session);
    if (text) window_line_text(window, text);
    SDL_free(text);
    session_end_drag(window->session);
}

/* Ctrl and a letter. */
static bool control_key(Window *window, SDL_Keycode symbol, int modifiers) {
    if (modifiers != KEY_CTRL) return false;
    switch (symbol) {
    case SDLK_a:
        editor_select_all(editor_of(window));
        window->dirty = true;
        return true;
    case SDLK_c:
        copy(window, false);
        return true;
    case SDLK_x:
        copy(window, true);
        return true;
    case SDLK_v:
        paste(window);
        return true;
    default:
        return false;
    }
}

static bool line_key(Window *window, SDL_Keycode symbol, int modifiers) {
    switch (symbol) {
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        enter(window);
        return true;
    case SDLK_ESCAPE:
        leave(window);
        return true;
    case SDLK_UP:
        if (window->line.prompting && window->line.last_prompt) {
            editor_set(&window->line.prompt, window->line.last_prompt);
            move(window, MOVE_END, false);
        }
        other_line(window, -1);
        return true;
    case SDLK_DOWN:
        other_line(window, 1);
        return true;
    case SDLK_TAB:
        other_line(window, modifiers & KEY_SHIFT ? -1 : 1);
        return true;
    default:
        return false;
    }
}

static bool move_key(Window *window, SDL_Keycode symbol, int modifiers) {
    bool word = modifiers & KEY_CTRL, select = modifiers & KEY_SHIFT;
    switch (symbol) {
    case SDLK_LEFT:
        move(window, word ? MOVE_WORD_LEFT : MOVE_LEFT, select);
        return true;
    case SDLK_RIGHT:
        move(window, word ? MOVE_WORD_RIGHT : MOVE_RIGHT, select);
        return true;
    case SDLK_HOME:
        move(window, MOVE_HOME, select);
        return true;
    case SDLK_END:
        move(window, MOVE_END, select);
        return true;
    case SDLK_BACKSPACE:
        erase(window, word ? MOVE_WORD_LEFT : MOVE_LEFT);
        return true;
    case SDLK_DELETE:
        erase(window, word ? MOVE_WORD_RIGHT : MOVE_RIGHT);
        return true;
    default:
        return false;
    }
}

/* What a letter writes comes as text; the table's keys with Ctrl and the function keys go on. */
bool window_line_key(Window *window, SDL_Keycode symbol, int modifiers) {
    if (window->line.composing) return true; /* the input method's */
    if (control_key(window, symbol, modifiers) || line_key(window, symbol, modifiers) ||
        move_key(window, symbol, modifiers))
        return true;
    bool special = (symbol & SDLK_SCANCODE_MASK) != 0;
    return !special && !(modifiers & KEY_CTRL);
}

/* --- where the caret is ----------------------------------------------------------------------- */

/* Between the tokens of the line. */
static bool caret_area(const Window *window, Rect *area) {
    int index, caret = (int)window->line.editor.caret;
    const ScreenSequence *sequence = sequence_of(window, window->line.line, &index);
    if (!sequence) return false;
    for (int token = sequence->count - 1; token >= 0; token--) {
        const ScreenToken *at = &sequence->tokens[token];
        bool here = caret > at->begin && caret <= at->end;
        bool before = caret == 0 && at->begin == 0 && !at->mark;
        if (!here && !before) continue;
        if (!hits_find(&window->frame.hits, HIT_TOKEN, index, token, area)) return false;
        if (here) area->x += area->w;
        return true;
    }
    return hits_find(&window->frame.hits, HIT_LINE, index, 0, area);
}

void window_line_place(Window *window) {
    Rect area;
    if (window->line.line == NO_LINE || !caret_area(window, &area)) return;
    float scale = session_state(window->session)->text_scale;
    SDL_Rect place = {(int)(area.x * scale), (int)(area.y * scale), 1, (int)(area.h * scale)};
    SDL_SetTextInputRect(&place);
}
