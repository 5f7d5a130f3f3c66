/* Actions that the session hands on to its host: the window, or a headless command. */
#include "app/session/session_parts.h"

const Verb verbs_of_host[] = {
    {.help = {"save", "[FILE [SCALE]]",
              "what the window shows, as PNG, at 1, 2 or 4 times its size"},
     .reach = REACH_HOST},
    {.help = {"sheet", "[FILE]", "a sheet of all heads, as PNG or SVG"}, .reach = REACH_HOST},
    {.help = {"copy", "", "the selected head's matrix to the clipboard, as text"},
     .reach = REACH_HOST},
    {.help = {"play", "on|off", "steps the decoder by itself"}, .reach = REACH_HOST},
    {.help = {"train", "[TASK]|stop|save [FILE]|back",
              "trains in the background, with the heads on show"},
     .reach = REACH_HOST},
    {.help = {"open", "FILE", "another model, or the state of a saved picture"},
     .reach = REACH_HOST},
    {.help = {"fullscreen", "on|off", "the whole screen, and back"}, .reach = REACH_HOST},
    {.help = {"quit", "", "closes the window"}, .reach = REACH_HOST},
    {.apply = NULL},
};
