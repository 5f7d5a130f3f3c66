#include "viz/draw/views.h"

#include <math.h>
#include <string.h>

#define ROW_MAX  24.0F
#define HEADING  1.4F  /* the height of a heading, in rows */
#define WHAT_MIN 90.0F /* of a text, before columns are added */

enum { COLUMNS_MAX = 4 };

typedef struct HelpSpace {
    float margin;   /* outside the card */
    float padding;  /* inside the card */
    float title;    /* the height of the title; 0: none */
    float columns;  /* between columns */
    float keys;     /* between a key and its description */
    float smallest; /* font size */
    float pitch;    /* the smallest row pitch, in font sizes */
} HelpSpace;

/* Normal, and for small windows. */
static const HelpSpace spaces[] = {{16, 20, 32, 28, 10, 10, 1.5F}, {4, 10, 0, 16, 6, 8, 1.25F}};

typedef struct HelpPlan {
    const HelpSpace *space;
    float size, pitch;
    int columns;
    float keys[COLUMNS_MAX], what[COLUMNS_MAX]; /* widths */
    float rows;                                 /* of the tallest column */
    int starts[COLUMNS_MAX + 1];
} HelpPlan;

static bool is_heading(const ScreenKey *key) {
    return !key->what;
}

/* The height in rows; a heading at the top of a column needs no space above it. */
static float row_height(const ScreenKey *key, bool first) {
    return is_heading(key) && !first ? HEADING : 1;
}

/* Fills columns of at most `limit` rows, never ending one with a heading. Returns the number of
 * columns; more than COLUMNS_MAX if they do not fit. */
static int fill_columns(const Screen *screen, float limit, HelpPlan *plan) {
    int column = 0;
    float used = 0;
    plan->starts[0] = 0;
    plan->rows = 0;
    for (int index = 0; index < screen->help_count; index++) {
        const ScreenKey *key = &screen->help[index];
        bool first = index == plan->starts[column];
        float need = row_height(key, first);
        if (is_heading(key) && index + 1 < screen->help_count) need += 1;
        if (!first && used + need > limit + 1e-3F) {
            if (++column >= COLUMNS_MAX) return COLUMNS_MAX + 1;
            plan->starts[column] = index;
            used = 0;
            first = true;
        }
        used += row_height(key, first);
        plan->rows = fmaxf(plan->rows, used);
    }
    for (int after = column + 1; after <= COLUMNS_MAX; after++)
        plan->starts[after] = screen->help_count;
    return column + 1;
}

/* Finds the lowest height at which at most `columns` columns hold all rows; false if there is none.
 */
static bool balance(const Screen *screen, int columns, HelpPlan *plan) {
    for (float limit = 1; limit <= 2 * (float)screen->help_count + 2; limit += 0.2F)
        if (fill_columns(screen, limit, plan) <= columns) {
            plan->columns = columns;
            return true;
        }
    return false;
}

/* Measures the width of each column. */
static void measure(Paint *paint, HelpPlan *plan) {
    for (int column = 0; column < plan->columns; column++) {
        float keys = 0, what = 0;
        for (int index = plan->starts[column]; index < plan->starts[column + 1]; index++) {
            const ScreenKey *key = &paint->screen->help[index];
            if (is_heading(key)) continue;
            PaintText style = {.size = plan->size};
            what = fmaxf(what, paint_width(paint, key->what, style));
            style.bold = true;
            keys = fmaxf(keys, paint_width(paint, key->keys, style));
        }
        plan->keys[column] = ceilf(keys) + 1;
        plan->what[column] = ceilf(what) + 1;
    }
}

static float columns_width(const HelpPlan *plan) {
    float width = -plan->space->columns;
    for (int column = 0; column < plan->columns; column++)
        width += plan->keys[column] + plan->space->keys + plan->what[column] + plan->space->columns;
    return width;
}

/* The part of the window available for the columns. */
static Rect room_in(Rect area, const HelpSpace *space) {
    Rect room = paint_inset(paint_inset(area, space->margin), space->padding);
    paint_cut_top(&room, space->title);
    return room;
}

/* Plans `columns` columns; false if they do not fit. */
static bool fits(Paint *paint, Rect room, int columns, HelpPlan *plan) {
    if (!balance(paint->screen, columns, plan)) return false;
    measure(paint, plan);
    plan->pitch = fminf(floorf(room.h / plan->rows), ROW_MAX);
    return plan->pitch >= plan->size * plan->space->pitch && columns_width(plan) <= room.w;
}

/* If nothing fits: uses the smallest font, as many columns as keep a minimum width, and shortened
 * texts; rows without room are left out. */
static void shorten_columns(Paint *paint, Rect room, HelpPlan *plan) {
    float space = plan->space->columns;
    plan->pitch = ceilf(plan->size * plan->space->pitch);
    for (int columns = 1; columns <= COLUMNS_MAX; columns++) {
        HelpPlan more = *plan;
        if (!balance(paint->screen, columns, &more)) continue;
        measure(paint, &more);
        float width = (room.w + space) / (float)columns - space;
        bool wide = true;
        for (int column = 0; column < columns; column++) {
            more.what[column] = width - more.keys[column] - plan->space->keys;
            wide = wide && more.what[column] >= WHAT_MIN;
        }
        if (columns > 1 && !wide) break;
        *plan = more;
        /* Fewer columns leave wider texts. */
        if (plan->rows * plan->pitch <= room.h) break;
    }
}

/* Chooses the largest font that fits, preferring two or three columns, and smaller margins over
 * very small fonts. */
static HelpPlan plan_make(Paint *paint, Rect area) {
    static const int orders[COLUMNS_MAX] = {2, 3, 1, 4};
    HelpPlan plan = {0};
    for (int tight = 0; tight < 2; tight++) {
        plan.space = &spaces[tight];
        Rect room = room_in(area, plan.space);
        for (plan.size = FONT_TEXT; plan.size >= plan.space->smallest; plan.size--)
            for (int order = 0; order < COLUMNS_MAX; order++)
                if (fits(paint, room, orders[order], &plan)) return plan;
    }
    plan.size = plan.space->smallest;
    shorten_columns(paint, room_in(area, plan.space), &plan);
    return plan;
}

static void draw_column(Paint *paint, const HelpPlan *plan, int column, Rect area) {
    const Theme *theme = paint->theme;
    int first = plan->starts[column];
    for (int index = first; index < plan->starts[column + 1]; index++) {
        const ScreenKey *key = &paint->screen->help[index];
        float height = plan->pitch * row_height(key, index == first);
        if (height > area.h + 0.5F) break;
        Rect line = paint_cut_top(&area, height);
        line = paint_cut_bottom(&line, plan->pitch);
        if (is_heading(key)) {
            paint_text(paint, line, key->keys,
                       (PaintText){.size = plan->size, .bold = true, .color = theme->accent});
            continue;
        }
        paint_text(paint, paint_cut_left(&line, plan->keys[column]), key->keys,
                   (PaintText){.size = plan->size, .bold = true});
        paint_cut_left(&line, plan->space->keys);
        paint_text(paint, line, key->what, (PaintText){.size = plan->size, .color = theme->muted});
    }
}

void draw_help(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    if (!screen->help || screen->help_count <= 0 || paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    canvas_fill(paint->canvas, area, (Color){0, 0, 0, screen->theme == THEME_DARK ? 150 : 100});
    /* Covers the hits of the window below. */
    hits_add(paint->hits, (Hit){.kind = HIT_PLAIN, .area = area});
    HelpPlan plan = plan_make(paint, area);
    float head = plan.space->title, padding = plan.space->padding;
    Rect room = room_in(area, plan.space);
    float width = fminf(columns_width(&plan), room.w);
    float height = fminf(plan.rows * plan.pitch, room.h);
    Rect content = {roundf(area.x + (area.w - width) / 2),
                    roundf(area.y + (area.h - height + head) / 2), width, height};
    Rect card = {content.x - padding, content.y - padding - head, width + 2 * padding,
                 height + 2 * padding + head};
    if (!paint_is_empty(room)) {
        paint_card(paint, card, (Color){0});
        Rect title = {content.x, content.y - head, width, fminf(head, 22)};
        paint_text(paint, title, "keys", (PaintText){.size = FONT_TITLE, .bold = true});
        for (int column = 0; column < plan.columns; column++) {
            paint_cut_left(&content, column > 0 ? plan.space->columns : 0);
            float taken = plan.keys[column] + plan.space->keys + plan.what[column];
            draw_column(paint, &plan, column, paint_cut_left(&content, taken));
        }
    }
    canvas_clip_pop(paint->canvas);
}
