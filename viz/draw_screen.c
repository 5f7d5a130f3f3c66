#include "viz/paint.h"

#include <math.h>

#define TOPBAR_HEIGHT  44.0F
#define NOTICE_HEIGHT  28.0F
#define OVERVIEW_LEAST 176.0F
#define OVERVIEW_MOST  440.0F
#define SIDE_LEAST     270.0F
#define SIDE_MOST      380.0F
#define SEQUENCE_SHARE 0.45F  /* of the height at most */
#define LOW            420.0F /* lower windows have less space around things */

static float between(float value, float least, float most) {
    return roundf(fminf(fmaxf(value, least), most));
}

static void draw_middle(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    if (screen->page == PAGE_COMPARE)
        draw_compare(paint, area);
    else if (screen->page == PAGE_TRAIN)
        draw_train(paint, area);
    else if (screen->focus.open)
        draw_focus(paint, area);
    else
        draw_panels(paint, area);
}

/* The overview on the left, the side column on the right, the page between them. */
static void draw_columns(Paint *paint, Rect area) {
    float space = paint->height < LOW ? PAINT_GAP / 2 : PAINT_PAD;
    if (paint_has_overview(paint)) {
        float most =
            fmaxf(fminf(overview_widest(paint) + 2 * space, OVERVIEW_MOST), OVERVIEW_LEAST);
        Rect overview = paint_cut_left(&area, between(paint->width * 0.18F, OVERVIEW_LEAST, most));
        Rect edge = paint_cut_right(&overview, 1);
        canvas_fill(paint->canvas, edge, paint->theme->divider);
        draw_overview(paint, paint_inset(overview, space));
    }
    area = paint_inset(area, space);
    if (paint_has_side(paint)) {
        draw_side(paint,
                  paint_cut_right(&area, between(paint->width * 0.2F, SIDE_LEAST, SIDE_MOST)));
        paint_cut_right(&area, space);
    }
    draw_middle(paint, area);
}

static void draw_parts(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    draw_topbar(paint, paint_cut_top(&area, fminf(TOPBAR_HEIGHT, area.h / 4)));
    float status = DRAW_STATUS_LINE + (screen->notice ? NOTICE_HEIGHT : 0);
    draw_status(paint, paint_cut_bottom(&area, fminf(status, area.h / 3)));
    Rect room = area;
    room.h = fminf(room.h, paint->height * SEQUENCE_SHARE);
    paint_cut_top(&area, draw_sequences(paint, room));
    paint_cut_top(&area, draw_world(paint, area));
    Rect edge = paint_cut_top(&area, 1);
    canvas_fill(paint->canvas, edge, paint->theme->divider);
    draw_columns(paint, area);
}

void draw_screen(Canvas *canvas, const Screen *screen, float width, float height, HitList *hits) {
    hits_clear(hits);
    if (!(width > 0 && height > 0)) return;
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
