#include "viz/paint.h"

#include <math.h>
#include <string.h>

#define MARGIN       16.0F /* around the card */
#define PADDING      20.0F /* within it */
#define TITLE_HEIGHT 32.0F
#define COLUMN_SPACE 28.0F
#define KEYS_SPACE   10.0F /* between keys and what they do */
#define ROW_LARGEST  24.0F
#define ROW_SMALLEST 15.0F /* at the smallest font */
#define HEADING      1.4F  /* the height of a heading, in rows */
#define WHAT_LEAST   90.0F /* where not even this is left, texts are shortened */

enum { COLUMNS_AT_MOST = 4, SIZES = 3 };

static const float sizes[SIZES] = {FONT_TEXT, FONT_TOKEN, 10.0F};

typedef struct HelpPlan {
    float size, pitch;
    int columns;
    float keys, what; /* widths */
    float rows;       /* of the tallest column */
    int starts[COLUMNS_AT_MOST + 1];
} HelpPlan;

static bool is_heading(const ScreenKey *key) {
    return !key->what;
}

/* A heading at the top of a column has nothing to keep away from. */
static float row_height(const ScreenKey *key, bool first) {
    return is_heading(key) && !first ? HEADING : 1;
}

/* Fills columns of at most `limit` rows; a heading stays with what follows it. Returns how many
 * columns that takes, more than COLUMNS_AT_MOST where it is too many. */
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
            if (++column >= COLUMNS_AT_MOST) return COLUMNS_AT_MOST + 1;
            plan->starts[column] = index;
            used = 0;
            first = true;
        }
        used += row_height(key, first);
        plan->rows = fmaxf(plan->rows, used);
    }
    for (int after = column + 1; after <= COLUMNS_AT_MOST; after++)
        plan->starts[after] = screen->help_count;
    return column + 1;
}

/* The lowest columns, no more of them than `columns`. */
static bool balance(const Screen *screen, int columns, HelpPlan *plan) {
    for (float limit = 1; limit <= 2 * (float)screen->help_count + 2; limit += 0.2F)
        if (fill_columns(screen, limit, plan) <= columns) {
            plan->columns = columns;
            return true;
        }
    return false;
}

static void measure(Paint *paint, HelpPlan *plan) {
    plan->keys = plan->what = 0;
    for (int index = 0; index < paint->screen->help_count; index++) {
        const ScreenKey *key = &paint->screen->help[index];
        if (is_heading(key)) continue;
        PaintText style = {.size = plan->size};
        plan->what = fmaxf(plan->what, paint_width(paint, key->what, style));
        style.bold = true;
        plan->keys = fmaxf(plan->keys, paint_width(paint, key->keys, style));
    }
    plan->keys = ceilf(plan->keys) + 1;
    plan->what = ceilf(plan->what) + 1;
}

static float columns_width(const HelpPlan *plan) {
    float column = plan->keys + KEYS_SPACE + plan->what;
    return (float)plan->columns * (column + COLUMN_SPACE) - COLUMN_SPACE;
}

/* As large as fits, in two or three columns if possible. Where nothing fits, the smallest font in
 * as many columns as keep some width; what has no room is left out. */
static HelpPlan plan_make(Paint *paint, float width, float height) {
    static const int orders[COLUMNS_AT_MOST] = {2, 3, 1, 4};
    HelpPlan plan = {0};
    for (int size = 0; size < SIZES; size++) {
        plan.size = sizes[size];
        measure(paint, &plan);
        for (int order = 0; order < COLUMNS_AT_MOST; order++) {
            if (!balance(paint->screen, orders[order], &plan)) continue;
            float least = ROW_SMALLEST + 1.5F * (plan.size - sizes[SIZES - 1]);
            plan.pitch = fminf(floorf(height / plan.rows), ROW_LARGEST);
            if (plan.pitch >= least && columns_width(&plan) <= width) return plan;
        }
    }
    float least = plan.keys + KEYS_SPACE + WHAT_LEAST + COLUMN_SPACE;
    int most = (int)fminf(fmaxf(floorf((width + COLUMN_SPACE) / least), 1), 3);
    plan.pitch = ROW_SMALLEST;
    for (int columns = 1; columns <= most; columns++) /* the fewest, whose texts are the longest */
        if (balance(paint->screen, columns, &plan) && plan.rows * plan.pitch <= height) break;
    plan.what =
        (width + COLUMN_SPACE) / (float)plan.columns - COLUMN_SPACE - plan.keys - KEYS_SPACE;
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
        paint_text(paint, paint_cut_left(&line, plan->keys), key->keys,
                   (PaintText){.size = plan->size, .bold = true});
        paint_cut_left(&line, KEYS_SPACE);
        paint_text(paint, line, key->what, (PaintText){.size = plan->size, .color = theme->muted});
    }
}

void draw_help(Paint *paint, Rect area) {
    const Screen *screen = paint->screen;
    if (!screen->help || screen->help_count <= 0 || paint_is_empty(area)) return;
    canvas_clip_push(paint->canvas, area);
    canvas_fill(paint->canvas, area, (Color){0, 0, 0, screen->theme == THEME_DARK ? 150 : 100});
    hits_add(paint->hits, (Hit){.kind = HIT_PLAIN, .area = area}); /* nothing beneath is met */
    Rect room = paint_inset(paint_inset(area, MARGIN), PADDING);
    paint_cut_top(&room, TITLE_HEIGHT);
    HelpPlan plan = plan_make(paint, room.w, room.h);
    float width = fminf(columns_width(&plan), room.w);
    float height = fminf(plan.rows * plan.pitch, room.h);
    Rect content = {roundf(area.x + (area.w - width) / 2),
                    roundf(area.y + (area.h - height + TITLE_HEIGHT) / 2), width, height};
    Rect card = {content.x - PADDING, content.y - PADDING - TITLE_HEIGHT, width + 2 * PADDING,
                 height + 2 * PADDING + TITLE_HEIGHT};
    if (!paint_is_empty(room)) {
        paint_card(paint, card, (Color){0});
        Rect title = {content.x, content.y - TITLE_HEIGHT, width, TITLE_HEIGHT};
        title.h = fminf(title.h, 22);
        paint_text(paint, title, "keys", (PaintText){.size = FONT_TITLE, .bold = true});
        for (int column = 0; column < plan.columns; column++) {
            paint_cut_left(&content, column > 0 ? COLUMN_SPACE : 0);
            draw_column(paint, &plan, column,
                        paint_cut_left(&content, plan.keys + KEYS_SPACE + plan.what));
        }
    }
    canvas_clip_pop(paint->canvas);
}
