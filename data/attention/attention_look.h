/* One pass over all cells of the maps: which keys the queries see, whether rows sum to 1, and the
 * pyramid of large maps. */
#ifndef HEADSCOPE_DATA_ATTENTION_ATTENTION_LOOK_H
#define HEADSCOPE_DATA_ATTENTION_ATTENTION_LOOK_H

#include "data/attention/attention_maps.h"

/* Reads all maps of a site once, in two threads where they are large: fills Maps.looks,
 * Maps.blocks, and Maps.seen and Maps.causal, judged by the zeros that all rows share. */
bool attention_look(Maps *maps, const Arrays *arrays, Error *error);

/* Adds to the note where a map's rows do not sum to 1, and tells the trace which maps hold NaNs. */
void attention_look_note_sums(const AttentionMaps *maps, Trace *trace, char *note,
                              size_t note_size);

#endif
