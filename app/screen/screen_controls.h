/* The controls beside the sequences, and what is changed. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_CONTROLS_H
#define HEADSCOPE_APP_SCREEN_SCREEN_CONTROLS_H

#include "app/screen/screen_builder.h"

void screen_build_controls(ScreenBuilder *builder);
void screen_build_world(ScreenBuilder *builder);

#endif
