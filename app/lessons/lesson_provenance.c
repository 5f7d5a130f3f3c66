/* The lesson provenance: where each number goes when heads are split and concatenated. */
#include "app/lessons/call_shape.h"
#include "app/lessons/lesson.h"
#include "app/lessons/provenance_blocks.h"

typedef struct Arguments {
    ProvenanceShape shape;
    int width;
    const int *lens; /* [batch], in the pool; NULL: none */
} Arguments;

/* A shape that a button leads to. */
typedef struct Example {
    const char *label, *tip;
    int batch, steps, width, heads;
} Example;

static const Example examples[] = {
    {"the first", "A shape small enough to follow every number.", 2, 4, 6, 3},
    {"as many steps as heads", "The reshape then looks the tidiest, and is as wrong.", 2, 3, 6, 3},
    {"one head", "Nothing to split: no fold can be wrong.", 2, 4, 6, 1},
    {"one step", "One reshape is right here: the mistake hides.", 2, 1, 6, 3},
    {"heads of width 1", "As many heads as columns.", 2, 4, 6, 6},
    {"D2L's toy", "The sizes of D2L 11.5.", 2, 4, 100, 5},
    {"large", "The sizes of BERT large: drawn in part, counted whole.", 2, 512, 1024, 16},
};

static void add_buttons(LessonMaker *maker, ProvenanceShape n, int width) {
    lesson_buttons(maker, "Other shapes");
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const Example *e = &examples[i];
        bool on =
            n.batch == e->batch && n.steps == e->steps && width == e->width && n.heads == e->heads;
        lesson_button(maker, e->label, on, e->tip,
                      "lesson provenance --batch %d --steps %d --width %d --heads %d", e->batch,
                      e->steps, e->width, e->heads);
    }
}

static void add_introduction(LessonMaker *maker, const Arguments *arguments) {
    ProvenanceShape n = arguments->shape;
    Pool *pool = lesson_pool(maker);
    lesson_text(maker, TONE_PLAIN,
                "A layer is %d wide. Its %d head%s take%s %d column%s%s. Here we follow the "
                "numbers themselves, and not their values: each cell is coloured by where it "
                "belongs.",
                arguments->width, n.heads, n.heads == 1 ? "" : "s", n.heads == 1 ? "s" : "",
                n.head_width, n.head_width == 1 ? "" : "s", n.heads == 1 ? "" : " each");
    lesson_text(maker, TONE_PLAIN,
                "The colour is the head, its shade the step, the mark the example. b is the "
                "example, t the step, h the head. A wrong split still has the right shape %s, so "
                "nothing fails: only the colours tell.",
                call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width));
}

static void add_page(LessonMaker *maker, const Arguments *arguments) {
    ProvenanceShape n = arguments->shape;
    Pool *pool = lesson_pool(maker);
    lesson_title(maker, "Where every number goes");
    add_introduction(maker, arguments);
    add_buttons(maker, n, arguments->width);
    provenance_blocks_crop(maker, n, n);
    lesson_heading(maker, "The split into heads");
    lesson_text(maker, TONE_PLAIN,
                "First %s, not split. Then its split: %d examples x %d heads make %d rows. All "
                "three splits below have the same shape %s.",
                call_dims(pool, 3, n.batch, n.steps, arguments->width), n.batch, n.heads,
                n.batch * n.heads, call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width));
    provenance_blocks_split(maker, n, "queries");
    lesson_heading(maker, "Valid lengths beside the folded rows");
    provenance_blocks_lengths(maker, n, arguments->lens);
    lesson_heading(maker, "The concatenation");
    lesson_text(maker, TONE_PLAIN,
                "After attention the heads are joined again. The colour is now the head that made "
                "the number.");
    provenance_blocks_concat(maker, n);
}

static bool make(LessonMaker *maker, const LessonCall *call, LessonResult *result, Error *error) {
    Arguments arguments = {.shape = {.batch = 2, .steps = 4, .heads = 3}, .width = 6};
    const char *lens = NULL;
    Option options[] = {
        {"--batch", OPTION_INT, &arguments.shape.batch, "N", "examples", 1, CALL_BATCH_MAX, false},
        {"--steps", OPTION_INT, &arguments.shape.steps, "N", "positions of each example", 1,
         CALL_STEPS_MAX, false},
        {"--width", OPTION_INT, &arguments.width, "N", "numbers at each position", 1,
         CALL_WIDTH_MAX, false},
        {"--heads", OPTION_INT, &arguments.shape.heads, "N", "heads; they must divide the width", 1,
         CALL_HEADS_MAX, false},
        {"--valid-lens", OPTION_TEXT, &lens, "N,N|none",
         "valid length of each example; lengths are made up if left out", 0, 0, false},
        {0},
    };
    if (!lesson_parse(call, options, NULL, 0, 0, result, error)) return result->only_help;
    if (!call_head_width(&arguments.shape.head_width, arguments.width, arguments.shape.heads,
                         error) ||
        !call_lens(&arguments.lens, lesson_pool(maker), lens, arguments.shape.batch,
                   arguments.shape.steps, error))
        return false;
    add_page(maker, &arguments);
    return true;
}

const Lesson lesson_provenance = {
    .name = "provenance",
    .title = "Where every number goes",
    .arguments = "[--batch N] [--steps N] [--width N] [--heads N] [--valid-lens N,N]",
    .help = "Follows every number through the split into heads, right and wrong.",
    .make = make,
};
