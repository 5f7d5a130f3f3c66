/* The bottom line, and the list of keys. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_STATUS_H
#define HEADSCOPE_APP_SCREEN_SCREEN_STATUS_H

#include "app/screen/screen_builder.h"

void screen_build_status(ScreenBuilder *builder);
void screen_build_help(ScreenBuilder *builder);

#endif
