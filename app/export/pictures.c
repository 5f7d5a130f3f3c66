#include "app/export/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "app/cli/places.h"
#include "data/files/input.h"
#include "data/files/output.h"
#include "model/base/file_kind.h"
#include "viz/draw/render.h"

LabelledTrace labelled_trace_of_pass(const Pass *pass, int example, const char *input) {
    const PassExample *labels = &pass->examples[example];
    LabelledTrace labelled = {.input = input,
                              .output = labels->output,
                              .trace = pass->world.examples[example].trace,
                              .source = labels->source,
                              .reads = labels->reads,
                              .writes = labels->writes};
    memcpy(labelled.axes, labels->axes, sizeof labelled.axes);
    return labelled;
}

bool labelled_trace_of_file(LabelledTrace *labelled, Pool *pool, const AttentionFile *file,
                            const char *path, Error *error) {
    const char **steps = pool_take(pool, ((size_t)file->query_count + 1) * sizeof *steps);
    *labelled = (LabelledTrace){.input = places_name(path),
                                .output = "",
                                .trace = file->trace,
                                .source = (const char *const *)file->source,
                                .reads = (const char *const *)file->reads,
                                .writes = (const char *const *)file->writes};
    for (int query = 0; steps && query < file->query_count; query++)
        steps[query] = pass_step_label(pool, file->reads[file->first_query + query],
                                       file->writes ? file->writes[query] : NULL);
    pass_axes(labelled->axes, labelled->source, labelled->reads, steps, file->writes != NULL);
    return !pool->failed || error_set(error, "%s: out of memory", path);
}

bool picture_style(PictureStyle *style, const char *theme, const char *colormap, double scale,
                   const char *command, Error *error) {
    *style = (PictureStyle){.scale = (float)scale, .command = command, .top = 1};
    if (!theme_parse(theme, &style->theme))
        return error_usage(error, "--theme %s: it takes light or dark", theme);
    if (!colormap_parse(colormap, &style->colormap))
        return error_usage(error, "--colormap %s: it takes viridis, cividis, magma or grey",
                           colormap);
    if (!(scale >= 0.5 && scale <= 8))
        return error_usage(error, "--scale %g: it takes a number from 0.5 to 8", scale);
    return true;
}

static Scene scene_of(const PictureContent *content, const PictureStyle *style, const char *title,
                      const char *footer) {
    const LabelledTrace *maps = content->maps;
    Scene scene = {.title = title,
                   .footer = footer,
                   .trace = maps->trace,
                   .panels = content->panels,
                   .panel_count = content->panel_count,
                   .arrangement = content->arrangement,
                   .top = style->top,
                   .colormap = style->colormap,
                   .theme = style->theme,
                   .scale = style->scale};
    memcpy(scene.axes, maps->axes, sizeof scene.axes);
    return scene;
}

const char *picture_format_name(PictureFormat format) {
    static const char *const names[PICTURE_FORMATS] = {"png", "svg"};
    return names[format];
}

bool picture_format(const char *path, PictureFormat *format) {
    size_t length = strlen(path);
    for (int index = 0; index < PICTURE_FORMATS; index++) {
        const char *name = picture_format_name((PictureFormat)index);
        size_t end = strlen(name) + 1;
        if (length <= end || path[length - end] != '.') continue;
        if (strcasecmp(path + length - end + 1, name) != 0) continue;
        *format = (PictureFormat)index;
        return true;
    }
    return false;
}

bool picture_is_folder(const char *path) {
    struct stat status;
    size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/') return true;
    if (stat(path, &status) == 0) return S_ISDIR(status.st_mode);
    const char *name = places_name(path);
    return name[0] && !strchr(name + 1, '.');
}

bool picture_may_replace(const char *path, Error *error) {
    unsigned char begin[FILE_KIND_BYTES];
    size_t size;
    struct stat status;
    PictureFormat format;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return true;
    if (!input_begin(begin, &size, path, sizeof begin, error)) return false;
    FileKind kind = file_kind(begin, size);
    bool png = kind == FILE_PNG || kind == FILE_PNG_DAMAGED;
    bool svg = kind == FILE_SVG || kind == FILE_XML;
    if (picture_format(path, &format) && (format == PICTURE_PNG ? png : svg)) return true;
    return error_usage(error, "%s: is there, is %s, and is not overwritten by a picture", path,
                       file_kind_words(begin, size));
}

enum { TEXTS = 4 };

static bool save_png(const char *path, const Scene *scene, const PictureText *texts,
                     TextRenderer *text, Error *error) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    bool good = viz_render_png(text, scene, texts, TEXTS, &bytes, &length, error) &&
                output_write(path, bytes, length, error);
    free(bytes);
    return good;
}

/* Checks that the layout fits the requested width (to a thousandth of a pixel). */
static bool check_width(const char *path, const Layout *layout, const PrintSize *size,
                        Error *error) {
    float max_width = print_layout_width(size);
    if (max_width <= 0 || layout->width <= max_width + 1e-3F) return true;
    Length needed = print_width(size, layout->width);
    return error_usage(
        error,
        "%s: at a font size of %g%s the heads need a width of %.1f%s; choose that, a "
        "smaller font, or fewer heads",
        path, size->font.number, size->font.unit, ceil(needed.number * 10) / 10, needed.unit);
}

static bool write_svg(const char *path, const Scene *scene, const Layout *layout,
                      const SvgPage *page, TextRenderer *text, Error *error) {
    Output output;
    if (!output_begin(&output, path, error)) return false;
    if (viz_render_svg(text, scene, layout, page, output.stream, error))
        return output_commit(&output, error);
    output_abandon(&output);
    return error_prefix(error, "%s", path);
}

static bool save_svg(const char *path, Scene *scene, const PictureText *texts,
                     const PictureStyle *style, Error *error) {
    SvgPage page = {.title = scene->title, .texts = texts, .text_count = TEXTS};
    scene->scale = SVG_SCALE;
    scene->width = print_layout_width(&style->size);
    scene->exact_tokens = style->size.font.number > 0;
    if (scene->width > 0) scene->title = scene->footer = NULL;
    Layout *layout = viz_layout(style->text, scene, error);
    if (!layout) return false;
    Length width = print_width(&style->size, layout->width);
    page.printed_width = width.number;
    page.unit = width.unit;
    bool saved = check_width(path, layout, &style->size, error) &&
                 write_svg(path, scene, layout, &page, style->text, error);
    layout_free(layout);
    return saved;
}

bool picture_save(const char *path, const PictureContent *content, PictureStyle *style,
                  Error *error) {
    const LabelledTrace *maps = content->maps;
    const Model *model = content->model;
    char footer[160];
    size_t size = strlen(maps->input) + strlen(maps->output) + 16;
    char *title = malloc(size);
    if (!title) return error_set(error, "out of memory");
    if (model) {
        snprintf(title, size, "%s → %s", maps->input, maps->output);
        snprintf(footer, sizeof footer, "headscope %s · model %s%s%.12s", HEADSCOPE_VERSION,
                 model->task, model->task[0] ? " " : "", model->hash);
    } else {
        snprintf(title, size, "%s", maps->input);
        snprintf(footer, sizeof footer, "headscope %s · attention of another program",
                 HEADSCOPE_VERSION);
    }
    if (!style->text) style->text = text_make(error);
    Scene scene = scene_of(content, style, title, footer);
    const PictureText texts[TEXTS] = {{"Software", "headscope " HEADSCOPE_VERSION},
                                      {"headscope:command", style->command},
                                      model ? (PictureText){"headscope:model", model->hash}
                                            : (PictureText){"headscope:attention", maps->input},
                                      {"headscope:version", HEADSCOPE_VERSION}};
    PictureFormat format = PICTURE_PNG;
    picture_format(path, &format);
    bool good =
        style->text && (format == PICTURE_SVG ? save_svg(path, &scene, texts, style, error)
                                              : save_png(path, &scene, texts, style->text, error));
    free(title);
    return good;
}
