/* What the window stands on: SDL2, and X11 where the display is X's. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_LIBRARY_H
#define HEADSCOPE_APP_WINDOW_WINDOW_LIBRARY_H

#include "model/base/error.h"

/* On Linux neither is linked: this opens SDL2, before any of its functions is called. False with
 * *error where it is not installed. */
bool window_library_open(Error *error);

#ifdef HEADSCOPE_X11
/* Likewise X11; false where that is not to be had. */
bool window_library_open_x11(void);
#endif

#endif
