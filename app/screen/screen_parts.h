/* From a session to a screen, part by part. For the session's own files. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_PARTS_H
#define HEADSCOPE_APP_SCREEN_SCREEN_PARTS_H

#include "app/session/session_figures.h"
#include "app/session/session_parts.h"
#include "model/base/visible.h"

typedef struct ScreenBuilder {
    Session *session;
    const State *state;
    const Pass *pass; /* the last that could be run */
    const SessionFrame *frame;
    Pool *pool; /* all strings and arrays of the screen */
    Screen *screen;
} ScreenBuilder;

void screen_build_sequences(ScreenBuilder *builder);
void screen_build_unread(ScreenBuilder *builder); /* the source, where nothing could be run yet */
void screen_build_controls(ScreenBuilder *builder);
void screen_build_world(ScreenBuilder *builder);
void screen_build_maps(ScreenBuilder *builder);    /* overview, panels, focus */
void screen_build_compare(ScreenBuilder *builder); /* the page, where it is shown */
void screen_build_lesson(ScreenBuilder *builder);  /* the page, likewise */
void screen_build_side(ScreenBuilder *builder);
void screen_build_status(ScreenBuilder *builder);
void screen_build_help(ScreenBuilder *builder);

/* --- what several parts share ----------------------------------------------------------------- */

/* The map of a head in an example, with what is lit, pinned and knocked out. */
ScreenMap screen_map(ScreenBuilder *builder, HeadId id, int example);

/* The map of one side of a comparison. */
ScreenMap screen_side_map(ScreenBuilder *builder, const Side *side);

/* "cross.1.2" */
const char *screen_head_name(ScreenBuilder *builder, HeadId id);

/* "encoder self-attention", ... */
const char *screen_site_title(Site site);

/* The end of a colour scale for differences: the least round number that is not below. */
float screen_round_reach(float reach);

/* The largest difference of a map and the one subtracted from it, over all cells that are drawn. */
float screen_largest_difference(const ScreenMap *map);

bool screen_is_out(const ScreenBuilder *builder, HeadId id);

/* Of the example that is edited, while there is a companion; else the first. */
int screen_example(const ScreenBuilder *builder);

#endif
