#include "model/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/base/visible.h"

/* Names may come from hostile files: line breaks and terminal escapes in them must not be printed.
 */
static void set_text(Error *error, const char *text) {
    visible_text(error->text, sizeof error->text, text);
}

static bool error_fill(Error *error, ErrorKind kind, const char *format, va_list arguments) {
    if (error) {
        char text[sizeof error->text];
        error->kind = kind;
        vsnprintf(text, sizeof text, format, arguments);
        set_text(error, text);
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
    char text[2 * sizeof error->text + 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof error->text, format, arguments);
    va_end(arguments);
    strcat(strcat(text, ": "), error->text);
    set_text(error, text);
    return false;
}
