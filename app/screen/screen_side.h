/* The right column. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_SIDE_H
#define HEADSCOPE_APP_SCREEN_SCREEN_SIDE_H

#include "app/screen/screen_builder.h"

void screen_build_side(ScreenBuilder *builder);

#endif
