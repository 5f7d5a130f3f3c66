/* The lesson shapes: the shapes of a call of multi-head attention, from input to output. */
#include <string.h>

#include "app/lessons/call_shape.h"
#include "app/lessons/lesson.h"
#include "app/lessons/provenance_blocks.h"
#include "app/lessons/shapes_walk.h"

typedef struct Preset {
    const char *name, *tip;
    int batch, queries, keys, width, heads;
    const char *lens;
    Site site;
} Preset;

static const Preset presets[] = {
    {"d2l", "The toy of D2L 11.5: 4 queries, 6 keys.", 2, 4, 6, 100, 5, "3,2", SITE_CROSS},
    {"d2l-self", "The toy of D2L 11.6: a tensor that attends to itself.", 2, 4, 4, 100, 5, "3,2",
     SITE_ENCODER},
    {"bert", "BERT large (UDL 12.6): 512 tokens.", 2, 512, 512, 1024, 16, "512,128", SITE_ENCODER},
    {"vaswani", "The base model of Vaswani 2017.", 2, 32, 32, 512, 8, "32,20", SITE_ENCODER},
};
enum { PRESETS = sizeof presets / sizeof *presets };

/* Values of --site. */
static const char *const site_words[] = {
    [SITE_ENCODER] = "self", [SITE_DECODER] = "decoder", [SITE_CROSS] = "cross"};

/* --- options ------------------------------------------------------------------------------------
 */

typedef struct Arguments {
    const char *preset, *site, *lens;       /* NULL: not given */
    int batch, queries, keys, width, heads; /* -1: not given */
} Arguments;

static bool find_preset(const Preset **preset, const char *name, Error *error) {
    *preset = &presets[0];
    if (!name) return true;
    for (int i = 0; i < PRESETS; i++) {
        *preset = &presets[i];
        if (strcmp(name, presets[i].name) == 0) return true;
    }
    return error_usage(error, "--preset %s: it takes d2l, d2l-self, bert or vaswani", name);
}

static bool find_site(Site *site, const char *word, Error *error) {
    for (int i = 0; word && i < SITE_COUNT; i++) {
        *site = (Site)i;
        if (strcmp(word, site_words[i]) == 0) return true;
    }
    return !word || error_usage(error, "--site %s: it takes self, cross or decoder", word);
}

/* Self-attention has as many keys as queries: the option that is given sets both. */
static bool match_keys(ShapesCall *call, const Arguments *arguments, Error *error) {
    if (call->site == SITE_CROSS) return true;
    if (arguments->queries > 0 && arguments->keys > 0 && arguments->queries != arguments->keys)
        return error_usage(error,
                           "--queries %d and --keys %d: at --site %s both come from one tensor and "
                           "are equal; --site cross may have others",
                           arguments->queries, arguments->keys, site_words[call->site]);
    if (arguments->keys > 0)
        call->queries = call->keys;
    else
        call->keys = call->queries;
    return true;
}

/* The lengths given, else those of the preset if they fit, else made up. Decoder self-attention has
 * none by default, as in D2L: the causal mask hides the later steps. */
static bool choose_lens(ShapesCall *call, const Arguments *arguments, const Preset *preset,
                        Pool *pool, Error *error) {
    const char *lens = arguments->lens;
    if (!lens && call->site == SITE_DECODER) lens = "none";
    if (!lens && call->batch == preset->batch && call->keys == preset->keys) lens = preset->lens;
    return call_lens(&call->lens, pool, lens, call->batch, call->keys, error);
}

static bool choose(ShapesCall *call, const Arguments *arguments, Pool *pool, Error *error) {
    const Preset *preset;
    if (!find_preset(&preset, arguments->preset, error)) return false;
    *call = (ShapesCall){
        .batch = arguments->batch > 0 ? arguments->batch : preset->batch,
        .queries = arguments->queries > 0 ? arguments->queries : preset->queries,
        .keys = arguments->keys > 0 ? arguments->keys : preset->keys,
        .width = arguments->width > 0 ? arguments->width : preset->width,
        .heads = arguments->heads > 0 ? arguments->heads : preset->heads,
        .site = preset->site,
    };
    return find_site(&call->site, arguments->site, error) && match_keys(call, arguments, error) &&
           call_head_width(&call->head_width, call->width, call->heads, error) &&
           choose_lens(call, arguments, preset, pool, error);
}

/* --- the page -----------------------------------------------------------------------------------
 */

static bool is_preset(const ShapesCall *c, const Preset *p, Pool *pool) {
    return c->batch == p->batch && c->queries == p->queries && c->keys == p->keys &&
           c->width == p->width && c->heads == p->heads && c->site == p->site &&
           strcmp(call_lens_text(pool, c->lens, c->batch), p->lens) == 0;
}

static void add_buttons(LessonMaker *maker, const ShapesCall *c) {
    enum { MAX_HEADS = 8 };
    Pool *pool = lesson_pool(maker);
    lesson_buttons(maker, "Sizes of");
    for (int i = 0; i < PRESETS; i++)
        lesson_button(maker, presets[i].name, is_preset(c, &presets[i], pool), presets[i].tip,
                      "lesson shapes --preset %s", presets[i].name);
    const char *same =
        pool_format(pool, "--batch %d --queries %d --width %d", c->batch, c->queries, c->width);
    lesson_buttons(maker, "Site");
    for (int i = 0; i < SITE_COUNT; i++)
        lesson_button(maker, site_words[i], c->site == (Site)i, NULL,
                      "lesson shapes %s --heads %d --site %s", same, c->heads, site_words[i]);
    lesson_buttons(maker, "Heads");
    for (int heads = 1, count = 0; heads <= c->width && count < MAX_HEADS; heads++) {
        if (c->width % heads) continue;
        count++;
        lesson_button(maker, pool_format(pool, "%d", heads), heads == c->heads, NULL,
                      "lesson shapes %s --keys %d --heads %d --site %s --valid-lens %s", same,
                      c->keys, heads, site_words[c->site], call_lens_text(pool, c->lens, c->batch));
    }
}

static void add_provenance(LessonMaker *maker, const ShapesCall *c) {
    ProvenanceShape queries = {c->batch, c->queries, c->heads, c->head_width};
    ProvenanceShape keys = {c->batch, c->keys, c->heads, c->head_width};
    Pool *pool = lesson_pool(maker);
    lesson_heading(maker, "Where every number goes: the split");
    lesson_text(maker, TONE_PLAIN,
                "Shapes alone do not tell whether a split is right. Each cell is coloured by where "
                "its number belongs: the colour is the head, its shade the step, the mark the "
                "example. All three splits have the shape %s.",
                call_dims(pool, 3, c->batch * c->heads, c->queries, c->head_width));
    provenance_blocks_crop(maker, queries, keys);
    provenance_blocks_split(maker, queries, "queries");
    lesson_heading(maker, "Where every number goes: the valid lengths");
    if (c->site == SITE_DECODER && !c->lens)
        lesson_text(maker, TONE_PLAIN,
                    "All examples have the same line in dec_valid_lens. So a tiled one is the same "
                    "as a repeated one here, and the mistake hides.");
    else
        provenance_blocks_lengths(maker, keys, c->lens);
    lesson_heading(maker, "Where every number goes: the concatenation");
    provenance_blocks_concat(maker, queries);
}

static void add_page(LessonMaker *maker, const ShapesCall *c) {
    static const char *const names[] = {[SITE_ENCODER] = "encoder self-attention",
                                        [SITE_DECODER] = "decoder self-attention",
                                        [SITE_CROSS] = "cross-attention"};
    lesson_title(maker, "The shapes of a call");
    lesson_text(maker, TONE_PLAIN,
                "One call of %s: batch %d, %d queries, %d keys, width %d, %d head%s, valid lengths "
                "%s.",
                names[c->site], c->batch, c->queries, c->keys, c->width, c->heads,
                c->heads == 1 ? "" : "s",
                c->lens ? call_list(lesson_pool(maker), c->lens, c->batch, 40) : "none");
    add_buttons(maker, c);
    shapes_walk_steps(maker, c);
    if (c->site != SITE_DECODER) shapes_walk_lengths(maker, c);
    shapes_walk_sites(maker, c);
    shapes_walk_training(maker, c);
    shapes_walk_prediction(maker, c);
    add_provenance(maker, c);
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    Arguments arguments = {.batch = -1, .queries = -1, .keys = -1, .width = -1, .heads = -1};
    Option options[] = {
        {"--batch", OPTION_INT, &arguments.batch, "N", "examples [2]", 1, CALL_BATCH_MAX, false},
        {"--queries", OPTION_INT, &arguments.queries, "N", "queries of each example [4]", 1,
         CALL_STEPS_MAX, false},
        {"--keys", OPTION_INT, &arguments.keys, "N", "keys of each example [6; self: as queries]",
         1, CALL_STEPS_MAX, false},
        {"--width", OPTION_INT, &arguments.width, "N", "numbers at each position [100]", 1,
         CALL_WIDTH_MAX, false},
        {"--heads", OPTION_INT, &arguments.heads, "N", "heads; they must divide the width [5]", 1,
         CALL_HEADS_MAX, false},
        {"--valid-lens", OPTION_TEXT, &arguments.lens, "N,N|none",
         "valid length of each example [3,2]", 0, 0, false},
        {"--site", OPTION_TEXT, &arguments.site, "SITE", "self, cross or decoder [cross]", 0, 0,
         false},
        {"--preset", OPTION_TEXT, &arguments.preset, "NAME",
         "sizes of d2l, d2l-self, bert or vaswani, which other options change [d2l]", 0, 0, false},
        {0},
    };
    if (!lesson_parse(call, options, NULL, 0, 0, result, error)) return result->only_help;
    ShapesCall shapes;
    if (!choose(&shapes, &arguments, lesson_pool(maker), error)) return false;
    add_page(maker, &shapes);
    return true;
}

const Lesson lesson_shapes = {
    .name = "shapes",
    .title = "The shapes of a call",
    .arguments = "[--batch N] [--queries N] [--keys N] [--width N] [--heads N] [--valid-lens N,N] "
                 "[--site SITE] [--preset NAME]",
    .help = "Walks through a call of multi-head attention, shape by shape.",
    .make = make,
};
