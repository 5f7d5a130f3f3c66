#include "viz/draw/lesson_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viz/canvas/raster.h"
#include "viz/canvas/svg.h"
#include "viz/draw/draw_lesson.h"

#define FOOTER 34.0F

/* What drawing a page without a window needs. Members point to each other: do not copy. */
typedef struct PagePainter {
    Screen screen;
    HitList hits; /* ignored */
    Paint paint;
    LessonBlock *blocks; /* those of the page without buttons */
    LessonPage page;
    float width, height;
} PagePainter;

static bool painter_make(PagePainter *painter, const LessonPage *page, const LessonPicture *picture,
                         Error *error) {
    *painter = (PagePainter){.screen = {.theme = picture->theme, .top = 1}, .page = *page};
    painter->blocks = malloc(((size_t)page->count + 1) * sizeof *painter->blocks);
    if (!painter->blocks) return error_set(error, "out of memory for the picture");
    painter->page.count = 0;
    for (int index = 0; index < page->count; index++)
        if (page->blocks[index].kind != LESSON_BUTTONS)
            painter->blocks[painter->page.count++] = page->blocks[index];
    painter->page.blocks = painter->blocks;
    painter->paint = (Paint){.theme = theme_get(picture->theme),
                             .screen = &painter->screen,
                             .hits = &painter->hits,
                             .width = picture->width};
    painter->width = fmaxf(picture->width, LESSON_WIDTH_MIN + 2 * SPACE_MARGIN);
    return true;
}

static void painter_free(PagePainter *painter) {
    free(painter->blocks);
    hits_free(&painter->hits);
}

/* Measures on a canvas of the scale that the page is drawn at. */
static void painter_measure(PagePainter *painter, Canvas *canvas, const LessonPicture *picture) {
    painter->paint.canvas = canvas;
    painter->height =
        lesson_height(&painter->paint, &painter->page, painter->width - 2 * SPACE_MARGIN) +
        2 * SPACE_MARGIN + (picture->footer ? FOOTER - SPACE_MARGIN / 2 : 0);
    painter->paint.height = painter->height;
}

static void painter_draw(PagePainter *painter, Canvas *canvas, const LessonPicture *picture) {
    Paint *paint = &painter->paint;
    Rect whole = {0, 0, painter->width, painter->height};
    paint->canvas = canvas;
    canvas_fill(canvas, whole, paint->theme->ground);
    lesson_draw(paint, &painter->page, SPACE_MARGIN, SPACE_MARGIN,
                painter->width - 2 * SPACE_MARGIN, whole);
    Rect foot = {SPACE_MARGIN, painter->height - FOOTER, painter->width - 2 * SPACE_MARGIN, FOOTER};
    if (picture->footer)
        paint_text(paint, foot, picture->footer,
                   (PaintText){.size = FONT_TOKEN, .color = paint->theme->muted});
}

static Raster *draw_raster(PagePainter *painter, TextRenderer *text, const LessonPicture *picture,
                           Error *error) {
    Raster *raster = raster_make(1, 1, picture->scale, text, error);
    if (!raster) return NULL;
    painter_measure(painter, raster_canvas(raster), picture);
    bool drawn = canvas_ok(raster_canvas(raster), error) &&
                 raster_resize(raster, painter->width, painter->height, picture->scale, error);
    if (drawn) {
        painter_draw(painter, raster_canvas(raster), picture);
        drawn = canvas_ok(raster_canvas(raster), error);
    }
    if (drawn) return raster;
    raster_free(raster);
    return NULL;
}

bool lesson_picture_png(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        unsigned char **bytes, size_t *size, Error *error) {
    PagePainter painter;
    if (!painter_make(&painter, page, picture, error)) return false;
    Raster *raster = draw_raster(&painter, text, picture, error);
    bool encoded = raster && picture_png_encode(raster_surface(raster), picture->texts,
                                                picture->text_count, bytes, size, error);
    raster_free(raster);
    painter_free(&painter);
    return encoded;
}

static bool draw_svg(PagePainter *painter, TextRenderer *text, const LessonPicture *picture,
                     FILE *stream, Error *error) {
    SvgPage whole = {.width = painter->width,
                     .height = painter->height,
                     .title = painter->page.title,
                     .texts = picture->texts,
                     .text_count = picture->text_count};
    Svg *svg = svg_make(stream, &whole, text, error);
    if (!svg) return false;
    painter_draw(painter, svg_canvas(svg), picture);
    bool ended = svg_end(svg, error);
    svg_free(svg);
    return ended;
}

bool lesson_picture_svg(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        FILE *stream, Error *error) {
    PagePainter painter;
    if (!painter_make(&painter, page, picture, error)) return false;
    Raster *measure = raster_make(1, 1, SVG_SCALE, text, error);
    bool drawn = measure != NULL;
    if (drawn) {
        painter_measure(&painter, raster_canvas(measure), picture);
        drawn = canvas_ok(raster_canvas(measure), error) &&
                draw_svg(&painter, text, picture, stream, error);
    }
    raster_free(measure);
    painter_free(&painter);
    return drawn;
}
