/* The vocabulary: all verbs, and what several of them share. */
#include <stdlib.h>
#include <string.h>

#include "app/session/session_parts.h"

static const Verb *const tables[] = {verbs_of_pass, verbs_of_heads,  verbs_of_comparison,
                                     verbs_of_look, verbs_of_lesson, verbs_of_host};
enum { TABLES = sizeof tables / sizeof tables[0] };

const Verb *session_verb_find(const char *name) {
    for (int table = 0; table < TABLES; table++)
        for (const Verb *verb = tables[table]; verb->help.verb; verb++)
            if (strcmp(verb->help.verb, name) == 0) return verb;
    return NULL;
}

const ActionHelp *session_action_help(int index) {
    for (int table = 0; table < TABLES; table++)
        for (const Verb *verb = tables[table]; verb->help.verb; verb++)
            if (index-- == 0) return &verb->help;
    return NULL;
}

bool verb_head(const Session *session, const Action *action, const char *text, HeadId *id,
               Error *error) {
    const Config *config = &session->model.config;
    if (!head_id_parse(text, id))
        return error_usage(error,
                           "%s: \"%.40s\" is no head; write site.layer.head, as in cross.1.2",
                           action->verb, text);
    int layers = state_layers(config, id->site);
    if (id->layer < layers && id->head < config->heads) return true;
    return error_usage(
        error, "%s: the model has no %s; %s has %d layers and %d heads, both counted from 0",
        action->verb, text, site_name(id->site), layers, config->heads);
}

bool verb_number(const Action *action, const char *text, int least, int most, int *number,
                 Error *error) {
    char *end;
    long read = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || read < least || read > most)
        return error_usage(error, "%s %.40s: it takes a whole number from %d to %d", action->verb,
                           text, least, most);
    *number = (int)read;
    return true;
}

bool verb_real(const Action *action, const char *text, double least, double most, float *number,
               Error *error) {
    char *end;
    double read = strtod(text, &end);
    if (end == text || *end || !(read >= least && read <= most))
        return error_usage(error, "%s %.40s: it takes a number from %g to %g", action->verb, text,
                           least, most);
    *number = (float)read;
    return true;
}

bool verb_switch(const Action *action, bool *value, Error *error) {
    const char *text = action->argument;
    if (!action->has_argument || strcmp(text, "toggle") == 0)
        *value = !*value;
    else if (strcmp(text, "on") == 0)
        *value = true;
    else if (strcmp(text, "off") == 0)
        *value = false;
    else
        return error_usage(error, "%s %.40s: it takes on, off or toggle", action->verb, text);
    return true;
}

bool verb_alone(const Action *action, Error *error) {
    return !action->has_argument ||
           error_usage(error, "%s %.40s: it takes nothing", action->verb, action->argument);
}

bool verb_words(const Action *action, char words[][VERB_WORD], int most, int *count, Error *error) {
    const char *text = action->argument;
    for (*count = 0; *(text += strspn(text, " \t")); ++*count) {
        size_t length = strcspn(text, " \t");
        if (*count == most || length >= VERB_WORD)
            return error_usage(error,
                               "%s %.60s: too much; headscope view --actions tells what it "
                               "takes",
                               action->verb, action->argument);
        memcpy(words[*count], text, length);
        words[*count][length] = '\0';
        text += length;
    }
    return true;
}

bool verb_next(const char *text, int count, int *place) {
    bool next = strcmp(text, "next") == 0;
    if (!next && strcmp(text, "previous") != 0) return false;
    *place = (*place + (next ? 1 : count - 1)) % count;
    return true;
}
