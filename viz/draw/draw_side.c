#include "viz/draw/views.h"

#include <math.h>
#include <string.h>

/* The right column: sections below each other in one card. Lines that do not fit are left out; a
 * title is drawn only with its first line. */

#define BAR_LINE    22.0F
#define SECTION_GAP 14.0F /* above and below the line between two sections */
#define LINES_EACH  6     /* the lines to which a text is wrapped, at most */
#define NAME_SHARE  0.46F
#define VALUE_SHARE 0.27F

static float title_height(const ScreenSection *section) {
    return section->button_count > 0 ? PAINT_BUTTON + 4 : 24;
}

static void draw_title(Paint *paint, Rect area, const ScreenSection *section, bool first) {
    bool heading = first && paint->screen->page == PAGE_EXPLORE;
    Rect title = area;
    if (section->button_count > 0) title = paint_buttons_right(paint, area, section->buttons, 1);
    paint_text(paint, title, section->title,
               (PaintText){.size = first ? FONT_HEADING + 1 : FONT_TEXT + 1,
                           .bold = true,
                           .color = heading ? paint->theme->accent : paint->theme->text});
}

/* True if all digits of the value are 0, as in "0.000". */
static bool is_nothing(const char *value) {
    return value && value[strcspn(value, "0123456789")] && !value[strcspn(value, "123456789")];
}

static void draw_bar_line(Paint *paint, Rect area, const ScreenBar *bar) {
    const Theme *theme = paint->theme;
    Rect whole = area;
    Rect name = paint_cut_left(&area, floorf(whole.w * NAME_SHARE));
    Rect value = paint_cut_right(&area, floorf(whole.w * VALUE_SHARE));
    paint_cut_right(&name, PAINT_GAP);
    paint_text(paint, name, bar->name,
               (PaintText){.color = bar->action ? theme->text : theme->muted});
    if (bar->share >= 0)
        paint_bar(paint, area, is_nothing(bar->value) ? 0 : bar->share,
                  bar->second ? theme->accent_second : theme->accent);
    paint_cut_left(&value, PAINT_GAP);
    paint_text(paint, value, bar->value, (PaintText){.align = ALIGN_END});
    if (bar->tip || bar->action) paint_hit(paint, whole, bar->action, bar->tip);
}

static bool draw_lines(Paint *paint, Rect *area, const ScreenSection *section) {
    for (int index = 0; index < section->line_count; index++) {
        PaintText style = {0};
        float height =
            paint_paragraph_height(paint, area->w, section->lines[index], LINES_EACH, style);
        if (height > area->h) return false;
        paint_paragraph(paint, paint_cut_top(area, height), section->lines[index], LINES_EACH,
                        style);
        paint_cut_top(area, 2);
    }
    return true;
}

static bool draw_bars(Paint *paint, Rect *area, const ScreenSection *section) {
    if (section->bar_count > 0 && section->line_count > 0) paint_cut_top(area, 4);
    for (int index = 0; index < section->bar_count; index++) {
        if (area->h < BAR_LINE) return false;
        draw_bar_line(paint, paint_cut_top(area, BAR_LINE), &section->bars[index]);
    }
    return true;
}

/* Draws the buttons after the first, wrapped into lines; false if they do not fit. */
static bool draw_buttons(Paint *paint, Rect *area, const ScreenSection *section) {
    Rect line = {0};
    for (int index = 1; index < section->button_count; index++) {
        const ScreenButton *button = &section->buttons[index];
        float width = fminf(paint_button_width(paint, button), area->w);
        if (width > line.w) {
            if (area->h < PAINT_BUTTON + 6) return false;
            paint_cut_top(area, 6);
            line = paint_cut_top(area, PAINT_BUTTON);
        }
        paint_button(paint, paint_cut_left(&line, width), button);
        paint_cut_left(&line, PAINT_GAP);
    }
    return true;
}

/* The height of the first line or bar, which is drawn with the title or not at all. */
static float first_height(Paint *paint, float width, const ScreenSection *section) {
    if (section->line_count > 0)
        return paint_paragraph_height(paint, width, section->lines[0], LINES_EACH, (PaintText){0});
    return section->bar_count > 0 ? BAR_LINE : 0;
}

void draw_side(Paint *paint, Rect area) {
    if (paint_is_empty(area) || paint->screen->section_count < 1) return;
    paint_card(paint, area, (Color){0});
    area = (Rect){area.x + PAINT_PAD + 2, area.y + PAINT_GAP, area.w - 2 * (PAINT_PAD + 2),
                  area.h - 2 * PAINT_GAP};
    if (paint_is_empty(area)) return;
    for (int index = 0; index < paint->screen->section_count; index++) {
        const ScreenSection *section = &paint->screen->sections[index];
        float between = index > 0 ? 2 * SECTION_GAP : 0;
        float min_height = title_height(section) + first_height(paint, area.w, section);
        if (between + min_height > area.h) return;
        Rect gap = paint_cut_top(&area, between);
        canvas_fill(paint->canvas, (Rect){gap.x, gap.y + SECTION_GAP, gap.w, index > 0 ? 1 : 0},
                    paint->theme->divider);
        draw_title(paint, paint_cut_top(&area, title_height(section)), section, index == 0);
        if (!draw_lines(paint, &area, section) || !draw_bars(paint, &area, section) ||
            !draw_buttons(paint, &area, section))
            return;
    }
}
