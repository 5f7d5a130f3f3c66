/* The command line: options as a table, which is parsed, checked and printed as help. */
#ifndef HEADSCOPE_APP_CLI_OPTIONS_H
#define HEADSCOPE_APP_CLI_OPTIONS_H

#include "model/base/error.h"

typedef enum OptionKind {
    OPTION_FLAG,   /* bool: true when given */
    OPTION_SWITCH, /* bool, by "on" or "off" */
    OPTION_INT,
    OPTION_THREADS, /* int; its default is default_threads() */
    OPTION_NUMBER,  /* double */
    OPTION_SEED,    /* uint64_t */
    OPTION_TEXT,    /* const char *: points into argv */
    OPTION_TEXTS,   /* TextList: may be given several times */
} OptionKind;

typedef struct TextList {
    const char **texts; /* owned: free it */
    int count;
} TextList;

typedef struct Option {
    const char *name; /* "--threads" or "-o" */
    OptionKind kind;
    void *value;          /* holds the default until the option is given */
    const char *argument; /* as the help names it: "N" */
    const char *help;
    double min, max; /* for whole numbers; both 0: not checked */
    bool given;      /* set by options_parse */
} Option;

/* A command as main's table and its help show it. */
typedef struct Command {
    const char *name;
    const char *arguments; /* "TASK -o FILE" */
    const char *help;      /* one line */
    /* Runs it with the arguments after its name. ERROR_USAGE becomes exit status 2. */
    bool (*run)(const struct Command *command, int argc, char **argv, Error *error);
} Command;

typedef enum ParseResult { PARSE_FAILED, PARSE_DONE, PARSE_HELP } ParseResult;

/* Parses argv into `options` (ended by {0}) and up to `max` other words. "--help" prints the
 * command's help and gives PARSE_HELP. Options may stand anywhere; "--name=value" works; after "--"
 * all are words. An unknown option, a missing or bad value, one that is given twice, an empty file
 * name, and a word too many, too few or empty are ERROR_USAGE. */
ParseResult options_parse(const Command *command, Option *options, const char **words, int min,
                          int max, int argc, char **argv, Error *error);

/* The same for a lesson: "--help" also prints `shared`, the options of all lessons (NULL: none),
 * which options_take has taken out of argv. */
ParseResult options_parse_lesson(const Command *command, Option *options, const Option *shared,
                                 const char **words, int min, int max, int argc, char **argv,
                                 Error *error);

/* Takes these options (ended by {0}) out of argv wherever they stand before a "--"; the other words
 * keep their order, *argc is their number. For options that several commands share. */
bool options_take(Option *options, int *argc, char **argv, Error *error);

/* The option that `argument` names, up to an "="; NULL if none does. */
Option *options_find(Option *options, const char *argument);

/* Whether its value is a file's name. */
bool option_names_file(const Option *option);

/* The processors of this machine: the default of --threads. */
int default_threads(void);

#endif
