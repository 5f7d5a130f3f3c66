/* A canvas that writes down what it is told, with widths that need no fonts. Everything drawn is
 * kept with the clip that held; texts with the box that their ink stays in. */
#ifndef HEADSCOPE_TESTS_VIZ_HELPER_RECORDER_H
#define HEADSCOPE_TESTS_VIZ_HELPER_RECORDER_H

#include "tests/viz/helper_scene.h"
#include "viz/canvas/canvas.h"
#include "viz/canvas/theme.h"
#include "viz/draw/draw_screen.h"
#include "viz/draw/views.h"
#include "viz/layout/layout.h"

#include <math.h>
#include <string.h>

enum { RECORDED_AT_MOST = 60000, RECORDED_BYTES = 128, RECORDED_CLIPS = 16 };

typedef enum RecordKind {
    RECORD_FILL,
    RECORD_ROUND,
    RECORD_FRAME,
    RECORD_LINE,
    RECORD_HATCH,
    RECORD_CELLS,
    RECORD_TEXT
} RecordKind;

typedef struct Record {
    RecordKind kind;
    Rect area, clip;
    Color color;
    char text[RECORDED_BYTES];
    TextStyle style;
    CellMap cells;    /* its values are gone */
    float line[4];    /* its two ends */
    float line_width; /* a line's; also a frame's */
} Record;

typedef struct Recorder {
    Canvas canvas;   /* first */
    Record *records; /* [RECORDED_AT_MOST] */
    int count, depth;
    Rect clips[RECORDED_CLIPS];
} Recorder;

static inline Rect rects_common(Rect one, Rect other) {
    float right = fminf(one.x + one.w, other.x + other.w);
    float bottom = fminf(one.y + one.h, other.y + other.h);
    Rect both = {fmaxf(one.x, other.x), fmaxf(one.y, other.y), 0, 0};
    both.w = fmaxf(right - both.x, 0);
    both.h = fmaxf(bottom - both.y, 0);
    return both;
}

static inline bool rect_inside(Rect inner, Rect outer, float slack) {
    return inner.x >= outer.x - slack && inner.y >= outer.y - slack &&
           inner.x + inner.w <= outer.x + outer.w + slack &&
           inner.y + inner.h <= outer.y + outer.h + slack;
}

static inline Record *record_add(Canvas *canvas, RecordKind kind, Rect area, Color color) {
    Recorder *recorder = (Recorder *)canvas;
    assert_in_range(recorder->count, 0, RECORDED_AT_MOST - 1);
    assert_false(isnan(area.x) || isnan(area.y) || isnan(area.w) || isnan(area.h));
    Record *record = &recorder->records[recorder->count++];
    *record = (Record){.kind = kind, .area = area, .color = color};
    record->clip = recorder->clips[recorder->depth];
    return record;
}

static inline void recorder_fill(Canvas *canvas, Rect rect, Color color) {
    record_add(canvas, RECORD_FILL, rect, color);
}

static inline void recorder_round_fill(Canvas *canvas, Rect rect, float radius, Color color) {
    (void)radius;
    record_add(canvas, RECORD_ROUND, rect, color);
}

static inline void recorder_round_frame(Canvas *canvas, Rect rect, float radius, float width,
                                        Color color) {
    (void)radius;
    record_add(canvas, RECORD_FRAME, rect, color)->line_width = width;
}

static inline void recorder_line(Canvas *canvas, float x0, float y0, float x1, float y1,
                                 float width, Color color) {
    Rect box = {fminf(x0, x1), fminf(y0, y1), fabsf(x1 - x0), fabsf(y1 - y0)};
    Record *record = record_add(canvas, RECORD_LINE, box, color);
    record->line[0] = x0, record->line[1] = y0, record->line[2] = x1, record->line[3] = y1;
    record->line_width = width;
}

static inline void recorder_hatch(Canvas *canvas, Rect rect, Color ground, Color line) {
    (void)ground;
    record_add(canvas, RECORD_HATCH, rect, line);
}

static inline void recorder_cells(Canvas *canvas, const CellMap *map) {
    Record *record = record_add(canvas, RECORD_CELLS, map->area, (Color){0});
    record->cells = *map;
    record->cells.values = NULL;
}

static inline float recorder_width(Canvas *canvas, const char *text, float size, bool bold) {
    (void)canvas;
    return fixture_measure(NULL, text, size, bold);
}

static inline void recorder_text(Canvas *canvas, float x, float y, const char *text,
                                 const TextStyle *style) {
    assert_true(style->size >= 6);
    LayoutText placed = {.text = text,
                         .x = x,
                         .baseline = y,
                         .width = fixture_measure(NULL, text, style->size, style->bold),
                         .size = style->size,
                         .upward = style->upward,
                         .align = style->align};
    Record *record = record_add(canvas, RECORD_TEXT, layout_text_box(&placed), style->color);
    snprintf(record->text, sizeof record->text, "%s", text);
    record->style = *style;
}

static inline void recorder_push(Canvas *canvas, Rect rect) {
    Recorder *recorder = (Recorder *)canvas;
    assert_in_range(recorder->depth, 0, RECORDED_CLIPS - 2);
    Rect both = rects_common(recorder->clips[recorder->depth], rect);
    recorder->clips[++recorder->depth] = both;
}

static inline void recorder_pop(Canvas *canvas) {
    Recorder *recorder = (Recorder *)canvas;
    assert_true(recorder->depth > 0);
    recorder->depth--;
}

static const CanvasOperations recorder_operations = {
    .fill = recorder_fill,
    .round_fill = recorder_round_fill,
    .round_frame = recorder_round_frame,
    .line = recorder_line,
    .hatch = recorder_hatch,
    .cells = recorder_cells,
    .text = recorder_text,
    .text_width = recorder_width,
    .clip_push = recorder_push,
    .clip_pop = recorder_pop,
};

static inline void recorder_start(Recorder *recorder) {
    if (!recorder->records) recorder->records = malloc(RECORDED_AT_MOST * sizeof(Record));
    assert_non_null(recorder->records);
    recorder->canvas = (Canvas){.operations = &recorder_operations};
    recorder->count = recorder->depth = 0;
    recorder->clips[0] = (Rect){-1e6F, -1e6F, 2e6F, 2e6F};
}

static inline void recorder_free(Recorder *recorder) {
    free(recorder->records);
    *recorder = (Recorder){0};
}

/* The first text drawn that is, or begins with, this one; NULL: none. */
static inline const Record *recorder_find(const Recorder *recorder, const char *text) {
    for (int index = 0; index < recorder->count; index++) {
        const Record *record = &recorder->records[index];
        if (record->kind == RECORD_TEXT && strcmp(record->text, text) == 0) return record;
    }
    return NULL;
}

static inline int recorder_count(const Recorder *recorder, RecordKind kind) {
    int count = 0;
    for (int index = 0; index < recorder->count; index++)
        count += recorder->records[index].kind == kind;
    return count;
}

/* No text that can be seen reaches out of the area; a text clipped to nothing is none. */
static inline void recorder_check_texts(const Recorder *recorder, Rect area) {
    for (int index = 0; index < recorder->count; index++) {
        const Record *record = &recorder->records[index];
        if (record->kind != RECORD_TEXT) continue;
        Rect seen = rects_common(record->area, record->clip);
        if (!(seen.w > 0 && seen.h > 0)) continue;
        if (!rect_inside(record->area, area, 1.5F))
            fail_msg("\"%s\" at %.0f,%.0f %.0fx%.0f leaves %.0f,%.0f %.0fx%.0f", record->text,
                     (double)record->area.x, (double)record->area.y, (double)record->area.w,
                     (double)record->area.h, (double)area.x, (double)area.y, (double)area.w,
                     (double)area.h);
    }
}

/* Nothing that can be seen reaches out of the area. */
static inline void recorder_check_inside(const Recorder *recorder, Rect area) {
    for (int index = 0; index < recorder->count; index++) {
        const Record *record = &recorder->records[index];
        Rect seen = rects_common(record->area, record->clip);
        if (!(seen.w > 0 && seen.h > 0)) continue;
        if (!rect_inside(seen, area, 0.01F))
            fail_msg("what %d draws leaves the area at %.0f,%.0f", (int)record->kind,
                     (double)seen.x, (double)seen.y);
    }
}

/* No two texts lie on each other. */
static inline void recorder_check_overlaps(const Recorder *recorder) {
    for (int index = 0; index < recorder->count; index++)
        for (int other = 0; other < index; other++) {
            const Record *one = &recorder->records[index], *two = &recorder->records[other];
            if (one->kind != RECORD_TEXT || two->kind != RECORD_TEXT) continue;
            Rect both = rects_common(rects_common(one->area, one->clip),
                                     rects_common(two->area, two->clip));
            if (both.w > 1.5F && both.h > 1.5F)
                fail_msg("\"%s\" lies on \"%s\" at %.0f,%.0f", one->text, two->text, (double)both.x,
                         (double)both.y);
        }
}

#endif
