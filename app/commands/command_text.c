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

/* "/home/me/a.png" -> "a.png"; a folder, "out/", keeps its slash. */
static const char *last_part(const char *path) {
    const char *at = path + strlen(path);
    if (at > path + 1) at--;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

/* Writes a lesson's words, each without its folders. */
static void put_words(FILE *stream, const char *text) {
    while (*text) {
        size_t blanks = strspn(text, " \t"), length = strcspn(text + blanks, " \t"), from = length;
        while (from > 0 && text[blanks + from - 1] != '/')
            from--;
        fprintf(stream, "%.*s%.*s", (int)blanks, text, (int)(length - from), text + blanks + from);
        text += blanks + length;
    }
}

/* An action's argument without folders; "model" and "save" precede a file's name. */
static char *strip_argument_folders(const char *verb, const char *argument) {
    static const char *const before[] = {"model ", "save "};
    Text text;
    if (!text_begin(&text)) return NULL;
    size_t kept = 0;
    for (int i = 0; i < 2; i++)
        if (strncmp(argument, before[i], strlen(before[i])) == 0) kept = strlen(before[i]);
    if (strcmp(verb, "lesson") == 0)
        put_words(text.stream, argument);
    else
        fprintf(text.stream, "%.*s%s", (int)kept, argument, last_part(argument + kept));
    return text_end(&text);
}

/* Writes one action; an action that opens files is written without their folders. */
static bool put_action(FILE *stream, const ActionText *action, bool first) {
    VerbId id = verb_find(action->verb);
    bool files = id == VERB_NONE || verb_at(id)->reach != REACH_STATE;
    if (verb_at(id)->reach == REACH_WORDS) files = verb_names_file(id, action->argument);
    char *argument =
        files ? strip_argument_folders(action->verb, action->argument) : strdup(action->argument);
    char *quoted = argument ? action_quote(argument) : NULL;
    if (quoted)
        fprintf(stream, "%s%s%s%s", first ? "" : "; ", action->verb,
                action->has_argument ? " " : "", action->has_argument ? quoted : "");
    free(argument);
    free(quoted);
    return quoted != NULL;
}

/* Actions with the folders of file names removed: a new string, NULL if out of memory. */
static char *strip_action_folders(const char *actions) {
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
    return strdup(""); /* actions that cannot be parsed are not run either */
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

/* Stands for an option that is not in the table: a lesson's own. */
static const Option unknown = {.name = "", .kind = OPTION_TEXT};

/* Writes a value without folders; `before` is what precedes it in the same word: "--data=". */
static bool put_value(FILE *stream, const char *before, const Option *option, const char *value) {
    bool actions = option && option->argument && strcmp(option->argument, "ACTIONS") == 0;
    bool file =
        !option || option_names_file(option) || (option == &unknown && access(value, F_OK) == 0);
    char *text = actions ? strip_action_folders(value) : strdup(file ? last_part(value) : value);
    size_t size = text ? strlen(before) + strlen(text) + 1 : 0;
    char *word = text ? malloc(size) : NULL;
    if (word) {
        snprintf(word, size, "%s%s", before, text);
        put_word(stream, word);
    }
    free(word);
    free(text);
    return word != NULL;
}

static bool put_option(FILE *stream, Option *options, const char *word, const Option **pending) {
    const Option *option = options ? options_find(options, word) : NULL;
    const char *equals = strchr(word, '=');
    if (!option && equals) option = &unknown;
    char name[64];
    *pending = NULL;
    if (option && option->kind != OPTION_FLAG && equals) {
        snprintf(name, sizeof name, "%.*s", (int)(equals + 1 - word), word);
        return put_value(stream, name, option, equals + 1);
    }
    put_word(stream, word);
    if (!option)
        *pending = &unknown;
    else if (option->kind != OPTION_FLAG)
        *pending = option;
    return true;
}

char *command_text(const char *name, Option *options, int argc, char **argv) {
    Text text;
    if (!text_begin(&text)) return NULL;
    fputs(name, text.stream);
    bool good = true, only_words = false;
    const Option *pending = NULL; /* its value is the next word */
    for (int i = 0; good && i < argc; i++) {
        bool option = !only_words && !pending && argv[i][0] == '-' && argv[i][1];
        bool ends = option && strcmp(argv[i], "--") == 0;
        only_words = only_words || ends;
        if (ends) {
            put_word(text.stream, argv[i]);
        } else if (option) {
            good = put_option(text.stream, options, argv[i], &pending);
        } else {
            good = put_value(text.stream, "", pending, argv[i]);
            pending = NULL;
        }
    }
    char *bytes = text_end(&text);
    if (good) return bytes;
    free(bytes);
    return NULL;
}
