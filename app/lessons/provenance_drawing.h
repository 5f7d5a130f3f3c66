/* Tensors whose cells are coloured by where their numbers came from, in the making: large ones are
 * drawn in part. */
#ifndef HEADSCOPE_APP_LESSONS_PROVENANCE_DRAWING_H
#define HEADSCOPE_APP_LESSONS_PROVENANCE_DRAWING_H

#include "app/page/lesson_maker.h"
#include "model/analysis/provenance.h"

/* All in the pool that it was made with; what is set before provenance_drawing_add is shown. */
typedef struct ProvenanceDrawing {
    LessonTensor tensor;
    LessonOrigin *cells;         /* [rows,columns] */
    const char **names, **notes; /* [rows]; notes are shown if tensor.row_notes is set */
    LessonTone *tones;           /* [rows] */
} ProvenanceDrawing;

/* The part of a tensor that is drawn: the first examples and heads, and some steps and elements
 * evenly apart. All, where it fits. */
ProvenanceShape provenance_drawing_part(ProvenanceShape shape);

/* Which step the one is that is drawn at `index`. */
int provenance_drawing_step(ProvenanceShape shape, int index);

/* [B,steps,W], a row a step: not split. False for lack of memory, as those below. */
bool provenance_drawing_unsplit(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape);

/* [B*H,steps,D], all steps of a folded row in one row, as `fold` reads them. */
bool provenance_drawing_folded(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape,
                               HeadFold fold);

/* [B,steps,W], a row a step, as `fold` writes the contexts of the heads. */
bool provenance_drawing_joined(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape,
                               HeadFold fold);

/* Puts them on the page, side by side; all are of that shape. */
void provenance_drawing_add(LessonMaker *maker, const ProvenanceDrawing *drawings, int count,
                            ProvenanceShape shape);

#endif
