/* What `headscope --version` prints, and the variables that `--help` lists. */
#ifndef HEADSCOPE_APP_CLI_ABOUT_H
#define HEADSCOPE_APP_CLI_ABOUT_H

/* The version, and on which kernels and which OpenBLAS models run here. */
void version_print(void);

typedef struct EnvironmentVariable {
    const char *name;
    const char *help; /* one line */
} EnvironmentVariable;

/* The variables of the environment that the program heeds; ended by {0}. */
extern const EnvironmentVariable environment_variables[];

#endif
