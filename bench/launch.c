/* launch FILE PROGRAM [ARGUMENT ...]: writes the clock (model/base/clock.h) to FILE and becomes
 * PROGRAM.
 */
#include <stdio.h>
#include <unistd.h>

#include "model/base/clock.h"

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
    if (!file) {
        fputs("usage: launch FILE PROGRAM [ARGUMENT ...]\n", stderr);
        return 2;
    }
    fprintf(file, "%.3f\n", clock_ms());
    fclose(file);
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 1;
}
