#include "app/window/window.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/window/opening.h"
#include "app/window/window_do.h"
#include "app/window/window_host.h"
#include "app/window/window_keep.h"
#include "app/window/window_keyboard.h"
#include "app/window/window_library.h"
#include "app/window/window_line.h"
#include "app/window/window_pointer.h"
#include "app/window/window_press.h"
#include "app/window/window_session.h"
#include "app/window/window_train.h"
#include "model/base/clock.h"
#include "viz/canvas/theme.h"

/* --- drawing ---------------------------------------------------------------------------------- */

/* The window's size in its own units, and how many pixels each is. */
static void measure(Window *window) {
    int width = 1, height = 1, across = 1, down = 1;
    SDL_GetWindowSize(window->sdl, &width, &height);
    SDL_GetWindowSizeInPixels(window->sdl, &across, &down);
    if (width < 1) width = 1;
    if (height < 1) height = 1;
    float scale = across > 0 ? (float)across / (float)width : 1;
    window->size = (FrameSize){width, height, scale};
}

/* Where the keyboard is, while it goes from button to button. */
static void draw_button_ring(Window *window) {
    Rect area;
    if (window->pointer.button < 0 || !window_focused_button(window, &area)) return;
    const Theme *theme = theme_get(session_state(window->session)->theme);
    Rect ring = {area.x - 2, area.y - 2, area.w + 4, area.h + 4};
    canvas_round_frame(raster_canvas(window->frame.raster), ring, 6, 2, theme->accent);
}

/* A frame that cannot be drawn (memory, a font) leaves the last one, and says so. */
static void draw(Window *window) {
    Error error;
    WindowTimes *times = &window->times;
    measure(window);
    times_begin(times);
    window_work_begin(window);
    session_refresh(window->session);
    times_part(times, TIME_MODEL, clock_ms());
    ScreenExtra extra = window_extra(window, true);
    window->dirty = false;
    bool drawn = frame_draw(&window->frame, window->session, &extra, window->size, &error);
    window->drawn = session_version(window->session);
    if (!drawn) {
        fprintf(stderr, "headscope: %s\n", error.text);
        if (!window->frame.screen) return;
    }
    draw_button_ring(window);
    times_part(times, TIME_SCREEN, window->frame.screen_at);
    times_part(times, TIME_DRAW, clock_ms());
    present(&window->presenter, window->sdl, raster_surface(window->frame.raster));
    times_part(times, TIME_PRESENT, clock_ms());
    times_end(times);
    window_line_place(window);
    window_pointer_look(window);
}

static bool is_old(const Window *window) {
    return window->dirty || session_version(window->session) != window->drawn;
}

/* --- events ----------------------------------------------------------------------------------- */

static float logical(const Window *window, int units) {
    return frame_logical(window->session, (float)units);
}

static void drop(Window *window, char *path) {
    Error error;
    const State *state = session_state(window->session);
    size_t length = path ? strlen(path) : 0;
    bool model = length > 12 && strcmp(path + length - 12, ".safetensors") == 0;
    /* While two models are compared, a model that is dropped is the other one. */
    if (model && state->page == PAGE_COMPARE && state->mode == COMPARE_MODELS)
        window_against_model(window, path);
    else if (path && !window_open(window, path, &error))
        window_warn(window, error.text);
    SDL_free(path);
}

static void close_asked(Window *window) {
    Error error;
    if (window_train_let_go(window, "quit", &error))
        window->quit = true;
    else
        window_warn(window, error.text);
}

static void handle_window(Window *window, const SDL_WindowEvent *event) {
    switch (event->event) {
    case SDL_WINDOWEVENT_CLOSE:
        close_asked(window);
        break;
    case SDL_WINDOWEVENT_LEAVE:
        window_pointer_left(window);
        break;
    case SDL_WINDOWEVENT_SIZE_CHANGED:
    case SDL_WINDOWEVENT_EXPOSED:
    case SDL_WINDOWEVENT_SHOWN:
    case SDL_WINDOWEVENT_DISPLAY_CHANGED:
        window->dirty = true;
        break;
    default:
        break;
    }
}

static void handle(Window *window, SDL_Event *event) {
    switch (event->type) {
    case SDL_QUIT:
        window->quit = true;
        break;
    case SDL_WINDOWEVENT:
        handle_window(window, &event->window);
        break;
    case SDL_KEYDOWN:
        window_key(window, &event->key);
        break;
    case SDL_TEXTINPUT:
        window_line_text(window, event->text.text);
        break;
    case SDL_TEXTEDITING:
        window_line_compose(window, event->edit.text);
        break;
    case SDL_MOUSEMOTION:
        window_pointer_moved(window, logical(window, event->motion.x),
                             logical(window, event->motion.y));
        break;
    case SDL_MOUSEBUTTONDOWN:
        window_pointer_moved(window, logical(window, event->button.x),
                             logical(window, event->button.y));
        window_pointer_pressed(window, &event->button);
        break;
    case SDL_MOUSEBUTTONUP:
        if (event->button.button == SDL_BUTTON_LEFT) window_pointer_released(window);
        break;
    case SDL_MOUSEWHEEL:
        window_pointer_wheel(window, event->wheel.preciseY);
        break;
    case SDL_DROPFILE:
        drop(window, event->drop.file);
        break;
    default:
        if (event->type == window->event_work) window_work_end(window);
        if (event->type == window->event_work || event->type == window->event_news)
            window_train_news(window);
        break;
    }
}

/* After actions: the line that is edited shows what the state has now, and what could not be done
 * in the midst of an action, since it changes the session, is done. */
static void settle(Window *window) {
    Error error;
    char *path = window->to_open, *task = window->to_train;
    window->to_open = window->to_train = NULL;
    window_line_follow(window);
    if (path && !window_open(window, path, &error)) window_warn(window, error.text);
    if (task && !window_train(window, task, &error)) window_warn(window, error.text);
    free(path);
    free(task);
}

static void take(Window *window, SDL_Event *event) {
    double taken = clock_ms();
    handle(window, event);
    settle(window);
    if (is_old(window)) times_event(&window->times, event, taken);
}

static Moment sooner(Moment a, Moment b) {
    return !a || (b && b < a) ? b : a;
}

static Moment next_moment(const Window *window) {
    Moment next = sooner(window->notice.until, window->pointer.tip_due);
    next = sooner(next, window->play_due);
    return sooner(next, window->keep.due);
}

static bool is_due(Moment moment, Moment now) {
    return moment && moment <= now;
}

/* Does what its moment has come for. */
static void tick(Window *window, Moment now) {
    if (is_due(window->notice.until, now)) window_user_acted(window);
    if (is_due(window->pointer.tip_due, now)) window_pointer_rested(window);
    if (is_due(window->play_due, now)) window_step_played(window, now);
    settle(window);
    if (is_due(window->keep.due, now)) window_keep_now(window);
}

/* Sleeps until something happens or a moment comes; then all that has happened is handled. */
static void wait_and_handle(Window *window) {
    SDL_Event event;
    Moment next = next_moment(window), now = SDL_GetTicks64();
    bool some;
    if (!next)
        some = SDL_WaitEvent(&event) == 1;
    else
        some = next > now && SDL_WaitEventTimeout(&event, (int)(next - now)) == 1;
    if (some) take(window, &event);
    while (!window->quit && SDL_PollEvent(&event))
        take(window, &event);
}

static void loop(Window *window) {
    while (!window->quit) {
        if (is_old(window)) draw(window);
        window_keep_look(window, SDL_GetTicks64());
        wait_and_handle(window);
        tick(window, SDL_GetTicks64());
    }
}

/* --- opening and closing ---------------------------------------------------------------------- */

static bool no_display(const char *reason, Error *error) {
    return error_set(error,
                     "there is no display to open a window on (%s); headscope shot MODEL -o a.png "
                     "draws the same window without one, and headscope --help lists the rest",
                     reason);
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && value[0];
}

/* Where real displays fail SDL goes on to draw where nobody sees it, and the program would seem to
 * hang: only who asks for that gets it. */
static bool open_video(Error *error) {
#ifndef __APPLE__
    bool x11 = is_set("DISPLAY"), wayland = is_set("WAYLAND_DISPLAY");
    bool chosen = is_set("SDL_VIDEODRIVER");
    if (!x11 && !wayland && !chosen)
        return no_display("neither DISPLAY nor WAYLAND_DISPLAY is set", error);
    if (!chosen)
        SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER,
                                !wayland ? "x11"
                                : x11    ? "wayland,x11"
                                         : "wayland",
                                SDL_HINT_OVERRIDE); /* also over one that is empty */
#endif
    return SDL_Init(SDL_INIT_VIDEO) == 0 || no_display(SDL_GetError(), error);
}

/* SDL takes SIGTERM for the wish to close, and a run that is watched is saved then. The end of the
 * terminal is the same wish. */
static void close_on_hangup(int signal_number) {
    (void)signal_number;
    kill(getpid(), SIGTERM);
}

/* Unless it was ignored at the start (nohup). */
static void heed_hangup(void) {
    struct sigaction action = {.sa_handler = close_on_hangup}, before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGHUP, &action, NULL);
}

static bool open_sdl(Window *window, Error *error) {
    const WindowCall *call = window->call;
    int width = call->size.width ? call->size.width : call->settings->width;
    int height = call->size.width ? call->size.height : call->settings->height;
    SDL_SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    SDL_SetHint(SDL_HINT_IME_SHOW_UI, "1");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    /* Closing asks first; what still comes as SDL_QUIT is a signal, which does not wait. */
    SDL_SetHint(SDL_HINT_QUIT_ON_LAST_WINDOW_CLOSE, "0");
    if (!open_video(error)) return false;
    heed_hangup();
    /* Straight to the display: pixels of ours need no graphics driver. */
    const char *driver = SDL_GetCurrentVideoDriver();
    if (driver && strcmp(driver, "x11") == 0) SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    window->event_work = SDL_RegisterEvents(2);
    window->event_news = window->event_work + 1;
    window->sdl = SDL_CreateWindow("headscope", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                                   width, height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window->sdl) return error_set(error, "the window cannot be opened: %s", SDL_GetError());
    SDL_SetWindowMinimumSize(window->sdl, WINDOW_MIN_WIDTH, WINDOW_MIN_HEIGHT);
    window_line_end(window); /* sets whether text comes */
    measure(window);
    window->keep.looks.width = window->size.width;
    window->keep.looks.height = window->size.height;
    return true;
}

/* What the call asks for, once there is a window. Finding the head takes as long as many pictures:
 * one comes before it. */
static bool begin(Window *window, Error *error) {
    const WindowCall *call = window->call;
    if (call->first_start) draw(window);
    bool found = call->first_start && opening_select_head(window->session);
    if (call->script.count) window_step_script(window, 1);
    bool good = !call->actions || session_apply_text(window->session, call->actions, error);
    settle(window);
    if (!good) return false;
    if (call->problem) window_warn(window, call->problem);
    if (found && !window->notice.text[0]) window_hint(window, call->hint);
    return true;
}

static bool begin_session(Window *window, Session *session, Error *error) {
    if (session) window_swap(window, session);
    return !window->call->train || window_train_begin(window, window->call->train, error);
}

static void close_all(Window *window) {
    window_work_end(window);
    window_train_free(window);
    session_free(window->session);
    window_line_free(window);
    times_close(&window->times);
    window_pointer_free(window);
    frame_free(&window->frame);
    free(window->to_open);
    free(window->to_train);
    if (window->sdl) SDL_DestroyWindow(window->sdl);
    SDL_Quit();
}

bool window_run(const WindowCall *call, Error *error) {
    Window window = {.call = call,
                     .dirty = true,
                     .line = {.line = NO_LINE},
                     .pointer = {.button = -1},
                     .script_at = -1};
    window.host = window_host(&window);
    if (!window_library_open(error)) {
        session_free(call->session);
        return false;
    }
    bool good = (!call->frames || times_open(&window.times, call->frames, error)) &&
                frame_begin(&window.frame, error) && open_sdl(&window, error);
    if (!good) session_free(call->session);
    good = good && begin_session(&window, call->session, error) && begin(&window, error);
    if (good) {
        window_keep_open(&window);
        loop(&window);
        window_keep_close(&window);
    }
    close_all(&window);
    if (!good || !window.unwritten.text[0]) return good;
    *error = window.unwritten;
    return false;
}
