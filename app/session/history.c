#include "app/session/history.h"

#include <stdlib.h>

bool history_push(History *history, State *state) {
    if (history->count == history->capacity) {
        int capacity = 2 * history->capacity + 16;
        State *grown = realloc(history->states, (size_t)capacity * sizeof *grown);
        if (!grown) {
            state_free(state);
            return false;
        }
        history->states = grown;
        history->capacity = capacity;
    }
    history->states[history->count++] = *state;
    *state = (State){0};
    return true;
}

bool history_pop(History *history, State *state) {
    if (!history->count) return false;
    *state = history->states[--history->count];
    return true;
}

void history_clear(History *history) {
    for (int i = 0; i < history->count; i++)
        state_free(&history->states[i]);
    free(history->states);
    *history = (History){0};
}
