#include "app/commands/command_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session/verbs.h"

/* A text that grows. */
typedef struct Text {
    FILE *stream;
    char *bytes;
    size_t size;
} Text;

static bool text_begin(Text *text) {
    *text = (Text){0};
    text->stream = open_memstream(&text->bytes, &text->size);
    return text->stream != NULL;
}

static char *text_end(Text *text) {
    if (fclose(text->stream) == 0) return text->bytes;
    free(text->bytes);
    return NULL;
}

/* "/home/me/a.png" -> "a.png"; the name of a folder, "out/", keeps its slash. */
static const char *last_part(const char *path) {
    const char *at = path + strlen(path);
    if (at > path + 1) at--;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

/* A lesson's words, each by itself. */
static void put_words(FILE *stream, const char *text) {
    while (*text) {
        size_t blanks = strspn(text, " \t"), length = strcspn(text + blanks, " \t"), from = length;
        while (from > 0 && text[blanks + from - 1] != '/')
            from--;
        fprintf(stream, "%.*s%.*s", (int)blanks, text, (int)(length - from), text + blanks + from);
        text += blanks + length;
    }
}

/* An argument whose file is told by its name; "model" and "save" stand before one. */
static char *argument_told(const char *verb, const char *text) {
    static const char *const before[] = {"model ", "save "};
    Text told;
    if (!text_begin(&told)) return NULL;
    size_t kept = 0;
    for (int i = 0; i < 2; i++)
        if (strncmp(text, before[i], strlen(before[i])) == 0) kept = strlen(before[i]);
    if (strcmp(verb, "lesson") == 0)
        put_words(told.stream, text);
    else
        fprintf(told.stream, "%.*s%s", (int)kept, text, last_part(text + kept));
    return text_end(&told);
}

/* One action as it is written, where its verb reaches files with their names alone. */
static bool put_action(FILE *stream, const ActionText *action, bool first) {
    VerbId id = verb_find(action->verb);
    bool files = id == VERB_NONE || verb_at(id)->reach != REACH_STATE;
    if (verb_at(id)->reach == REACH_WORDS) files = verb_names_file(id, action->argument);
    char *argument =
        files ? argument_told(action->verb, action->argument) : strdup(action->argument);
    char *quoted = argument ? action_quote(argument) : NULL;
    if (quoted)
        fprintf(stream, "%s%s%s%s", first ? "" : "; ", action->verb,
                action->has_argument ? " " : "", action->has_argument ? quoted : "");
    free(argument);
    free(quoted);
    return quoted != NULL;
}

/* Actions with the files in them told by their names alone: a new string, NULL for lack of memory.
 */
static char *actions_told(const char *actions) {
    Text text;
    if (!text_begin(&text)) return NULL;
    bool good = true;
    for (bool first = true; good; first = false) {
        ActionText action;
        good = action_next(&actions, &action, NULL);
        bool end = good && !action.verb[0];
        if (good && !end) good = put_action(text.stream, &action, first);
        action_free(&action);
        if (end) break;
    }
    char *bytes = text_end(&text);
    if (good) return bytes;
    free(bytes);
    return strdup(""); /* actions that cannot be read are not done either */
}

/* One word with a space before it; a single quote inside single quotes is written '\\''. */
static void put_word(FILE *stream, const char *word) {
    bool plain = word[0] != '\0' && strpbrk(word, " \t\n'\"\\$`;&|<>()*?[]~#!") == NULL;
    fputs(plain ? " " : " '", stream);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            fputc(*word, stream);
    }
    if (!plain) fputc('\'', stream);
}

/* Of an option that is not in the table: a lesson's own. */
static const Option unknown = {.name = "", .kind = OPTION_TEXT};

/* The value as it is told; `before`, "--data=", stands before it in the same word. */
static bool put_value(FILE *stream, const char *before, const Option *option, const char *value) {
    bool actions = option && option->argument && strcmp(option->argument, "ACTIONS") == 0;
    bool file =
        !option || option_names_file(option) || (option == &unknown && access(value, F_OK) == 0);
    char *told = actions ? actions_told(value) : strdup(file ? last_part(value) : value);
    size_t size = told ? strlen(before) + strlen(told) + 1 : 0;
    char *word = told ? malloc(size) : NULL;
    if (word) {
        snprintf(word, size, "%s%s", before, told);
        put_word(stream, word);
    }
    free(word);
    free(told);
    return word != NULL;
}

static bool put_option(FILE *stream, Option *options, const char *word, const Option **waits) {
    const Option *option = options ? options_find(options, word) : NULL;
    const char *equals = strchr(word, '=');
    if (!option && equals) option = &unknown;
    char name[64];
    *waits = NULL;
    if (option && option->kind != OPTION_FLAG && equals) {
        snprintf(name, sizeof name, "%.*s", (int)(equals + 1 - word), word);
        return put_value(stream, name, option, equals + 1);
    }
    put_word(stream, word);
    if (!option)
        *waits = &unknown;
    else if (option->kind != OPTION_FLAG)
        *waits = option;
    return true;
}

char *command_text(const char *name, Option *options, int argc, char **argv) {
    Text text;
    if (!text_begin(&text)) return NULL;
    fputs(name, text.stream);
    bool good = true, only_words = false;
    const Option *waits = NULL; /* for its value */
    for (int i = 0; good && i < argc; i++) {
        bool option = !only_words && !waits && argv[i][0] == '-' && argv[i][1];
        bool ends = option && strcmp(argv[i], "--") == 0;
        only_words = only_words || ends;
        if (ends) {
            put_word(text.stream, argv[i]);
        } else if (option) {
            good = put_option(text.stream, options, argv[i], &waits);
        } else {
            good = put_value(text.stream, "", waits, argv[i]);
            waits = NULL;
        }
    }
    char *bytes = text_end(&text);
    if (good) return bytes;
    free(bytes);
    return NULL;
}
