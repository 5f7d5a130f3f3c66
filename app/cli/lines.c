#include "app/cli/lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(Lines *lines, size_t size) {
    if (size < lines->room) return true;
    size_t room = lines->room ? 2 * lines->room : 256;
    char *line = realloc(lines->line, room);
    if (!line) return false;
    lines->line = line;
    lines->room = room;
    return true;
}

bool lines_next(Lines *lines, const char **line, Error *error) {
    size_t size = 0;
    int byte;
    *line = NULL;
    lines->number++;
    errno = 0;
    while ((byte = getc(lines->stream)) != EOF && byte != '\n') {
        if (byte == 0) return error_usage(error, "line %ld: it holds a zero byte", lines->number);
        if (size == LINE_BYTES_MAX)
            return error_usage(error, "line %ld: longer than %d bytes", lines->number,
                               LINE_BYTES_MAX);
        if (!make_room(lines, size + 1)) return error_set(error, "out of memory");
        lines->line[size++] = (char)byte;
    }
    if (byte == EOF && ferror(lines->stream))
        return error_set(error, "standard input cannot be read: %s", strerror(errno));
    if (byte == EOF && size == 0) return true;
    if (!make_room(lines, size + 1)) return error_set(error, "out of memory");
    if (size > 0 && lines->line[size - 1] == '\r') size--;
    lines->line[size] = '\0';
    *line = lines->line;
    return true;
}

void lines_free(Lines *lines) {
    free(lines->line);
    *lines = (Lines){0};
}

char *lines_trim(char *line) {
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length && isspace((unsigned char)line[length - 1]))
        line[--length] = '\0';
    return line;
}
