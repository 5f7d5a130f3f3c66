/* From a reading to PNG files that say how they were made. */
#ifndef HEADSCOPE_APP_PICTURES_H
#define HEADSCOPE_APP_PICTURES_H

#include "app/reading.h"
#include "viz/scene.h"
#include "viz/text.h"

typedef struct PictureStyle {
    ThemeName theme;
    ColorMap colormap;
    float scale;
    const char *command; /* stands in each picture */
    float top;           /* of the shared colour scale */
    TextRenderer *text;  /* made at the first picture; free it with text_free */
} PictureStyle;

/* Reads theme, colour map and scale as the command line names them. */
bool picture_style(PictureStyle *style, const char *theme, const char *colormap, double scale,
                   const char *command, Error *error);

typedef struct PictureContent {
    const Reading *reading;
    const Model *model;
    const ScenePanel *panels;
    int panel_count;
    Arrangement arrangement;
} PictureContent;

/* Draws the panels and writes the picture whole. */
bool picture_save(const char *path, const PictureContent *content, PictureStyle *style,
                  Error *error);

#endif
