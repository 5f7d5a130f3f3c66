/* took PROGRAM [ARGUMENT ...]: runs it, its standard output thrown away, and prints the
 * milliseconds from before its start until its end, and those of processor time. Fails if it does.
 */
#define _DEFAULT_SOURCE /* wait4 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/clock.h"

static void become(char **argv) {
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static double milliseconds(struct timeval time) {
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: took PROGRAM [ARGUMENT ...]\n", stderr);
        return 2;
    }
    int status;
    struct rusage usage;
    double before = clock_ms();
    pid_t child = fork();
    if (child == 0) become(argv + 1);
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("took");
        return 1;
    }
    double after = clock_ms();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
    printf("%.3f %.3f\n", after - before,
           milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    return 0;
}
