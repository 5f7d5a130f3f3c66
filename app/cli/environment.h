/* The variables of the environment that the program heeds, as --help lists them. */
#ifndef HEADSCOPE_APP_CLI_ENVIRONMENT_H
#define HEADSCOPE_APP_CLI_ENVIRONMENT_H

typedef struct EnvironmentVariable {
    const char *name;
    const char *help; /* one line */
} EnvironmentVariable;

/* Ended by {0}. */
extern const EnvironmentVariable environment_variables[];

#endif
