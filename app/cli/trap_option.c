#include "app/cli/trap_option.h"

#include <stdio.h>
#include <string.h>

bool trap_option_unknown(const char *name, bool is_lesson, Error *error) {
    char list[400] = "";
    for (int i = 0; trap_at(i); i++)
        if (is_lesson || !trap_at(i)->is_loud)
            snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", trap_at(i)->name);
    return error_usage(error, "%.40s: no such trap; there are %s%s", name, is_lesson ? "" : "none",
                       list + (is_lesson ? 2 : 0));
}

bool trap_option_find(const MistakeKind **trap, const char *name, Error *error) {
    bool none = strcmp(name, "none") == 0;
    *trap = none ? NULL : trap_find(name);
    if (!*trap && !none) return trap_option_unknown(name, false, error);
    if (*trap && (*trap)->is_loud)
        return error_usage(
            error,
            "%s stops with an error where there are two heads or more, and with one it is "
            "right: it cannot be switched on",
            name);
    return true;
}

bool trap_option_apply(Config *config, const char *name, Error *error) {
    const MistakeKind *trap;
    if (!name) return true;
    if (!trap_option_find(&trap, name, error)) return false;
    trap_mistakes(config->mistakes, trap);
    return true;
}

const char *trap_option_name(const Config *config) {
    if (!config_mistaken(config)) return "none";
    const MistakeKind *trap = trap_of(config->mistakes);
    return trap ? trap->name : "mistakes of its own";
}
