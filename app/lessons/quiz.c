#include "app/lessons/quiz.h"

#include <stddef.h>

#include "app/lessons/quiz_parts.h"

typedef struct QuizKind {
    const char *name;
    QuizMake *make;
} QuizKind;

static const QuizKind kinds[] = {
    {"folded-shape", quiz_make_folded_shape},
    {"own-axis-shape", quiz_make_own_axis_shape},
    {"weights-shape", quiz_make_weights_shape},
    {"concat-shape", quiz_make_concat_shape},
    {"growing-keys", quiz_make_growing_keys},
    {"source", quiz_make_source},
    {"head-width", quiz_make_head_width},
    {"head-matrix", quiz_make_head_matrix},
    {"parameters", quiz_make_parameters},
    {"flat", quiz_make_flat},
    {"full-width", quiz_make_full_width},
    {"scale", quiz_make_scale},
    {"lens-beside-rows", quiz_make_lens_beside_rows},
    {"tiled-row", quiz_make_tiled_row},
    {"tiled-count", quiz_make_tiled_count},
    {"no-repeat", quiz_make_no_repeat},
    {"visible-keys", quiz_make_visible_keys},
    {"masked-cells", quiz_make_masked_cells},
    {"row-owner", quiz_make_row_owner},
    {"fold-cell", quiz_make_fold_cell},
    {"reshape-cell", quiz_make_reshape_cell},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *quiz_kind(int index) {
    return index >= 0 && index < KINDS ? kinds[index].name : NULL;
}

/* --- shapes ----------------------------------------------------------------------------------- */

/* Head widths whose products with the numbers of heads are easy to work with. */
static int draw_head_width(QuizDraft *draft) {
    static const int widths[] = {4, 8, 10, 16, 20, 25, 32, 64};
    return widths[quiz_between(draft, 0, (int)(sizeof widths / sizeof widths[0]) - 1)];
}

/* Sizes that differ where a mistake would go unseen otherwise. */
static QuizShapes draw_shapes(QuizDraft *draft) {
    QuizShapes s = {.batch = quiz_between(draft, 2, QUIZ_BATCH),
                    .queries = quiz_between(draft, 2, 8),
                    .heads = quiz_between(draft, 2, QUIZ_HEADS),
                    .head_width = draw_head_width(draft)};
    s.width = s.heads * s.head_width;
    do
        s.keys = quiz_between(draft, 3, 9);
    while (s.keys == s.queries);
    s.heads_before = 1;
    for (int heads = 1; heads < s.heads; heads++)
        if (s.width % heads == 0) s.heads_before = heads;
    s.site = (Site)quiz_between(draft, 0, SITE_COUNT - 1);
    s.role = (QuizRole)quiz_between(draft, 0, 2);
    s.example = quiz_between(draft, 0, s.batch - 1);
    s.column = quiz_between(draft, 0, s.width - 1);
    s.row = quiz_between(draft, 1, s.batch * s.heads - 1);
    s.element = quiz_between(draft, 0, s.head_width - 1);
    return s;
}

/* --- asking ----------------------------------------------------------------------------------- */

void quiz_ask_kind(QuizQuestion *question, uint64_t seed, int index, int kind) {
    *question = (QuizQuestion){.kind = kinds[kind].name};
    QuizDraft draft = {question, rng_make(seed, (uint64_t)index)};
    question->shapes = draw_shapes(&draft);
    quiz_draw_steps(&draft);
    kinds[kind].make(&draft);
    quiz_finish(&draft);
}

/* Kinds come in a random order, each once, then in another. */
static int kind_of(uint64_t seed, int index) {
    int order[KINDS];
    for (int i = 0; i < KINDS; i++)
        order[i] = i;
    /* Streams from the other end than those of the questions. */
    Rng rng = rng_make(seed, UINT64_MAX - (uint64_t)(index / KINDS));
    for (int i = KINDS - 1; i > 0; i--) {
        int other = (int)rng_below(&rng, (uint32_t)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return order[index % KINDS];
}

void quiz_ask(QuizQuestion *question, uint64_t seed, int index) {
    quiz_ask_kind(question, seed, index, kind_of(seed, index));
}
