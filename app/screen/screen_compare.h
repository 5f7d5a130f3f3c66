/* The page that compares A with B. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_COMPARE_H
#define HEADSCOPE_APP_SCREEN_SCREEN_COMPARE_H

#include "app/screen/screen_builder.h"

void screen_build_compare(ScreenBuilder *builder);

#endif
