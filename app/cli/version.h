/* What `headscope --version` prints. */
#ifndef HEADSCOPE_APP_CLI_VERSION_H
#define HEADSCOPE_APP_CLI_VERSION_H

/* The version, and on which kernels and which OpenBLAS models run here. */
void version_print(void);

#endif
