#include "app/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/help.h"

int default_threads(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > 64 ? 64 : (int)processors;
}

static bool bad_value(const Option *option, const char *value, const char *wanted, Error *error) {
    return error_usage(error, "%s %s: it takes %s", option->name, value, wanted);
}

static bool set_int(const Option *option, const char *value, Error *error) {
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    bool checked = option->min != 0 || option->max != 0;
    double min = checked ? option->min : -2147483648.0;
    double max = checked ? option->max : 2147483647.0;
    if (*value == '\0' || *end != '\0' || errno || (double)number < min || (double)number > max) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a whole number from %.0f to %.0f", min, max);
        return bad_value(option, value, wanted, error);
    }
    *(int *)option->value = (int)number;
    return true;
}

static bool set_number(const Option *option, const char *value, Error *error) {
    char *end;
    double number = strtod(value, &end);
    if (*value == '\0' || *end != '\0' || isnan(number))
        return bad_value(option, value, "a number", error);
    *(double *)option->value = number;
    return true;
}

static bool set_seed(const Option *option, const char *value, Error *error) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end != '\0' || errno)
        return bad_value(option, value, "a whole number from 0", error);
    *(uint64_t *)option->value = number;
    return true;
}

static bool add_text(const Option *option, const char *value, Error *error) {
    TextList *list = option->value;
    const char **grown = realloc(list->texts, ((size_t)list->count + 1) * sizeof *grown);
    if (!grown) return error_set(error, "out of memory for %s", option->name);
    list->texts = grown;
    list->texts[list->count++] = value;
    return true;
}

static bool set_option(Option *option, const char *value, Error *error) {
    if (option->given && option->kind != OPTION_FLAG && option->kind != OPTION_TEXTS)
        return error_usage(error, "%s: given twice", option->name);
    if (option_names_file(option) && !value[0])
        return error_usage(error, "%s: the name is empty", option->name);
    option->given = true;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)option->value = true;
        return true;
    case OPTION_SWITCH:
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
            return bad_value(option, value, "on or off", error);
        *(bool *)option->value = strcmp(value, "on") == 0;
        return true;
    case OPTION_INT:
    case OPTION_THREADS:
        return set_int(option, value, error);
    case OPTION_NUMBER:
        return set_number(option, value, error);
    case OPTION_SEED:
        return set_seed(option, value, error);
    case OPTION_TEXT:
        *(const char **)option->value = value;
        return true;
    case OPTION_TEXTS:
        return add_text(option, value, error);
    }
    return false;
}

Option *options_find(Option *options, const char *argument) {
    size_t length = strcspn(argument, "=");
    for (Option *option = options; option->name; option++)
        if (strlen(option->name) == length && strncmp(option->name, argument, length) == 0)
            return option;
    return NULL;
}

/* Sets the option at argv[*at]; *at advances if its value is the next argument. */
static bool take_option(Option *option, int *at, int argc, char **argv, Error *error) {
    bool flag = option->kind == OPTION_FLAG;
    const char *value = strchr(argv[*at], '=');
    if (flag ? value != NULL : !value && *at + 1 == argc)
        return error_usage(error, "%s: %s", argv[*at],
                           flag ? "it takes no value" : "a value must follow");
    value = flag ? NULL : value ? value + 1 : argv[++*at];
    return set_option(option, value, error);
}

bool option_names_file(const Option *option) {
    return option->argument &&
           (strncmp(option->argument, "FILE", 4) == 0 || strcmp(option->argument, "PATH") == 0);
}

bool options_take(Option *options, int *argc, char **argv, Error *error) {
    int left = 0, at = 0;
    for (; at < *argc && strcmp(argv[at], "--") != 0; at++) {
        Option *option = options_find(options, argv[at]);
        if (!option)
            argv[left++] = argv[at];
        else if (!take_option(option, &at, *argc, argv, error))
            return false;
    }
    while (at < *argc)
        argv[left++] = argv[at++];
    *argc = left;
    return true;
}

ParseResult options_parse(const Command *command, Option *options, const char **words, int min,
                          int max, int argc, char **argv, Error *error) {
    return options_parse_lesson(command, options, NULL, words, min, max, argc, argv, error);
}

ParseResult options_parse_lesson(const Command *command, Option *options, const Option *shared,
                                 const char **words, int min, int max, int argc, char **argv,
                                 Error *error) {
    int count = 0;
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        char *argument = argv[i];
        if (only_words || argument[0] != '-' || argument[1] == '\0') {
            if (count == max) {
                error_usage(error, "%s: one word too many; usage: headscope %s %s", argument,
                            command->name, command->arguments);
                return PARSE_FAILED;
            }
            if (!argument[0]) {
                error_usage(error, "an empty word; usage: headscope %s %s", command->name,
                            command->arguments);
                return PARSE_FAILED;
            }
            words[count++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_words = true;
            continue;
        }
        HelpForm form;
        if (help_asked(argument, &form)) {
            help_command(form, command, options, shared);
            return PARSE_HELP;
        }
        Option *option = options_find(options, argument);
        if (!option) {
            error_usage(error, "%s: no such option; headscope %s --help lists them", argument,
                        command->name);
            return PARSE_FAILED;
        }
        if (!take_option(option, &i, argc, argv, error)) return PARSE_FAILED;
    }
    if (count >= min) return PARSE_DONE;
    error_usage(error, "usage: headscope %s %s", command->name, command->arguments);
    return PARSE_FAILED;
}
