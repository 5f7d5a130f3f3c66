/* Puts a picture into an SDL window. */
#ifndef HEADSCOPE_APP_WINDOW_PRESENT_H
#define HEADSCOPE_APP_WINDOW_PRESENT_H

#include <SDL_video.h>
#include <stdbool.h>

#include "viz/canvas/surface.h"

/* {0} has shown nothing yet. */
typedef struct Presenter {
    int width, height; /* of the last picture */
} Presenter;

/* Shows `picture`, which is as large as the window, and waits until the display has taken it.
 *
 * SDL keeps memory that it shares with the X server, as large as the window: the fastest way for
 * picture after picture, but new, and empty, after each change of the size. Getting it costs more
 * than drawing, since both sides touch every page of it for the first time. So the first picture of
 * a size goes to the X server by its socket, in strips. Elsewhere than on X all go through SDL.
 * False if there is no way to show anything; SDL_GetError tells why. */
bool present(Presenter *presenter, SDL_Window *window, const Surface *picture);

#endif
