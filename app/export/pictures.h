/* Saves attention maps with their tokens as PNG and SVG files that record how they were made. */
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
    const char *input, *output; /* texts; for a file its name and "" */
    const Trace *trace;
    const char *const *source; /* the encoder's tokens */
    const char *const *reads;  /* what the decoder reads: <s> first */
    const char *const *writes; /* what it writes: </s> last; NULL: unknown, in a file */
    SceneAxes axes[SITE_COUNT];
} LabelledTrace;

/* Labels an example of a pass whose source text is `input`. */
LabelledTrace labelled_trace_of_pass(const Pass *pass, int example, const char *input);

/* Labels the maps of a file; `path` names it. The labels of steps are in the pool. False for lack
 * of memory. */
bool labelled_trace_of_file(LabelledTrace *labelled, Pool *pool, const AttentionFile *file,
                            const char *path, Error *error);

typedef struct PictureStyle {
    ThemeName theme;
    ColorMap colormap;
    float scale;         /* of a PNG */
    PrintSize size;      /* of an SVG */
    const char *command; /* recorded in each picture */
    float top;           /* of the shared colour scale */
    TextRenderer *text;  /* made at the first picture; free it with text_free */
} PictureStyle;

/* Parses theme, colour map and scale from the command line. */
bool picture_style(PictureStyle *style, const char *theme, const char *colormap, double scale,
                   const char *command, Error *error);

typedef enum PictureFormat { PICTURE_PNG, PICTURE_SVG, PICTURE_FORMATS } PictureFormat;

/* "png", "svg". */
const char *picture_format_name(PictureFormat format);

/* The format of a path's ending; false if it is neither. */
bool picture_format(const char *path, PictureFormat *format);

/* True if a path names a folder: it ends in a slash, is an existing folder, or has no ending. */
bool picture_is_folder(const char *path);

/* True if a picture may be written there: no file exists, or a picture of the same format.
 * ERROR_USAGE names what exists. */
bool picture_may_replace(const char *path, Error *error);

typedef struct PictureContent {
    const LabelledTrace *maps;
    const Model *model; /* NULL: attention of another program; maps->input is the file */
    const ScenePanel *panels;
    int panel_count;
    Arrangement arrangement;
} PictureContent;

/* Draws the panels and writes the picture, in the format of the path's ending (default PNG). An SVG
 * with a given width and font size has no title or footer, since a paper has its own caption.
 * ERROR_USAGE if its panels need more than that width. */
bool picture_save(const char *path, const PictureContent *content, PictureStyle *style,
                  Error *error);

#endif
