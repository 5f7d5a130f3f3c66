#include "app/window/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/cli/places.h"

void kept_read(Kept *kept) {
    *kept = (Kept){.settings = settings_default(),
                   .stored = settings_default(),
                   .settings_path = places_config(),
                   .last_path = places_last()};
    kept->known = kept->settings_path && access(kept->settings_path, F_OK) == 0;
    if (kept->known && !settings_read(&kept->settings, kept->settings_path, &kept->problem))
        fprintf(stderr, "headscope: %s\n", kept->problem.text);
    settings_copy(&kept->stored, &kept->settings);
}

void kept_free(Kept *kept) {
    settings_free(&kept->settings);
    settings_free(&kept->stored);
    free(kept->settings_path);
    free(kept->last_path);
    *kept = (Kept){0};
}
