#include "viz/layout/hits.h"

#include "model/base/minmax.h"

#include <math.h>
#include <stdlib.h>

void hits_clear(HitList *list) {
    list->count = 0;
    list->failed = false;
}

void hits_free(HitList *list) {
    free(list->hits);
    *list = (HitList){0};
}

void hits_add(HitList *list, Hit hit) {
    if (!(hit.area.w > 0 && hit.area.h > 0)) return;
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 256;
        Hit *hits = realloc(list->hits, (size_t)capacity * sizeof *hits);
        if (!hits) {
            list->failed = true;
            return;
        }
        list->hits = hits;
        list->capacity = capacity;
    }
    list->hits[list->count++] = hit;
}

float hits_share(const Hit *slider, float x) {
    float whole = slider->area.w - 2 * slider->shift_x;
    if (!(whole > 0)) return 0;
    return float_clamp((x - slider->area.x - slider->shift_x) / whole, 0, 1);
}

/* The index of the cell at `offset` from the edge of the first one shown; -1 past the last. */
static int cell_at(float offset, float cell, int first, int count) {
    if (!(cell > 0)) return -1;
    float index = floorf(offset / cell) + (float)first;
    return index >= 0 && index < (float)count ? (int)index : -1;
}

static Spot spot_in(const Hit *hit, float x, float y) {
    float right = x - hit->area.x, down = y - hit->area.y;
    Spot spot = {.hit = hit, .row = -1, .column = -1};
    if (hit->turned) {
        spot.row = cell_at(right + hit->shift_x, hit->column_width, hit->first_row, hit->rows);
    } else {
        spot.row = cell_at(down + hit->shift_y, hit->row_height, hit->first_row, hit->rows);
        spot.column =
            cell_at(right + hit->shift_x, hit->column_width, hit->first_column, hit->columns);
    }
    spot.share_x = hit->kind == HIT_SLIDER ? hits_share(hit, x) : right / hit->area.w;
    spot.share_y = down / hit->area.h;
    return spot;
}

void hits_scale(HitList *list, float scale) {
    for (int index = 0; index < list->count; index++) {
        Hit *hit = &list->hits[index];
        Rect area = hit->area;
        hit->area = (Rect){area.x * scale, area.y * scale, area.w * scale, area.h * scale};
        hit->row_height *= scale;
        hit->column_width *= scale;
        hit->shift_x *= scale;
        hit->shift_y *= scale;
    }
}

Spot hits_at(const HitList *list, float x, float y) {
    for (int index = list->count - 1; index >= 0; index--)
        if (rect_contains(list->hits[index].area, x, y)) return spot_in(&list->hits[index], x, y);
    return (Spot){.row = -1, .column = -1};
}

const char *hits_tip(const HitList *list, float x, float y) {
    for (int index = list->count - 1; index >= 0; index--) {
        const Hit *hit = &list->hits[index];
        if (hit->tip && rect_contains(hit->area, x, y)) return hit->tip;
    }
    return NULL;
}

/* The distance of `y` above or below the area; 0 within it. */
static float distance_down(Rect area, float y) {
    if (y < area.y) return area.y - y;
    return fmaxf(y - area.y - area.h, 0);
}

int hits_boundary(const HitList *list, int sequence, float x, float y) {
    const Hit *nearest = NULL;
    int boundary = 0;
    for (int index = 0; index < list->count; index++) {
        const Hit *hit = &list->hits[index];
        if (hit->kind != HIT_TOKEN || hit->index != sequence) continue;
        if (!nearest) boundary = hit->item;
        if (!nearest || distance_down(hit->area, y) < distance_down(nearest->area, y))
            nearest = hit;
    }
    for (int index = 0; nearest && index < list->count; index++) {
        const Hit *hit = &list->hits[index];
        if (hit->kind != HIT_TOKEN || hit->index != sequence) continue;
        bool above = hit->area.y + hit->area.h <= nearest->area.y;
        bool beside = hit->area.y < nearest->area.y + nearest->area.h;
        bool left = hit->area.x + hit->area.w / 2 < x;
        if ((above || (beside && left)) && hit->item >= boundary) boundary = hit->item + 1;
    }
    return boundary;
}

bool hits_find(const HitList *list, HitKind kind, int index, int item, Rect *area) {
    for (int at = 0; at < list->count; at++) {
        const Hit *hit = &list->hits[at];
        if (hit->kind != kind || hit->index != index || hit->item != item) continue;
        *area = hit->area;
        return true;
    }
    return false;
}
