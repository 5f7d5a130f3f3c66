#include "viz/draw/draw_lesson.h"

#include "viz/draw/draw_lesson_blocks.h"

#include <math.h>

#define TITLE_GAP   8.0F  /* below the title */
#define BLOCK_GAP   14.0F /* between two blocks */
#define HEADING_GAP 26.0F /* above a heading */
#define AFTER       8.0F  /* below it */
#define CAPTION_GAP 6.0F  /* below a caption */

static float draw_heading(const LessonView *view, Rect area, const char *text) {
    PaintText style = {.size = FONT_HEADING + 1, .bold = true};
    return lesson_words(view, area, text, style);
}

/* Draws the block without its caption. */
static float draw_content(const LessonView *view, Rect area, const LessonBlock *block) {
    switch (block->kind) {
    case LESSON_HEADING:
        return draw_heading(view, area, block->text);
    case LESSON_TABLE:
        return lesson_table_block(view, area, &block->table);
    case LESSON_BARS:
        return lesson_bars_block(view, area, &block->bars);
    case LESSON_MAPS:
        return lesson_maps_block(view, area, &block->maps);
    case LESSON_TENSORS:
        return lesson_tensors_block(view, area, &block->tensors);
    case LESSON_BUTTONS:
        return lesson_buttons_block(view, area, &block->buttons);
    default:
        return lesson_paragraph(view, area, block);
    }
}

static float draw_block(const LessonView *view, Rect area, const LessonBlock *block) {
    bool prose = block->kind == LESSON_TEXT || block->kind == LESSON_HEADING;
    float top = area.y;
    if (!prose && block->text && block->text[0]) {
        PaintText style = {.bold = block->tone == TONE_STRONG,
                           .color = lesson_tone(view->paint, block->tone)};
        if (style.color.a == 0) style.color = view->paint->theme->muted;
        Rect caption = area;
        caption.w = fminf(caption.w, LESSON_PROSE);
        area.y += lesson_words(view, caption, block->text, style) + CAPTION_GAP;
    }
    return area.y + draw_content(view, area, block) - top;
}

/* The space above a block. */
static float gap_before(const LessonPage *page, int index) {
    if (index == 0) return 0;
    if (page->blocks[index].kind == LESSON_HEADING) return HEADING_GAP;
    return page->blocks[index - 1].kind == LESSON_HEADING ? AFTER : BLOCK_GAP;
}

/* Draws or measures the page; blocks outside view->seen are only measured. Returns the height. */
static float draw_page(const LessonView *view, const LessonPage *page, Rect area) {
    LessonView measure = *view;
    measure.draws = false;
    float top = area.y;
    if (page->title && page->title[0]) {
        PaintText style = {.size = FONT_TITLE, .bold = true};
        area.y += lesson_words(view, area, page->title, style) + TITLE_GAP;
    }
    for (int index = 0; index < page->count; index++) {
        const LessonBlock *block = &page->blocks[index];
        area.h = draw_block(&measure, area, block);
        if (!(area.h > 0)) continue;
        area.y += gap_before(page, index);
        if (lesson_sees(view, area)) draw_block(view, area, block);
        area.y += area.h;
    }
    return ceilf(area.y) - top;
}

/* Clips the hits added since `first` to the visible area. */
static void cut_hits(HitList *hits, int first, Rect seen) {
    int kept = first;
    for (int index = first; index < hits->count; index++) {
        Hit hit = hits->hits[index];
        float left = fmaxf(hit.area.x, seen.x), top = fmaxf(hit.area.y, seen.y);
        float right = fminf(hit.area.x + hit.area.w, seen.x + seen.w);
        float bottom = fminf(hit.area.y + hit.area.h, seen.y + seen.h);
        if (!(right > left && bottom > top)) continue;
        hit.shift_x += left - hit.area.x;
        hit.shift_y += top - hit.area.y;
        hit.area = (Rect){left, top, right - left, bottom - top};
        hits->hits[kept++] = hit;
    }
    hits->count = kept;
}

float lesson_height(Paint *paint, const LessonPage *page, float width) {
    LessonView view = {.paint = paint};
    return draw_page(&view, page, (Rect){0, 0, fmaxf(width, LESSON_WIDTH_MIN), 0});
}

float lesson_draw(Paint *paint, const LessonPage *page, float x, float y, float width, Rect seen) {
    LessonView view = {.paint = paint, .draws = true, .seen = seen};
    int first = paint->hits->count;
    canvas_clip_push(paint->canvas, seen);
    float height = draw_page(&view, page, (Rect){x, y, fmaxf(width, LESSON_WIDTH_MIN), 0});
    canvas_clip_pop(paint->canvas);
    cut_hits(paint->hits, first, seen);
    return height;
}
