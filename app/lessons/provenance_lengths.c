/* How valid lengths align with the folded rows. */
#include "app/lessons/call_shape.h"
#include "app/lessons/provenance_blocks.h"
#include "app/lessons/provenance_drawing.h"
#include "model/base/minmax.h"

enum { LENGTHS_KINDS = LENGTHS_INVERTED + 1, LIST = 20 };

typedef struct LengthsText {
    const char *name, *seen;
} LengthsText;

static const LengthsText lengths_texts[LENGTHS_KINDS] = {
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

/* The valid length of each folded row under one LengthsKind, and the effect. */
typedef struct AlignedLengths {
    ProvenanceLength *rows; /* [B*H] */
    int *room;              /* [2*B*H] */
    ProvenanceLengthCount count;
    long padding_seen, keys_hidden;
} AlignedLengths;

static void align_lengths(AlignedLengths *aligned, LengthsKind kind, ProvenanceShape n,
                          const int *lens) {
    aligned->count =
        provenance_lengths(aligned->rows, aligned->room, kind, lens, n.steps, n.batch, n.heads);
    aligned->padding_seen = aligned->keys_hidden = 0;
    for (int row = 0; row < n.batch * n.heads; row++) {
        int len = lens[row / n.heads];
        ProvenanceLength span = aligned->rows[row];
        int valid = int_clamp(span.end, 0, len) - int_clamp(span.first, 0, len);
        aligned->padding_seen += span.end - span.first - valid;
        aligned->keys_hidden += len - valid;
    }
}

/* Why a wrong alignment changes nothing here. */
static const char *why_harmless(LengthsKind kind, ProvenanceShape n, const int *lens) {
    bool equal = true, full = true;
    for (int b = 0; b < n.batch; b++) {
        equal = equal && lens[b] == lens[0];
        full = full && lens[b] == n.steps;
    }
    if (kind == LENGTHS_IGNORED || (kind == LENGTHS_ONE_MORE && full))
        return "Nothing changes: there is no padding.";
    if (kind == LENGTHS_ONE_LESS) return "Nothing changes: no key is valid.";
    if (n.batch == 1) return "Nothing changes: there is one example.";
    if (equal) return "Nothing changes: all lengths are equal.";
    if (kind == LENGTHS_TILED && n.heads == 1)
        return "Nothing changes: with one head a row is an example.";
    return "Nothing changes: the lengths that are swapped are equal.";
}

static LessonTone tone_of(LengthsKind kind, const AlignedLengths *aligned) {
    return kind == LENGTHS_REPEATED    ? TONE_GOOD
           : aligned->count.other_keys ? TONE_WRONG
                                       : TONE_PLAIN;
}

/* --- drawn --------------------------------------------------------------------------------------
 */

/* Draws the folded keys that each row sees, with the row's length at its right. */
static bool draw(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape n,
                 const AlignedLengths *aligned, const int *lens) {
    HeadFold right = fold_of_kind(FOLD_SLICES, n.steps, n.heads, n.head_width);
    if (!provenance_drawing_folded(drawing, pool, n, right)) return false;
    ProvenanceShape part = provenance_drawing_part(n);
    LessonTensor *tensor = &drawing->tensor;
    tensor->row_notes = drawing->notes;
    tensor->row_tones = drawing->tones;
    for (int row = 0; row < tensor->rows; row++) {
        int b = row / part.heads, h = row % part.heads;
        ProvenanceLength span = aligned->rows[b * n.heads + h];
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

static void add_drawings(LessonMaker *maker, ProvenanceShape n, AlignedLengths *aligned,
                         const int *lens) {
    Pool *pool = lesson_pool(maker);
    static const LengthsKind drawn[] = {LENGTHS_REPEATED, LENGTHS_TILED};
    ProvenanceDrawing drawings[2];
    for (int i = 0; i < 2; i++) {
        align_lengths(aligned, drawn[i], n, lens);
        if (!draw(&drawings[i], pool, n, aligned, lens)) return;
        drawings[i].tensor.title =
            pool_format(pool, "keys %s, lengths %s",
                        call_dims(pool, 3, n.batch * n.heads, n.steps, n.head_width),
                        lengths_texts[drawn[i]].name);
        drawings[i].tensor.note = pool_format(pool, "%d of %d rows read a wrong length",
                                              aligned->count.other_keys, aligned->count.all);
        drawings[i].tensor.tone = tone_of(drawn[i], aligned);
    }
    provenance_drawing_add(maker, drawings, 2, n);
}

/* --- figures ------------------------------------------------------------------------------------
 */

/* "[3,3,2,2]", the ends of the visible keys; for LENGTHS_INVERTED "from [3,3,2,2]", their starts.
 */
static const char *list_of(Pool *pool, LengthsKind kind, ProvenanceShape n,
                           const AlignedLengths *aligned) {
    int numbers[LIST]; /* more do not fit */
    int rows = n.batch * n.heads;
    for (int row = 0; row < rows && row < LIST; row++)
        numbers[row] = kind == LENGTHS_INVERTED ? aligned->rows[row].first : aligned->rows[row].end;
    const char *list = call_list(pool, numbers, rows, LIST);
    return kind == LENGTHS_INVERTED ? pool_format(pool, "from %s", list) : list;
}

static void add_figures(LessonMaker *maker, ProvenanceShape n, AlignedLengths *aligned,
                        const int *lens) {
    Pool *pool = lesson_pool(maker);
    lesson_table(maker, NULL,
                 "lined up\tlength of each row\t>wrong rows\t>padding seen\t>keys hidden\t"
                 "~what is seen");
    for (int i = 0; i < LENGTHS_KINDS; i++) {
        LengthsKind kind = (LengthsKind)i;
        align_lengths(aligned, kind, n, lens);
        bool harmless = kind != LENGTHS_REPEATED && aligned->count.other_keys == 0;
        lesson_row(maker, tone_of(kind, aligned), "%s\t%s\t%d\t%ld\t%ld\t%s",
                   lengths_texts[kind].name, list_of(pool, kind, n, aligned),
                   aligned->count.other_keys, aligned->padding_seen, aligned->keys_hidden,
                   harmless ? why_harmless(kind, n, lens) : lengths_texts[kind].seen);
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
    AlignedLengths aligned = {.rows = pool_take(pool, rows * sizeof *aligned.rows),
                              .room = pool_take(pool, 2 * rows * sizeof *aligned.room)};
    if (pool->failed) return;
    lesson_text(maker, TONE_PLAIN,
                "There %s %d length%s, one for each example, and %d folded rows. So each length is "
                "repeated for each of the %d heads: repeat_interleave(valid_lens, %d). Tiled by "
                "mistake, valid_lens.repeat(%d) takes them in turn, and has the same shape. Keys "
                "that a row does not see are left out here.",
                n.batch == 1 ? "is" : "are", n.batch, n.batch == 1 ? "" : "s", n.batch * n.heads,
                n.heads, n.heads, n.heads);
    add_drawings(maker, n, &aligned, lens);
    add_figures(maker, n, &aligned, lens);
}
