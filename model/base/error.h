/* How library code reports a failure: it fills an Error and returns false; only main prints and
 * exits. The text is one line that names the thing and what to do. Control characters in it (a name
 * from a hostile file) are escaped (model/base/visible.h). */
#ifndef HEADSCOPE_MODEL_BASE_ERROR_H
#define HEADSCOPE_MODEL_BASE_ERROR_H

#include <stdbool.h>

typedef enum ErrorKind {
    ERROR_FAILED, /* the work could not be done: exit status 1 */
    ERROR_USAGE,  /* the call was wrong (option, token, length): exit status 2 */
    ERROR_FOUND,  /* the work was done and its output names a fault: exit status 1, no message */
} ErrorKind;

typedef struct Error {
    ErrorKind kind;
    char text[512];
} Error;

/* Fills *error with kind ERROR_FAILED and the formatted text. Always returns false, so that a
 * caller can write `return error_set(...)`. `error` may be NULL. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with kind ERROR_USAGE. */
bool error_usage(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills *error with kind ERROR_FOUND and no text. Always returns false. */
bool error_found(Error *error);

/* Puts "prefix: " before the text, to name the file or option that the inner failure is about.
 * Keeps the kind. Always returns false. */
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
