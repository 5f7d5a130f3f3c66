#include "app/window/window_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/lines.h"
#include "app/cli/places.h"

enum { SCRIPT_MAX = 1 << 22 };

void script_free(WindowScript *script) {
    free(script->states);
    free(script->text);
    *script = (WindowScript){0};
}

/* A name ends at the first colon with a space behind it; but one behind a quote or `;` belongs to
 * the actions, which so can have such colons too. */
static ScriptState take_apart(char *line) {
    char *colon = line + strcspn(line, ":\";");
    if (*colon != ':' || (colon[1] && colon[1] != ' ' && colon[1] != '\t'))
        return (ScriptState){"", line};
    *colon = '\0';
    return (ScriptState){lines_trim(line), lines_trim(colon + 1)};
}

static int count_lines(const char *text) {
    int count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void read_lines(WindowScript *script) {
    for (char *line = script->text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        line = lines_trim(line);
        if (line[0] && line[0] != '#') script->states[script->count++] = take_apart(line);
    }
}

bool script_read(WindowScript *script, const char *path, Error *error) {
    *script = (WindowScript){0};
    script->text = places_read(path, SCRIPT_MAX, NULL, error);
    if (!script->text) return false;
    script->states = calloc((size_t)count_lines(script->text), sizeof *script->states);
    if (script->states) {
        read_lines(script);
        if (script->count) return true;
        error_usage(error, "%s: has no state; a line is `name: actions`", path);
    } else {
        error_set(error, "%s: out of memory", path);
    }
    script_free(script);
    return false;
}

bool script_go(const WindowScript *script, int index, const Settings *looks, Session *session,
               Error *error) {
    const ScriptState *state = &script->states[index];
    Action first[SETTINGS_LOOKS];
    settings_looks(looks, first);
    return session_restore_after(session, first, SETTINGS_LOOKS, state->actions, error) ||
           error_prefix(error, "state %d%s%s", index + 1, state->name[0] ? ", " : "", state->name);
}

bool script_check(const WindowScript *script, const Settings *looks, Session *session,
                  Error *error) {
    for (int i = 0; i < script->count; i++)
        if (!script_go(script, i, looks, session, error)) return false;
    return true;
}
