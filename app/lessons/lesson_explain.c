/* The lesson explain: follows one attention weight of a model's pass from the embeddings to what it
 * adds (model/explain/weight_story.h), in text, tables and bars. Each figure is used by the next.
 */
#include <math.h>

#include "app/cli/trap_option.h"
#include "app/lessons/explain_words.h"
#include "app/lessons/lesson.h"
#include "model/base/visible.h"

enum { MAX_TERMS = 8 };

/* --- introduction ----------------------------------------------------------------------------- */

static void add_introduction(ExplainPage page) {
    const WeightStory *story = page.story;
    lesson_title(page.maker, "One weight from the beginning: %s, query %s, key %s",
                 explain_head(page, story->id), explain_query(page.pool, page.pass, story->query),
                 explain_key(page.pool, page.pass, story->key));
    lesson_text(page.maker, TONE_PLAIN,
                "The weight in the pass is %s. Each figure below follows from the ones before it; "
                "all are read from the pass and recomputed from there with more digits.%s",
                explain_weight(page, story->pass_weight),
                story->id.site == SITE_ENCODER
                    ? ""
                    : " A decoder's step is named by what it reads and what it writes: a→b.");
    const MistakeKind *trap = page.pass->trap;
    if (story->mistaken)
        lesson_text(
            page.maker, TONE_WRONG,
            "This pass makes a mistake on purpose%s. What follows is told by the rule of the "
            "pass, not by the right one.",
            trap ? pool_format(page.pool, ": %s (%s)", trap->title, trap->mixes) : "");
}

/* --- 1: sources
 * ---------------------------------------------------------------------------------------- */

static void add_sources(ExplainPage page) {
    static const char *const roles[STORY_ROLES] = {"query", "key", "value"};
    const WeightStory *story = page.story;
    const char *parameters = explain_parameters(page.pool, story->id);
    double gap = 0;
    lesson_heading(page.maker, "1. Where query, key and value came from");
    lesson_table(page.maker, NULL,
                 "\t~tensor\t>step\ttoken\t>vector's length\trows of in_proj_weight");
    for (int role = 0; role < STORY_ROLES; role++) {
        const StorySlice *slice = &story->slices[role];
        const char *const *names = role == STORY_QUERY ? page.pass->queries : page.pass->keys;
        lesson_row(page.maker, TONE_PLAIN, "%s\t%s\t%d\t%s\t%.3f\t%s", roles[role],
                   explain_source(page.pool, page.pass, (StoryRole)role), slice->step,
                   visible_token(page.pool, names[slice->step]), slice->input_length,
                   explain_range(page, role * story->width + slice->column, slice->stride));
        gap = fmax(gap, slice->gap);
    }
    lesson_text(
        page.maker, TONE_PLAIN,
        "Each vector of %d numbers is projected by %s.in_proj_weight; head %d of %d owns %d "
        "numbers of what comes out. Projected anew, the pass is met to within %.1g.",
        story->width, parameters, story->id.head, story->heads, story->head_width, gap);
}

/* --- 2: products
 * ---------------------------------------------------------------------------------------- */

/* Draws the query slice, the key slice and their products as rows of one map. */
static void draw_slices(ExplainPage page) {
    static const char *const names[] = {"query", "key", "product"};
    const WeightStory *story = page.story;
    int width = story->head_width;
    float *values = pool_take(page.pool, 3 * (size_t)width * sizeof *values);
    if (!values) return;
    double top = 0;
    for (int i = 0; i < width; i++) {
        double query = story->slices[STORY_QUERY].values[i],
               key = story->slices[STORY_KEY].values[i];
        values[i] = (float)query;
        values[width + i] = (float)key;
        values[2 * width + i] = (float)(query * key);
        top = fmax(top, fmax(fmax(fabs(query), fabs(key)), fabs(query * key)));
    }
    lesson_maps(page.maker, NULL, 1);
    lesson_map(page.maker, &(LessonMap){.title = "the head's slices, element by element",
                                        .rows = 3,
                                        .columns = width,
                                        .values = values,
                                        .top = top > 0 ? (float)top : 1,
                                        .diverging = true,
                                        .row_names = names,
                                        .marked_row = -1,
                                        .marked_column = -1});
}

static void add_products(ExplainPage page) {
    const WeightStory *story = page.story;
    int width = story->head_width, shown = width > MAX_TERMS + 1 ? MAX_TERMS : width;
    double rest = story->product, top = fabs(story->product);
    lesson_heading(page.maker, "2. Query times key");
    draw_slices(page);
    for (int i = 0; i < shown; i++)
        rest -= story->terms[i].product;
    top = fmax(top, fmax(fabs(story->terms[0].product), shown < width ? fabs(rest) : 0));
    lesson_bars(page.maker, "query × key, those that matter most first:", true);
    for (int i = 0; i < shown; i++) {
        StoryTerm term = story->terms[i];
        lesson_bar(
            page.maker,
            pool_format(page.pool, "element %d: %.4f × %.4f", term.element, term.query, term.key),
            explain_over(term.product, top), TONE_PLAIN, "%+.4f", term.product);
    }
    if (shown < width)
        lesson_bar(page.maker, pool_format(page.pool, "the other %d together", width - shown),
                   explain_over(rest, top), TONE_FAINT, "%+.4f", rest);
    lesson_bar(page.maker, pool_format(page.pool, "sum of all %d products", width),
               explain_over(story->product, top), TONE_STRONG, "%+.4f", story->product);
}

/* --- 3: score
 * ---------------------------------------------------------------------------------------- */

static void add_score(ExplainPage page) {
    const WeightStory *story = page.story;
    double root = sqrt((double)story->head_width);
    bool right = fabs(story->divisor - root) < 1e-9 * root;
    double top = fmax(fabs(story->product), fabs(story->score));
    lesson_heading(page.maker, "3. Divided by the root of the head's width");
    if (right)
        lesson_text(
            page.maker, TONE_PLAIN,
            "The head is %d wide, and the root of %d is %.4f. Products of wider heads sum to "
            "larger numbers; divided so, scores keep their size whatever the width.",
            story->head_width, story->head_width, story->divisor);
    else
        lesson_text(page.maker, TONE_WRONG,
                    "This pass divides by %.4f, where the root of the head's width %d is %.4f.",
                    story->divisor, story->head_width, root);
    lesson_bars(page.maker, NULL, true);
    lesson_bar(page.maker, "sum of products", explain_over(story->product, top), TONE_PLAIN,
               "%+.4f", story->product);
    lesson_bar(page.maker, pool_format(page.pool, "score: that / %.4f", story->divisor),
               explain_over(story->score, top), TONE_STRONG, "%+.4f", story->score);
}

/* --- 4: mask
 * ---------------------------------------------------------------------------------------- */

static void add_mask(ExplainPage page) {
    const WeightStory *story = page.story;
    const StoryMask *mask = &story->mask;
    lesson_heading(page.maker, "4. The mask's verdict");
    lesson_text(page.maker, mask->seen == mask->right ? TONE_STRONG : TONE_WRONG, "%s.",
                explain_verdict(page.pool, page.pass));
    if (mask->end <= mask->first)
        lesson_text(page.maker, TONE_PLAIN, "Query %d sees no key at all.", story->query);
    else
        lesson_text(page.maker, TONE_PLAIN, "Query %d sees keys %d to %d of %d.", story->query,
                    mask->first, mask->end - 1, story->keys);
}

/* --- buttons ---------------------------------------------------------------------------------- */

static void button(ExplainPage page, const char *label, const char *tip, int query, int key) {
    if (query < 0 || key < 0 || query >= page.story->queries || key >= page.story->keys) return;
    lesson_button(page.maker, label, false, tip, "%s",
                  explain_action_to(page, page.story->id, query, key));
}

static void add_buttons(ExplainPage page) {
    const WeightStory *story = page.story;
    HeadId id = story->id;
    int best = 0;
    for (int key = 1; key < story->keys; key++)
        if (story->row[key].weight > story->row[best].weight) best = key;
    lesson_buttons(page.maker, NULL);
    button(page, "query before", "the same key, seen by the query before", story->query - 1,
           story->key);
    button(page, "next query", "the same key, seen by the next query", story->query + 1,
           story->key);
    button(page, "key before", "the key before it in this row", story->query, story->key - 1);
    button(page, "next key", "the key after it in this row", story->query, story->key + 1);
    if (best != story->key)
        button(page, "largest of the row", "the key that this query looks at most", story->query,
               best);
    id.head = (id.head + 1) % story->heads;
    if (story->heads > 1)
        lesson_button(page.maker, "next head", false, "the same cell of the next head", "%s",
                      explain_action_to(page, id, story->query, story->key));
    lesson_button(page.maker, "see the map", false, "the head with this cell pinned",
                  "page explore; select %s; cell %d %d", explain_head(page, story->id),
                  story->query, story->key);
}

static void add_page(LessonMaker *maker, const PassStory *pass) {
    ExplainPage page = {maker, lesson_pool(maker), pass, &pass->story};
    add_introduction(page);
    add_buttons(page);
    add_sources(page);
    add_products(page);
    add_score(page);
    add_mask(page);
    if (pass->story.line[pass->story.place].masked == -INFINITY) {
        explain_hidden(page);
        return;
    }
    explain_softmax(page);
    explain_value(page);
}

/* --- options ------------------------------------------------------------------------------------
 */

typedef struct ExplainCall {
    const char *path;
    PassTexts texts;
    const char *words[4]; /* MODEL on the command line, HEAD QUERY KEY */
    int count;
} ExplainCall;

/* Reads HEAD QUERY KEY. Without QUERY and KEY, takes the head's largest weight; without any, in the
 * window, the selected cell. */
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
    PassStory pass;
    if (!find_cell(call, shown, &id, &query, &key, error)) return false;
    if (!pass_story_make(&pass, shown, id, query, key, error)) return false;
    add_page(maker, &pass);
    pass_story_free(&pass);
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
    ExplainCall arguments = {0};
    Option options[] = {
        {"--input", OPTION_TEXT, &arguments.texts.input, "TEXT", "what the model reads", 0, 0,
         false},
        {"--target", OPTION_TEXT, &arguments.texts.target, "TEXT",
         "the target (teacher forcing); else the model writes it", 0, 0, false},
        {"--trap", OPTION_TEXT, &arguments.texts.trap, "NAME", TRAP_OPTION_HELP, 0, 0, false},
        {0},
    };
    const char *words[4] = {NULL};
    bool live = call->shown != NULL;
    Option none[] = {{0}};
    if (!lesson_parse(call, live ? none : options, words, live ? 0 : 2, live ? 3 : 4, result,
                      error))
        return result->only_help;
    int first = live ? 0 : 1; /* on the command line, words[0] is MODEL */
    arguments.path = words[0];
    for (int i = first; i < 4 && words[i]; i++)
        arguments.words[arguments.count++] = words[i];
    return live ? make_page(maker, &arguments, call->shown, error)
                : explain_text(maker, &arguments, error);
}

const Lesson lesson_explain = {
    .name = "explain",
    .title = "One weight from the beginning",
    .arguments = "MODEL --input TEXT [--target TEXT] [--trap NAME] SITE.LAYER.HEAD [QUERY KEY]",
    .help = "One attention weight from the beginning: sources, products, mask, softmax, value.",
    .make = make,
    .follows_pass = true,
};
