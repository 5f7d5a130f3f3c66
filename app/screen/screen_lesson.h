/* The page of lessons. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_LESSON_H
#define HEADSCOPE_APP_SCREEN_SCREEN_LESSON_H

#include "app/screen/screen_builder.h"

void screen_build_lesson(ScreenBuilder *builder);

#endif
