/* The window's page of lessons: the menu at the left, or above in a narrow window, and the page,
 * which scrolls. */
#include "viz/draw/draw_lesson.h"
#include "viz/draw/draw_lesson_blocks.h"
#include "viz/draw/views.h"

#include <math.h>

#define MENU_WIDTH   216.0F
#define MENU_BESIDE  860.0F /* narrower windows have the menu above the page */
#define ENTRY_PAD    8.0F
#define MARGIN       20.0F
#define MARGIN_SMALL 10.0F
#define BAR          6.0F /* of the scroll bar */
#define KNOB_MIN     24.0F
#define PAGE_MAX     1400.0F

enum { HELP_LINES = 3 };

/* Draws an entry of the menu: its title and, for the current one, its description. Returns its
 * height. */
static float draw_entry(Paint *paint, Rect area, const ScreenLessonEntry *entry) {
    LessonView view = {.paint = paint, .draws = true, .seen = area};
    const Theme *theme = paint->theme;
    Rect text = {area.x + ENTRY_PAD, area.y + ENTRY_PAD - 2, area.w - 2 * ENTRY_PAD, 0};
    PaintText title = {
        .size = FONT_TEXT + 1, .bold = entry->on, .color = entry->on ? theme->accent : theme->text};
    PaintText help = {.size = FONT_TOKEN, .color = theme->muted};
    view.draws = false;
    float height = lesson_words(&view, text, entry->title, title) + 2 * ENTRY_PAD - 2;
    if (entry->on) height += lesson_words(&view, text, entry->help, help);
    Rect box = {area.x, area.y, area.w, height};
    if (height > area.h) return height;
    if (entry->on) canvas_round_fill(paint->canvas, box, PAINT_RADIUS, theme->accent_wash);
    view.draws = true;
    text.y += lesson_words(&view, text, entry->title, title);
    if (entry->on) lesson_words(&view, text, entry->help, help);
    paint_hit(paint, box, entry->action, entry->on ? NULL : entry->help);
    return height;
}

static void draw_menu(Paint *paint, Rect area) {
    const ScreenLesson *lesson = &paint->screen->lesson;
    paint_card(paint, area, (Color){0});
    area = paint_inset(area, PAINT_GAP);
    for (int index = 0; index < lesson->menu_count && area.h > 0; index++)
        paint_cut_top(&area, draw_entry(paint, area, &lesson->menu[index]) + 2);
}

/* Draws the menu as lines of buttons, for narrow windows. Returns the height used. */
static float draw_menu_lines(Paint *paint, Rect area) {
    const ScreenLesson *lesson = &paint->screen->lesson;
    PaintFlow flow = paint_flow(area, PAINT_BUTTON, 4, 4);
    for (int index = 0; index < lesson->menu_count; index++) {
        const ScreenLessonEntry *entry = &lesson->menu[index];
        ScreenButton button = {
            .label = entry->title, .tip = entry->help, .action = entry->action, .on = entry->on};
        Rect place = paint_flow_next(&flow, paint_button_width(paint, &button));
        if (place.y + PAINT_BUTTON > area.y + area.h / 3) return place.y - area.y;
        paint_button(paint, place, &button);
    }
    return flow.y + PAINT_BUTTON + PAINT_GAP - area.y;
}

static void draw_scroll_bar(Paint *paint, Rect area, float scroll, float height) {
    Rect trough = {area.x + area.w - BAR - 4, area.y + 6, BAR, area.h - 12};
    if (trough.h < 2 * KNOB_MIN) return;
    canvas_round_fill(paint->canvas, trough, BAR / 2, paint->theme->raised);
    float knob = fmaxf(trough.h * area.h / height, KNOB_MIN);
    trough.y += (trough.h - knob) * scroll / (height - area.h);
    trough.h = knob;
    canvas_round_fill(paint->canvas, trough, BAR / 2, paint->theme->muted);
}

/* The page in its card. */
static void draw_page(Paint *paint, Rect card, const ScreenLesson *lesson) {
    if (paint_is_empty(card)) return;
    paint_card(paint, card, (Color){0});
    float margin = card.w < 600 ? MARGIN_SMALL : MARGIN;
    Rect seen = paint_inset(card, 1);
    float width = fminf(seen.w - 2 * margin - BAR, PAGE_MAX);
    if (seen.h < 20 || width < 40) return;
    if (!lesson->page) {
        paint_paragraph(paint, paint_inset(seen, margin), lesson->problem, 8,
                        (PaintText){.size = LESSON_TEXT_SIZE, .color = paint->theme->struck});
        return;
    }
    float height = lesson_height(paint, lesson->page, width) + 2 * margin;
    float scroll = floorf(fmaxf(fminf(lesson->scroll, height - seen.h), 0));
    hits_add(paint->hits, (Hit){.area = seen,
                                .kind = HIT_LESSON,
                                .rows = (int)ceilf(height),
                                .columns = (int)floorf(seen.h),
                                .item = (int)scroll});
    lesson_draw(paint, lesson->page, seen.x + margin, seen.y + margin - scroll, width, seen);
    if (height > seen.h) draw_scroll_bar(paint, seen, scroll, height);
}

void draw_lessons(Paint *paint, Rect area) {
    const ScreenLesson *lesson = &paint->screen->lesson;
    if (paint_is_empty(area)) return;
    if (!paint->screen->presentation && paint->width >= MENU_BESIDE) {
        draw_menu(paint, paint_cut_left(&area, MENU_WIDTH));
        paint_cut_left(&area, PAINT_PAD);
    } else if (!paint->screen->presentation) {
        paint_cut_top(&area, draw_menu_lines(paint, area));
    }
    draw_page(paint, area, lesson);
}
