/* Training in the background, with a session of its own that shows the heads as they form. */
#ifndef HEADSCOPE_APP_WINDOW_WINDOW_TRAIN_H
#define HEADSCOPE_APP_WINDOW_WINDOW_TRAIN_H

#include "app/window/window_state.h"

bool window_train(Window *window, const char *argument, Error *error); /* the verb */
bool window_train_begin(Window *window, const TrainingCall *call, Error *error);
void window_train_stop(Window *window);

/* Whether the run may go: where it is not saved, only a second request for the same `deed`, soon
 * after the first, throws it away. ERROR_USAGE says so. */
bool window_train_let_go(Window *window, const char *deed, Error *error);
void window_train_news(Window *window);
const ScreenTrain *window_train_screen(const Window *window);
bool window_is_training(const Window *window);
void window_train_free(Window *window);

#endif
