/* The list of keys that lies over the window. */
#include "app/screen_parts.h"

void screen_build_help(ScreenBuilder *builder) {
    (void)builder;
}
