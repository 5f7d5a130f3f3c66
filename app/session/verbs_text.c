/* Reading, checking and printing of actions by the table of verbs. */
#include <stdlib.h>
#include <string.h>

#include "app/session/session_inside.h"
#include "app/session/verbs.h"

/* What the parts of a form are called in the table. */
static const char *const arg_names[ARG_KINDS] = {
    [ARG_WORD] = "",
    [ARG_HEAD] = "HEAD",
    [ARG_HEADS] = "HEADS",
    [ARG_KNOCKOUT] = "KNOCKOUT",
    [ARG_TEXT] = "TEXT",
    [ARG_PAGE] = "PAGE",
    [ARG_SITE] = "SITE",
    [ARG_THEME] = "THEME",
    [ARG_COLORMAP] = "COLORMAP",
    [ARG_EXAMPLE] = "EXAMPLE",
    [ARG_SOURCE_LEN] = "SOURCE_LEN",
    [ARG_TARGET_LEN] = "TARGET_LEN",
    [ARG_STEP] = "STEP",
    [ARG_SNAPSHOT] = "SNAPSHOT",
    [ARG_HEAD_NUMBER] = "HEAD_NUMBER",
    [ARG_LAYER] = "LAYER",
    [ARG_QUERY] = "QUERY",
    [ARG_KEY] = "KEY",
    [ARG_SCROLL] = "SCROLL",
    [ARG_SOURCE_TOKEN] = "SOURCE_TOKEN",
    [ARG_TARGET_TOKEN] = "TARGET_TOKEN",
    [ARG_PLACE] = "PLACE",
    [ARG_SHARE] = "SHARE",
    [ARG_TEXT_SCALE] = "TEXT_SCALE",
    [ARG_ZOOM] = "ZOOM",
    [ARG_PART] = "PART",
};

static const char *const words[WORD_COUNT] = {
    [WORD_ALL] = "all",
    [WORD_AUTO] = "auto",
    [WORD_BACK] = "back",
    [WORD_COMPANION] = "companion",
    [WORD_HEADS] = "heads",
    [WORD_IN] = "in",
    [WORD_INPUT] = "input",
    [WORD_LARGER] = "larger",
    [WORD_LARGEST] = "largest",
    [WORD_LAYER] = "layer",
    [WORD_MEAN] = "mean",
    [WORD_MODEL] = "model",
    [WORD_NEXT] = "next",
    [WORD_OFF] = "off",
    [WORD_ON] = "on",
    [WORD_ONE] = "one",
    [WORD_OUT] = "out",
    [WORD_PLAIN] = "plain",
    [WORD_PREVIOUS] = "previous",
    [WORD_SAVE] = "save",
    [WORD_SMALLER] = "smaller",
    [WORD_SNAPSHOT] = "snapshot",
    [WORD_SOURCE] = "source",
    [WORD_STOP] = "stop",
    [WORD_TARGET] = "target",
    [WORD_TOGGLE] = "toggle",
    [WORD_ZERO] = "zero",
};

static const char *const pages[PAGE_COUNT] = {"explore", "compare", "train", "lessons"};

/* --- forms ------------------------------------------------------------------------------------ */

enum { FORM_ARGS = 4 };

typedef struct Arg {
    ArgKind kind;
    Word word; /* of ARG_WORD */
} Arg;

typedef struct Form {
    int count;
    Arg args[FORM_ARGS];
} Form;

static int place_in(const char *const *names, int count, const char *name, size_t length) {
    for (int i = 1; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return i;
    return 0;
}

/* Reads the form at *forms and moves behind it; at the end *forms is NULL, and false is returned.
 */
static bool next_form(const char **forms, Form *form) {
    const char *at = *forms;
    *form = (Form){0};
    if (!at) return false;
    while (*at && *at != '|') {
        size_t length = strcspn(at, " |");
        Arg *arg = &form->args[form->count++];
        arg->word = (Word)place_in(words, WORD_COUNT, at, length);
        arg->kind = arg->word ? ARG_WORD : (ArgKind)place_in(arg_names, ARG_KINDS, at, length);
        at += length + (at[length] == ' ');
    }
    *forms = *at ? at + 1 : NULL;
    return true;
}

static bool is_name(ArgKind kind) {
    return kind >= ARG_PAGE && kind <= ARG_COLORMAP;
}

static bool is_real(ArgKind kind) {
    return kind >= ARG_SHARE;
}

static bool is_bounded(ArgKind kind) {
    return kind >= ARG_EXAMPLE;
}

/* What stands for NONE in the place of a number; NULL: nothing does. */
static const char *none_of(ArgKind kind) {
    return kind == ARG_PLACE                                      ? "-"
           : kind == ARG_SOURCE_TOKEN || kind == ARG_TARGET_TOKEN ? "off"
                                                                  : NULL;
}

/* --- names and bounds ------------------------------------------------------------------------- */

static const char *name_at(ArgKind list, int place) {
    switch (list) {
    case ARG_PAGE:
        return pages[place];
    case ARG_SITE:
        return site_name((Site)place);
    case ARG_THEME:
        return theme_name((ThemeName)place);
    default:
        return colormap_name((ColorMap)place);
    }
}

static bool name_find(ArgKind list, const char *name, int *place) {
    static const int counts[] = {PAGE_COUNT, SITE_COUNT, THEME_COUNT, COLORMAP_COUNT};
    if (list == ARG_COLORMAP && strcmp(name, "gray") == 0) name = "grey";
    for (*place = 0; *place < counts[list - ARG_PAGE]; ++*place)
        if (strcmp(name_at(list, *place), name) == 0) return true;
    return false;
}

typedef struct Range {
    double min, max;
} Range;

static Range range_of(const Session *session, ArgKind kind) {
    const Config *config = &session->model.config;
    const State *state = &session->state;
    double source = config->max_source, target = config->max_target;
    switch (kind) {
    case ARG_EXAMPLE:
        return (Range){0, state->companion ? 1 : 0};
    case ARG_SOURCE_LEN:
        return (Range){0, source};
    case ARG_TARGET_LEN:
        return (Range){0, target};
    case ARG_STEP:
        return (Range){1, target};
    case ARG_SNAPSHOT:
        return (Range){0, session->snapshots.count - 1};
    case ARG_HEAD_NUMBER:
        return (Range){0, config->heads - 1};
    case ARG_LAYER:
        return (Range){0, state_layers(config, state->head.site) - 1};
    case ARG_SOURCE_TOKEN:
        return (Range){0, source - 1};
    case ARG_TARGET_TOKEN:
        return (Range){0, target - 1};
    case ARG_QUERY:
        return (Range){0, (state->head.site == SITE_ENCODER ? source : target) - 1};
    case ARG_KEY:
        return (Range){0, (state->head.site == SITE_DECODER ? target : source) - 1};
    case ARG_PLACE:
        return (Range){0, (source > target ? source : target) - 1};
    case ARG_SCROLL:
        return (Range){0, LESSON_SCROLL_MAX};
    case ARG_SHARE:
        return (Range){0, 1};
    case ARG_ZOOM:
        return (Range){1, (double)SCREEN_ZOOM};
    case ARG_PART:
        return (Range){-1, 1};
    default:
        return (Range){(double)TEXT_SCALE_MIN, (double)TEXT_SCALE_MAX};
    }
}

/* --- checking --------------------------------------------------------------------------------- */

/* `said` is how it was written; `good`: it could be read. */
static bool check_number(const Session *session, VerbId verb, ArgKind kind, const char *said,
                         bool good, double number, Error *error) {
    Range range = range_of(session, kind);
    if (kind == ARG_SNAPSHOT && !verb_has_snapshots(session, verb, error)) return false;
    if (good && number >= range.min && number <= range.max) return true;
    return error_usage(error,
                       is_real(kind) ? "%s %.40s: it takes a number from %g to %g"
                                     : "%s %.40s: it takes a whole number from %.0f to %.0f",
                       verb_at(verb)->help.verb, said, range.min, range.max);
}

static bool check_head(const Session *session, VerbId verb, HeadId id, const char *said,
                       Error *error) {
    const Config *config = &session->model.config;
    int layers = state_layers(config, id.site);
    if (id.layer < layers && id.head < config->heads) return true;
    return error_usage(
        error, "%s: the model has no %s; %s has %d layers and %d heads, both counted from 0",
        verb_at(verb)->help.verb, said, site_name(id.site), layers, config->heads);
}

/* Finds the form that a value has. */
static bool form_of(const Action *action, Form *form) {
    const char *forms = verb_at(action->verb)->forms;
    while (next_form(&forms, form)) {
        int heads = 0, numbers = 0, said = 0;
        bool text = false, same = true;
        for (int i = 0; i < form->count; i++) {
            Arg arg = form->args[i];
            if (arg.kind == ARG_WORD)
                same = same && arg.word == (said ? action->second : action->word);
            said += arg.kind == ARG_WORD || arg.kind == ARG_KNOCKOUT;
            heads += arg.kind == ARG_HEAD || arg.kind == ARG_HEADS;
            numbers += is_bounded(arg.kind) || is_name(arg.kind);
            text = text || arg.kind == ARG_TEXT;
        }
        if (same && said == (action->word != 0) + (action->second != 0) &&
            text == (action->text != NULL) && heads == action->heads && numbers == action->numbers)
            return true;
    }
    return false;
}

static void write_head(char text[48], HeadId id) {
    if (id.head == ALL_HEADS)
        snprintf(text, 48, "%s.%d", site_name(id.site), id.layer);
    else
        snprintf(text, 48, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

bool verb_check(const Session *session, const Action *action, Error *error) {
    Form form;
    if (!form_of(action, &form))
        return error_set(error, "%s: no form of it is like this", verb_at(action->verb)->help.verb);
    int heads = 0, numbers = 0;
    for (int i = 0; i < form.count; i++) {
        ArgKind kind = form.args[i].kind;
        char said[48];
        if (kind == ARG_HEAD || kind == ARG_HEADS) {
            HeadId id = action->head[heads++];
            write_head(said, id);
            if (!check_head(session, action->verb, id, said, error)) return false;
        } else if (is_bounded(kind)) {
            double number = action->number[numbers++];
            snprintf(said, sizeof said, "%.9g", number);
            bool none = none_of(kind) && number == NONE;
            if (!none && !check_number(session, action->verb, kind, said, true, number, error))
                return false;
        } else {
            numbers += is_name(kind);
        }
    }
    return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum { WORD_SIZE = 48 };

/* An argument in parts. */
typedef struct Parts {
    int count;
    const char *at[FORM_ARGS];
    char words[FORM_ARGS][WORD_SIZE];
} Parts;

/* False if there are too many, or a word is too long. */
static bool split(Parts *parts, const char *text) {
    for (parts->count = 0; *(text += strspn(text, " \t")); parts->count++) {
        size_t length = strcspn(text, " \t");
        if (parts->count == FORM_ARGS || length >= WORD_SIZE) return false;
        memcpy(parts->words[parts->count], text, length);
        parts->words[parts->count][length] = '\0';
        parts->at[parts->count] = parts->words[parts->count];
        text += length;
    }
    return true;
}

/* An argument that is taken whole, as a form has it: one part; a word, a space and the rest; or two
 * heads, of which the first can be read. */
static bool part_whole(Parts *parts, const Form *form, const ActionText *text) {
    HeadId id;
    const char *whole = text->argument;
    *parts = (Parts){.count = form->count, .at = {whole}};
    if (form->count <= 1) return form->count == 1 || !text->has_argument;
    if (form->args[0].kind == ARG_HEAD)
        return split(parts, whole) && parts->count == 2 && head_id_parse(parts->at[0], &id);
    const char *word = words[form->args[0].word];
    size_t length = strlen(word);
    if (strncmp(whole, word, length) != 0 || whole[length] != ' ') return false;
    parts->at[0] = word;
    parts->at[1] = whole + length + 1;
    return parts->at[1][0] || form->args[1].kind == ARG_TEXT;
}

/* Whether words and names of the form are those that stand there. */
static bool fits(const Form *form, const Parts *parts) {
    int place;
    if (parts->count != form->count) return false;
    for (int i = 0; i < parts->count; i++) {
        Arg arg = form->args[i];
        if (arg.kind == ARG_WORD && strcmp(parts->at[i], words[arg.word]) != 0) return false;
        if (is_name(arg.kind) && !name_find(arg.kind, parts->at[i], &place)) return false;
    }
    return true;
}

static bool find_form(const Verb *verb, const ActionText *text, Form *form, Parts *parts,
                      Error *error) {
    const char *name = verb->help.verb, *forms = verb->forms;
    bool in_words = verb->flags & VERB_SPLIT;
    int max = 0;
    while (in_words && next_form(&forms, form))
        if (form->count > max) max = form->count;
    if (in_words && (!split(parts, text->argument) || parts->count > max))
        return error_usage(error,
                           "%s %.60s: too much; headscope view --actions tells what it takes", name,
                           text->argument);
    forms = verb->forms;
    while (next_form(&forms, form))
        if ((in_words || part_whole(parts, form, text)) && fits(form, parts)) return true;
    if (verb->flags & VERB_TAKES_LINE) return error_usage(error, "%s", verb->takes);
    return error_usage(error, "%s %.40s: it takes %s", name, text->argument, verb->takes);
}

static void add_word(Action *action, Word word) {
    *(action->word ? &action->second : &action->word) = word;
}

static bool read_word(Arg arg, const char *text, Action *action, Error *error) {
    Word word = arg.word;
    if (arg.kind == ARG_KNOCKOUT) {
        word = strcmp(text, "zero") == 0 ? WORD_ZERO : WORD_MEAN;
        if (strcmp(text, words[word]) != 0)
            return error_usage(error, "%s: by %.20s? It takes zero or mean",
                               verb_at(action->verb)->help.verb, text);
    }
    add_word(action, word);
    return true;
}

/* "cross.1" is read as "cross.1.0", and is then all of the layer. */
static bool read_head(const Session *session, Arg arg, const char *text, Action *action,
                      Error *error) {
    HeadId *id = &action->head[action->heads++];
    char first[WORD_SIZE + 2];
    const char *dot = strchr(text, '.');
    bool layer = arg.kind == ARG_HEADS && dot && !strchr(dot + 1, '.');
    if (layer) {
        snprintf(first, sizeof first, "%s.0", text);
        text = first;
    }
    if (!head_id_parse(text, id))
        return error_usage(error,
                           "%s: \"%.40s\" is no head; write site.layer.head, as in cross.1.2",
                           verb_at(action->verb)->help.verb, text);
    if (!check_head(session, action->verb, *id, text, error)) return false;
    if (layer) id->head = ALL_HEADS;
    return true;
}

static bool read_number(const Session *session, ArgKind kind, const char *text, Action *action,
                        Error *error) {
    double *number = &action->number[action->numbers++];
    const char *none = none_of(kind);
    char *end;
    *number = NONE;
    if (none && strcmp(text, none) == 0) return true;
    *number = is_real(kind) ? strtod(text, &end) : (double)strtol(text, &end, 10);
    bool good = end != text && !*end && (is_real(kind) || (*text >= '0' && *text <= '9'));
    return check_number(session, action->verb, kind, text, good, *number, error);
}

static bool read_arg(const Session *session, Arg arg, const char *text, Action *action,
                     Error *error) {
    int place;
    if (arg.kind == ARG_HEAD || arg.kind == ARG_HEADS)
        return read_head(session, arg, text, action, error);
    if (is_bounded(arg.kind)) return read_number(session, arg.kind, text, action, error);
    if (arg.kind == ARG_TEXT)
        action->text = text;
    else if (name_find(arg.kind, text, &place))
        action->number[action->numbers++] = place;
    return true;
}

bool verb_read(const Session *session, VerbId verb, const ActionText *text, Action *action,
               Error *error) {
    Parts parts = {0};
    Form form;
    *action = (Action){.verb = verb};
    bool good = find_form(verb_at(verb), text, &form, &parts, error);
    for (int i = 0; good && i < form.count; i++) /* errors of words come first */
        if (form.args[i].kind == ARG_WORD || form.args[i].kind == ARG_KNOCKOUT)
            good = read_word(form.args[i], parts.at[i], action, error);
    for (int i = 0; good && i < form.count; i++)
        if (form.args[i].kind != ARG_WORD && form.args[i].kind != ARG_KNOCKOUT)
            good = read_arg(session, form.args[i], parts.at[i], action, error);
    return good;
}

/* --- printing --------------------------------------------------------------------------------- */

/* As short as it can be read back exactly. */
static void print_real(FILE *stream, double value) {
    char text[32];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtof(text, NULL) == (float)value) break;
    }
    fputs(text, stream);
}

static void print_number(FILE *stream, ArgKind kind, double number) {
    if (is_name(kind))
        fputs(name_at(kind, (int)number), stream);
    else if (none_of(kind) && number == NONE)
        fputs(none_of(kind), stream);
    else if (kind == ARG_SHARE || kind == ARG_TEXT_SCALE)
        print_real(stream, number);
    else
        fprintf(stream, "%.9g", number);
}

static void print_args(FILE *stream, const Form *form, const Action *action) {
    int heads = 0, numbers = 0, said = 0;
    for (int i = 0; i < form->count; i++) {
        ArgKind kind = form->args[i].kind;
        char head[48];
        if (i) fputc(' ', stream);
        if (kind == ARG_WORD || kind == ARG_KNOCKOUT) {
            fputs(words[said++ ? action->second : action->word], stream);
        } else if (kind == ARG_HEAD || kind == ARG_HEADS) {
            write_head(head, action->head[heads++]);
            fputs(head, stream);
        } else if (kind == ARG_TEXT) {
            fputs(action->text, stream);
        } else {
            print_number(stream, kind, action->number[numbers++]);
        }
    }
}

bool verb_print(FILE *stream, const Action *action) {
    Form form;
    char *argument = NULL, *quoted = NULL;
    size_t size = 0;
    if (!form_of(action, &form)) return false;
    fputs(verb_at(action->verb)->help.verb, stream);
    if (form.count == 0) return true;
    FILE *whole = open_memstream(&argument, &size);
    if (!whole) return false;
    print_args(whole, &form, action);
    if (fclose(whole) == 0) quoted = action_quote(argument);
    if (quoted) fprintf(stream, " %s", quoted);
    free(argument);
    free(quoted);
    return quoted != NULL;
}
