/* The list of keys that lies over the window. */
#include "app/screen/keys.h"
#include "app/screen/screen_parts.h"

/* A key's heading is an entry of its own; other ways to the same are left out. */
void screen_build_help(ScreenBuilder *builder) {
    ScreenKey *help = pool_take(builder->pool, 2 * (size_t)keys_count() * sizeof *help);
    if (!help) return;
    int count = 0;
    for (int i = 0; i < keys_count(); i++) {
        const Key *key = keys_at(i);
        if (key->heading) help[count++] = (ScreenKey){key->heading, NULL};
        if (key->keys) help[count++] = (ScreenKey){key->keys, key->what};
    }
    builder->screen->help = help;
    builder->screen->help_count = count;
}
