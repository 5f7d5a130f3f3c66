#include "app/session/history.h"

#include <stdlib.h>

bool history_push(History *history, char *text) {
    if (!text) return false;
    if (history->count == history->capacity) {
        int capacity = 2 * history->capacity + 16;
        char **grown = realloc(history->texts, (size_t)capacity * sizeof *grown);
        if (!grown) {
            free(text);
            return false;
        }
        history->texts = grown;
        history->capacity = capacity;
    }
    history->texts[history->count++] = text;
    return true;
}

char *history_pop(History *history) {
    return history->count ? history->texts[--history->count] : NULL;
}

const char *history_top(const History *history) {
    return history->count ? history->texts[history->count - 1] : NULL;
}

void history_clear(History *history) {
    for (int i = 0; i < history->count; i++)
        free(history->texts[i]);
    free(history->texts);
    *history = (History){0};
}
