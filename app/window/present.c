#include "app/window/present.h"

#include <SDL_surface.h>

#ifdef HEADSCOPE_X11
#include <SDL_syswm.h>
#include <X11/Xutil.h>

#include "app/window/window_library.h"
#include "model/base/minmax.h"
#endif

/* Rows of the picture from `top`, for SDL to copy from. */
static SDL_Surface *rows_of(const Surface *picture, int top, int rows) {
    return SDL_CreateRGBSurfaceWithFormatFrom(surface_row(picture, top), picture->width, rows, 24,
                                              (int)picture->pitch, SDL_PIXELFORMAT_RGB24);
}

static bool present_shared(SDL_Window *window, const Surface *picture) {
    SDL_Surface *to = SDL_GetWindowSurface(window);
    SDL_Surface *from = to ? rows_of(picture, 0, picture->height) : NULL;
    if (!from) return false;
    SDL_BlitSurface(from, NULL, to, NULL);
    SDL_FreeSurface(from);
    return SDL_UpdateWindowSurface(window) == 0;
}

#ifdef HEADSCOPE_X11
enum { STRIP_PIXELS = 1 << 16 }; /* a few hundred kilobytes, which stay in the cache */

/* Where the strips go. */
typedef struct Target {
    Display *display;
    Window window;
    Visual *visual;
    unsigned depth;
    GC context;
} Target;

/* Only for what nearly every X server has: SDL_PIXELFORMAT_RGB888 in our order of bytes. */
static bool find_target(Target *target, SDL_Window *window) {
    SDL_SysWMinfo info;
    XWindowAttributes attributes;
    SDL_VERSION(&info.version);
    if (!SDL_GetWindowWMInfo(window, &info) || info.subsystem != SDL_SYSWM_X11) return false;
    if (!window_library_open_x11()) return false;
    Display *display = info.info.x11.display;
    if (!XGetWindowAttributes(display, info.info.x11.window, &attributes)) return false;
    int screen = XScreenNumberOfScreen(attributes.screen);
    const Visual *visual = attributes.visual;
    int order = SDL_BYTEORDER == SDL_LIL_ENDIAN ? LSBFirst : MSBFirst;
    *target = (Target){display, info.info.x11.window, attributes.visual, (unsigned)attributes.depth,
                       XDefaultGC(display, screen)};
    return attributes.depth == XDefaultDepth(display, screen) && visual->red_mask == 0xff0000 &&
           visual->green_mask == 0xff00 && visual->blue_mask == 0xff &&
           XImageByteOrder(display) == order;
}

/* Rows of the picture from `top`, by way of `strip`. */
static bool put_rows(const Target *target, const Surface *picture, int top, int rows,
                     Uint32 *strip) {
    int width = picture->width, pitch = width * (int)sizeof *strip;
    SDL_Surface *from = rows_of(picture, top, rows);
    SDL_Surface *to =
        SDL_CreateRGBSurfaceWithFormatFrom(strip, width, rows, 32, pitch, SDL_PIXELFORMAT_RGB888);
    XImage *image = XCreateImage(target->display, target->visual, target->depth, ZPixmap, 0,
                                 (char *)strip, (unsigned)width, (unsigned)rows, 32, pitch);
    bool good = from && to && image && image->bits_per_pixel == 32 &&
                SDL_BlitSurface(from, NULL, to, NULL) == 0;
    if (good)
        XPutImage(target->display, target->window, target->context, image, 0, 0, 0, top,
                  (unsigned)width, (unsigned)rows);
    if (image) image->data = NULL; /* it is not the image's */
    if (image) XDestroyImage(image);
    SDL_FreeSurface(from);
    SDL_FreeSurface(to);
    return good;
}

static bool present_directly(SDL_Window *window, const Surface *picture) {
    static Uint32 strip[STRIP_PIXELS];
    Target target;
    if (picture->width > STRIP_PIXELS || !find_target(&target, window)) return false;
    int max = STRIP_PIXELS / picture->width;
    for (int top = 0; top < picture->height; top += max) {
        int rows = int_min(picture->height - top, max);
        if (!put_rows(&target, picture, top, rows, strip)) return false;
    }
    XSync(target.display, False);
    return true;
}
#else
static bool present_directly(SDL_Window *window, const Surface *picture) {
    (void)window;
    (void)picture;
    return false;
}
#endif

bool present(Presenter *presenter, SDL_Window *window, const Surface *picture) {
    bool first = presenter->width != picture->width || presenter->height != picture->height;
    *presenter = (Presenter){picture->width, picture->height};
    return (first && present_directly(window, picture)) || present_shared(window, picture);
}
