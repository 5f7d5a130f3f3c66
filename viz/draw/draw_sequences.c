#include "model/base/minmax.h"
#include "viz/canvas/theme.h"
#include "viz/draw/sequence_flow.h"
#include "viz/draw/views.h"

#include <math.h>

#define CHIP_HEIGHT    24.0F
#define FIELD_PAD      4.0F /* above and below the chips of a field */
#define FIELD_GAP      6.0F
#define GROUP_GAP      12.0F /* between two examples */
#define NAME_WIDTH_MAX 120.0F
#define NOTE_SPACE     18.0F /* between the last token and the note */
#define NOTE_LINE      18.0F
#define HANDLE_WIDTH   3.0F
#define HANDLE_MET     18.0F /* the width of its hit */
#define KNOB           5.0F
#define CONTROL_SHARE  0.46F /* of controls beside the fields: at most this share */
#define CONTROL_LINES  3     /* of controls below the fields, at most */
#define FADED          0x80

/* --- chips ------------------------------------------------------------------------------------ */

static void draw_chip_ground(Paint *paint, const ScreenToken *token, Rect area, bool pinned) {
    const Theme *theme = paint->theme;
    if (pinned) {
        canvas_round_fill(paint->canvas, area, 4, theme->accent_wash);
    } else if (token->masked) {
        canvas_hatch(paint->canvas, area, theme->hatch_ground,
                     paint_faded(theme->hatch_line, FADED));
    } else {
        bool faint = token->faint || token->mark;
        canvas_round_fill(paint->canvas, area, 4,
                          faint ? paint_faded(theme->raised, FADED) : theme->raised);
    }
}

/* Draws the part of the selection on this chip. */
static void draw_chip_selection(const SequenceFlow *flow, Paint *paint,
                                const ScreenSequence *sequence, const Chip *chip) {
    const ScreenToken *token = &sequence->tokens[chip->token];
    int begin = int_min(sequence->caret, sequence->anchor);
    int end = int_max(sequence->caret, sequence->anchor);
    if (!sequence->editing || token->mark) return;
    if (begin < token->begin) begin = token->begin;
    if (end > token->end) end = token->end;
    if (begin >= end) return;
    float left = chip->area.x, right = chip->area.x + chip->area.w;
    if (begin > token->begin) left = flow_caret(flow, paint, sequence, begin).x;
    if (end < token->end) right = flow_caret(flow, paint, sequence, end).x;
    if (left > right) { /* in a right-to-left token */
        float swapped = left;
        left = right, right = swapped;
    }
    canvas_round_fill(paint->canvas, (Rect){left, chip->area.y, right - left, chip->area.h}, 4,
                      paint_faded(paint->theme->accent, 0x60));
}

static Color chip_color(const Paint *paint, const ScreenToken *token, bool pinned) {
    const Theme *theme = paint->theme;
    if (pinned) return theme->accent;
    if (token->faint) return paint_faded(theme->muted, 0xA0);
    return token->mark || token->masked ? theme->muted : theme->text;
}

static void draw_chip_text(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence,
                           const Chip *chip, Color color) {
    char text[SHORTEN_BYTES];
    flow_text(paint, flow, sequence, chip->token, text);
    float baseline = roundf(chip->area.y + chip->area.h / 2 + TEXT_MIDDLE * flow->text_size);
    canvas_text(paint->canvas, chip->text_x, baseline, text,
                &(TextStyle){.size = flow->text_size, .color = color});
}

static void underline(Paint *paint, Rect area, Color color) {
    canvas_round_fill(paint->canvas, (Rect){area.x + 3, area.y + area.h - 3, area.w - 6, 2}, 1,
                      color);
}

static void draw_chip(const SequenceFlow *flow, Paint *paint, int index, const Chip *chip) {
    const ScreenSequence *sequence = &paint->screen->sequences[index];
    const Theme *theme = paint->theme;
    if (chip->token == FLOW_COMPOSING) {
        draw_chip_text(flow, paint, sequence, chip, theme->text);
        underline(paint, chip->area, theme->accent);
        return;
    }
    const ScreenToken *token = &sequence->tokens[chip->token];
    bool pinned = chip->token == sequence->pinned;
    draw_chip_ground(paint, token, chip->area, pinned);
    draw_chip_selection(flow, paint, sequence, chip);
    if (token->masked && !pinned) {
        Rect plate = {chip->text_x - 2, chip->area.y + 4, chip->text_width + 4, chip->area.h - 8};
        canvas_round_fill(paint->canvas, plate, 3, theme->hatch_ground);
    }
    draw_chip_text(flow, paint, sequence, chip, chip_color(paint, token, pinned));
    if (token->forced) underline(paint, chip->area, theme->accent);
    if (token->unknown) underline(paint, chip->area, theme->alarm);
    if (chip->token == sequence->lit)
        canvas_round_frame(paint->canvas, chip->area, 4, 1, theme->text);
    if (chip->token == sequence->lit_query)
        canvas_round_frame(paint->canvas, chip->area, 4, 2, theme->accent);
    if (chip->token == sequence->marked)
        canvas_round_frame(paint->canvas, chip->area, 4, 2, theme->accent_second);
    hits_add(paint->hits, (Hit){.area = chip->area,
                                .kind = HIT_TOKEN,
                                .index = index,
                                .item = chip->token,
                                .tip = token->unknown  ? "not in the vocabulary"
                                       : token->masked ? "past the valid length: not seen"
                                       : token->forced ? "set by you"
                                                       : NULL});
}

static void draw_caret(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence) {
    if (!sequence->editing) return;
    Rect caret = flow_caret(flow, paint, sequence, sequence->caret);
    canvas_fill(paint->canvas, (Rect){roundf(caret.x) - 1, caret.y + 2, 2, caret.h - 4},
                paint->theme->text);
}

/* Draws the valid length as a bar with a knob, hollow if the length is that of the text. */
static void draw_handle(const SequenceFlow *flow, Paint *paint, int index) {
    const ScreenSequence *sequence = &paint->screen->sequences[index];
    const Theme *theme = paint->theme;
    Rect bar;
    if (sequence->valid_len < 0 || !flow_boundary(flow, sequence->valid_len, &bar)) return;
    float x = roundf(bar.x), middle = bar.y + bar.h / 2;
    canvas_round_fill(paint->canvas,
                      (Rect){x - HANDLE_WIDTH / 2, bar.y - 2, HANDLE_WIDTH, bar.h + 4},
                      HANDLE_WIDTH / 2, theme->accent);
    Rect knob = {x - KNOB, middle - KNOB, 2 * KNOB, 2 * KNOB};
    canvas_round_fill(paint->canvas, knob, KNOB, theme->accent);
    if (!sequence->len_changed)
        canvas_round_fill(paint->canvas, paint_inset(knob, 2), KNOB - 2, theme->surface);
    hits_add(paint->hits, (Hit){.area = {x - HANDLE_MET / 2, bar.y - 3, HANDLE_MET, bar.h + 6},
                                .kind = HIT_LENGTH,
                                .index = index,
                                .tip = sequence->len_name});
}

/* --- one sequence ----------------------------------------------------------------------------- */

static const PaintText note_style = {.size = FONT_TOKEN};

/* The area after the last token. */
static Rect note_place(const SequenceFlow *flow, Rect field) {
    const Chip *last = flow->count > 0 ? &flow->chips[flow->count - 1] : NULL;
    float x = last ? last->area.x + last->area.w + NOTE_SPACE : flow->area.x + NOTE_SPACE;
    float y = last ? last->area.y : flow->area.y;
    return (Rect){x, y, field.x + field.w - PAINT_GAP - x, flow->chip};
}

/* The height of a line for the note below the tokens; 0 if it fits after them. */
static float note_height(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence,
                         Rect field) {
    if (!sequence->note || flow->right_out) return 0;
    float width = paint_width(paint, sequence->note, note_style);
    return width > note_place(flow, field).w ? NOTE_LINE : 0;
}

static void draw_note(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence,
                      Rect field, bool below) {
    if (!sequence->note) return;
    const Theme *theme = paint->theme;
    Rect place = note_place(flow, field);
    if (below)
        place = (Rect){field.x + PAINT_GAP, field.y + field.h - NOTE_LINE - 2,
                       field.w - 2 * PAINT_GAP, NOTE_LINE};
    if (place.w < 30) return;
    paint_text(paint, place, sequence->note,
               (PaintText){.size = FONT_TOKEN,
                           .color = sequence->note_alarm ? theme->alarm : theme->muted});
}

static void draw_cuts(const SequenceFlow *flow, Paint *paint) {
    TextStyle style = {.size = FONT_TEXT, .align = ALIGN_MIDDLE, .color = paint->theme->muted};
    float down = flow->chip / 2 + 2;
    if (flow->area.w < 40) return;
    if (flow->left_out)
        canvas_text(paint->canvas, flow->area.x + 11, roundf(flow->area.y + down), "…", &style);
    if (flow->right_out)
        canvas_text(paint->canvas, flow->area.x + flow->area.w - 10,
                    roundf(flow->area.y + (float)(flow->lines - 1) * flow->line + down), "…",
                    &style);
}

static void draw_name(Paint *paint, Rect area, int index) {
    const ScreenSequence *sequence = &paint->screen->sequences[index];
    const Theme *theme = paint->theme;
    if (paint->screen->sequence_count > 2) { /* colours: the first or the second example */
        bool first = sequence->line == LINE_SOURCE || sequence->line == LINE_TARGET;
        Color color = first ? theme->accent : theme->accent_second;
        canvas_round_fill(paint->canvas, (Rect){area.x, area.y + 3, 3, area.h - 6}, 1.5F, color);
        paint_cut_left(&area, PAINT_GAP);
    }
    if (sequence->tip)
        hits_add(paint->hits, (Hit){.area = area, .tip = sequence->tip, .kind = HIT_PLAIN});
    paint_cut_right(&area, PAINT_GAP);
    paint_text(paint, area, sequence->name,
               (PaintText){.color = sequence->editing ? theme->text : theme->muted});
}

static void draw_field(const SequenceFlow *flow, Paint *paint, Rect field, int index,
                       bool note_below) {
    const ScreenSequence *sequence = &paint->screen->sequences[index];
    const Theme *theme = paint->theme;
    canvas_round_fill(paint->canvas, field, PAINT_RADIUS, theme->surface);
    canvas_round_frame(paint->canvas, field, PAINT_RADIUS, 1,
                       sequence->editing ? theme->accent : theme->divider);
    hits_add(paint->hits, (Hit){.area = field, .kind = HIT_LINE, .index = index});
    for (int chip = 0; chip < flow->count; chip++)
        draw_chip(flow, paint, index, &flow->chips[chip]);
    draw_cuts(flow, paint);
    draw_note(flow, paint, sequence, field, note_below);
    draw_handle(flow, paint, index);
    draw_caret(flow, paint, sequence);
}

/* --- controls --------------------------------------------------------------------------------- */

/* Returns how many controls, starting at `first`, fit into a row of this width; *used: their width.
 */
static int controls_in_row(Paint *paint, int first, float width, float *used) {
    const Screen *screen = paint->screen;
    int index = first;
    *used = 0;
    for (; index < screen->control_count; index++) {
        float needed = paint_button_width(paint, &screen->controls[index]);
        if (index > first) needed += FIELD_GAP;
        if (*used + needed > width && index > first) break;
        *used += needed;
    }
    *used = fminf(*used, width);
    return index - first;
}

/* The number of rows that all controls need at this width. */
static int control_rows(Paint *paint, float width) {
    int rows = 0;
    float used;
    for (int index = 0; index < paint->screen->control_count; rows++)
        index += controls_in_row(paint, index, width, &used);
    return rows;
}

/* The smallest width at which the controls fit into `rows` rows; 0 if it exceeds CONTROL_SHARE. */
static float control_width(Paint *paint, float width, int rows) {
    float widest = 0;
    if (paint->screen->control_count < 1) return 0;
    for (int index = 0; index < paint->screen->control_count; index++)
        widest = fmaxf(widest, paint_button_width(paint, &paint->screen->controls[index]));
    for (float tried = fmaxf(widest, 40); tried <= CONTROL_SHARE * width; tried += 8)
        if (control_rows(paint, tried) <= rows) return tried;
    return 0;
}

/* Draws the controls right-aligned, in rows of this height and pitch. */
static void draw_controls(Paint *paint, Rect area, float pitch, float height, int rows) {
    const Screen *screen = paint->screen;
    for (int row = 0, index = 0; row < rows && index < screen->control_count; row++) {
        float used;
        int last = index + controls_in_row(paint, index, area.w, &used);
        Rect line = {area.x + area.w - used, area.y + (float)row * pitch, used, height};
        if (line.y + height > area.y + area.h) return;
        line.y += floorf((height - PAINT_BUTTON) / 2);
        line.h = PAINT_BUTTON;
        for (; index < last; index++) {
            const ScreenButton *button = &screen->controls[index];
            paint_button(paint, paint_cut_left(&line, paint_button_width(paint, button)), button);
            paint_cut_left(&line, FIELD_GAP);
        }
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

static float name_width(Paint *paint) {
    float width = 0;
    for (int index = 0; index < paint->screen->sequence_count; index++)
        width =
            fmaxf(width, paint_width(paint, paint->screen->sequences[index].name, (PaintText){0}));
    width = ceilf(width) + PAINT_PAD + (paint->screen->sequence_count > 2 ? PAINT_GAP : 0);
    return fminf(width, fminf(NAME_WIDTH_MAX, paint->width / 4));
}

static float group_gap(const Screen *screen, int index) {
    return index == 2 && screen->sequence_count > 2 ? GROUP_GAP - FIELD_GAP : 0;
}

/* Draws the sequences into `area`, at most `lines` lines each; returns the height used. */
static float draw_fields(Paint *paint, Rect area, int lines, float chip) {
    Rect whole = area;
    float names = name_width(paint);
    static const float line_gap = 4;
    for (int index = 0; index < paint->screen->sequence_count; index++) {
        SequenceFlow flow;
        paint_cut_top(&area, group_gap(paint->screen, index));
        if (area.h < chip + 2 * FIELD_PAD) break;
        Rect inside = {area.x + names, area.y + FIELD_PAD, area.w - names, 0};
        flow_make(&flow, paint, &paint->screen->sequences[index], inside, lines, chip,
                  chip + line_gap);
        float height = (float)flow.lines * (chip + line_gap) - line_gap + 2 * FIELD_PAD;
        float note = note_height(&flow, paint, &paint->screen->sequences[index], inside);
        if (height + note > area.h) note = 0;
        Rect field = paint_cut_top(&area, height + note);
        paint_cut_top(&area, FIELD_GAP);
        Rect name = paint_cut_left(&field, names);
        name.h = fminf(name.h, chip + 2 * FIELD_PAD);
        draw_name(paint, name, index);
        if (field.w > 0) draw_field(&flow, paint, field, index, note > 0);
    }
    return area.y - whole.y;
}

/* Draws the controls beside the fields and cuts their area off *fields. Returns the height used. */
static float draw_beside(Paint *paint, Rect *fields, float width, int rows, float chip) {
    float height = chip + 2 * FIELD_PAD, pitch = height + FIELD_GAP;
    Rect controls = paint_cut_right(fields, width);
    paint_cut_right(fields, PAINT_PAD);
    rows = (int)fminf((float)rows, floorf((controls.h + FIELD_GAP) / pitch));
    draw_controls(paint, controls, pitch, height, rows);
    return (float)rows * pitch;
}

static float draw_below(Paint *paint, Rect area) {
    int rows = control_rows(paint, area.w);
    rows = int_min(rows, CONTROL_LINES);
    float pitch = PAINT_BUTTON + FIELD_GAP;
    rows = (int)fminf((float)rows, floorf(area.h / pitch));
    draw_controls(paint, area, pitch, PAINT_BUTTON, rows);
    return (float)rows * pitch;
}

float draw_sequences(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    if (paint_is_empty(area) || screen->sequence_count < 1) return 0;
    float top = area.y, chip = CHIP_HEIGHT;
    float pitch = chip + 2 * FIELD_PAD + FIELD_GAP;
    if (area.h >= pitch + PAINT_PAD) paint_cut_top(&area, PAINT_GAP);
    Rect fields = area;
    paint_cut_left(&fields, PAINT_GAP * 2);
    paint_cut_right(&fields, PAINT_PAD);
    int rows = screen->sequence_count, beside_rows = int_min(rows, 2);
    float beside = control_width(paint, fields.w, beside_rows), used = 0;
    if (beside == 0) beside = control_width(paint, fields.w, beside_rows = rows);
    if (beside > 0) used = draw_beside(paint, &fields, beside, beside_rows, chip);
    bool below = screen->control_count > 0 && beside == 0;
    float reserved = below ? PAINT_BUTTON + FIELD_GAP : 0;
    int lines = (float)rows * (pitch + chip + FIELD_GAP) + reserved <= area.h ? 2 : 1;
    used = fmaxf(used, draw_fields(paint, fields, lines, chip));
    paint_cut_top(&fields, used);
    if (below) used += draw_below(paint, fields);
    return fminf(area.y - top + used + 2, area.y + area.h - top);
}
