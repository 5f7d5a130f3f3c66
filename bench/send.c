/* Plays input through xdotool: each line of standard input is `MS COMMAND`, and COMMAND is handed
 * over MS milliseconds after the one before. Prints for each the clock (model/base/clock.h) of that
 * moment, a tab, and the command; a key's way through xdotool and the X server begins there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/base/clock.h"

static void sleep_until(double ms) {
    double left;
    while ((left = ms - clock_ms()) > 0) {
        struct timespec rest = {(time_t)(left / 1e3), (long)(left * 1e6) % 1000000000};
        nanosleep(&rest, NULL);
    }
}

int main(void) {
    char line[256];
    FILE *xdotool = popen("xdotool -", "w");
    if (!xdotool) return 1;
    double next = clock_ms();
    while (fgets(line, sizeof line, stdin)) {
        char *command = strchr(line, ' ');
        if (!command) continue;
        next += strtod(line, NULL);
        sleep_until(next);
        double now = clock_ms();
        fputs(command + 1, xdotool);
        fflush(xdotool);
        printf("%.3f\t%s", now, command + 1);
    }
    return pclose(xdotool) != 0;
}
