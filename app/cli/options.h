/* Command-line options as a table from which they are parsed, checked and printed as help. */
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
    void *value;          /* initially the default */
    const char *argument; /* as the help names it: "N" */
    const char *help;
    double min, max; /* for whole numbers; both 0: not checked */
    bool given;      /* set by options_parse */
} Option;

/* An entry of main's table of commands. */
typedef struct Command {
    const char *name;
    const char *arguments; /* "TASK -o FILE" */
    const char *help;      /* one line */
    /* Runs it with the arguments after its name. ERROR_USAGE becomes exit status 2. */
    bool (*run)(const struct Command *command, int argc, char **argv, Error *error);
} Command;

typedef enum ParseResult { PARSE_FAILED, PARSE_DONE, PARSE_HELP } ParseResult;

/* Parses argv into `options` (ended by {0}) and `min` to `max` other words. "--help" prints the
 * command's help and returns PARSE_HELP. Options may come anywhere; "--name=value" works; after
 * "--" all arguments are words. ERROR_USAGE for an unknown or repeated option, a missing or bad
 * value, an empty file name or word, and too many or too few words. */
ParseResult options_parse(const Command *command, Option *options, const char **words, int min,
                          int max, int argc, char **argv, Error *error);

/* The same for a lesson: "--help" also prints `shared`, the options of all lessons (NULL: none),
 * which options_take has removed from argv. */
ParseResult options_parse_lesson(const Command *command, Option *options, const Option *shared,
                                 const char **words, int min, int max, int argc, char **argv,
                                 Error *error);

/* Parses these options (ended by {0}) and removes them from argv, up to a "--"; the other arguments
 * keep their order, and *argc becomes their number. For options that several commands share. */
bool options_take(Option *options, int *argc, char **argv, Error *error);

/* The option named by `argument` up to an "="; NULL if there is none. */
Option *options_find(Option *options, const char *argument);

/* True if the value is a file name. */
bool option_names_file(const Option *option);

/* The number of processors, at most 64: the default of --threads. */
int default_threads(void);

#endif
