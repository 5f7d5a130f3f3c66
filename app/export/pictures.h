/* From maps with their tokens to PNG and SVG files that say how they were made. */
#ifndef HEADSCOPE_APP_EXPORT_PICTURES_H
#define HEADSCOPE_APP_EXPORT_PICTURES_H

#include "app/cli/print_size.h"
#include "app/pass/pass.h"
#include "data/attention/attention_file.h"
#include "viz/scene/scene.h"
#include "viz/text/text.h"

/* Maps with the labels of their tokens: of a pass of a model, or of a file that another program
 * wrote. Everything is borrowed. */
typedef struct LabelledTrace {
    const char *input, *output; /* texts; of a file its name and "" */
    const Trace *trace;
    const char *const *source; /* the encoder's tokens */
    const char *const *reads;  /* what the decoder reads: <s> first */
    const char *const *writes; /* what it writes: </s> last; NULL: a file does not say */
    SceneAxes axes[SITE_COUNT];
} LabelledTrace;

/* An example of a pass, which read `input`. */
LabelledTrace labelled_trace_of_pass(const Pass *pass, int example, const char *input);

/* A file's maps; `path` names it. The labels of steps lie in the pool. False for lack of memory. */
bool labelled_trace_of_file(LabelledTrace *labelled, Pool *pool, const AttentionFile *file,
                            const char *path, Error *error);

typedef struct PictureStyle {
    ThemeName theme;
    ColorMap colormap;
    float scale;         /* of a PNG */
    PrintSize size;      /* of an SVG */
    const char *command; /* stands in each picture */
    float top;           /* of the shared colour scale */
    TextRenderer *text;  /* made at the first picture; free it with text_free */
} PictureStyle;

/* Reads theme, colour map and scale as the command line names them. */
bool picture_style(PictureStyle *style, const char *theme, const char *colormap, double scale,
                   const char *command, Error *error);

typedef enum PictureFormat { PICTURE_PNG, PICTURE_SVG, PICTURE_FORMATS } PictureFormat;

/* "png", "svg". */
const char *picture_format_name(PictureFormat format);

/* The format that a path's ending names; false if it names none. */
bool picture_format(const char *path, PictureFormat *format);

/* Whether a path names a folder for pictures: it ends in a slash, is one, or has no ending. */
bool picture_is_folder(const char *path);

/* Whether a picture may be written there: over nothing, or over a picture of its format.
 * ERROR_USAGE says what is there. */
bool picture_may_replace(const char *path, Error *error);

typedef struct PictureContent {
    const LabelledTrace *maps;
    const Model *model; /* NULL: attention of another program, of which the input is the file */
    const ScenePanel *panels;
    int panel_count;
    Arrangement arrangement;
} PictureContent;

/* Draws the panels and writes the picture whole, in the format that the path's ending names (a PNG
 * if none). An SVG of a width and a font size has neither title nor footer: a paper has its own
 * caption. ERROR_USAGE if its panels need more than that width. */
bool picture_save(const char *path, const PictureContent *content, PictureStyle *style,
                  Error *error);

#endif
