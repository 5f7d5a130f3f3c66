/* A window on a display of its own: Xvfb with its pixels in a file (-fbdir, in the format of xwd),
 * keys and pointer by xdotool. */
#ifndef TESTS_APP_HELPER_WINDOW_H
#define TESTS_APP_HELPER_WINDOW_H

#include <stdarg.h>
#include <stdint.h>

#include "helper_picture.h"
#include "helper_program.h"

typedef struct Display {
    pid_t server, program;
    char number[16]; /* ":3" */
    int width, height;
} Display;

enum { PATIENCE_S = 20, PAUSE_MS = 20 }; /* far more than anything here takes */

/* Waits until the condition holds; fails the test, naming it, if it never does. */
#define WAIT_FOR(condition)                                                                        \
    do {                                                                                           \
        time_t end = time(NULL) + PATIENCE_S;                                                      \
        while (!(condition)) {                                                                     \
            if (time(NULL) > end) fail_msg("this never came to be: %s", #condition);               \
            wait_milliseconds(PAUSE_MS);                                                           \
        }                                                                                          \
    } while (0)

HELPER bool have_display_tools(void) {
    return system("command -v Xvfb >/dev/null && command -v xdotool >/dev/null") == 0;
}

/* --- the display ------------------------------------------------------------------------------ */

HELPER void display_start(Display *display, int width, int height) {
    static int started;
    int pipes[2];
    char screen[32], file[16], answer = ' ';
    *display = (Display){.width = width, .height = height};
    assert_int_equal(pipe(pipes), 0);
    snprintf(screen, sizeof screen, "%dx%dx24", width, height);
    snprintf(file, sizeof file, "%d", pipes[1]);
    /* A number of our own: a server that ends may take the socket of the next one of its number
     * along. -noreset: else it begins anew when xdotool, alone there, leaves. */
    snprintf(display->number, sizeof display->number, ":%d",
             1000 + (int)(getpid() % 20000) * 50 + started++ % 50);
    display->server = fork();
    assert_true(display->server >= 0);
    if (display->server == 0) {
        close(pipes[0]);
        if (!freopen("/dev/null", "w", stderr)) _exit(126);
        execlp("Xvfb", "Xvfb", display->number, "-displayfd", file, "-screen", "0", screen,
               "-fbdir", test_folder, "-nolisten", "tcp", "-noreset", (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    while (answer != '\n') /* all of its number: then it is ready */
        assert_int_equal(read(pipes[0], &answer, 1), 1);
    close(pipes[0]);
    setenv("DISPLAY", display->number, 1);
}

HELPER void end_process(pid_t *process, int signal_number) {
    int status;
    if (*process > 0 && kill(*process, signal_number) == 0) waitpid(*process, &status, 0);
    *process = 0;
}

HELPER void display_stop(Display *display) {
    end_process(&display->program, SIGKILL);
    end_process(&display->server, SIGTERM);
}

/* xdotool with these words; whether it succeeded. */
HELPER bool xdo(const char *format, ...) __attribute__((format(printf, 1, 2)));
HELPER bool xdo(const char *format, ...) {
    char command[600] = "xdotool ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command + 8, sizeof command - 40, format, arguments);
    va_end(arguments);
    strcat(command, " >/dev/null 2>&1");
    return system(command) == 0;
}

/* --- the program ------------------------------------------------------------------------------ */

/* Starts headscope with these words in the test's folder; its window stands at the display's corner
 * and has the keyboard. */
HELPER void window_start(Display *display, const char *const *words) {
    char out[80];
    char *arguments[MOST_WORDS + 2] = {(char *)program_path()};
    for (int i = 0; i < MOST_WORDS && words[i]; i++)
        arguments[i + 1] = (char *)words[i];
    snprintf(out, sizeof out, "%s.err", test_folder);
    fflush(NULL);
    display->program = fork();
    assert_true(display->program >= 0);
    if (display->program == 0) {
        if (!freopen(out, "w", stderr) || chdir(test_folder) != 0) _exit(126);
        execv(arguments[0], arguments);
        _exit(127);
    }
    WAIT_FOR(xdo("search --onlyvisible --name headscope windowmove 0 0 windowfocus"));
}

/* Waits for the program's end; its status as of program_wait. */
HELPER int window_wait(Display *display) {
    int status = 0;
    WAIT_FOR(waitpid(display->program, &status, WNOHANG) == display->program);
    display->program = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

HELPER bool window_is_large(int width, int height) {
    char out[4096] = "", wanted[64];
    FILE *pipe = popen("xdotool search --onlyvisible --name headscope getwindowgeometry", "r");
    assert_non_null(pipe);
    size_t length = fread(out, 1, sizeof out - 1, pipe);
    out[length] = '\0';
    pclose(pipe);
    snprintf(wanted, sizeof wanted, "Geometry: %dx%d", width, height);
    return strstr(out, wanted) != NULL;
}

/* --- pixels ----------------------------------------------------------------------------------- */

/* The upper left part of the display, as it is now. */
HELPER Picture display_read(int width, int height) {
    Picture picture = {.width = width, .height = height};
    size_t size;
    char *bytes = file_read(in_folder("Xvfb_screen0"), &size);
    uint32_t header = picture_number(bytes), line = picture_number(bytes + 48);
    uint32_t colors = picture_number(bytes + 76); /* of 12 bytes each */
    const char *pixels = bytes + header + 12 * colors;
    assert_int_equal(picture_number(bytes + 44), 32); /* bits a pixel, blue first */
    picture.pixels = malloc(3 * (size_t)width * (size_t)height);
    assert_non_null(picture.pixels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int channel = 0; channel < 3; channel++)
                picture.pixels[3 * ((size_t)y * (size_t)width + (size_t)x) + (size_t)channel] =
                    (unsigned char)pixels[(size_t)y * line + 4 * (size_t)x + 2 - (size_t)channel];
    free(bytes);
    return picture;
}

/* Whether the display shows just this picture at its corner. */
HELPER bool display_shows(const char *path) {
    Picture saved = picture_read(path);
    Picture shown = display_read(saved.width, saved.height);
    bool same = same_pixels(&saved, &shown);
    picture_free(&saved);
    picture_free(&shown);
    return same;
}

HELPER bool pixel_is_lit(int x, int y) {
    Picture shown = display_read(x + 1, y + 1);
    const unsigned char *pixel = shown.pixels + 3 * ((size_t)(y + 1) * (size_t)(x + 1) - 1);
    bool lit = pixel[0] || pixel[1] || pixel[2];
    picture_free(&shown);
    return lit;
}

#endif
