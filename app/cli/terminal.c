#define _GNU_SOURCE /* fopencookie; elsewhere funopen */

#include "app/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/base/utf8.h"
#include "model/base/visible.h"

enum { PART = 256 };

/* A standard stream that is a terminal. */
typedef struct Terminal {
    int descriptor;
    const char *start;           /* allowed at the beginning of a write: clears the progress line */
    char split[UTF8_LENGTH_MAX]; /* the incomplete character at the end of the last write */
    size_t split_size;
} Terminal;

static bool write_all(int descriptor, const char *text, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t some = write(descriptor, text + done, size - done);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return false;
        done += (size_t)some;
    }
    return true;
}

/* Writes the complete characters of `text` and keeps the rest. */
static bool write_visible(Terminal *terminal, const char *text, size_t size) {
    char part[PART];
    size_t used = strlen(terminal->start);
    if (used > size || memcmp(text, terminal->start, used) != 0) used = 0;
    memcpy(part, text, used);
    text += used;
    size -= used;
    while (size > 0) {
        size_t taken = visible_char_size(text, size);
        if (taken == 0) break;
        if (used + VISIBLE_SIZE_MAX >= sizeof part) {
            if (!write_all(terminal->descriptor, part, used)) return false;
            used = 0;
        }
        if (text[0] == '\n' || text[0] == '\t')
            part[used++] = text[0];
        else
            used += visible_put(part + used, text, taken);
        text += taken;
        size -= taken;
    }
    memcpy(terminal->split, text, size);
    terminal->split_size = size;
    return write_all(terminal->descriptor, part, used);
}

static bool write_terminal(void *context, const char *text, size_t size) {
    Terminal *terminal = context;
    size_t before = terminal->split_size;
    char *all = malloc(before + size + 1);
    if (!all) {
        errno = ENOMEM;
        return false;
    }
    memcpy(all, terminal->split, before);
    memcpy(all + before, text, size);
    bool good = write_visible(terminal, all, before + size);
    free(all);
    return good;
}

#ifdef __APPLE__
static int write_terminal_int(void *context, const char *text, int size) {
    return write_terminal(context, text, (size_t)size) ? size : -1;
}

static FILE *open_terminal(Terminal *terminal) {
    return funopen(terminal, NULL, write_terminal_int, NULL, NULL);
}
#else
/* fopencookie expects 0, not a negative number, for an error. */
static ssize_t write_cookie(void *context, const char *text, size_t size) {
    return write_terminal(context, text, size) ? (ssize_t)size : 0;
}

static FILE *open_terminal(Terminal *terminal) {
    return fopencookie(terminal, "w", (cookie_io_functions_t){.write = write_cookie});
}
#endif

/* Replaces `stream`, of that descriptor, with the filtered stream if it is a terminal. */
static void guard(FILE **stream, Terminal *terminal, int buffering) {
    if (!isatty(terminal->descriptor)) return;
    FILE *guarded = open_terminal(terminal);
    if (!guarded) return;
    setvbuf(guarded, NULL, buffering, BUFSIZ);
    *stream = guarded;
}

void terminal_begin(void) {
    static Terminal output = {.descriptor = STDOUT_FILENO, .start = ""};
    static Terminal errors = {.descriptor = STDERR_FILENO, .start = "\r\033[K"};
    /* Opened in the wrong direction, so that reading and writing still fail. */
    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
    guard(&stdout, &output, _IOLBF);
    guard(&stderr, &errors, _IONBF);
}

/* True if the reader of standard output has closed the pipe. */
static bool reader_has_closed(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

bool terminal_end(bool *quiet, Error *error) {
    errno = 0;
    bool failed = ferror(stdout) != 0;
    int reason = fflush(stdout) != 0 ? errno : 0;
    *quiet = reason == EPIPE || (failed && reader_has_closed());
    if (!failed && !reason) return true;
    if (!reason && write(STDOUT_FILENO, "\n", 1) < 0) reason = errno; /* meets the same obstacle */
    return error_set(error, "standard output cannot be written%s%s", reason ? ": " : "",
                     reason ? strerror(reason) : "");
}
