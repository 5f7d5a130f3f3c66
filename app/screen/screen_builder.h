/* A screen while it is made from a session, and what several of its parts share. Internal to
 * app/screen. */
#ifndef HEADSCOPE_APP_SCREEN_SCREEN_BUILDER_H
#define HEADSCOPE_APP_SCREEN_SCREEN_BUILDER_H

#include "app/session/session_inside.h"
#include "model/base/visible.h"

typedef struct ScreenBuilder {
    Session *session;
    const State *state;
    const Pass *pass; /* the last that could be run */
    const SessionFrame *frame;
    Pool *pool; /* all strings and arrays of the screen */
    Screen *screen;
} ScreenBuilder;

/* "cross.1.2" */
static inline const char *screen_head_name(ScreenBuilder *builder, HeadId id) {
    return pool_format(builder->pool, "%s.%d.%d", site_name(id.site), id.layer, id.head);
}

/* Whether the head is knocked out. */
static inline bool screen_is_out(const ScreenBuilder *builder, HeadId id) {
    return builder->state->knockouts[state_place(&builder->session->model.config, id)] != 0;
}

/* The example that is edited, while there is a companion; else the first. */
static inline int screen_example(const ScreenBuilder *builder) {
    return session_example(builder->session);
}

#endif
