#include "viz/canvas/theme.h"

#include <string.h>

#define RGB(r, g, b)                                                                               \
    { r, g, b, 255 }

static const Theme themes[THEME_COUNT] = {
    [THEME_LIGHT] =
        {
            .ground = RGB(0xff, 0xff, 0xff),
            .text = RGB(0x1b, 0x1f, 0x24),
            .muted = RGB(0x5d, 0x66, 0x72),
            .line = RGB(0xc4, 0xcb, 0xd4),
            .grid = {0xff, 0xff, 0xff, 0x50},
            .hatch_ground = RGB(0xe9, 0xec, 0xf0),
            .hatch_line = RGB(0xab, 0xb4, 0xc0),
            .alarm = RGB(0xd9, 0x2d, 0x20),
            .middle = RGB(0xff, 0xff, 0xff),
            .ground_window = RGB(0xf4, 0xf6, 0xf9),
            .surface = RGB(0xff, 0xff, 0xff),
            .raised = RGB(0xe9, 0xed, 0xf2),
            .divider = RGB(0xdc, 0xe1, 0xe8),
            .accent = RGB(0x0a, 0x5e, 0xbd),
            .accent_second = RGB(0xa3, 0x4a, 0x00),
            .accent_wash = RGB(0xe2, 0xee, 0xfc),
            .struck = RGB(0xc8, 0x26, 0x1b),
            .sound = RGB(0x00, 0x6b, 0x5f),
        },
    [THEME_DARK] =
        {
            .ground = RGB(0x16, 0x19, 0x1e),
            .text = RGB(0xe8, 0xea, 0xed),
            .muted = RGB(0x9b, 0xa4, 0xb0),
            .line = RGB(0x3c, 0x43, 0x4d),
            .grid = {0x16, 0x19, 0x1e, 0x90},
            .hatch_ground = RGB(0x23, 0x28, 0x2f),
            .hatch_line = RGB(0x55, 0x5e, 0x6a),
            .alarm = RGB(0xff, 0x6b, 0x5e),
            .middle = RGB(0x22, 0x27, 0x2e),
            .ground_window = RGB(0x10, 0x13, 0x17),
            .surface = RGB(0x19, 0x1d, 0x23),
            .raised = RGB(0x26, 0x2c, 0x35),
            .divider = RGB(0x2b, 0x32, 0x3b),
            .accent = RGB(0x62, 0xad, 0xff),
            .accent_second = RGB(0xff, 0xac, 0x52),
            .accent_wash = RGB(0x1a, 0x2f, 0x4a),
            .struck = RGB(0xff, 0x6b, 0x5e),
            .sound = RGB(0x4d, 0xd0, 0xb1),
        },
};

static const char *const names[THEME_COUNT] = {"light", "dark"};

const Theme *theme_get(ThemeName name) {
    return &themes[name];
}

const char *theme_name(ThemeName name) {
    return names[name];
}

bool theme_parse(const char *text, ThemeName *name) {
    for (int index = 0; index < THEME_COUNT; index++) {
        if (strcmp(text, names[index]) != 0) continue;
        *name = (ThemeName)index;
        return true;
    }
    return false;
}
