#include "model/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Names come from files of others: a line break or a terminal's escape in one must not get out. */
static void keep_one_line(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

static bool error_fill(Error *error, ErrorKind kind, const char *format, va_list arguments) {
    if (error) {
        error->kind = kind;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        keep_one_line(error->text);
    }
    return false;
}

bool error_set(Error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, ERROR_FAILED, format, arguments);
    va_end(arguments);
    return false;
}

bool error_usage(Error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, ERROR_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

bool error_found(Error *error) {
    if (error) *error = (Error){.kind = ERROR_FOUND};
    return false;
}

bool error_prefix(Error *error, const char *format, ...) {
    if (!error) return false;
    Error inner = *error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", inner.text);
    keep_one_line(error->text);
    return false;
}
