/* What the files of app/screen share: the screen being built, and the functions that each add a
 * part of it. A name without a file in brackets is in the file of that name. Internal to
 * app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_BUILDER_H
#define HEADSCOPE_APP_SCREEN_SCREEN_BUILDER_H

#include "app/screen/screen.h"
#include "app/session/session_inside.h"
#include "model/base/visible.h"

typedef struct ScreenBuilder {
    Session *session;
    const State *state;
    const Pass *pass; /* the last one that ran */
    const ScreenExtra *extra;
    Pool *pool; /* owns all strings and arrays of the screen */
    Screen *screen;
} ScreenBuilder;

/* "cross.1.2" */
static inline const char *screen_head_name(ScreenBuilder *builder, HeadId id) {
    return pool_format(builder->pool, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

/* True if the head is ablated. */
static inline bool screen_is_ablated(const ScreenBuilder *builder, HeadId id) {
    return builder->state->knockouts[state_place(&builder->session->model.config, id)] != 0;
}

/* The example being edited if there is a companion, else the first. */
static inline int screen_example(const ScreenBuilder *builder) {
    return session_example(builder->session);
}

void screen_build_sequences(ScreenBuilder *builder);
void screen_build_unread(ScreenBuilder *builder); /* the source, before the first pass
                                                     (screen_sequences.c) */
void screen_build_controls(ScreenBuilder *builder);
void screen_build_world(ScreenBuilder *builder); /* what differs from the model as trained
                                                    (screen_controls.c) */
void screen_build_maps(ScreenBuilder *builder);
void screen_build_compare(ScreenBuilder *builder);
void screen_build_side(ScreenBuilder *builder);
void screen_build_status(ScreenBuilder *builder);
void screen_build_help(ScreenBuilder *builder); /* (screen_status.c) */

/* The output of the changed model, decoded again; "" if memory is exhausted. (screen_sequences.c)
 */
const char *screen_decoded(ScreenBuilder *builder, int example);

/* The map of one side of a comparison. (screen_maps.c) */
ScreenMap screen_side_map(ScreenBuilder *builder, const Side *side);

/* The largest absolute difference between a map and its `minus`, over all cells that are drawn.
 * (screen_maps.c) */
float screen_largest_difference(const ScreenMap *map);

/* The end of a colour scale for differences: the smallest round number that is at least `reach`.
 * (screen_maps.c) */
float screen_round_reach(float reach);

#endif
