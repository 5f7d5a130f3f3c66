#include "viz/draw/draw_screen.h"

#include "viz/draw/views.h"

#include "model/base/minmax.h"

#include <math.h>

#define TOPBAR_HEIGHT    44.0F
#define NOTICE_HEIGHT    28.0F
#define OVERVIEW_MIN     176.0F
#define OVERVIEW_MAX     440.0F
#define SIDE_MIN         270.0F
#define SIDE_MAX         380.0F
#define SEQUENCE_SHARE   0.45F /* at most this share of the height */
#define PRESENTED_WIDTH  850.0F
#define PRESENTED_HEIGHT 530.0F
#define PRESENTED_MIN    1.25F
#define PRESENTED_MAX    4.0F
#define ROOM_WIDTH       560.0F /* a presentation scales to no less than this */
#define ROOM_HEIGHT      350.0F
#define LOW              420.0F /* lower windows have smaller gaps */
#define TIP_WIDTH_MAX    320.0F
#define TIP_LINES        6
#define TIP_AWAY         18.0F /* below the pointer, which would hide the tip */

static void draw_middle(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    if (screen->page == PAGE_COMPARE)
        draw_compare(paint, area);
    else if (screen->page == PAGE_TRAIN)
        draw_train(paint, area);
    else if (screen->page == PAGE_LESSONS)
        draw_lessons(paint, area);
    else if (screen->focus.open)
        draw_focus(paint, area);
    else
        draw_panels(paint, area);
}

/* The overview on the left, the side column on the right, the page between them. */
static void draw_columns(Paint *paint, Rect area) {
    float space = paint->height < LOW ? PAINT_GAP / 2 : PAINT_PAD;
    if (paint_has_overview(paint)) {
        float max_width =
            fmaxf(fminf(overview_widest(paint) + 2 * space, OVERVIEW_MAX), OVERVIEW_MIN);
        Rect overview = paint_cut_left(
            &area, roundf(float_clamp(paint->width * 0.18F, OVERVIEW_MIN, max_width)));
        Rect edge = paint_cut_right(&overview, 1);
        canvas_fill(paint->canvas, edge, paint->theme->divider);
        draw_overview(paint, paint_inset(overview, space));
    }
    area = paint_inset(area, space);
    if (paint_has_side(paint)) {
        draw_side(paint, paint_cut_right(
                             &area, roundf(float_clamp(paint->width * 0.2F, SIDE_MIN, SIDE_MAX))));
        paint_cut_right(&area, space);
    }
    draw_middle(paint, area);
}

static void draw_parts(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    draw_topbar(paint, paint_cut_top(&area, fminf(TOPBAR_HEIGHT, area.h / 4)));
    float status = DRAW_STATUS_LINE + (screen->notice ? NOTICE_HEIGHT : 0);
    draw_status(paint, paint_cut_bottom(&area, fminf(status, area.h / 3)));
    if (screen->page != PAGE_LESSONS || screen->lesson.follows) {
        Rect room = area;
        room.h = fminf(room.h, paint->height * SEQUENCE_SHARE);
        paint_cut_top(&area, draw_sequences(paint, room));
        paint_cut_top(&area, draw_world(paint, area));
    }
    Rect edge = paint_cut_top(&area, 1);
    canvas_fill(paint->canvas, edge, paint->theme->divider);
    draw_columns(paint, area);
}

/* The tip beside the pointer, within `area`. */
void draw_tip(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    const Theme *theme = paint->theme;
    if (!screen->tip || !*screen->tip || paint_is_empty(area)) return;
    PaintText style = {.passing = true};
    float width = ceilf(paint_width(paint, screen->tip, style)) + 1;
    width = fminf(width, fminf(TIP_WIDTH_MAX, area.w - 2 * PAINT_PAD));
    float height = paint_paragraph_height(paint, width, screen->tip, TIP_LINES, style);
    Rect box = {screen->pointer_x + PAINT_GAP, screen->pointer_y + TIP_AWAY, width + 2 * PAINT_GAP,
                height + PAINT_GAP};
    if (!(width > 0) || box.h > area.h) return;
    /* Above the pointer if there is no room below. */
    if (box.y + box.h > area.y + area.h) box.y = screen->pointer_y - PAINT_GAP - box.h;
    box.x = fmaxf(fminf(box.x, area.x + area.w - box.w), area.x);
    box.y = fmaxf(fminf(box.y, area.y + area.h - box.h), area.y);
    box.x = roundf(box.x), box.y = roundf(box.y);
    canvas_round_fill(paint->canvas, box, PAINT_RADIUS, theme->raised);
    canvas_round_frame(paint->canvas, box, PAINT_RADIUS, 1, theme->line);
    Rect text = {box.x + PAINT_GAP, box.y + PAINT_GAP / 2, width, height};
    paint_paragraph(paint, text, screen->tip, TIP_LINES, style);
}

static void draw_window(Canvas *canvas, const Screen *screen, float width, float height,
                        HitList *hits) {
    Paint paint = {.canvas = canvas,
                   .theme = theme_get(screen->theme),
                   .screen = screen,
                   .hits = hits,
                   .width = width,
                   .height = height};
    Rect window = {0, 0, width, height};
    canvas_fill(canvas, window, paint.theme->ground_window);
    draw_parts(&paint, window);
    if (screen->help) draw_help(&paint, window);
    draw_tip(&paint, window);
}

/* The zoom of a presentation: as a projected picture has one size whatever its resolution, all are
 * laid out at about PRESENTED_WIDTH x PRESENTED_HEIGHT. In steps of 1/4, so that hairlines have
 * equal widths. */
static float presented_scale(const Screen *screen, float width, float height) {
    float units = screen->text_scale > 0 ? screen->text_scale : 1;
    float scale = fminf(width * units / PRESENTED_WIDTH, height * units / PRESENTED_HEIGHT);
    scale = float_clamp(floorf(scale * 4) / 4, PRESENTED_MIN, PRESENTED_MAX);
    return fmaxf(fminf(scale, fminf(width / ROOM_WIDTH, height / ROOM_HEIGHT)), 1);
}

/* Draws a smaller window, enlarged. */
static void draw_presented(Canvas *canvas, const Screen *screen, float width, float height,
                           HitList *hits) {
    float scale = presented_scale(screen, width, height);
    Screen smaller = *screen;
    smaller.pointer_x /= scale;
    smaller.pointer_y /= scale;
    canvas->zoom = scale;
    draw_window(canvas, &smaller, width / scale, height / scale, hits);
    canvas->zoom = 1;
    hits_scale(hits, scale);
}

void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits) {
    hits_clear(hits);
    if (!(width > 0 && height > 0)) return;
    if (screen->presentation)
        draw_presented(canvas, screen, width, height, hits);
    else
        draw_window(canvas, screen, width, height, hits);
}
