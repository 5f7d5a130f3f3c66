/* The lines of chips. Internal to app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_SEQUENCES_H
#define HEADSCOPE_APP_SCREEN_SCREEN_SEQUENCES_H

#include "app/screen/screen_builder.h"

void screen_build_sequences(ScreenBuilder *builder);
void screen_build_unread(ScreenBuilder *builder); /* the source, where nothing could be run yet */

#endif
