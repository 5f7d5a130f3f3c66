#include "app/trap_option.h"

#include <stdio.h>
#include <string.h>

bool trap_option_find(const Trap **trap, const char *name, Error *error) {
    *trap = strcmp(name, "none") == 0 ? NULL : trap_find(name);
    if (!*trap && strcmp(name, "none") != 0) {
        char list[400] = "none";
        for (int i = 0; trap_at(i); i++)
            if (!trap_at(i)->is_loud)
                snprintf(list + strlen(list), sizeof list - strlen(list), ", %s", trap_at(i)->name);
        return error_usage(error, "%s: no such trap; there are %s", name, list);
    }
    if (*trap && (*trap)->is_loud)
        return error_usage(error, "%s stops with an error wherever it is made: it cannot run",
                           name);
    return true;
}

bool trap_option_apply(Config *config, const char *name, Error *error) {
    const Trap *trap;
    if (!name) return true;
    if (!trap_option_find(&trap, name, error)) return false;
    trap_mistakes(config->mistakes, trap);
    return true;
}

const char *trap_option_name(const Config *config) {
    if (!config_mistaken(config)) return "none";
    const Trap *trap = trap_of(config->mistakes);
    return trap ? trap->name : "mistakes of its own";
}
