#include "viz/draw/sequence_flow.h"

#include "model/base/minmax.h"
#include "viz/text/bidi.h"

#include <math.h>
#include <string.h>

#define TEXT_WIDTH_MAX 150.0F /* of the text of a token */
#define CUT_WIDTH      16.0F  /* for the `…` where tokens are left out */
#define EDGE           6.0F   /* left and right of the chips, for caret and handle */

/* From roomy to tight. */
typedef struct Density {
    float pad, gap, size, min_width;
} Density;

static const Density densities[] = {
    {8, 6, FONT_TEXT + 1, 24}, {5, 4, FONT_TEXT + 1, 18}, {2, 3, FONT_TEXT, 10}};
enum { DENSITIES = sizeof densities / sizeof *densities };

void flow_text(Paint *paint, const SequenceFlow *flow, const ScreenSequence *sequence, int token,
               char *out) {
    char shown[512];
    const char *text = token == FLOW_COMPOSING ? sequence->composing : sequence->tokens[token].text;
    shorten_show_spaces(text ? text : "", shown, sizeof shown);
    paint_fit(paint, shown, flow->text_limit, (PaintText){.size = flow->text_size}, out);
}

static bool is_text(const ScreenToken *token) {
    return !token->mark && token->end > token->begin;
}

static bool is_start(const ScreenToken *token) {
    return token->mark && token->text && (token->text[1] == 's' || token->text[1] == 'b');
}

/* The token before which the composing text is inserted: the first whose text is not before the
 * caret. */
static int composing_place(const ScreenSequence *sequence) {
    int after = 0;
    if (sequence->count > 0 && is_start(&sequence->tokens[0])) after = 1;
    for (int index = 0; index < sequence->count; index++)
        if (is_text(&sequence->tokens[index]) && sequence->tokens[index].begin < sequence->caret)
            after = index + 1;
    return after;
}

/* --- laying out ------------------------------------------------------------------------------- */

/* Where the next chip goes. */
typedef struct Pen {
    float x;
    int line;
} Pen;

static bool add_chip(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, int token,
                     const Density *density, Pen *pen, int max_lines) {
    if (flow->count == FLOW_CHIPS) return false;
    char text[SHORTEN_BYTES];
    flow_text(paint, flow, sequence, token, text);
    float text_width = *text ? canvas_text_width(paint->canvas, text, flow->text_size, false) : 0;
    float width = fmaxf(ceilf(text_width) + 2 * density->pad, density->min_width);
    /* Space for the handle of the valid length. */
    float handle = token >= 0 && token == sequence->valid_len ? EDGE : 0;
    float right = flow->area.x + flow->area.w - EDGE;
    if (pen->x + handle + width > right && pen->x > flow->area.x + EDGE) {
        if (pen->line + 1 == max_lines) return false;
        *pen = (Pen){flow->area.x + EDGE, pen->line + 1};
    }
    pen->x += handle;
    Rect area = {pen->x, flow->area.y + (float)pen->line * flow->line, width, flow->chip};
    flow->chips[flow->count++] = (Chip){.token = token,
                                        .area = area,
                                        .text_x = area.x + (width - text_width) / 2,
                                        .text_width = text_width};
    pen->x += width + density->gap;
    return true;
}

/* Lays out tokens starting at `first`; returns the first one without room, or the count. */
static int lay_from(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, int first,
                    const Density *density, int max_lines) {
    int composing = sequence->composing && *sequence->composing ? composing_place(sequence) : -1;
    Pen pen = {flow->area.x + EDGE + (first > 0 ? CUT_WIDTH : 0), 0};
    flow->count = 0;
    flow->gap = density->gap;
    flow->text_size = density->size;
    int token = first;
    for (; token <= sequence->count; token++) {
        if (token == composing &&
            !add_chip(flow, paint, sequence, FLOW_COMPOSING, density, &pen, max_lines))
            break;
        if (token == sequence->count) break;
        if (!add_chip(flow, paint, sequence, token, density, &pen, max_lines)) break;
    }
    flow->lines = pen.line + 1;
    flow->left_out = first > 0;
    flow->right_out = token < sequence->count;
    return token;
}

/* The token that must be visible. */
static int wanted_token(const ScreenSequence *sequence) {
    if (sequence->editing) {
        int place = composing_place(sequence);
        return place > 0 ? place - 1 : 0;
    }
    if (sequence->lit >= 0) return sequence->lit;
    if (sequence->lit_query >= 0) return sequence->lit_query;
    return int_max(sequence->marked, 0);
}

/* If not all tokens fit: shows the page of tokens that contains the wanted one. Pages, unlike
 * scrolling, stay put while the pointer moves over them. */
static void lay_page(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence,
                     int max_lines) {
    const Density *tight = &densities[DENSITIES - 1];
    float width = flow->area.w;
    flow->area.w -= CUT_WIDTH; /* for the `…` at the right */
    int wanted = wanted_token(sequence), first = 0;
    for (;;) {
        int next = lay_from(flow, paint, sequence, first, tight, max_lines);
        if (wanted < next || next >= sequence->count || next <= first) break;
        first = next;
    }
    flow->area.w = width;
}

void flow_make(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, Rect area,
               int max_lines, float chip, float line) {
    *flow = (SequenceFlow){.area = area, .chip = chip, .line = line, .lines = 1};
    flow->gap = densities[0].gap;
    flow->text_size = densities[0].size;
    /* A single token with an `…` on both sides fits on a line. */
    flow->text_limit = fminf(TEXT_WIDTH_MAX, area.w - 2 * (EDGE + CUT_WIDTH + densities[0].pad));
    if (flow->text_limit < densities[0].min_width) {
        flow->left_out = flow->right_out = sequence->count > 0;
        return;
    }
    for (int lines = 1; lines <= max_lines; lines++)
        for (int index = 0; index < DENSITIES; index++) {
            /* Two roomy lines read better than one tight one. */
            if (lines < max_lines && index == DENSITIES - 1) continue;
            if (lay_from(flow, paint, sequence, 0, &densities[index], lines) >= sequence->count)
                return;
        }
    lay_page(flow, paint, sequence, max_lines);
}

/* --- places ----------------------------------------------------------------------------------- */

static Rect bar_at(const Chip *chip, float x) {
    return (Rect){x, chip->area.y, 0, chip->area.h};
}

static Rect bar_before(const SequenceFlow *flow, int index) {
    const Chip *chip = &flow->chips[index];
    bool first = index == 0 || flow->chips[index - 1].area.y < chip->area.y;
    float left = first ? chip->area.x - flow->gap
                       : flow->chips[index - 1].area.x + flow->chips[index - 1].area.w;
    return bar_at(chip, (left + chip->area.x) / 2);
}

static Rect bar_after(const SequenceFlow *flow, int index) {
    const Chip *chip = &flow->chips[index];
    if (index + 1 < flow->count && flow->chips[index + 1].area.y == chip->area.y)
        return bar_before(flow, index + 1);
    return bar_at(chip, chip->area.x + chip->area.w + flow->gap / 2);
}

/* A place inside a token: measured after the text before the byte if the token shows its own text,
 * else by the share of bytes. */
static Rect bar_inside(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence,
                       const Chip *chip, int byte) {
    const ScreenToken *token = &sequence->tokens[chip->token];
    int length = token->end - token->begin, into = byte - token->begin;
    float share = (float)into / (float)length;
    if ((size_t)length == strlen(token->text) && length < 256) {
        char begin[256], shown[512];
        memcpy(begin, token->text, (size_t)into);
        begin[into] = '\0';
        shorten_show_spaces(begin, shown, sizeof shown);
        float width = canvas_text_width(paint->canvas, shown, flow->text_size, false);
        share = chip->text_width > 0 ? fminf(width / chip->text_width, 1) : 0;
    }
    if (bidi_is_backwards(token->text)) share = 1 - share;
    return bar_at(chip, chip->text_x + share * chip->text_width);
}

Rect flow_caret(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, int byte) {
    int last = -1;
    for (int index = 0; index < flow->count; index++) {
        const Chip *chip = &flow->chips[index];
        if (chip->token == FLOW_COMPOSING) {
            if (sequence->caret == byte) return bar_at(chip, chip->text_x + chip->text_width + 1);
            continue;
        }
        const ScreenToken *token = &sequence->tokens[chip->token];
        if (!is_text(token)) {
            if (last < 0 && index == 0 && is_start(token)) last = index;
            continue;
        }
        if (byte <= token->begin) return bar_before(flow, index);
        if (byte < token->end) return bar_inside(flow, paint, sequence, chip, byte);
        last = index;
    }
    if (last >= 0) return bar_after(flow, last);
    if (flow->count > 0) return bar_before(flow, 0);
    return (Rect){flow->area.x + EDGE, flow->area.y, 0, flow->chip};
}

bool flow_boundary(const SequenceFlow *flow, int token, Rect *bar) {
    for (int index = 0; index < flow->count; index++) {
        if (flow->chips[index].token == token) {
            /* At the end of a line rather than at the start of the next. */
            bool wrapped = index > 0 && flow->chips[index - 1].area.y < flow->chips[index].area.y;
            *bar = wrapped ? bar_after(flow, index - 1) : bar_before(flow, index);
            return true;
        }
        if (flow->chips[index].token == token - 1) {
            *bar = bar_after(flow, index);
            bool ends = index + 1 == flow->count;
            if (ends) {
                bar->x += 2;
                return true;
            }
        }
    }
    if (flow->count > 0 || token > 0) return false;
    *bar = (Rect){flow->area.x + EDGE, flow->area.y, 0, flow->chip};
    return true;
}
