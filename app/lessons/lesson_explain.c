/* The lesson explain: one weight of a model's pass from the beginning. */
#include "app/cli/trap_option.h"
#include "app/lessons/explain_page.h"
#include "app/lessons/lesson.h"

typedef struct ExplainCall {
    const char *path;
    PassTexts texts;
    const char *words[4]; /* MODEL on the command line, HEAD QUERY KEY */
    int count;
} ExplainCall;

/* The words that are left are the head, the query and the key. Without query and key it is the
 * head's largest weight; in the window without any it is the cell that is told beside the maps. */
static bool find_cell(const ExplainCall *call, const ShownPass *shown, HeadId *id, int *query,
                      int *key, Error *error) {
    const char *const *words = call->words;
    const State *state = shown->state;
    *id = state->head;
    if (call->count > 0 && !head_id_parse(words[0], id))
        return error_usage(error, "\"%.40s\" is no head; write site.layer.head, as in cross.1.2",
                           words[0]);
    if (call->count == 3)
        return pass_story_place(shown, *id, true, words[1], query, error) &&
               pass_story_place(shown, *id, false, words[2], key, error);
    if (call->count == 2)
        return error_usage(error, "say both, the query and the key, as in cross.1.2 4 3");
    pass_story_first(shown, *id, query, key);
    if (call->count == 0 && state->cell_row != NONE) {
        *query = state->cell_row;
        *key = state->cell_column;
    }
    return true;
}

static bool make_page(LessonMaker *maker, const ExplainCall *call, const ShownPass *shown,
                      Error *error) {
    HeadId id;
    int query, key;
    PassStory told;
    if (!find_cell(call, shown, &id, &query, &key, error)) return false;
    if (!pass_story_make(&told, shown, id, query, key, error)) return false;
    explain_page(maker, &told);
    pass_story_free(&told);
    return true;
}

/* --- on the command line ---------------------------------------------------------------------- */

static bool explain_text(LessonMaker *maker, const ExplainCall *call, Error *error) {
    Model model;
    TextPass text = {0};
    if (!call->texts.input)
        return error_usage(error, "say what the model is to read: --input TEXT");
    if (!model_open(&model, call->path, error)) return false;
    bool good = text_pass_make(&text, &model, &call->texts, error) &&
                make_page(maker, call, &text.shown, error);
    text_pass_free(&text);
    model_free(&model);
    return good;
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    ExplainCall asked = {0};
    Option options[] = {
        {"--input", OPTION_TEXT, &asked.texts.input, "TEXT", "what the model reads", 0, 0, false},
        {"--target", OPTION_TEXT, &asked.texts.target, "TEXT",
         "the target (teacher forcing); else the model writes it", 0, 0, false},
        {"--trap", OPTION_TEXT, &asked.texts.trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {0},
    };
    const char *words[4] = {NULL};
    bool live = call->shown != NULL;
    Option none[] = {{0}};
    ParseResult parsed = options_parse(call->command, live ? none : options, words, live ? 0 : 2,
                                       live ? 3 : 4, call->argc, call->argv, error);
    if (parsed != PARSE_DONE) return result->only_help = parsed == PARSE_HELP;
    int first = live ? 0 : 1;
    asked.path = words[0];
    for (int i = first; i < 4 && words[i]; i++)
        asked.words[asked.count++] = words[i];
    return live ? make_page(maker, &asked, call->shown, error) : explain_text(maker, &asked, error);
}

const Lesson lesson_explain = {
    .name = "explain",
    .title = "One weight from the beginning",
    .arguments = "MODEL --input TEXT [--target TEXT] [--trap NAME] SITE.LAYER.HEAD [QUERY KEY]",
    .help = "One attention weight from the beginning: sources, products, mask, softmax, value.",
    .make = make,
    .follows_pass = true,
};
