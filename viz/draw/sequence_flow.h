/* Lays out the tokens of a sequence as chips on one or more lines, and maps bytes of its text to
 * positions. For draw_sequences.c. */
#ifndef HEADSCOPE_VIZ_DRAW_SEQUENCE_FLOW_H
#define HEADSCOPE_VIZ_DRAW_SEQUENCE_FLOW_H

#include "viz/draw/paint.h"

enum { FLOW_CHIPS = 512, FLOW_COMPOSING = -1 };

typedef struct Chip {
    int token; /* FLOW_COMPOSING: the text that an input method is composing */
    Rect area;
    float text_x, text_width; /* of its text */
} Chip;

typedef struct SequenceFlow {
    Chip chips[FLOW_CHIPS];
    int count;
    int lines;        /* at least 1 */
    float gap;        /* between two chips */
    float text_size;  /* font size */
    float text_limit; /* the largest width of a token's text */
    bool left_out;    /* tokens before the first ... */
    bool right_out;   /* ... or after the last chip are not shown */
    Rect area;        /* of the chips */
    float chip, line; /* the height of a chip; from one line to the next */
} SequenceFlow;

/* Lays out the tokens in an area of this width, on at most max_lines lines; if not all fit, those
 * around the caret, or around the token under the pointer or at the current step. `chip` and `line`
 * are the height of a chip and the pitch of lines; area.h is ignored. */
void flow_make(SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, Rect area,
               int max_lines, float chip, float line);

/* The position of the caret at a byte of the text, as high as the chip there. */
Rect flow_caret(const SequenceFlow *flow, Paint *paint, const ScreenSequence *sequence, int byte);

/* Sets *bar to the boundary before a token; false if it is not visible. */
bool flow_boundary(const SequenceFlow *flow, int token, Rect *bar);

/* Writes the text of a chip as shown to `out` [SHORTEN_BYTES]. */
void flow_text(Paint *paint, const SequenceFlow *flow, const ScreenSequence *sequence, int token,
               char *out);

#endif
