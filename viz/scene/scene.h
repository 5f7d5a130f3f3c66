/* The contents of a sheet: plain data, borrowed from the caller. {0} with a trace, panels and
 * labels is a light sheet in viridis at scale 1. */
#ifndef HEADSCOPE_VIZ_SCENE_SCENE_H
#define HEADSCOPE_VIZ_SCENE_SCENE_H

#include "model/base/error.h"
#include "model/trace/trace.h"
#include "viz/canvas/colormap.h"
#include "viz/canvas/theme.h"

#define SCALE_LARGEST 16.0F

/* How the panels are arranged. */
typedef enum Arrangement {
    ARRANGE_SITES, /* a section for each site: rows are layers, columns are heads */
    ARRANGE_LIST,  /* in the given order, wrapped */
} Arrangement;

typedef struct ScenePanel {
    HeadId id;
    const char *name; /* such as "(a) cross.1.2"; NULL: the head's own, "cross.1.2" */
} ScenePanel;

/* The tokens of one site. In a label, spaces are shown as `␣`; where a label is too long, the parts
 * around a `→` are shortened each by itself. */
typedef struct SceneAxes {
    const char *const *rows;    /* [queries of the site], UTF-8 */
    const char *const *columns; /* [keys of the site] */
    const char *row_caption; /* such as "queries, decoder (reads → writes)"; NULL: a plain one */
    const char *column_caption; /* such as "keys, encoder tokens" */
} SceneAxes;

typedef struct Scene {
    const char *title;  /* "input → output"; NULL: none */
    const char *footer; /* small, at the bottom; NULL: none */
    const Trace *trace;
    const ScenePanel *panels; /* [panel_count]; at least one */
    int panel_count;
    Arrangement arrangement;
    SceneAxes axes[SITE_COUNT]; /* those of the sites that panels are of */
    float top;                  /* of the one colour scale, which begins at 0; 0 or less: 1 */
    ColorMap colormap;
    ThemeName theme;
    float scale; /* device pixels for a logical pixel, at most SCALE_LARGEST; 0: 1 */
    float width; /* of a figure, in logical pixels, nearly without margins: a list is wrapped to it,
                    and cells shrink if they must; 0: a sheet as wide as its contents */
    bool exact_tokens; /* leave tokens out rather than set them smaller than FONT_TOKEN */
} Scene;

/* The top and the scale, with defaults applied. */
float scene_top(const Scene *scene);
float scene_scale(const Scene *scene);

/* ERROR_USAGE if the trace lacks a panel's head (it says how many layers and heads there are), if a
 * site of a panel has no labels, if there is no panel, or if the scale is too large; else true. */
bool scene_check(const Scene *scene, Error *error);

/* A selection of heads. */
typedef struct SceneChoice {
    bool site_left_out[SITE_COUNT];
    bool one_layer, one_head; /* only this one of each site; else all */
    int layer, head;
} SceneChoice;

/* Returns the selected panels of a trace, sorted by site, layer and head, with default names: a new
 * array of *count (free it). NULL with *error if none is selected (ERROR_USAGE) or memory ends. */
ScenePanel *scene_choose(const Trace *trace, const SceneChoice *choice, int *count, Error *error);

#endif
