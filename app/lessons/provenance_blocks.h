/* Blocks that show where numbers go in the split into heads and the concatenation, and how valid
 * lengths align with the folded rows. Used by the lessons provenance and shapes. */
#ifndef HEADSCOPE_APP_LESSONS_PROVENANCE_BLOCKS_H
#define HEADSCOPE_APP_LESSONS_PROVENANCE_BLOCKS_H

#include "app/page/lesson_maker.h"
#include "model/analysis/provenance.h"

/* Explains which part of the tensors is drawn, if they are too large to be drawn whole. */
void provenance_blocks_crop(LessonMaker *maker, ProvenanceShape queries, ProvenanceShape keys);

/* The unsplit tensor and its split by each fold, with the effect and the count of numbers in a
 * wrong head. `of` is what the tensor holds: "queries". */
void provenance_blocks_split(LessonMaker *maker, ProvenanceShape shape, const char *of);

/* The folded keys that each row sees with repeated and with tiled valid lengths, and a table of all
 * LengthsKind. lens [batch]; NULL if no keys are hidden. */
void provenance_blocks_lengths(LessonMaker *maker, ProvenanceShape keys, const int *lens);

/* The heads' contexts and their concatenation by each fold. */
void provenance_blocks_concat(LessonMaker *maker, ProvenanceShape shape);

#endif
