#include "viz/layout/axis_plan.h"

#include "viz/text/script.h"

#include <math.h>
#include <stdlib.h>

enum { STEP_MAX = 1 << 24 };

int axis_step(float pitch, float line) {
    return pitch > 0 ? (int)fminf(ceilf(line / pitch), STEP_MAX) : STEP_MAX;
}

static float slack_of(const AxisRequest *request) {
    return request->slack > 0 ? request->slack : 1;
}

/* The largest size at which every cell is labelled; size_thinned where that is too small. */
static float size_for_pitch(const AxisRequest *request) {
    float size = fminf(request->size_max, floorf(request->pitch / request->line));
    return size < request->size_min ? request->size_thinned : size;
}

/* A smaller size where that avoids shortening labels. */
static float size_for_widest(const AxisRequest *request, float size) {
    float widest = request->widest_unit * slack_of(request);
    bool upright = request->columns && widest * size <= request->pitch;
    if (upright || widest * size <= request->limit || !(widest > 0)) return size;
    float whole = floorf(request->limit / widest);
    return whole >= request->size_min && whole < size ? whole : size;
}

AxisPlan axis_plan(const AxisRequest *request) {
    AxisPlan plan = {.pitch = request->pitch, .limit = request->limit};
    plan.size = size_for_widest(request, size_for_pitch(request));
    plan.step = axis_step(request->pitch, plan.size * request->line);
    return plan;
}

void axis_plan_room(AxisPlan *plan, const AxisRequest *request, float widest) {
    float upright_max =
        request->upright_max > 0 ? request->upright_max : plan->pitch * (float)plan->step;
    plan->turned = request->columns && widest > upright_max;
    bool upright = request->columns && !plan->turned;
    float across = upright ? request->upright_room * plan->size : widest;
    float along = upright ? widest / 2 : request->reach * plan->size;
    plan->room = fminf(ceilf(across * slack_of(request)), plan->limit) + request->gap;
    plan->overhang = fmaxf(ceilf(along - plan->pitch / 2), 0);
}

bool axis_turns(const AxisPlan *plan, const char *label, float width) {
    if (!plan->turned) return false;
    return width > plan->pitch * (float)plan->step || !script_is_one_character(label);
}

static bool touches_mark(int step, const AxisMarks *marks, int index) {
    for (int mark = 0; mark < marks->count; mark++)
        if (abs(index - marks->at[mark]) < step) return true;
    return false;
}

AxisMarks axis_marks(int step, const int *wanted, int count, int cells) {
    AxisMarks marks = {0};
    for (int index = 0; index < count; index++)
        if (wanted[index] >= 0 && wanted[index] < cells &&
            !touches_mark(step, &marks, wanted[index]))
            marks.at[marks.count++] = wanted[index];
    return marks;
}

bool axis_shows(int step, const AxisMarks *marks, int index) {
    for (int mark = 0; mark < marks->count; mark++)
        if (marks->at[mark] == index) return true;
    return index % step == 0 && !touches_mark(step, marks, index);
}

float axis_nice_step(float min) {
    static const float factors[] = {1, 2, 2.5F, 5};
    float power = powf(10, floorf(log10f(min)));
    for (int index = 0; index < 4; index++)
        if (factors[index] * power >= min * 0.9999F) return factors[index] * power;
    return 10 * power;
}
