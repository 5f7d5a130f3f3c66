#include "app/window/window_library.h"

#include <SDL.h>
#include <SDL_syswm.h>

#include "model/base/late.h"

#define SDL_FUNCTIONS(VALUE, NOTHING)                                                              \
    VALUE(int, SDL_Init, (Uint32 flags), (flags))                                                  \
    NOTHING(SDL_Quit, (void), ())                                                                  \
    VALUE(const char *, SDL_GetError, (void), ())                                                  \
    NOTHING(SDL_free, (void *memory), (memory))                                                    \
    VALUE(SDL_bool, SDL_SetHint, (const char *name, const char *value), (name, value))             \
    VALUE(SDL_bool, SDL_SetHintWithPriority,                                                       \
          (const char *name, const char *value, SDL_HintPriority priority),                        \
          (name, value, priority))                                                                 \
    VALUE(const char *, SDL_GetCurrentVideoDriver, (void), ())                                     \
    VALUE(Uint32, SDL_GetTicks, (void), ())                                                        \
    VALUE(Uint64, SDL_GetTicks64, (void), ())                                                      \
    VALUE(SDL_Window *, SDL_CreateWindow,                                                          \
          (const char *title, int x, int y, int w, int h, Uint32 flags),                           \
          (title, x, y, w, h, flags))                                                              \
    NOTHING(SDL_DestroyWindow, (SDL_Window * window), (window))                                    \
    VALUE(Uint32, SDL_GetWindowFlags, (SDL_Window * window), (window))                             \
    NOTHING(SDL_GetWindowSize, (SDL_Window * window, int *w, int *h), (window, w, h))              \
    NOTHING(SDL_GetWindowSizeInPixels, (SDL_Window * window, int *w, int *h), (window, w, h))      \
    NOTHING(SDL_SetWindowMinimumSize, (SDL_Window * window, int w, int h), (window, w, h))         \
    NOTHING(SDL_SetWindowTitle, (SDL_Window * window, const char *title), (window, title))         \
    VALUE(int, SDL_SetWindowFullscreen, (SDL_Window * window, Uint32 flags), (window, flags))      \
    VALUE(SDL_Surface *, SDL_GetWindowSurface, (SDL_Window * window), (window))                    \
    VALUE(int, SDL_UpdateWindowSurface, (SDL_Window * window), (window))                           \
    VALUE(SDL_bool, SDL_GetWindowWMInfo, (SDL_Window * window, SDL_SysWMinfo * info),              \
          (window, info))                                                                          \
    VALUE(SDL_Surface *, SDL_CreateRGBSurfaceWithFormatFrom,                                       \
          (void *pixels, int width, int height, int depth, int pitch, Uint32 format),              \
          (pixels, width, height, depth, pitch, format))                                           \
    NOTHING(SDL_FreeSurface, (SDL_Surface * surface), (surface))                                   \
    VALUE(int, SDL_UpperBlit,                                                                      \
          (SDL_Surface * from, const SDL_Rect *part, SDL_Surface *to, SDL_Rect *at),               \
          (from, part, to, at))                                                                    \
    VALUE(Uint32, SDL_RegisterEvents, (int count), (count))                                        \
    VALUE(int, SDL_PushEvent, (SDL_Event * event), (event))                                        \
    VALUE(int, SDL_PollEvent, (SDL_Event * event), (event))                                        \
    VALUE(int, SDL_WaitEvent, (SDL_Event * event), (event))                                        \
    VALUE(int, SDL_WaitEventTimeout, (SDL_Event * event, int timeout), (event, timeout))           \
    VALUE(SDL_Keymod, SDL_GetModState, (void), ())                                                 \
    NOTHING(SDL_StartTextInput, (void), ())                                                        \
    NOTHING(SDL_StopTextInput, (void), ())                                                         \
    VALUE(SDL_bool, SDL_IsTextInputActive, (void), ())                                             \
    NOTHING(SDL_SetTextInputRect, (const SDL_Rect *rect), (rect))                                  \
    VALUE(char *, SDL_GetClipboardText, (void), ())                                                \
    VALUE(int, SDL_SetClipboardText, (const char *text), (text))                                   \
    VALUE(SDL_Cursor *, SDL_CreateSystemCursor, (SDL_SystemCursor id), (id))                       \
    NOTHING(SDL_SetCursor, (SDL_Cursor * cursor), (cursor))                                        \
    NOTHING(SDL_FreeCursor, (SDL_Cursor * cursor), (cursor))

LATE_LIBRARY(open_sdl, SDL_FUNCTIONS, HEADSCOPE_LATE_SDL, "window", "Opens the window",
             "recommended")

bool window_library_open(Error *error) {
    return open_sdl(error) || error_prefix(error, "the window needs SDL2");
}

#ifdef HEADSCOPE_X11

#include <X11/Xlib.h>
#include <X11/Xutil.h>

#define X11_FUNCTIONS(VALUE, NOTHING)                                                              \
    VALUE(Status, XGetWindowAttributes,                                                            \
          (Display * display, Window window, XWindowAttributes * attributes),                      \
          (display, window, attributes))                                                           \
    VALUE(int, XScreenNumberOfScreen, (Screen * screen), (screen))                                 \
    VALUE(GC, XDefaultGC, (Display * display, int screen), (display, screen))                      \
    VALUE(int, XDefaultDepth, (Display * display, int screen), (display, screen))                  \
    VALUE(int, XImageByteOrder, (Display * display), (display))                                    \
    VALUE(XImage *, XCreateImage,                                                                  \
          (Display * display, Visual * visual, unsigned depth, int format, int offset, char *data, \
           unsigned width, unsigned height, int pad, int pitch),                                   \
          (display, visual, depth, format, offset, data, width, height, pad, pitch))               \
    VALUE(int, XPutImage,                                                                          \
          (Display * display, Drawable to, GC context, XImage * image, int from_x, int from_y,     \
           int x, int y, unsigned width, unsigned height),                                         \
          (display, to, context, image, from_x, from_y, x, y, width, height))                      \
    VALUE(int, XSync, (Display * display, Bool discard), (display, discard))

LATE_LIBRARY(open_x11, X11_FUNCTIONS, HEADSCOPE_LATE_X11, "x11",
             "Puts a window's first picture to an X display sooner", "suggested")

bool window_library_open_x11(void) {
    return open_x11(NULL);
}

#endif
