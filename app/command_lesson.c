#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lesson.h"
#include "app/lesson_print.h"
#include "app/pictures.h"
#include "data/output.h"
#include "viz/lesson_picture.h"

/* What every lesson takes besides its own words. */
typedef struct Sharing {
    const char *picture, *theme;
    int width;
    double scale;
    const char *typed; /* the whole command, which stands in the picture */
} Sharing;

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

static bool check(Sharing *sharing, PictureStyle *style, PictureFormat *format, Error *error) {
    const char *path = sharing->picture;
    bool scaled = !isnan(sharing->scale);
    if (!path && (sharing->theme || sharing->width > 0 || scaled))
        return error_usage(error, "%s belongs to a picture: name it, --picture FILE.png or .svg",
                           sharing->theme ? "--theme"
                           : scaled       ? "--scale"
                                          : "--picture-width");
    if (path && !picture_format(path, format))
        return error_usage(error, "--picture %s: it takes a name in .png or .svg", path);
    if (path && scaled && *format == PICTURE_SVG)
        return error_usage(error, "--scale is for PNG: an SVG has no pixels");
    if (!(sharing->width > 0)) sharing->width = 1100;
    return picture_style(style, sharing->theme ? sharing->theme : "light", "viridis",
                         scaled ? sharing->scale : 1, sharing->typed, error);
}

static bool draw(const LessonPage *page, const Sharing *sharing, const PictureStyle *style,
                 PictureFormat format, Error *error) {
    const PngText texts[] = {{"Software", "headscope " HEADSCOPE_VERSION},
                             {"headscope:command", sharing->typed},
                             {"headscope:version", HEADSCOPE_VERSION}};
    char footer[256];
    snprintf(footer, sizeof footer, "headscope %s · %s", HEADSCOPE_VERSION, sharing->typed);
    LessonPicture picture = {.width = (float)sharing->width,
                             .scale = style->scale,
                             .theme = style->theme,
                             .footer = footer,
                             .texts = texts,
                             .text_count = sizeof texts / sizeof texts[0]};
    TextRenderer *text = text_make(error);
    bool drawn =
        text && (format == PICTURE_SVG ? write_svg(sharing->picture, text, page, &picture, error)
                                       : write_png(sharing->picture, text, page, &picture, error));
    text_free(text);
    return drawn;
}

static bool run(const Lesson *lesson, const LessonCall *call, Sharing *sharing,
                const Option *options, Error *error) {
    PictureStyle style;
    PictureFormat format = PICTURE_PNG;
    LessonMaker *maker = lesson_maker();
    if (!maker) return error_set(error, "out of memory");
    LessonResult result = {0};
    const LessonPage *page = NULL;
    bool done = check(sharing, &style, &format, error) && lesson->make(maker, call, &result, error);
    if (done && result.only_help) {
        printf("\noptions of all lessons:\n");
        options_print(options);
    } else if (done) {
        page = lesson_finish(maker, error);
        done = page && lesson_print(stdout, page, error) &&
               (!sharing->picture || draw(page, sharing, &style, format, error));
    }
    lesson_free(maker);
    return done && result.found_fault ? error_found(error) : done;
}

bool command_lesson(const Command *command, int argc, char **argv, Error *error) {
    const Lesson *lesson = lesson_find(command->name);
    if (!lesson) return error_set(error, "there is no such lesson");
    Sharing sharing = {.width = -1, .scale = NAN};
    Option options[] = {
        {"--picture", OPTION_TEXT, &sharing.picture, "FILE", "draws the page as well, PNG or SVG",
         0, 0, false},
        {"--theme", OPTION_TEXT, &sharing.theme, "light|dark", "the picture's theme", 0, 0, false},
        {"--picture-width", OPTION_INT, &sharing.width, "N", "its width in logical pixels (1100)",
         320, 8000, false},
        {"--scale", OPTION_NUMBER, &sharing.scale, "X",
         "a PNG's pixels for a logical pixel, 0.5 to 8 [1]", 0, 0, false},
        {0},
    };
    char name[64];
    snprintf(name, sizeof name, "headscope %s", command->name);
    char *typed = command_text(name, argc, argv);
    if (!typed) return error_set(error, "out of memory");
    sharing.typed = typed;
    LessonCall call = {.command = command, .argc = argc, .argv = argv};
    bool done = options_take(options, &call.argc, argv, error) &&
                run(lesson, &call, &sharing, options, error);
    free(typed);
    return done;
}
