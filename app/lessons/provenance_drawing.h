/* Tensors whose cells are coloured by where their numbers came from. Of large ones only a part is
 * drawn. */
#ifndef HEADSCOPE_APP_LESSONS_PROVENANCE_DRAWING_H
#define HEADSCOPE_APP_LESSONS_PROVENANCE_DRAWING_H

#include "app/page/lesson_maker.h"
#include "model/analysis/provenance.h"

/* A tensor to draw; its arrays are in a pool and may be changed until provenance_drawing_add. */
typedef struct ProvenanceDrawing {
    LessonTensor tensor;
    LessonOrigin *cells;         /* [rows,columns] */
    const char **names, **notes; /* [rows]; notes are shown if tensor.row_notes is set */
    LessonTone *tones;           /* [rows] */
} ProvenanceDrawing;

/* The shape of the part that is drawn: the whole tensor if it fits; else the first examples and
 * heads, and evenly spaced steps and elements. */
ProvenanceShape provenance_drawing_part(ProvenanceShape shape);

/* The step that is drawn at `index`. */
int provenance_drawing_step(ProvenanceShape shape, int index);

/* The unsplit [B,steps,W], one row per step. This and the next two return false if out of memory.
 */
bool provenance_drawing_unsplit(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape);

/* [B*H,steps,D] as `fold` reads it; a folded row, with all its steps, is one row. */
bool provenance_drawing_folded(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape,
                               HeadFold fold);

/* [B,steps,W], one row per step, as `fold` writes the heads' contexts. */
bool provenance_drawing_joined(ProvenanceDrawing *drawing, Pool *pool, ProvenanceShape shape,
                               HeadFold fold);

/* Adds drawings of tensors of one shape to the page, side by side. */
void provenance_drawing_add(LessonMaker *maker, const ProvenanceDrawing *drawings, int count,
                            ProvenanceShape shape);

#endif
