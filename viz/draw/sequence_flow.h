/* How the tokens of a sequence stand as chips on one line or more, and where the bytes of its text
 * lie among them. For the drawing of sequences. */
#ifndef HEADSCOPE_VIZ_DRAW_SEQUENCE_FLOW_H
#define HEADSCOPE_VIZ_DRAW_SEQUENCE_FLOW_H

#include "viz/draw/paint.h"

enum { FLOW_CHIPS = 512, FLOW_COMPOSING = -1 };

typedef struct Chip {
    int token; /* FLOW_COMPOSING: what an input method is composing */
    Rect area;
    float text_x, text_width; /* of the text in it */
} Chip;

typedef struct SequenceFlow {
    Chip chips[FLOW_CHIPS];
    int count;
    int lines;        /* at least 1 */
    float gap;        /* between two chips */
    float text_size;  /* of the font */
    float text_limit; /* a token's text is at most so wide */
    bool left_out;    /* tokens before the first ... */
    bool right_out;   /* ... or after the last chip are not shown */
    Rect area;        /* for the chips */
    float chip, line; /* the height of a chip; from one line to the next */
} SequenceFlow;

/* Lays the tokens into an area of this width and at most so many lines; where that is too little,
 * those around the caret, or around the one under the pointer or on step. The heights are those of
 * a chip and of a line; area.h is not looked at. */
void flow_make(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, Rect area,
               int max_lines, float chip, float line);

/* The middle of the caret at a byte of the text, and the chip's height there. */
Rect flow_caret(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, int byte);

/* Where the boundary before a token is; false where it is not on show. */
bool flow_boundary(const SequenceFlow *flow, int token, Rect *bar);

/* The text of a chip as shown, at most `room` bytes. */
void flow_text(Paint *paint, const SequenceFlow *flow, const ScreenSequence *sequence, int token,
               char *out);

#endif
