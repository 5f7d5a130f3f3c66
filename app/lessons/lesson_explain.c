/* The lesson explain: one weight of a model's pass from the beginning. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/trap_option.h"
#include "app/lessons/explain_page.h"
#include "app/lessons/lesson.h"
#include "app/session/action.h"

typedef struct ExplainCall {
    const char *path, *input, *target, *trap;
    const char *words[4]; /* MODEL, unless there is a session, HEAD QUERY KEY */
    int count;
} ExplainCall;

/* The words that are left are the head, the query and the key. Without query and key it is the
 * head's largest weight; in the window without any it is the cell that is told beside the maps. */
static bool find_cell(const ExplainCall *call, Session *session, HeadId *id, int *query, int *key,
                      Error *error) {
    const char *const *words = call->words;
    const State *state = session_state(session);
    *id = state->head;
    if (call->count > 0 && !head_id_parse(words[0], id))
        return error_usage(error, "\"%.40s\" is no head; write site.layer.head, as in cross.1.2",
                           words[0]);
    if (call->count == 3)
        return session_story_place(session, *id, true, words[1], query, error) &&
               session_story_place(session, *id, false, words[2], key, error);
    if (call->count == 2)
        return error_usage(error, "say both, the query and the key, as in cross.1.2 4 3");
    session_story_first(session, *id, query, key);
    if (call->count == 0 && state->cell_row != NONE) {
        *query = state->cell_row;
        *key = state->cell_column;
    }
    return true;
}

static bool make_page(LessonMaker *maker, const ExplainCall *call, Session *session, Error *error) {
    HeadId id;
    int query, key;
    SessionStory told;
    if (!find_cell(call, session, &id, &query, &key, error)) return false;
    if (!session_story(&told, session, id, query, key, error)) return false;
    explain_page(maker, &told);
    session_story_free(&told);
    return true;
}

/* --- on the command line ---------------------------------------------------------------------- */

static bool apply(Session *session, const char *verb, const char *text, Error *error) {
    char *quoted = action_quote(text), *actions = NULL;
    size_t size = quoted ? strlen(verb) + strlen(quoted) + 2 : 0;
    if (size) actions = malloc(size);
    bool good = actions != NULL || error_set(error, "out of memory");
    if (good) {
        snprintf(actions, size, "%s %s", verb, quoted);
        good = session_apply(session, actions, error);
    }
    free(quoted);
    free(actions);
    return good;
}

/* A session of its own, on the text. */
static bool explain_text(LessonMaker *maker, const ExplainCall *call, Error *error) {
    Model model;
    if (!call->input) return error_usage(error, "say what the model is to read: --input TEXT");
    if (!model_open(&model, call->path, error)) return false;
    Session *session = session_make(&model, call->path, error);
    if (!session) return false;
    bool good = apply(session, "input", call->input, error) &&
                (!call->target || apply(session, "target", call->target, error)) &&
                (!call->trap || apply(session, "trap", call->trap, error));
    session_refresh(session);
    const char *problem = session_problem(session);
    if (good && problem) good = error_usage(error, "%s", problem);
    good = good && make_page(maker, call, session, error);
    session_free(session);
    return good;
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    ExplainCall asked = {0};
    Option options[] = {
        {"--input", OPTION_TEXT, &asked.input, "TEXT", "what the model reads", 0, 0, false},
        {"--target", OPTION_TEXT, &asked.target, "TEXT",
         "the target (teacher forcing); else the model writes it", 0, 0, false},
        {"--trap", OPTION_TEXT, &asked.trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {0},
    };
    const char *words[4] = {NULL};
    bool live = call->session != NULL;
    Option none[] = {{0}};
    ParseResult parsed = options_parse(call->command, live ? none : options, words, live ? 0 : 2,
                                       live ? 3 : 4, call->argc, call->argv, error);
    if (parsed != PARSE_DONE) return result->only_help = parsed == PARSE_HELP;
    int first = live ? 0 : 1;
    asked.path = words[0];
    for (int i = first; i < 4 && words[i]; i++)
        asked.words[asked.count++] = words[i];
    return live ? make_page(maker, &asked, call->session, error)
                : explain_text(maker, &asked, error);
}

const Lesson lesson_explain = {
    .name = "explain",
    .title = "One weight from the beginning",
    .arguments = "MODEL --input TEXT [--target TEXT] [--trap NAME] SITE.LAYER.HEAD [QUERY KEY]",
    .help = "One attention weight from the beginning: sources, products, mask, softmax, value.",
    .make = make,
    .needs_session = true,
};
