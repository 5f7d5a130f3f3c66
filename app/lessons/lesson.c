#include "app/lessons/lesson.h"

#include <string.h>

bool lesson_parse(const LessonCall *call, Option *options, const char **words, int min, int max,
                  LessonResult *result, Error *error) {
    ParseResult parsed = options_parse_lesson(call->command, options, call->shared, words, min, max,
                                              call->argc, call->argv, error);
    result->only_help = parsed == PARSE_HELP;
    return parsed == PARSE_DONE;
}

char **lesson_split(Pool *pool, const char *text, int *count, Error *error) {
    size_t size = strlen(text) + 1;
    char **words = pool_take(pool, (size / 2 + 2) * sizeof *words);
    char *to = pool_take(pool, 2 * size);
    *count = 0;
    if (!words || !to) {
        error_set(error, "out of memory for the lesson's words");
        return NULL;
    }
    while (*(text += strspn(text, " \t\r\n"))) {
        words[(*count)++] = to;
        for (char quote = '\0'; *text && (quote || !strchr(" \t\r\n", *text)); text++) {
            bool quotes = *text == '\'' || *text == '"';
            if (quotes && (!quote || quote == *text))
                quote = quote ? '\0' : *text;
            else
                *to++ = *text;
            if (quote && !text[1]) {
                error_usage(error, "a quote is not closed: %c", quote);
                return NULL;
            }
        }
        *to++ = '\0';
    }
    return words;
}
