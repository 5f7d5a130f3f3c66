/* The blocks of valid lengths beside the folded rows. */
#include "app/lessons/call_shape.h"
#include "app/lessons/provenance_blocks.h"
#include "app/lessons/provenance_drawing.h"
#include "model/base/minmax.h"

enum { WAYS = LENGTHS_INVERTED + 1, LIST = 20 };

typedef struct Way {
    const char *name, *seen;
} Way;

static const Way ways[WAYS] = {
    [LENGTHS_REPEATED] = {"repeated", "All heads of an example see the same keys."},
    [LENGTHS_TILED] = {"tiled", "Lengths change from head to head within one example."},
    [LENGTHS_NEXT] = {"next", "Each example reads the length of the one after it."},
    [LENGTHS_PREVIOUS] = {"previous", "Each example reads the length of the one before it."},
    [LENGTHS_REVERSED] = {"reversed", "The first example reads the length of the last."},
    [LENGTHS_ONE_MORE] = {"one more", "The first padded key is seen."},
    [LENGTHS_ONE_LESS] = {"one less", "The last valid key is hidden."},
    [LENGTHS_IGNORED] = {"ignored", "All padding is seen."},
    [LENGTHS_INVERTED] = {"inverted", "What is padding is seen, what is valid is not."},
};

/* The lengths as one way lines them up, and what comes of it. */
typedef struct Lined {
    ProvenanceLength *rows; /* [B*H] */
    int *room;              /* [2*B*H] */
    ProvenanceLengthCount count;
    long padding_seen, keys_hidden;
} Lined;

static void line_up(Lined *lined, LengthsKind way, ProvenanceShape n, const int *lens) {
    lined->count =
        provenance_lengths(lined->rows, lined->room, way, lens, n.steps, n.batch, n.heads);
    lined->padding_seen = lined->keys_hidden = 0;
    for (int row = 0; row < n.batch * n.heads; row++) {
        int len = lens[row / n.heads];
        ProvenanceLength span = lined->rows[row];
        int valid = int_clamp(span.end, 0, len) - int_clamp(span.first, 0, len);
        lined->padding_seen += span.end - span.first - valid;
        lined->keys_hidden += len - valid;
    }
}

/* Why a wrong way to line up gives the right keys here. */
static const char *why_harmless(LengthsKind way, ProvenanceShape n, const int *lens) {
    bool equal = true, full = true;
    for (int b = 0; b < n.batch; b++) {
        equal = equal && lens[b] == lens[0];
        full = full && lens[b] == n.steps;
    }
    if (way == LENGTHS_IGNORED || (way == LENGTHS_ONE_MORE && full))
        return "Nothing changes: there is no padding.";
    if (way == LENGTHS_ONE_LESS) return "Nothing changes: no key is valid.";
    if (n.batch == 1) return "Nothing changes: there is one example.";
    if (equal) return "Nothing changes: all lengths are equal.";
    if (way == LENGTHS_TILED && n.heads == 1)
        return "Nothing changes: with one head a row is an example.";
    return "Nothing changes: the lengths that are swapped are equal.";
}

static LessonTone tone_of(LengthsKind way, const Lined *lined) {
    return way == LENGTHS_REPEATED ? TONE_GOOD : lined->count.other_keys ? TONE_WRONG : TONE_PLAIN;
}

/* --- drawn --------------------------------------------------------------------------------------
 */

/* The folded keys without those that a row does not see, each row's length at its right. */
static bool draw(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n, const Lined *lined,
                 const int *lens) {
    HeadFold right = fold_of_kind(FOLD_SLICES, n.steps, n.heads, n.head_width);
    if (!provenance_drawing_folded(drawing, pool, n, right)) return false;
    ProvenanceShape part = provenance_drawing_part(n);
    LessonTensor *tensor = &drawing->tensor;
    tensor->row_notes = drawing->notes;
    tensor->row_tones = drawing->tones;
    for (int row = 0; row < tensor->rows; row++) {
        int b = row / part.heads, h = row % part.heads;
        ProvenanceLength span = lined->rows[b * n.heads + h];
        bool right_keys = span.end == lens[b];
        drawing->notes[row] = span.example == b
                                  ? pool_format(pool, "%d", span.end)
                                  : pool_format(pool, "%d of b%d", span.end, span.example);
        drawing->tones[row] = !right_keys ? TONE_WRONG : span.example == b ? TONE_GOOD : TONE_PLAIN;
        for (int column = 0; column < tensor->columns; column++) {
            int step = provenance_drawing_step(n, column / part.head_width);
            if (step >= span.first && step < span.end) continue;
            drawing->cells[row * tensor->columns + column] = (LessonOrigin){-1, -1, -1, -1};
        }
    }
    return true;
}

static void add_drawings(LessonMaker *maker, ProvenanceShape n, Lined *lined, const int *lens) {
    Pool *pool = lesson_pool(maker);
    static const LengthsKind drawn[] = {LENGTHS_REPEATED, LENGTHS_TILED};
    ProvenanceDrawing drawings[2];
    for (int i = 0; i < 2; i++) {
        line_up(lined, drawn[i], n, lens);
        if (!draw(&drawings[i], pool, n, lined, lens)) return;
        drawings[i].tensor.title = pool_format(
            pool, "keys %s, lengths %s",
            call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width), ways[drawn[i]].name);
        drawings[i].tensor.note = pool_format(pool, "%d of %d rows read a wrong length",
                                              lined->count.other_keys, lined->count.all);
        drawings[i].tensor.tone = tone_of(drawn[i], lined);
    }
    provenance_drawing_add(maker, drawings, 2, n);
}

/* --- figures ------------------------------------------------------------------------------------
 */

/* "[3,3,2,2]"; "from [3,3,2,2]" of the first key seen, where all before are hidden. */
static const char *list_of(Pool *pool, LengthsKind way, ProvenanceShape n, const Lined *lined) {
    int numbers[LIST]; /* more do not fit */
    int rows = n.batch * n.heads;
    for (int row = 0; row < rows && row < LIST; row++)
        numbers[row] = way == LENGTHS_INVERTED ? lined->rows[row].first : lined->rows[row].end;
    const char *list = call_list(pool, numbers, rows, LIST);
    return way == LENGTHS_INVERTED ? pool_format(pool, "from %s", list) : list;
}

static void add_figures(LessonMaker *maker, ProvenanceShape n, Lined *lined, const int *lens) {
    Pool *pool = lesson_pool(maker);
    lesson_table(maker, NULL,
                 "lined up\tlength of each row\t>wrong rows\t>padding seen\t>keys hidden\t"
                 "~what is seen");
    for (int i = 0; i < WAYS; i++) {
        LengthsKind way = (LengthsKind)i;
        line_up(lined, way, n, lens);
        bool harmless = way != LENGTHS_REPEATED && lined->count.other_keys == 0;
        lesson_row(maker, tone_of(way, lined), "%s\t%s\t%d\t%ld\t%ld\t%s", ways[way].name,
                   list_of(pool, way, n, lined), lined->count.other_keys, lined->padding_seen,
                   lined->keys_hidden, harmless ? why_harmless(way, n, lens) : ways[way].seen);
    }
}

void provenance_blocks_lengths(LessonMaker *maker, ProvenanceShape n, const int *lens) {
    if (!lens) {
        lesson_text(maker, TONE_PLAIN,
                    "There are no valid lengths: every row sees all %d keys, and nothing can be "
                    "lined up wrongly.",
                    n.steps);
        return;
    }
    Pool *pool = lesson_pool(maker);
    size_t rows = (size_t)n.batch * (size_t)n.heads;
    Lined lined = {.rows = pool_take(pool, rows * sizeof *lined.rows),
                   .room = pool_take(pool, 2 * rows * sizeof *lined.room)};
    if (pool->failed) return;
    lesson_text(maker, TONE_PLAIN,
                "There %s %d length%s, one for each example, and %d folded rows. So each length is "
                "repeated for each of the %d heads: repeat_interleave(valid_lens, %d). Tiled by "
                "mistake, valid_lens.repeat(%d) takes them in turn, and has the same shape. Keys "
                "that a row does not see are left out here.",
                n.batch == 1 ? "is" : "are", n.batch, n.batch == 1 ? "" : "s", n.batch * n.heads,
                n.heads, n.heads, n.heads);
    add_drawings(maker, n, &lined, lens);
    add_figures(maker, n, &lined, lens);
}
