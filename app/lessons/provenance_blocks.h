/* The blocks of a lesson's page that show where numbers go: at the split into heads, at the
 * concatenation, and at the valid lengths beside the folded rows. The lessons provenance and shapes
 * share them. */
#ifndef HEADSCOPE_APP_LESSONS_PROVENANCE_BLOCKS_H
#define HEADSCOPE_APP_LESSONS_PROVENANCE_BLOCKS_H

#include "app/page/lesson_maker.h"
#include "model/analysis/provenance.h"

/* Says what of these tensors is drawn, where they are too large to be drawn whole. */
void provenance_blocks_crop(LessonMaker *maker, ProvenanceShape queries, ProvenanceShape keys);

/* The unsplit tensor and its split by each fold, with what is seen and how many numbers ended in a
 * wrong head. `of` is what it holds: "queries". */
void provenance_blocks_split(LessonMaker *maker, ProvenanceShape shape, const char *of);

/* The folded keys that each row sees by its valid length, repeated and tiled, and figures of all
 * ways. lens [batch]; NULL: no keys are hidden, and there is nothing to line up. */
void provenance_blocks_lengths(LessonMaker *maker, ProvenanceShape keys, const int *lens);

/* The heads' contexts and their concatenation by each fold. */
void provenance_blocks_concat(LessonMaker *maker, ProvenanceShape shape);

#endif
