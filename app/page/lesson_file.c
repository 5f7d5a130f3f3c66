#include "app/page/lesson_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/export/pictures.h"
#include "data/files/output.h"
#include "viz/draw/lesson_picture.h"

LessonFile lesson_file(void) {
    return (LessonFile){.width = -1, .scale = (double)NAN};
}

void lesson_file_options(Option *options, LessonFile *file) {
    const Option all[LESSON_FILE_OPTIONS] = {
        {"--picture", OPTION_TEXT, &file->picture, "FILE", "draws the page as well, PNG or SVG", 0,
         0, false},
        {"--theme", OPTION_TEXT, &file->theme, "light|dark", "the picture's theme", 0, 0, false},
        {"--picture-width", OPTION_INT, &file->width, "N", "its width in logical pixels (1100)",
         320, 8000, false},
        {"--scale", OPTION_NUMBER, &file->scale, "X",
         "a PNG's pixels for a logical pixel, 0.5 to 8 [1]", 0, 0, false},
    };
    for (int i = 0; i < LESSON_FILE_OPTIONS; i++)
        options[i] = all[i];
}

static bool write_svg(const char *path, TextRenderer *text, const LessonPage *page,
                      const LessonPicture *picture, Error *error) {
    Output output;
    if (!output_begin(&output, path, error)) return false;
    if (lesson_picture_svg(text, page, picture, output.stream, error))
        return output_commit(&output, error);
    output_abandon(&output);
    return error_prefix(error, "%s", path);
}

static bool write_png(const char *path, TextRenderer *text, const LessonPage *page,
                      const LessonPicture *picture, Error *error) {
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool written = lesson_picture_png(text, page, picture, &bytes, &size, error) &&
                   output_write(path, bytes, size, error);
    free(bytes);
    return written;
}

static bool read_style(const LessonFile *file, PictureStyle *style, PictureFormat *format,
                       Error *error) {
    const char *path = file->picture;
    bool scaled = !isnan(file->scale);
    if (!path && (file->theme || file->width > 0 || scaled))
        return error_usage(error, "%s belongs to a picture: name it, --picture FILE.png or .svg",
                           file->theme ? "--theme"
                           : scaled    ? "--scale"
                                       : "--picture-width");
    if (path && !picture_format(path, format))
        return error_usage(error, "--picture %s: it takes a name in .png or .svg", path);
    if (path && scaled && *format == PICTURE_SVG)
        return error_usage(error, "--scale is for PNG: an SVG has no pixels");
    return picture_style(style, file->theme ? file->theme : "light", "viridis",
                         scaled ? file->scale : 1, file->typed, error);
}

bool lesson_file_check(const LessonFile *file, Error *error) {
    PictureStyle style;
    PictureFormat format;
    return read_style(file, &style, &format, error);
}

bool lesson_file_draw(const LessonFile *file, const LessonPage *page, Error *error) {
    PictureStyle style;
    PictureFormat format = PICTURE_PNG;
    if (!read_style(file, &style, &format, error)) return false;
    if (!file->picture) return true;
    const PictureText texts[] = {{"Software", "headscope " HEADSCOPE_VERSION},
                                 {"headscope:command", file->typed},
                                 {"headscope:version", HEADSCOPE_VERSION}};
    char footer[256];
    snprintf(footer, sizeof footer, "headscope %s · %s", HEADSCOPE_VERSION, file->typed);
    LessonPicture picture = {.width = file->width > 0 ? (float)file->width : 1100,
                             .scale = style.scale,
                             .theme = style.theme,
                             .footer = footer,
                             .texts = texts,
                             .text_count = sizeof texts / sizeof texts[0]};
    TextRenderer *text = text_make(error);
    bool drawn =
        text && (format == PICTURE_SVG ? write_svg(file->picture, text, page, &picture, error)
                                       : write_png(file->picture, text, page, &picture, error));
    text_free(text);
    return drawn;
}
