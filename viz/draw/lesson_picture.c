#include "viz/draw/lesson_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viz/canvas/raster.h"
#include "viz/canvas/svg.h"
#include "viz/draw/draw_lesson.h"

#define FOOTER 34.0F

/* What a page is drawn with where there is no window: its parts borrow each other. */
typedef struct Easel {
    Screen screen;
    HitList hits; /* of no use here */
    Paint paint;
    LessonBlock *blocks; /* the page's but its buttons */
    LessonPage page;
    float width, height;
} Easel;

static bool easel_make(Easel *easel, const LessonPage *page, const LessonPicture *picture,
                       Error *error) {
    *easel = (Easel){.screen = {.theme = picture->theme, .top = 1}, .page = *page};
    easel->blocks = malloc(((size_t)page->count + 1) * sizeof *easel->blocks);
    if (!easel->blocks) return error_set(error, "out of memory for the picture");
    easel->page.count = 0;
    for (int index = 0; index < page->count; index++)
        if (page->blocks[index].kind != LESSON_BUTTONS)
            easel->blocks[easel->page.count++] = page->blocks[index];
    easel->page.blocks = easel->blocks;
    easel->paint = (Paint){.theme = theme_get(picture->theme),
                           .screen = &easel->screen,
                           .hits = &easel->hits,
                           .width = picture->width};
    easel->width = fmaxf(picture->width, LESSON_WIDTH_LEAST + 2 * SPACE_MARGIN);
    return true;
}

static void easel_free(Easel *easel) {
    free(easel->blocks);
    hits_free(&easel->hits);
}

/* Measures on a canvas of the scale that it will be drawn at. */
static void easel_measure(Easel *easel, Canvas *canvas, const LessonPicture *picture) {
    easel->paint.canvas = canvas;
    easel->height = lesson_height(&easel->paint, &easel->page, easel->width - 2 * SPACE_MARGIN) +
                    2 * SPACE_MARGIN + (picture->footer ? FOOTER - SPACE_MARGIN / 2 : 0);
    easel->paint.height = easel->height;
}

static void easel_draw(Easel *easel, Canvas *canvas, const LessonPicture *picture) {
    Paint *paint = &easel->paint;
    Rect whole = {0, 0, easel->width, easel->height};
    paint->canvas = canvas;
    canvas_fill(canvas, whole, paint->theme->ground);
    lesson_draw(paint, &easel->page, SPACE_MARGIN, SPACE_MARGIN, easel->width - 2 * SPACE_MARGIN,
                whole);
    Rect foot = {SPACE_MARGIN, easel->height - FOOTER, easel->width - 2 * SPACE_MARGIN, FOOTER};
    if (picture->footer)
        paint_text(paint, foot, picture->footer,
                   (PaintText){.size = FONT_TOKEN, .color = paint->theme->muted});
}

static Raster *draw_raster(Easel *easel, TextRenderer *text, const LessonPicture *picture,
                           Error *error) {
    Raster *raster = raster_make(1, 1, picture->scale, text, error);
    if (!raster) return NULL;
    easel_measure(easel, raster_canvas(raster), picture);
    bool drawn = canvas_ok(raster_canvas(raster), error) &&
                 raster_resize(raster, easel->width, easel->height, picture->scale, error);
    if (drawn) {
        easel_draw(easel, raster_canvas(raster), picture);
        drawn = canvas_ok(raster_canvas(raster), error);
    }
    if (drawn) return raster;
    raster_free(raster);
    return NULL;
}

bool lesson_picture_png(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        unsigned char **bytes, size_t *size, Error *error) {
    Easel easel;
    if (!easel_make(&easel, page, picture, error)) return false;
    Raster *raster = draw_raster(&easel, text, picture, error);
    bool encoded = raster && picture_png_encode(raster_surface(raster), picture->texts,
                                                picture->text_count, bytes, size, error);
    raster_free(raster);
    easel_free(&easel);
    return encoded;
}

static bool draw_svg(Easel *easel, TextRenderer *text, const LessonPicture *picture, FILE *stream,
                     Error *error) {
    SvgPage whole = {.width = easel->width,
                     .height = easel->height,
                     .title = easel->page.title,
                     .texts = picture->texts,
                     .text_count = picture->text_count};
    Svg *svg = svg_make(stream, &whole, text, error);
    if (!svg) return false;
    easel_draw(easel, svg_canvas(svg), picture);
    bool ended = svg_end(svg, error);
    svg_free(svg);
    return ended;
}

bool lesson_picture_svg(TextRenderer *text, const LessonPage *page, const LessonPicture *picture,
                        FILE *stream, Error *error) {
    Easel easel;
    if (!easel_make(&easel, page, picture, error)) return false;
    Raster *measure = raster_make(1, 1, SVG_SCALE, text, error);
    bool drawn = measure != NULL;
    if (drawn) {
        easel_measure(&easel, raster_canvas(measure), picture);
        drawn = canvas_ok(raster_canvas(measure), error) &&
                draw_svg(&easel, text, picture, stream, error);
    }
    raster_free(measure);
    easel_free(&easel);
    return drawn;
}
