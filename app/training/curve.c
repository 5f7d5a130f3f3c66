#include "app/training/curve.h"

static void merge_pairs(Curve *curve) {
    for (int i = 0; i < CURVE_POINTS / 2; i++) {
        CurvePoint a = curve->points[2 * i], b = curve->points[2 * i + 1];
        curve->points[i] = (CurvePoint){b.step, (a.value + b.value) / 2};
    }
    curve->count = CURVE_POINTS / 2;
    curve->stride *= 2;
}

void curve_add(Curve *curve, int step, double value) {
    if (curve->stride == 0) curve->stride = 1;
    curve->sum += value;
    if (++curve->pending < curve->stride) return;
    curve->points[curve->count++] = (CurvePoint){step, (float)(curve->sum / curve->pending)};
    curve->sum = 0;
    curve->pending = 0;
    if (curve->count == CURVE_POINTS) merge_pairs(curve);
}
