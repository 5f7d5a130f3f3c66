/* A stack of texts: the recipes that undo and redo go back and forth over. */
#ifndef HEADSCOPE_APP_SESSION_HISTORY_H
#define HEADSCOPE_APP_SESSION_HISTORY_H

#include <stdbool.h>

typedef struct History {
    char **texts; /* [count], owned */
    int count, capacity;
} History;

/* Takes the text over (frees it if memory ends, which is false). NULL: false. */
bool history_push(History *history, char *text);

/* The newest text, now the caller's; NULL if there is none. */
char *history_pop(History *history);

/* The newest text, NULL if there is none. */
const char *history_top(const History *history);

void history_clear(History *history); /* {0} is fine; leaves it empty */

#endif
