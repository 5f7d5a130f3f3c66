/* Going on step by step: the decoder's steps by themselves, and the states of a script. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_PLAY_H
#define HEADSCOPE_APP_WINDOW_WINDOW_PLAY_H

#include "app/window/window_state.h"

void window_play(Window *window, bool on);
void window_step_played(Window *window, Moment now);

/* To the next (1) or previous (-1) state of the script, or snapshot. */
void window_turn(Window *window, int by);

#endif
