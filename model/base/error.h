/* How library code reports a failure: it fills an Error and returns false; only main prints and
 * exits. The text is one line that names the thing and what to do; control
 * characters in it (a name from a hostile file) stand as escapes (model/base/visible.h). */
#ifndef HEADSCOPE_MODEL_BASE_ERROR_H
#define HEADSCOPE_MODEL_BASE_ERROR_H

#include <stdbool.h>

typedef enum ErrorKind {
    ERROR_FAILED, /* the work could not be done: exit status 1 */
    ERROR_USAGE,  /* the call was wrong (option, token, length): exit status 2 */
    ERROR_FOUND,  /* the work was done and found a fault, which its output names: exit status 1, and
                     nothing more is said */
} ErrorKind;

typedef struct Error {
    ErrorKind kind;
    char text[512];
} Error;

/* Fills *error with kind ERROR_FAILED and the formatted text. Returns false always, so that a
 * caller can write `return error_set(...)`. `error` may be NULL. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with kind ERROR_USAGE. */
bool error_usage(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills *error with kind ERROR_FOUND and no text. Returns false always. */
bool error_found(Error *error);

/* Puts "prefix: " before the text, to name the file or option that the inner failure is about.
 * Keeps the kind. Returns false always. */
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
