/* Reads a stream line by line. */
#ifndef HEADSCOPE_APP_CLI_LINES_H
#define HEADSCOPE_APP_CLI_LINES_H

#include <stddef.h>
#include <stdio.h>

#include "model/base/error.h"

enum { LINE_BYTES_MAX = 1 << 20 };

typedef struct Lines {
    FILE *stream;
    char *line; /* the current line, owned */
    size_t room;
    long number; /* of the current line, from 1 */
} Lines;

/* Reads the next line, without its line ending (LF or CRLF). At the end of input *line is NULL.
 * False for a stream that cannot be read, a line of more than LINE_BYTES_MAX bytes or with a zero
 * byte.
 */
bool lines_next(Lines *lines, const char **line, Error *error);
void lines_free(Lines *lines); /* {0} is fine */

/* Removes white space from both ends of a line, in place. Returns its new beginning. */
char *lines_trim(char *line);

#endif
