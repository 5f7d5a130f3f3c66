#include "app/session/action.h"

#include <stdlib.h>
#include <string.h>

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_spaces(const char *text) {
    while (is_space(*text))
        text++;
    return text;
}

/* From the opening quote on; *text comes to stand behind the closing one. */
static bool read_quoted(const char **text, ActionText *action, Error *error) {
    const char *from = *text + 1;
    action->argument = malloc(strlen(from) + 1);
    if (!action->argument) return error_set(error, "out of memory");
    size_t length = 0;
    bool closed = false;
    for (; *from && !closed; from++) {
        closed = *from == '"' && from[1] != '"';
        if (*from == '"' && !closed) from++;
        if (!closed) action->argument[length++] = *from;
    }
    action->argument[length] = '\0';
    if (!closed) return error_usage(error, "%s: the quote has no end", action->verb);
    from = skip_spaces(from);
    if (*from && *from != ';')
        return error_usage(error, "%s: after the quoted text stands \"%.20s\"; write a ; between",
                           action->verb, from);
    *text = from;
    return true;
}

static bool read_plain(const char **text, ActionText *action, Error *error) {
    size_t length = strcspn(*text, ";"), kept = length;
    while (kept > 0 && is_space((*text)[kept - 1]))
        kept--;
    action->argument = malloc(kept + 1);
    if (!action->argument) return error_set(error, "out of memory");
    memcpy(action->argument, *text, kept);
    action->argument[kept] = '\0';
    action->has_argument = kept > 0;
    *text += length;
    return true;
}

bool action_next(const char **text, ActionText *action, Error *error) {
    *action = (ActionText){0};
    while (is_space(**text) || **text == ';')
        ++*text;
    size_t length = strcspn(*text, "; \t\r\n");
    if (length >= sizeof action->verb)
        return error_usage(error, "\"%.*s\" is no action; headscope view --actions lists them",
                           length > 60 ? 60 : (int)length, *text);
    memcpy(action->verb, *text, length);
    *text = skip_spaces(*text + length);
    if (**text != '"') return read_plain(text, action, error);
    action->has_argument = true;
    return read_quoted(text, action, error);
}

void action_free(ActionText *action) {
    free(action->argument);
    *action = (ActionText){0};
}

char *action_quote(const char *argument) {
    size_t length = strlen(argument);
    bool plain = length > 0 && !is_space(argument[0]) && !is_space(argument[length - 1]) &&
                 argument[0] != '"' && !strchr(argument, ';');
    char *quoted = malloc(2 * length + 3);
    if (!quoted) return NULL;
    if (plain) {
        memcpy(quoted, argument, length + 1);
        return quoted;
    }
    size_t at = 0;
    quoted[at++] = '"';
    for (; *argument; argument++) {
        if (*argument == '"') quoted[at++] = '"';
        quoted[at++] = *argument;
    }
    quoted[at++] = '"';
    quoted[at] = '\0';
    return quoted;
}
