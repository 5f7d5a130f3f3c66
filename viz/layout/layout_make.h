/* Makes the layout of a scene. */
#ifndef HEADSCOPE_VIZ_LAYOUT_LAYOUT_MAKE_H
#define HEADSCOPE_VIZ_LAYOUT_LAYOUT_MAKE_H

#include "viz/layout/layout.h"
#include "viz/text/shorten.h"

/* Lays out a scene that scene_check accepts. `measure` tells the widths of texts. NULL with *error
 * if memory ends. Free with layout_free. */
Layout *layout_make(const Scene *scene, TextMeasure measure, Error *error);

#endif
