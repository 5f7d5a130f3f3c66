/* Actions that the session hands on to its host: the window, or a headless command. */
#include "app/session_parts.h"

const Verb verbs_of_host[] = {
    {.help = {"save", "[FILE [SCALE]]",
              "what the window shows, as PNG, at 1, 2 or 4 times its size"}},
    {.help = {"sheet", "[FILE]", "a sheet of all heads, as PNG or SVG"}},
    {.help = {"copy", "", "the selected head's matrix to the clipboard, as text"}},
    {.help = {"play", "on|off", "steps the decoder by itself"}},
    {.help = {"train", "[TASK]|stop|save [FILE]|back",
              "trains in the background, with the heads on show"}},
    {.help = {"open", "FILE", "another model, or the state of a saved picture"}},
    {.help = {"fullscreen", "on|off", "the whole screen, and back"}},
    {.help = {"quit", "", "closes the window"}},
    {.apply = NULL},
};
